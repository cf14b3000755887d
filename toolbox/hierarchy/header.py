"""The first line of a hierarchy file: a value, or a header, which names the levels."""

from __future__ import annotations

import re
from typing import Final

from toolbox.errors import ConfigurationError, Fault
from toolbox.hierarchy.rows import Row
from toolbox.messages import either

_NUMBER: Final = re.compile(r"\s*[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)([eE][+-]?[0-9]+)?\s*")
_ANYTHING = "*"
_FEWEST_OTHERS = 3
"""Lines that tell something together."""


def is_header(rows: list[Row], source: str, name: str | None, told: str = "") -> bool:
    """Return whether the first row names the levels.

    It does if none of its labels occurs in a row below, and either it begins with the name of the column, or its last
    label is not the root that all other rows share, and that root is ``*`` or all other values are numbers and its own
    is not.

    Parameters
    ----------
    rows : list of Row
        At least one, equally wide.
    name : str, optional
        Of the column.
    told : str
        What to write where it may be either, if that is not what a configuration or a call says.

    Raises
    ------
    ConfigurationError
        If it may be either: its root is another than that of all others, and nothing else tells.
    """
    first, rest = rows[0].fields, [row.fields for row in rows[1:]]
    below = [set(column) for column in zip(*rest, strict=True)]
    if not rest or any(label in labels for label, labels in zip(first, below, strict=True)):
        return False
    if name is not None and first[0].strip().casefold() == name.strip().casefold():
        return True
    if len(first) == 1 or len(rest) < _FEWEST_OTHERS or len(below[-1]) > 1:
        return False
    (root,) = below[-1]
    values_are_numbers = all(map(_NUMBER.fullmatch, below[0])) and not _NUMBER.fullmatch(first[0])
    if values_are_numbers or root == _ANYTHING:
        return True
    problem = f"The line may be a header: all others end in {root!r}, it ends in {first[-1]!r}."
    remedy = either(
        "Write header='true' or header='false' beside file= in <vgh>; or remove it, or move it down, if it is a value.",
        options="Write :header=yes or :header=no after the file; or remove it, or move it down, if it is a value.",
        python="Remove the line; or move it down, if it is a value.",
    )
    raise ConfigurationError(source, [Fault(rows[0].line, problem, told or remedy)])
