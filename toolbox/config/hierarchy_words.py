"""What ``--hierarchy NAME=...`` says: the attributes of the hierarchy in a configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from toolbox.config.given import BadValueError

_MAIN: Final[Mapping[str, str | None]] = MappingProxyType(
    {
        "intervals": "width",
        "cuts": "at",
        "quantiles": "classes",
        "dates": "periods",
        "ages": "at",
        "prefix": "keep",
        "suffix": "keep",
        "icd10": None,
        "telephone": None,
        "ip": None,
        "email": None,
        "tree": "file",
        "order": "values",
        "auto": "levels",
    }
)
"""The builders, each with the attribute that stands behind its colon without a name."""
BUILDERS: Final = tuple(_MAIN)
_OF_FILES: Final = "header|other|root"
_BEHIND_FILE: Final = re.compile(rf"(?P<file>.+?)(?P<options>(?::(?:{_OF_FILES})=[^:]*)*)", re.DOTALL)


def hierarchy_attributes(text: str) -> dict[str, str]:
    """Return the attributes of ``<vgh>`` for the words behind ``--hierarchy NAME=``.

    Examples
    --------
    >>> hierarchy_attributes("intervals:5,10,20:top=90")
    {'build': 'intervals', 'width': '5,10,20', 'top': '90'}
    >>> hierarchy_attributes("postcodes.csv:header=yes")
    {'file': 'postcodes.csv', 'header': 'yes'}

    Raises
    ------
    BadValueError
        If it is neither a builder nor a file.
    """
    name, *parts = text.split(":")
    if name.strip() in _MAIN:
        return {"build": name.strip(), **_of_builder(name.strip(), parts)}
    match = _BEHIND_FILE.fullmatch(text)
    if match is None or not text.strip():
        raise BadValueError("names no hierarchy", "Write a file, or a builder such as intervals:5,10 or prefix:3,1.")
    options = dict(part.split("=", 1) for part in match["options"].split(":")[1:])
    return {"file": match["file"], **options}


def _of_builder(name: str, parts: list[str]) -> dict[str, str]:
    attributes: dict[str, str] = {}
    for index, part in enumerate(parts):
        key, equals, value = part.partition("=")
        main = _MAIN[name]
        if index == 0 and not equals and main is not None:
            attributes[main] = part
        elif not equals or not key:
            raise BadValueError(f"has {part!r} where no value goes", f"Write {name}:option=value, say other=root.")
        elif key in attributes:
            raise BadValueError(f"says {key} twice", "Keep one of the two.")
        else:
            attributes[key] = value
    return attributes
