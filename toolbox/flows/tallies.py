"""Two counts for each value of a column, as rows in any order, and as the bars of a histogram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import FromClause, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.flows.axes import Axis, Bins
from toolbox.queries.query import Query
from toolbox.store.store import Store


class Counted(NamedTuple):
    """The two counts of one value, or of several together."""

    label: str | None
    """None: what is missing or, among bins, no number."""
    values: int
    """How many values these are."""
    first: float
    second: float


class CountedBars(NamedTuple):
    """The bars of a histogram."""

    is_binned: bool
    bars: list[Counted]
    others: Counted | None
    """All values that have no bar of their own."""


@dataclass(frozen=True)
class Tally:
    """Two counts for each value of a column.

    Parameters
    ----------
    counts : FromClause
        ``place, first, second``: each value once; the place of a missing one is null.
    """

    store: Store
    axis: Axis
    counts: FromClause

    def rows(
        self,
        order: Sequence[ColumnElement[Any]],
        *,
        descending: bool = False,
        offset: int = 0,
        limit: int | None = None,
    ) -> list[Counted]:
        """Return some of the values; a missing one is the last.

        Parameters
        ----------
        order : sequence of ColumnElement
            Of columns of the counts; what is still alike is in the order of the values, and so is all if there is none.
        descending : bool
            Whether the largest is the first.
        """
        counts, values = self.counts, self.axis.values
        keys = list(order) or [counts.c.place]
        rows = select(values.c.text, counts.c.first, counts.c.second)
        rows = rows.join_from(counts, values, values.c.place == counts.c.place, isouter=True)
        rows = (
            rows.order_by(
                counts.c.place.is_(None), *(key.desc() if descending else key.asc() for key in keys), counts.c.place
            )
            .offset(offset)
            .limit(limit)
        )
        return [Counted(text, 1, first, second) for text, first, second in self.store.rows(rows)]

    def bars(
        self, bins: Bins | None, most: int, order: Sequence[ColumnElement[Any]], *, descending: bool
    ) -> CountedBars:
        """Return the bars of a histogram: bins, or one for each value; the last of too many categories together.

        Parameters
        ----------
        bins : Bins, optional
            None: the values are shown one by one.
        most : int
            Bars of categories that there should be at most.
        """
        if bins is not None:
            return CountedBars(True, self._binned(bins), None)
        if self.axis.kind == "number" or self.axis.count <= most:
            return CountedBars(False, self.rows(order, descending=descending), None)
        shown = self.rows(order, descending=descending, limit=most - 1)
        values, first, second = self.store.row(self._totals())
        rest = first - sum(bar.first for bar in shown), second - sum(bar.second for bar in shown)
        return CountedBars(False, shown, Counted("others", values - len(shown), *rest))

    def count(self) -> int:
        """Count the values; a missing one is one of them."""
        return int(self.store.scalar(select(func.count()).select_from(self.counts)))

    def _totals(self) -> Query:
        counts = self.counts.c
        return select(func.count(), func.sum(counts.first), func.sum(counts.second))

    def _binned(self, bins: Bins) -> list[Counted]:
        """Sum up the counts of each bin, including empty bins; values outside all bins come last."""
        counts, places = self.counts, bins.places
        sums = func.count(), func.sum(counts.c.first), func.sum(counts.c.second)
        grouped = select(places.c.bin, *sums).group_by(places.c.bin)
        rows = self.store.rows(grouped.join_from(counts, places, places.c.place == counts.c.place, isouter=True))
        found: Mapping[int | None, Any] = {number: figures for number, *figures in rows}
        bars = [Counted(label, *found.get(number, (0, 0, 0))) for number, label in enumerate(bins.labels)]
        return [*bars, Counted(None, *found[None])] if None in found else bars
