"""Dates and timestamps as the numbers by which they are ordered, and the days that they lie in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final

_EPOCH: Final = date(1970, 1, 1).toordinal()
_MICROS: Final = 86_400_000_000
_BEGIN: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Days:
    """How a column numbers its dates: days since 1970, or microseconds, which may be those of a zone.

    Examples
    --------
    >>> Days().number(date(1970, 1, 3)), Days(has_time=True).day(-1.0)
    (2.0, datetime.date(1969, 12, 31))
    """

    has_time: bool = False
    zone: tzinfo | None = None

    def day(self, number: float) -> date:
        """Return the day that a number lies in."""
        if not self.has_time:
            return date.fromordinal(int(number) + _EPOCH)
        if self.zone is not None:
            try:
                return (_BEGIN + timedelta(microseconds=int(number))).astimezone(self.zone).date()
            except OverflowError:  # in the first or the last hours of the calendar
                pass
        return date.fromordinal(int(number // _MICROS) + _EPOCH)

    def number(self, day: date) -> float:
        """Return the number of the first moment of a day."""
        if self.has_time and self.zone is not None:
            try:
                begin = datetime.combine(day, time(), tzinfo=self.zone).astimezone(UTC)
                return float((begin - _BEGIN) // timedelta(microseconds=1))
            except OverflowError:
                pass
        days = float(day.toordinal() - _EPOCH)
        return days * _MICROS if self.has_time else days
