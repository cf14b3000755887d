"""The words of builders: what the command line and the attributes of ``<vgh>`` say, as a builder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from toolbox.errors import ConfigurationError, did_you_mean, quote
from toolbox.hierarchy.builders.builder import BadSettingError, Builder, BuilderError, Wrong

_HOMES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "ages": ("dates", "Ages"),
        "auto": ("automatic", "Auto"),
        "cuts": ("numbers", "Cuts"),
        "dates": ("dates", "Dates"),
        "email": ("known_texts", "Email"),
        "icd10": ("icd10", "Icd10"),
        "intervals": ("numbers", "Intervals"),
        "ip": ("known_texts", "Ip"),
        "order": ("texts", "Order"),
        "prefix": ("texts", "Prefix"),
        "quantiles": ("numbers", "Quantiles"),
        "suffix": ("texts", "Suffix"),
        "telephone": ("known_texts", "Telephone"),
        "tree": ("tree", "Tree"),
    }
)
"""The module and the class of each builder, imported when it is asked for."""
NAMES: Final = tuple(_HOMES)
"""The names of all builders."""
_OPTION: Final = re.compile(r"([A-Za-z][A-Za-z0-9]*)=(.*)", re.DOTALL)


def find_builder_class(name: str) -> type[Builder]:
    """Return the class of a builder that is known."""
    module, attribute = _HOMES[name]
    found: type[Builder] = getattr(import_module(f"toolbox.hierarchy.builders.{module}"), attribute)
    return found


def parse_builder_words(text: str) -> dict[str, str] | None:
    """Read a builder as the command line writes it: ``BUILDER[:VALUES][:option=value]..``.

    Parameters
    ----------
    text : str
        What stands behind ``--hierarchy NAME=``.

    Returns
    -------
    dict of str to str, optional
        The attributes of ``<vgh>`` that say the same, `make_builder` reads them; None if the text names a file.

    Raises
    ------
    BuilderError
        If something is said twice.

    Examples
    --------
    >>> attributes_of("intervals:5,10:top=90")
    {'build': 'intervals', 'width': '5,10', 'top': '90'}
    >>> attributes_of("tree:C:/places.csv:other=root")
    {'build': 'tree', 'file': 'C:/places.csv', 'other': 'root'}
    >>> attributes_of("ages.csv") is None
    True
    """
    name, *parts = text.split(":")
    if name not in _HOMES:
        return None
    kind = find_builder_class(name)
    attributes: dict[str, str] = {"build": name}
    wrong = []
    for option, value in _split_options(parts, kind):
        if option in attributes:
            wrong.append(Wrong(f"{quote(text)} says {option}= twice.", "Say it once."))
        attributes[option] = value
    if wrong:
        raise BuilderError(name, wrong)
    return attributes


def format_builder_words(attributes: Mapping[str, str]) -> str:
    """Write the attributes of ``<vgh>`` as the command line does; `parse_builder_words` reads them.

    Examples
    --------
    >>> words_of({"build": "intervals", "width": "5,10", "top": "90"})
    'intervals:5,10:top=90'
    """
    name, main = attributes["build"], find_builder_class(attributes["build"]).main
    first = [] if main is None or main not in attributes else [attributes[main]]
    others = [f"{option}={text}" for option, text in attributes.items() if option not in ("build", main)]
    return ":".join([name, *first, *others])


def _split_options(parts: list[str], kind: type[Builder]) -> Iterator[tuple[str, str]]:
    """Yield each option with its value; a part that begins no option goes on with the value before it."""
    joined: list[list[str]] = []
    for position, part in enumerate(parts):
        match = _OPTION.fullmatch(part)
        if match is not None and (match[1] in kind.list_all_settings() or not _takes_text(kind)):
            joined.append([match[1], match[2]])
        elif position == 0:
            joined.append([kind.main or "values", part])
        else:
            joined[-1][1] += f":{part}"
    # A builder without a value may be followed by a colon.
    yield from ((option, value) for option, value in joined if value or option != (kind.main or "values"))


def _takes_text(kind: type[Builder]) -> bool:
    """Return whether the main setting may hold anything, an equals sign too."""
    return kind.main in ("file", "values")


def make_builder(attributes: Mapping[str, str], folder: Path = Path()) -> Builder:
    """Make a builder from the attributes of ``<vgh>``.

    Parameters
    ----------
    attributes : mapping of str to str
        Among them ``build``.
    folder : Path, optional
        Where the paths of files begin.

    Raises
    ------
    BuilderError
        With all that is wrong with the attributes.
    ConfigurationError
        With all faults of a file that they name, by line.

    Examples
    --------
    >>> builder_of({"build": "prefix", "keep": "3,1"}).rows(["24700", "24981"])
    [('24700', '247**', '2****', '*'), ('24981', '249**', '2****', '*')]
    """
    name = attributes["build"].strip()
    if name not in _HOMES:
        remedy = f"{did_you_mean(name, NAMES)} Write one of: {', '.join(NAMES)}.".strip()
        raise BuilderError(name or "build", [Wrong(f"build={quote(name)} is unknown.", remedy)])
    kind = find_builder_class(name)
    given = {option: text for option, text in attributes.items() if option != "build"}
    wrong = list(_find_unknown_options(kind, given))
    values: dict[str, Any] = {}
    for option, setting in kind.list_all_settings().items():
        if option not in given:
            continue
        try:
            values[option] = setting.read(given[option])
        except BadSettingError as error:
            wrong.append(Wrong(f"{option}={quote(given[option])} {error.args[0]}.", error.args[1]))
    if kind.is_needed and kind.main is not None and kind.main not in given and not kind.is_said(given):
        wrong.append(Wrong(f"build={quote(name)} lacks {kind.main}=.", f"Write {kind.example()}."))
    builder = _make_checked_builder(kind, values, wrong)
    if builder is not None and not wrong:
        return builder.opened(folder)
    raise BuilderError(name, wrong, None if builder is None else _find_file_error(builder, folder))


def _find_file_error(builder: Builder, folder: Path) -> ConfigurationError | None:
    """Return what is wrong with the file of a builder, beside its settings."""
    try:
        builder.opened(folder)
    except ConfigurationError as error:
        return error
    return None


def _find_unknown_options(kind: type[Builder], given: Mapping[str, str]) -> Iterator[Wrong]:
    known = list(kind.list_all_settings())
    for option in given:
        if option not in known:
            hint = did_you_mean(option, known)
            found = f"build={quote(kind.name)} has no {option}=.{hint}"
            yield Wrong(found, f"It takes: {', '.join(f'{name}=' for name in known)}.")


def _make_checked_builder(kind: type[Builder], values: Mapping[str, Any], wrong: list[Wrong]) -> Builder | None:
    """Make the builder, or note why its settings contradict each other."""
    try:
        return kind(**values)
    except BuilderError as error:
        wrong.extend(error.wrong)
    except TypeError:  # the main setting is missing, which is noted
        if not wrong:
            raise
    return None
