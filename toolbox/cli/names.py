"""How options write names of columns: between commas, before an equals sign, and in quotes where they hold either."""

from __future__ import annotations

import re

_QUOTED = r'"((?:[^"]|"")*)"'
_ONE_OF_SEVERAL = re.compile(rf"\s*{_QUOTED}\s*(?:,|\Z)|([^,]*)(?:,|\Z)")
_BEFORE_VALUE = re.compile(rf"\s*{_QUOTED}\s*=(.*)|([^=]*)=(.*)", re.DOTALL)


def names_in(text: str) -> list[str] | None:
    """Return the names between commas; None if a quote does not close, or a line ends outside of quotes.

    Examples
    --------
    >>> names_in('age, "town, or place",sex')
    ['age', 'town, or place', 'sex']
    """
    names, position = [], 0
    while position <= len(text):
        match = _ONE_OF_SEVERAL.match(text, position)
        assert match is not None, "the second way matches any text"
        quoted, plain = match.groups()
        if quoted is None and (plain.lstrip().startswith('"') or {"\r", "\n"} & set(plain)):
            return None
        name = plain.strip() if quoted is None else quoted.replace('""', '"')
        if name:
            names.append(name)
        position = match.end() if match.end() > position and text[match.end() - 1] == "," else len(text) + 1
    return names


def name_and_value(text: str) -> tuple[str, str] | None:
    """Return the name and the value of ``NAME=VALUE``; None if it is no such text.

    Examples
    --------
    >>> name_and_value('"a=b"=prefix:3'), name_and_value("zip=zip.csv"), name_and_value("zip")
    (('a=b', 'prefix:3'), ('zip', 'zip.csv'), None)
    """
    match = _BEFORE_VALUE.fullmatch(text)
    if match is None:
        return None
    quoted, behind, plain, value = match.groups()
    name = plain.strip() if quoted is None else quoted.replace('""', '"')
    return (name, value if quoted is None else behind) if name else None


def quoted_name(name: str) -> str:
    """Write a name for a list of names, in quotes where it needs them.

    Examples
    --------
    >>> quoted_name("age"), quoted_name("town, or place")
    ('age', '"town, or place"')
    """
    is_plain = name == name.strip() and not set(',="\r\n') & set(name)
    return name if is_plain else '"' + name.replace('"', '""') + '"'
