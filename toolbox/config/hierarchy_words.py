"""What ``--hierarchy NAME=...`` says: the attributes of the hierarchy in a configuration."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from toolbox.config.given import BadValueError
from toolbox.errors import did_you_mean
from toolbox.hierarchy.builders.builder import BuilderError
from toolbox.hierarchy.builders.words import NAMES, attributes_of

BUILDERS: Final = NAMES
"""The builders that may stand there."""
_OF_FILES: Final = "header|other"
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
    try:
        built = attributes_of(text)
    except BuilderError as error:
        found, remedies = zip(*error.wrong, strict=True)
        raise BadValueError(f"is wrong: {' '.join(found).rstrip('.')}", " ".join(remedies)) from None
    if built is not None:
        return built
    match = _BEHIND_FILE.fullmatch(text)
    if match is None or not text.strip():
        raise BadValueError("names no hierarchy", "Write a file, or a builder such as intervals:5,10 or prefix:3,1.")
    hint = did_you_mean(text.partition(":")[0], BUILDERS)
    if hint and "." not in text and not Path(text).exists():
        raise BadValueError("is no builder and no file", f"{hint.strip()} The builders are {', '.join(BUILDERS)}.")
    options = dict(part.split("=", 1) for part in match["options"].split(":")[1:])
    return {"file": match["file"], **options}
