"""Dates of birth by the age that people have on one day, in completed years: ``34``, ``[30:35)``, ``>=90``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date, datetime, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import ClassVar

from toolbox.hierarchy.builders.bands import Band, Banded, banded
from toolbox.hierarchy.builders.builder import Wrong
from toolbox.hierarchy.builders.days import Days
from toolbox.hierarchy.builders.intervals import width_faults
from toolbox.hierarchy.builders.moments import DateBuilder
from toolbox.hierarchy.builders.settings import COUNT, COUNTS, DAY, Setting


def completed_years(born: date, at: date) -> int:
    """Return the age of somebody on a day; who is born on 29 February is a year older on 1 March of other years.

    Examples
    --------
    >>> completed_years(date(2000, 2, 29), date(2023, 2, 28)), completed_years(date(2000, 2, 29), date(2023, 3, 1))
    (22, 23)
    """
    return at.year - born.year - ((at.month, at.day) < (born.month, born.day))


@dataclass(frozen=True, kw_only=True)
class Ages(DateBuilder):
    """Ages on one day, and intervals of them, each width a multiple of the one before."""

    name: ClassVar[str] = "ages"
    main: ClassVar[str | None] = "at"
    sample: ClassVar[str] = "2026-01-01"
    settings: ClassVar[Mapping[str, Setting]] = MappingProxyType(
        {"at": DAY, "width": COUNTS, "bottom": COUNT, "top": COUNT}
    )

    at: date
    """The day on which people have these ages."""
    width: tuple[int, ...] = (1, 5, 10)
    """In years, of each level, the narrowest first."""
    bottom: int | None = None
    """All who are younger are one, on every level."""
    top: int | None = None
    """All of this age and older are one, on every level."""

    def _faults(self) -> Iterator[Wrong]:
        bottom, top = (None if end is None else Decimal(end) for end in (self.bottom, self.top))
        yield from width_faults([Decimal(width) for width in self.width], bottom, top)

    @property
    def hint(self) -> str:
        return f"Nobody is born after {self.at.isoformat()}: write a later at=, or correct them."

    def labels(self, moment: datetime) -> Sequence[str] | None:
        if (age := completed_years(moment.date(), self.at)) < 0:
            return None
        return [_label(*self._cell(age, width)) for width in self.width]

    def hierarchy(self, values: Sequence[float], days: Days) -> Banded:
        """Return the hierarchy of some dates, as ascending numbers, at least one."""

        def bands(value: float) -> list[Band] | None:
            age = completed_years(days.day(value), self.at)
            if age < 0:
                return None
            return [self._band(*self._cell(age, width), days) for width in reversed(self.width)]

        return banded(values, bands, self.root, is_closed=not days.has_time)

    def _cell(self, age: int, width: int) -> tuple[int, int | None]:
        """Return the first age of an interval, and the first behind it; None if there is none."""
        if self.bottom is not None and age < self.bottom:
            return -1, self.bottom
        if self.top is not None and age >= self.top:
            return self.top, None
        low = age // width * width
        high = low + width
        return max(low, self.bottom or 0), high if self.top is None else min(high, self.top)

    def _band(self, low: int, high: int | None, days: Days) -> Band:
        """Return the dates of birth of the people of some ages."""
        first = -math.inf if high is None else self._born_after(high, days)
        return Band(first, self._born_after(max(low, 0), days), _label(low, high))

    def _born_after(self, age: int, days: Days) -> float:
        """Return the first day of birth of people who have not completed this number of years."""
        year = self.at.year - age
        if year < MINYEAR:
            return -math.inf
        try:
            last = self.at.replace(year=year)
        except ValueError:  # 29 February of a year that has none
            last = date(year, 2, 28)
        if last == date(MAXYEAR, 12, 31):
            return math.inf
        return days.number(last + timedelta(days=1))


def _label(low: int, high: int | None) -> str:
    if high is None:
        return f">={low}"
    if low < 0:
        return f"<{high}"
    return str(low) if high == low + 1 else f"[{low}:{high})"
