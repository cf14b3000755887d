"""The quasi-identifiers of a report: how often each value occurs, before and as a reader of the release sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Double, FromClause, Integer, case, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.charts.rows import find_bin_edges, name_bins
from toolbox.published.records import ROOT
from toolbox.published.tables import Cells, Comparison, Domain, Release
from toolbox.queries.dialect import find_first_by, find_last_by
from toolbox.queries.query import Query, Table
from toolbox.queries.scales import PLAIN
from toolbox.report.html.findings import ColumnPicture, FindingsBar, Original
from toolbox.risks.attackers import count_class_sizes
from toolbox.store.engine.store import Store

_MOST_LABELS = 12
_MOST_CATEGORIES = 8
_BINS = 20
_MISSING = "missing"
_NOT_TOLD = "not told"


def make_column_pictures(
    release: Release, roots: Mapping[str, Sequence[str]], beside: Comparison | None
) -> tuple[ColumnPicture, ...]:
    """Return a picture of each quasi-identifier.

    Parameters
    ----------
    roots : mapping of quasi-identifier to texts
        What the root of its hierarchy may be called.
    beside : Comparison, optional
        The release beside its original records.
    """
    return tuple(
        _make_picture(release, index, (ROOT, *roots.get(name, ())), beside)
        for index, name in enumerate(release.quasi_identifiers)
    )


def count_original_risk(comparison: Comparison, k: int) -> Original:
    """Count who would be at risk if the original records were released as they are."""
    store, size = comparison.store, comparison.people.combinations.c.size
    small, alone = (func.coalesce(func.sum(size).filter(test), 0) for test in (size < k, size == 1))
    records, classes, at_risk, single = map(int, store.row(select(func.sum(size), func.count(), small, alone)))
    return Original(records, classes, at_risk, single, count_class_sizes(store, comparison.people.combinations))


def _make_picture(release: Release, index: int, roots: Sequence[str], beside: Comparison | None) -> ColumnPicture:
    store, cells = release.store, release.cells[index]
    ordered = select(cells.c.text, cells.c.records).order_by(cells.c.records.desc(), cells.c.text)
    hidden = func.coalesce(func.sum(cells.c.records).filter(cells.c.text.in_(roots)), 0)
    values, not_told = map(int, store.row(select(func.count(), hidden).select_from(cells)))
    name = release.quasi_identifiers[index]
    frequent = tuple(FindingsBar(text, int(records)) for text, records in store.rows(ordered.limit(_MOST_LABELS)))
    if beside is None:
        return ColumnPicture(
            name=name, is_number=False, released_values=values, most_frequent=frequent, not_told=not_told
        )
    spread = _Spread(store, cells, beside.cells[index], beside.people.domains[index])
    before, after = spread.bars()
    return ColumnPicture(
        name=name,
        is_number=spread.domain.kind == "number",
        released_values=values,
        most_frequent=frequent,
        not_told=not_told,
        original_values=spread.original_values(),
        exact=spread.exact(),
        before=before,
        after=after,
    )


@dataclass(frozen=True)
class _Spread:
    """One column: the bars of its values, and the released records spread over all values that theirs cover."""

    store: Store
    cells: Table
    read: Cells
    domain: Domain

    def original_values(self) -> int:
        values = self.domain.values
        return int(self.store.scalar(select(func.count()).where(values.c.records > 0)))

    def exact(self) -> int:
        meanings = self.read.meanings
        is_one = (meanings.c["values"] == 1) & (meanings.c.form != "root")
        told = select(func.coalesce(func.sum(self.cells.c.records), 0)).select_from(self._told()).where(is_one)
        return int(self.store.scalar(told))

    def bars(self) -> tuple[tuple[FindingsBar, ...], tuple[FindingsBar, ...]]:
        """Return the same bars before and after."""
        edges, whole = self._find_bin_edges() if self.domain.kind == "number" else ([], False)
        bins = self.store.create("bins", self._find_bins(edges) if edges else self._largest())
        rows = self.store.rows(select(bins.c.bin, bins.c.low, bins.c.high, bins.c.records).order_by(bins.c.bin))
        after = {int(bin_): float(records) for bin_, records in self.store.rows(self._spread_released_records(bins))}
        self.store.drop(bins)
        named = [(int(bin_), self._name(low, high), int(records)) for bin_, low, high, records in rows]
        if edges and self.domain.scale is PLAIN:
            named = self._add_empty_bins(named, name_bins(edges, whole=whole))
        before = [FindingsBar(name, records) for _, name, records in named]
        then = [FindingsBar(name, after.get(bin_, 0.0)) for bin_, name, _ in named]
        return self._add_other_bars(before, then)

    def _add_other_bars(
        self, before: list[FindingsBar], after: list[FindingsBar]
    ) -> tuple[tuple[FindingsBar, ...], tuple[FindingsBar, ...]]:
        """Add the bars of all other categories, and of the records that show the root.

        Among numbers in their order these would have no place, and make all other bars low.
        """
        if self.domain.kind == "category":
            shown, hidden = self._count_shown_and_hidden()
            values = self.original_values() - len(before)
            if values > 0:
                total = int(self.store.scalar(select(func.sum(self.domain.values.c.records))))
                others = f"others ({values:,})"
                before.append(FindingsBar(others, total - sum(bar.records for bar in before)))
                after.append(FindingsBar(others, max(0.0, shown - sum(bar.records for bar in after))))
            if hidden:
                before.append(FindingsBar(_NOT_TOLD, 0))
                after.append(FindingsBar(_NOT_TOLD, hidden))
        return tuple(before), tuple(FindingsBar(name, round(records, 1)) for name, records in after)

    def _count_shown_and_hidden(self) -> tuple[int, int]:
        is_root = self.read.meanings.c.form == "root"
        sums = [func.coalesce(func.sum(self.cells.c.records).filter(test), 0) for test in (~is_root, is_root)]
        shown, hidden = self.store.row(select(*sums).select_from(self._told()))
        return int(shown), int(hidden)

    def _find_bin_edges(self) -> tuple[list[float], bool]:
        """Return the edges of bins for numbers, and whether all of these are whole."""
        values = self.domain.values
        number = values.c.number
        fractions = func.count().filter(number != func.floor(number))
        low, high, broken = self.store.row(
            select(func.min(number), func.max(number), fractions).where(values.c.records > 0)
        )
        edges = [] if low is None else find_bin_edges(float(low), float(high), whole=not broken, bins=_BINS)
        return edges, not broken

    def _find_bins(self, edges: Sequence[float]) -> Query:
        """Select the bins of a number: ``bin, first, last, records, low, high``; a missing value stands behind them."""
        values, count = self.domain.values, len(edges) - 1
        place = func.floor((values.c.number - edges[0]) / (edges[1] - edges[0]) + 1e-9)
        within = func.least(func.greatest(place, 0), count - 1)
        # A missing value has no number, which the engine passes over where it looks for the least.
        return self._grouped(cast(case((values.c.number.is_(None), count), else_=within), Integer))

    def _largest(self) -> Query:
        """Select the most frequent values, each a bin of its own, the largest first."""
        values = self.domain.values
        place = func.row_number().over(order_by=(values.c.records.desc(), values.c.value_id)).label("place")
        ranked = select(values.c.value_id, place).where(values.c.records > 0).subquery()
        joined = select(values, ranked.c.place).join(ranked, ranked.c.value_id == values.c.value_id).subquery()
        return self._grouped(joined.c.place, joined, joined.c.place <= _MOST_CATEGORIES)

    def _grouped(
        self, bin_: ColumnElement[int], rows: FromClause | None = None, test: ColumnElement[bool] | None = None
    ) -> Query:
        source = self.domain.values if rows is None else rows
        value_id, label = source.c.value_id, source.c.label
        columns = [
            bin_.label("bin"),
            func.min(value_id).label("first"),
            func.max(value_id).label("last"),
            func.sum(source.c.records).label("records"),
            find_first_by(label, value_id).label("low"),
            find_last_by(label, value_id).label("high"),
        ]
        grouped = select(*columns).select_from(source).group_by(bin_)
        return grouped if test is None else grouped.where(test)

    def _spread_released_records(self, bins: Table) -> Query:
        """Spread the records of each released value evenly over the values that it covers."""
        spans, meanings, cells = self.read.spans, self.read.meanings, self.cells
        both = func.least(spans.c.last, bins.c.last) - func.greatest(spans.c.first, bins.c.first) + 1
        share = cast(cells.c.records, Double) * both / func.nullif(meanings.c["values"], 0)
        joined = self._told().join(spans, spans.c.cell_id == cells.c.cell_id)
        joined = joined.join(bins, (spans.c.last >= bins.c.first) & (spans.c.first <= bins.c.last))
        rows = select(bins.c.bin, func.coalesce(func.sum(share), 0)).select_from(joined)
        return rows.where(meanings.c.form != "root").group_by(bins.c.bin)

    def _told(self) -> FromClause:
        return self.cells.join(self.read.meanings, self.read.meanings.c.cell_id == self.cells.c.cell_id)

    @staticmethod
    def _name(low: str | None, high: str | None) -> str:
        if low is None or high is None:
            return low or high or _MISSING
        return low if low == high else f"{low} to {high}"

    @staticmethod
    def _add_empty_bins(named: list[tuple[int, str, int]], names: Sequence[str]) -> list[tuple[int, str, int]]:
        """Name bins by their edges, and put those in between that nobody has a value of."""
        held = {bin_: records for bin_, _, records in named}
        bins = [(place, name, held.get(place, 0)) for place, name in enumerate(names)]
        return bins + [row for row in named if row[0] >= len(names)]
