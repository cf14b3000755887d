"""Dates by the periods that they lie in: ``1971-03``, ``1971``, ``1970s``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import ClassVar, Final, cast

from toolbox.errors import did_you_mean
from toolbox.hierarchy.builders.builder import Wrong
from toolbox.hierarchy.builders.moments import DateBuilder
from toolbox.hierarchy.builders.settings import BadSettingError, Setting, shown
from toolbox.hierarchy.date_formats import PERIODS, Period, disorder


def _periods(text: str) -> tuple[Period, ...]:
    found = [part.strip().lower() for part in text.split(",")]
    for part in found:
        if part not in PERIODS:
            remedy = f"{did_you_mean(part, PERIODS)} Write some of: {','.join(PERIODS)}.".strip()
            raise BadSettingError(f"holds {shown(part)}, which is no period", remedy)
    return tuple(cast("Period", part) for part in found)


_PERIODS: Final = Setting(_periods, ",".join)


@dataclass(frozen=True, kw_only=True)
class Dates(DateBuilder):
    """Periods, each of which lies within the next."""

    name: ClassVar[str] = "dates"
    main: ClassVar[str | None] = "periods"
    sample: ClassVar[str] = "month,year,decade"
    settings: ClassVar[Mapping[str, Setting]] = MappingProxyType({"periods": _PERIODS})

    periods: tuple[Period, ...]
    """The shortest first. Of dates without a time, those that are longer than a day count."""

    def _faults(self) -> Iterator[Wrong]:
        if (found := disorder(self.periods)) is not None:
            yield Wrong(f"periods= {found[0]}.", found[1])

    def labels(self, moment: datetime) -> Sequence[str]:
        return [_called(moment, period) for period in self.periods]


def _called(moment: datetime, period: Period) -> str:
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
