"""Builders of dates, and the dates that people write in Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import ClassVar

from toolbox.hierarchy.builders.builder import Builder, Takes


@dataclass(frozen=True, kw_only=True)
class DateBuilder(Builder):
    """A builder of dates; a subclass supplies `labels`, and what its hierarchy is."""

    takes: ClassVar[Takes] = "dates"

    def labels(self, moment: datetime) -> Sequence[str] | None:
        """Return the labels of a moment, the narrowest first, without the root; None if it has no place."""
        raise NotImplementedError

    def rows(self, values: Iterable[object]) -> list[tuple[str, ...]]:
        moments: dict[datetime, str] = {}
        for value in values:
            if value is not None:
                moments.setdefault(self._moment(value), str(value))
        found = {moment: self.labels(moment) for moment in sorted(moments)}
        unknown = sum(labels is None for labels in found.values())
        if unknown and self.other == "error":
            raise self._unknown(unknown)
        height = max((len(labels) for labels in found.values() if labels is not None), default=0)
        return [
            (moments[moment], *([self.root] * height if labels is None else labels), self.root)
            for moment, labels in found.items()
        ]

    def _moment(self, value: object) -> datetime:
        if isinstance(value, datetime):
            return value.replace(tzinfo=None)
        if isinstance(value, date):
            return datetime(value.year, value.month, value.day)
        try:
            return datetime.fromisoformat(str(value).strip()).replace(tzinfo=None)
        except ValueError:
            raise self._refuse("A value is not a date.", "Write it as 1971-03-05, or make it a date.") from None
