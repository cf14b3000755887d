"""Hierarchies of dates: by the periods that they lie in, or by the age that people have on one day."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from itertools import pairwise
from types import MappingProxyType
from typing import ClassVar, Final, cast

from toolbox.errors import did_you_mean
from toolbox.hierarchy.builders.builder import (
    COUNT,
    COUNTS,
    DAY,
    BadSettingError,
    Builder,
    FormField,
    Setting,
    Takes,
    Wrong,
    quote_setting,
)
from toolbox.hierarchy.builders.numbers import ENDS, Band, Banded, build_banded_hierarchy, find_width_faults
from toolbox.hierarchy.date_formats import PERIODS, Period, find_period_disorder
from toolbox.messages import mark, say

# Dates and timestamps as the numbers by which they are ordered, and the days that they lie in.

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

    def moment(self, number: float) -> datetime:
        """Return the moment of a number, as clocks of its zone show it."""
        if not self.has_time:
            return datetime.combine(self.day(number), time())
        moment = _BEGIN + timedelta(microseconds=number)
        with suppress(OverflowError):  # in the first or the last hours of the calendar
            moment = moment if self.zone is None else moment.astimezone(self.zone)
        return moment.replace(tzinfo=None)

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


# Builders of dates, and the dates that people write in Python.


@dataclass(frozen=True, kw_only=True)
class DateBuilder(Builder):
    """A builder of dates; a subclass supplies `labels`, each of which names one stretch of time."""

    takes: ClassVar[Takes] = "dates"

    def labels(self, moment: datetime) -> Sequence[str] | None:
        """Return the labels of a moment, the narrowest first, without the root; None if it has no place."""
        raise NotImplementedError

    def hierarchy(self, values: Sequence[float], days: Days) -> Banded:
        """Return the hierarchy of some dates, as ascending numbers, at least one.

        Raises
        ------
        BuilderError
            If dates with one label have others between them.
        """
        named = [self.labels(days.moment(value)) for value in values]
        height = max((len(labels) for labels in named if labels is not None), default=0)
        found: list[list[Band]] = [[] for _ in values]
        for level in reversed(range(height)):
            of_level = [None if labels is None else labels[level] for labels in named]
            begins = [place for place, label in enumerate(of_level) if not place or label != of_level[place - 1]]
            labelled = [of_level[place] for place in begins if of_level[place] is not None]
            if len(set(labelled)) < len(labelled):
                found_apart = say("It calls dates alike that have others between them.")
                raise self._refuse(found_apart, say("Choose another builder."))
            for first, end in pairwise([*begins, len(values)]):
                if (label := of_level[first]) is not None:
                    high = values[end] if end < len(values) else math.inf
                    for place in range(first, end):
                        found[place].append(Band(values[first], high, label))
        known = dict(zip(values, found, strict=True))
        return build_banded_hierarchy(
            values, lambda value: known[value] or None, self.root, is_closed=not days.has_time
        )

    def rows(self, values: Iterable[object]) -> list[tuple[str, ...]]:
        moments: dict[datetime, str] = {}
        for value in values:
            if value is not None:
                moments.setdefault(self._parse_moment(value), str(value))
        found = {moment: self.labels(moment) for moment in sorted(moments)}
        unknown = sum(labels is None for labels in found.values())
        if unknown and self.other == "error":
            raise self._unknown(unknown)
        height = max((len(labels) for labels in found.values() if labels is not None), default=0)
        return [
            (moments[moment], *([self.root] * height if labels is None else labels), self.root)
            for moment, labels in found.items()
        ]

    def _parse_moment(self, value: object) -> datetime:
        if isinstance(value, datetime):
            return value.replace(tzinfo=None)
        if isinstance(value, date):
            return datetime(value.year, value.month, value.day)
        try:
            return datetime.fromisoformat(str(value).strip()).replace(tzinfo=None)
        except ValueError:
            remedy = say("Write it as 1971-03-05, or make it a date.")
            raise self._refuse(say("A value is not a date."), remedy) from None


# Dates by the periods that they lie in: ``1971-03``, ``1971``, ``1970s``.


def _parse_periods(text: str) -> tuple[Period, ...]:
    found = [part.strip().lower() for part in text.split(",")]
    for part in found:
        if part not in PERIODS:
            some = say("Write some of: %(words)s.", words=",".join(PERIODS))
            reason = say("holds %(text)s, which is no period", text=quote_setting(part))
            raise BadSettingError(reason, f"{did_you_mean(part, PERIODS)} {some}".strip())
    return tuple(cast("Period", part) for part in found)


_PERIODS: Final = Setting(_parse_periods, ",".join)


@dataclass(frozen=True, kw_only=True)
class Dates(DateBuilder):
    """Periods, each of which lies within the next."""

    name: ClassVar[str] = "dates"
    title: ClassVar[str] = mark("Months, years, decades")
    sentence: ClassVar[str] = mark("5 March 1971, then March 1971, 1971, the 1970s.")
    rank: ClassVar[int] = 40
    form: ClassVar[Mapping[str, FormField]] = MappingProxyType(
        {
            "periods": FormField(mark("Periods, the shortest first"), ", ".join(PERIODS), "month,year,decade"),
        }
    )
    main: ClassVar[str | None] = "periods"
    sample: ClassVar[str] = "month,year,decade"
    settings: ClassVar[Mapping[str, Setting]] = MappingProxyType({"periods": _PERIODS})

    periods: tuple[Period, ...]
    """The shortest first. Of dates without a time, those that are longer than a day count."""

    def _find_setting_faults(self) -> Iterator[Wrong]:
        if (found := find_period_disorder(self.periods)) is not None:
            yield Wrong(say("%(name)s= %(reason)s.", name="periods", reason=found[0]), found[1])

    def labels(self, moment: datetime) -> Sequence[str]:
        return [_name_period(moment, period) for period in self.periods]


def _name_period(moment: datetime, period: Period) -> str:
    """Name the period that a moment lies in."""
    day = moment.date().isoformat()
    match period:
        case "hour":
            return f"{day}T{moment.hour:02}"
        case "week":
            year, week, _ = moment.date().isocalendar()
            return f"{year:04}-W{week:02}"
        case "quarter":
            return f"{day[:4]}-Q{(moment.month + 2) // 3}"
        case "decade":
            return f"{day[:3]}0s"
    return day[: {"day": 10, "month": 7, "year": 4}[period]]


# Dates of birth by the age that people have on one day, in completed years: ``34``, ``[30:35)``, ``>=90``.


def count_completed_years(born: date, at: date) -> int:
    """Return the age of somebody on a day; who is born on 29 February is a year older on 1 March of other years.

    Examples
    --------
    >>> [count_completed_years(date(2000, 2, 29), at) for at in (date(2023, 2, 28), date(2023, 3, 1))]
    [22, 23]
    """
    return at.year - born.year - ((at.month, at.day) < (born.month, born.day))


@dataclass(frozen=True, kw_only=True)
class Ages(DateBuilder):
    """Ages on one day, and intervals of them, each width a multiple of the one before."""

    name: ClassVar[str] = "ages"
    title: ClassVar[str] = mark("Ages of dates of birth")
    sentence: ClassVar[str] = mark("In completed years on one day, then in intervals.")
    rank: ClassVar[int] = 50
    form: ClassVar[Mapping[str, FormField]] = MappingProxyType(
        {
            "at": FormField(mark("On which day"), mark("Nobody is born after it."), wants="date"),
            "width": FormField(
                mark("Widths in years, the narrowest first"), mark("Each a multiple of the one before."), "1,5,10"
            ),
            **ENDS,
        }
    )
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

    def _find_setting_faults(self) -> Iterator[Wrong]:
        bottom, top = (None if end is None else Decimal(end) for end in (self.bottom, self.top))
        yield from find_width_faults([Decimal(width) for width in self.width], bottom, top)

    @property
    def hint(self) -> str:
        return say("Nobody is born after %(day)s: write a later at=, or correct them.", day=self.at.isoformat())

    def labels(self, moment: datetime) -> Sequence[str] | None:
        if (age := count_completed_years(moment.date(), self.at)) < 0:
            return None
        return [_label(*self._find_age_interval(age, width)) for width in self.width]

    def hierarchy(self, values: Sequence[float], days: Days) -> Banded:
        """Return the hierarchy of some dates, as ascending numbers, at least one."""

        def bands(value: float) -> list[Band] | None:
            age = count_completed_years(days.day(value), self.at)
            if age < 0:
                return None
            return [
                self._find_birth_dates(*self._find_age_interval(age, width), days) for width in reversed(self.width)
            ]

        return build_banded_hierarchy(values, bands, self.root, is_closed=not days.has_time)

    def _find_age_interval(self, age: int, width: int) -> tuple[int, int | None]:
        """Return the first age of an interval, and the first behind it; None if there is none."""
        if self.bottom is not None and age < self.bottom:
            return -1, self.bottom
        if self.top is not None and age >= self.top:
            return self.top, None
        low = age // width * width
        high = low + width
        return max(low, self.bottom or 0), high if self.top is None else min(high, self.top)

    def _find_birth_dates(self, low: int, high: int | None, days: Days) -> Band:
        """Return the dates of birth of the people of some ages."""
        first = -math.inf if high is None else self._find_first_birthday(high, days)
        return Band(first, self._find_first_birthday(max(low, 0), days), _label(low, high))

    def _find_first_birthday(self, age: int, days: Days) -> float:
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
