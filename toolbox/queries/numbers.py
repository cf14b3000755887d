"""Texts as numbers, in SQL."""

from __future__ import annotations

from sqlalchemy import Double, case, cast, func, null, or_, try_cast
from sqlalchemy.sql.elements import ColumnElement


def as_number(text: ColumnElement[str]) -> ColumnElement[float]:
    """Read a text as a finite number, else as null. 0 and -0 are one; ``1_000`` is none, though it is the engine's."""
    number = try_cast(text, Double) + 0.0
    is_none = or_(~func.isfinite(number), func.contains(text, "_"))
    return case((is_none, cast(null(), Double)), else_=number)


def is_no_number(text: ColumnElement[str]) -> ColumnElement[bool]:
    """Test for a text that is there and no number."""
    return text.is_not(None) & as_number(text).is_(None)
