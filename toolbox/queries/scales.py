"""How the values of an ordered column are written: numbers and dates as texts, and texts as ordered numbers."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import BigInteger, Date, Double, String, case, cast, func, literal, null, or_
from sqlalchemy.sql.elements import ColumnElement

from toolbox.hierarchy.date_formats import ISO, ISO_WITH_OFFSET, Period, build_format_shape
from toolbox.queries.dialect import (
    Span,
    add_periods,
    contains,
    convert_from_clock,
    convert_to_clock,
    count_microseconds,
    find_first_match,
    find_iso_week,
    find_iso_year,
    find_quarter,
    has_match,
    is_finite,
    matches,
    number_or_null,
    parse_iso_moment,
    parse_moment,
    starts_with,
)

# How the values of an ordered column are written: the contract of numbers and of dates.


_WHOLE: Final = 2**53
"""Below it, a double that is whole is written without decimals."""


def write_shortest(number: ColumnElement[float]) -> ColumnElement[str]:
    """Write a number in the shortest way that reads back as the same one."""
    return cast(number, String)


def write_plainly(number: ColumnElement[float]) -> ColumnElement[str]:
    """Write a number in the shortest way that reads back as the same one, a whole one without decimals."""
    is_whole = (number == func.floor(number)) & (func.abs(number) < _WHOLE)
    return case((is_whole, cast(cast(number, BigInteger), String)), else_=cast(number, String))


class Scale(ABC):
    """Leads from the texts of a column to ordered numbers, on which everything is computed, and back."""

    @abstractmethod
    def value(self, text: ColumnElement[str]) -> ColumnElement[float]:
        """Read a text as a finite number, otherwise as null."""

    @abstractmethod
    def text(
        self, number: ColumnElement[float], write: Callable[[ColumnElement[float]], ColumnElement[str]] = write_shortest
    ) -> ColumnElement[str]:
        """Write a number so that `value` reads it back; ``write`` says how plain numbers look."""

    @abstractmethod
    def variance(self, number: ColumnElement[float]) -> ColumnElement[str]:
        """Write the variance of several numbers."""


# Texts as numbers, in SQL, and numbers as texts.

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
        self, number: ColumnElement[float], write: Callable[[ColumnElement[float]], ColumnElement[str]] = write_shortest
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


# Dates and timestamps as ordered numbers, in SQL: days or microseconds since 1970.

Unit = Literal["date", "timestamp"]
DAY: Final = 86_400_000_000
"""Microseconds of a day."""
FIRST: Final = -719_162 * DAY
"""The first moment of the year 1, in microseconds."""

# 9999 ends at the first moment of a year that no text can name; every period is shorter than this.
_LENGTHS: Final[dict[Period, tuple[int, Span]]] = {
    "hour": (1, "hours"),
    "day": (1, "days"),
    "week": (7, "days"),
    "month": (1, "months"),
    "quarter": (3, "months"),
    "year": (1, "years"),
    "decade": (10, "years"),
}


@dataclass(frozen=True)
class Calendar(Scale):
    """Dates as days, or timestamps as microseconds, since the beginning of 1970; before it they are negative.

    Releases write them as ISO 8601 does: ``1971-03-05``, ``1971-03-05T14:30:00``, with a zone
    ``1971-03-05T14:30:00+01:00``.
    """

    unit: Unit
    zone: str | None = None
    """Where timestamps are moments of the whole world: the zone in which they are written; None: they are local."""
    format: str | None = None
    """How texts write them; ISO 8601 is read as well. None: only that."""

    def value(self, text: ColumnElement[str]) -> ColumnElement[float]:
        micros = self.parse_microseconds(text)
        if self.unit == "timestamp":
            return cast(micros, Double)
        return case((micros % DAY == 0, cast(micros, Double) / float(DAY)), else_=cast(null(), Double))

    def parse_microseconds(self, text: ColumnElement[str]) -> ColumnElement[int]:
        """Read a text as microseconds since 1970; null if it is no such date, or before the year 1."""
        stripped = func.trim(text)
        micros = self._parse_iso(stripped)
        if self.format is not None:
            fits = matches(stripped, build_format_shape(self.format))
            parsed = count_microseconds(parse_moment(stripped, self.format))
            micros = func.coalesce(micros, case((fits, parsed)), type_=BigInteger)
        return case((micros >= FIRST, micros))

    def _parse_iso(self, text: ColumnElement[str]) -> ColumnElement[int]:
        shape = ISO if self.zone is None else ISO_WITH_OFFSET

        def part(group: int) -> ColumnElement[str]:
            return func.nullif(find_first_match(text, f"^{shape}$", group), "")

        second = func.replace(func.coalesce(part(3), ":00"), ",", ".")
        written = func.concat(part(1), " ", func.coalesce(part(2), "00:00"), second)
        if self.zone is not None:
            hours = case((part(4) == "Z", "+00"), else_=part(4))
            written = func.concat(written, hours, ":", func.coalesce(part(5), "00"), ":", func.coalesce(part(6), "00"))
        moment = parse_iso_moment(written, zoned=self.zone is not None)
        return case((matches(text, shape), count_microseconds(moment)))

    def text(
        self, number: ColumnElement[float], write: Callable[[ColumnElement[float]], ColumnElement[str]] = write_shortest
    ) -> ColumnElement[str]:
        micros = self._convert_to_microseconds(number)
        local = convert_to_clock(micros, self.zone)
        if self.unit == "date":
            return cast(cast(local, Date), String)
        written = func.replace(cast(local, String), " ", "T")
        return written if self.zone is None else func.concat(written, self._offset(local, micros))

    def variance(self, number: ColumnElement[float]) -> ColumnElement[str]:
        """Write the variance in squared days."""
        return cast(number if self.unit == "date" else number / float(DAY) / float(DAY), String)

    def start(self, number: ColumnElement[float], period: Period) -> ColumnElement[float]:
        """Return the first day, or the first moment, of the period that a date lies in."""
        micros = self._convert_to_microseconds(number)
        local = convert_to_clock(micros, self.zone)
        begin: ColumnElement[Any] = func.date_trunc(period, local)
        if period == "hour":
            # The clock may show an hour twice; its beginning is as far back as its minutes are on.
            return cast(micros - (count_microseconds(local) - count_microseconds(begin)), Double)
        return self._number(begin)

    def end(self, number: ColumnElement[float], period: Period) -> ColumnElement[float]:
        """Return the last day of the period, or of timestamps the first moment behind it."""
        if period == "hour":
            return self.start(number, period) + float(DAY // 24)
        begin = func.date_trunc(period, convert_to_clock(self._convert_to_microseconds(number), self.zone))
        behind = self._number(add_periods(begin, *_LENGTHS[period]))
        return behind - 1.0 if self.unit == "date" else behind

    def label(self, number: ColumnElement[float], period: Period) -> ColumnElement[str]:
        """Name the period that a date lies in: ``1971-03-05T14``, ``1971-W09``, ``1971-03``, ``1971-Q1``, ``1970s``."""
        micros = self._convert_to_microseconds(number)
        local = convert_to_clock(micros, self.zone)
        written = cast(local, String)
        match period:
            case "hour":
                hour = func.concat(func.left(written, 10), "T", func.substr(written, 12, 2))
                return hour if self.zone is None else func.concat(hour, self._offset(local, micros))
            case "week":
                year, week = cast(find_iso_year(local), String), cast(find_iso_week(local), String)
                return func.concat(func.lpad(year, 4, "0"), "-W", func.lpad(week, 2, "0"))
            case "quarter":
                return func.concat(func.left(written, 4), "-Q", cast(find_quarter(local), String))
            case "decade":
                return func.concat(func.left(written, 3), "0s")
        return func.left(written, {"day": 10, "month": 7, "year": 4}[period])

    def _convert_to_microseconds(self, number: ColumnElement[float]) -> ColumnElement[int]:
        """Turn a number back into microseconds; the mean of several dates is rounded to a day."""
        whole = cast(func.round(number), BigInteger)
        return whole * DAY if self.unit == "date" else whole

    def _number(self, local: ColumnElement[Any]) -> ColumnElement[float]:
        """Return the number of what calendar and clock show."""
        micros = cast(convert_from_clock(local, self.zone), Double)
        return cast(micros / float(DAY), Double) if self.unit == "date" else micros

    def _offset(self, local: ColumnElement[Any], micros: ColumnElement[int]) -> ColumnElement[str]:
        """Write the offset of the clock from UTC."""
        if self.zone == "UTC":
            return literal("Z")
        ahead = cast((count_microseconds(local) - micros) / 1_000_000, BigInteger)
        apart = func.abs(ahead, type_=BigInteger)
        hours, minutes, seconds = (
            func.lpad(cast(cast(func.floor(apart / length), BigInteger) % count, String), 2, "0")
            for length, count in ((3600, 24), (60, 60), (1, 60))
        )
        shown = func.concat(case((ahead < 0, "-"), else_="+"), hours, ":", minutes)
        return case((apart % 60 == 0, shown), else_=func.concat(shown, ":", seconds))
