"""Ranges of ordered categories, named by their ends: ``low..mid``, and of intervals ``(17.9, 35.8]``."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from sqlalchemy import and_, case, func
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.dialect import contains, first_match

SEPARATOR: Final = ".."
_BEGIN: Final = r"([\[(][^,]+), [^,]+[\])]"
_END: Final = r"[\[(][^,]+, ([^,]+[\])])"


class Ends(NamedTuple):
    """What the name of a range begins and ends with."""

    first: str
    last: str
    are_intervals: bool
    """Whether these are the beginning of one interval and the end of another; otherwise they are categories."""


def named_by_ends(first: ColumnElement[str], last: ColumnElement[str]) -> ColumnElement[str]:
    """Name a range of several categories by the first and the last of them."""
    begin, end = first_match(first, f"^{_BEGIN}$", 1), first_match(last, f"^{_END}$", 1)
    joined = func.concat(begin, ", ", end)
    return case((and_(begin != "", end != ""), joined), else_=func.concat(first, SEPARATOR, last))


def is_nameable(label: ColumnElement[str]) -> ColumnElement[bool]:
    """Test whether a category may be an end: not if ``..`` stands in it."""
    return ~contains(label, SEPARATOR)


def ends_of(text: str) -> Ends | None:
    """Read the name of a range; None if it is none.

    Examples
    --------
    >>> ends_of("low..mid"), ends_of("(17.9, 35.8]")
    (Ends(first='low', last='mid', are_intervals=False), Ends(first='(17.9', last='35.8]', are_intervals=True))
    """
    begin, end = re.fullmatch(_BEGIN, text), re.fullmatch(_END, text)
    if begin is not None and end is not None:
        return Ends(begin[1], end[1], True)
    first, separator, last = text.partition(SEPARATOR)
    return Ends(first, last, False) if separator and first and last else None
