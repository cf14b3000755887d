"""Texts as numbers, in SQL, and numbers as texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Double, case, cast, func, null, or_
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.dialect import contains, has_match, is_finite, matches, number_or_null, starts_with
from toolbox.queries.scale import Scale, shortest

_CODE: Final = "^0[0-9]+$"
"""Digits with a zero before them, as no number is written: a postcode, a key."""


@dataclass(frozen=True)
class Figures(Scale):
    """How an input writes its numbers: what stands before the decimals, and between thousands.

    Examples
    --------
    >>> Figures(",", ".").plain_text("[1.234,5:2.000]"), Figures().plain_text("1.5")
    ('[1234.5:2000]', '1.5')
    """

    decimal: str = "."
    thousands: str = ""
    """Empty where thousands are not set apart."""

    @property
    def is_plain(self) -> bool:
        """Whether numbers are written as the engine reads them."""
        return self.decimal == "." and not self.thousands

    def plain(self, text: ColumnElement[str]) -> ColumnElement[str]:
        """Rewrite a number as the engine reads it; null for a text that is no number in this notation."""
        if self.is_plain:
            return text
        groups = rf"|[0-9]{{1,3}}(?:{re.escape(self.thousands)}[0-9]{{3}})+" if self.thousands else ""
        pattern = rf"\s*[+-]?(?:[0-9]+{groups})?(?:{re.escape(self.decimal)}[0-9]*)?(?:[eE][+-]?[0-9]+)?\s*"
        ungrouped = func.replace(text, self.thousands, "") if self.thousands else text
        return case((matches(text, pattern), func.replace(ungrouped, self.decimal, ".")))

    def plain_text(self, text: str) -> str:
        """Rewrite all numbers of a text that is written by us, such as ``[1,5:2]``."""
        return (text.replace(self.thousands, "") if self.thousands else text).replace(self.decimal, ".")

    def value(self, text: ColumnElement[str]) -> ColumnElement[float]:
        return as_number(self.plain(text))

    def text(
        self, number: ColumnElement[float], write: Callable[[ColumnElement[float]], ColumnElement[str]] = shortest
    ) -> ColumnElement[str]:
        written = write(number)
        return written if self.decimal == "." else func.replace(written, ".", self.decimal)

    def variance(self, number: ColumnElement[float]) -> ColumnElement[str]:
        return self.text(number)


PLAIN: Final = Figures()
"""Numbers as the engine writes them."""


def as_number(text: ColumnElement[str]) -> ColumnElement[float]:
    """Read a text as a finite number, otherwise as null. 0 and -0 are equal; ``1_000`` is no number here."""
    number = number_or_null(text) + 0.0
    is_none = or_(~is_finite(number), contains(text, "_"))
    return case((is_none, cast(null(), Double)), else_=number)


def is_no_number(text: ColumnElement[str], figures: Figures = PLAIN) -> ColumnElement[bool]:
    """Test for a text that is there and no number."""
    return text.is_not(None) & figures.value(text).is_(None)


def is_code(text: ColumnElement[str]) -> ColumnElement[bool]:
    """Test for digits with leading zeros, as codes have: the whole column holds categories then."""
    # The pattern is looked at only where a zero comes first.
    return case((starts_with(text, "0"), has_match(text, _CODE)), else_=False)
