"""The values of a column in their order, how many records each has, and the bars of a histogram that show them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from sqlalchemy import BigInteger, Double, FromClause, Integer, Subquery, and_, case, cast, func, literal, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.charts.rows import find_bin_edges, name_bins
from toolbox.config.model import Attribute
from toolbox.flows.session.loads import Load, OpenedTable, select_combinations
from toolbox.flows.session.variants import StoredVariant
from toolbox.hierarchy.date_formats import PERIODS
from toolbox.queries.dialect import Query, Table
from toolbox.queries.scales import Calendar, Figures, Scale
from toolbox.report.explore.records import (
    AtRisk,
    Bar,
    BeforeAndAfter,
    CountedBar,
    Histogram,
    MissingRecords,
    ValueAtRisk,
    ValuesAtRisk,
)
from toolbox.store.engine.store import Store
from toolbox.store.input.layout import MissingValues, complete_quasi_identifiers
from toolbox.store.input.source import column_text
from toolbox.store.load.session import KeptSource
from toolbox.store.values.column_type import TextDomain, TypeHints, read_domain
from toolbox.store.values.generalisations import label_of

# The values of a column in their order, and the bars of a histogram that show them.

MOST_NUMBERS = 60
"""More different numbers, or dates, are shown in bins."""


@dataclass(frozen=True)
class ValueAxis:
    """The values of a column, numbered in their order."""

    kind: Literal["number", "category"]
    """Dates are numbers."""
    scale: Scale
    values: FromClause
    """``place, text, value``: places from 0; the value of a number or a date, null where it is none."""
    count: int

    @property
    def has_bins(self) -> bool:
        """Whether a histogram puts neighbours into one bar."""
        return self.kind == "number" and self.count > MOST_NUMBERS

    def bins(self, store: Store, most: int) -> Bins:
        """Put numbers into bins with round ends, and dates into periods.

        Parameters
        ----------
        most : int
            Bins that there should be; a few more where ends are round, and of dates of many centuries.
        """
        if isinstance(self.scale, Calendar):
            return self._periods(store, self.scale, most)
        value = self.values.c.value
        fraction = func.abs(value - func.round(value))
        low, high, rest = store.row(select(func.min(value), func.max(value), func.max(fraction)))
        edges = find_bin_edges(low, high, whole=rest == 0, bins=most)
        inner = edges[1:-1]
        bins = store.create_constant(
            "edges",
            {
                "bin": (int, list(range(len(edges) - 1))),
                # The outer edges were rounded; no value is beyond them.
                "low": (float, [min(edges[0], low), *inner]),
                "high": (float, [*inner, math.nextafter(max(edges[-1], high), math.inf)]),
            },
        )
        within = and_(value >= bins.c.low, value < bins.c.high)
        placed = store.create("bins", select(self.values.c.place, bins.c.bin).join_from(self.values, bins, within))
        return Bins(placed, tuple(name_bins(edges, whole=rest == 0)))

    def _periods(self, store: Store, calendar: Calendar, most: int) -> Bins:
        """Choose the shortest periods that are few enough, otherwise decades; periods without a date are no bins."""
        value = self.values.c.value
        labels = [calendar.label(value, period) for period in PERIODS[calendar.unit == "date" :]]
        counts = store.row(select(*(func.count(label.distinct()) for label in labels)))
        few = [label for label, count in zip(labels, counts, strict=True) if count <= most]
        label = few[0] if few else labels[-1]
        dated = select(self.values.c.place, value, label.label("label")).where(value.is_not(None)).subquery()
        named = select(func.min(dated.c.value).label("first"), dated.c.label).group_by(dated.c.label).subquery()
        number = cast(func.row_number().over(order_by=named.c.first) - 1, Integer)
        bins = store.create("periods", select(number.label("bin"), named.c.label))
        same = dated.c.label == bins.c.label
        placed = store.create("bins", select(dated.c.place, bins.c.bin).join_from(dated, bins, same))
        texts = store.rows(select(bins.c.label).order_by(bins.c.bin))
        return Bins(placed, tuple(text for (text,) in texts))


class Bins(NamedTuple):
    """The bins of a histogram."""

    places: Table
    """``place, bin``: the bin of each value, from 0; what is no number is in none."""
    labels: tuple[str, ...]


@dataclass(frozen=True)
class KeptAxis(ValueAxis):
    """The axis of a column of a session."""

    texts: Table
    """``text, place``: each text of the column that stands for a value, which may be written in several ways; null
    is one of them where missing values are kept."""


def sort_kept_values(
    store: Store, source: KeptSource, attribute: Attribute, position: int, clues: TypeHints, missing: MissingValues
) -> KeptAxis:
    """Sort the values of a kept column.

    Parameters
    ----------
    attribute : Attribute
        As it is declared; its hierarchy does not matter.
    """
    plain = Attribute(
        column=attribute.column, kind=attribute.kind, format=attribute.format, categories=attribute.categories
    )
    text = column_text(source.relation(), position)
    written = store.create("written", select(text.label("text")).distinct())
    meant = missing.value(attribute, written.c.text)
    present = select(meant.label("text"))
    if missing.kept is None:
        present = present.where(~missing.test(attribute, written.c.text))
    domain = read_domain(
        store,
        plain,
        position=position,
        clues=clues,
        texts=present.distinct(),
        all_texts=select(written.c.text),
        kept_missing=missing.kept,
    )
    placed = store.create("placed", _select_placed_values(domain))
    same = placed.c.text == meant
    texts = store.create("texts", select(written.c.text, placed.c.place).join_from(written, placed, same))
    label = func.coalesce(label_of(domain.scale, placed.c.value, placed.c.text), func.min(placed.c.text))
    named = select(placed.c.place, label.label("text"), placed.c.value)
    values = store.create("values", named.group_by(placed.c.place, placed.c.value))
    store.drop(written, domain.texts, placed)
    return KeptAxis(domain.kind, domain.scale, values, store.count(values), texts)


def _select_placed_values(domain: TextDomain) -> Query:
    """Place the values: ``text, place, value``; what does not fit its column stands behind all others."""
    text, value = domain.texts.c.text, domain.texts.c.value
    fits = domain.texts.c.problem.is_(None)
    known, unknown = case((fits, value)), case((~fits, text))
    order = [known.nulls_last(), unknown]
    place = cast(func.dense_rank().over(order_by=order) - 1, Integer)
    return select(text, place.label("place"), known.label("value"))


# Two counts for each value of a column, as rows in any order, and as the bars of a histogram.


class CountedValues(NamedTuple):
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
    bars: list[CountedValues]
    others: CountedValues | None
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
    axis: ValueAxis
    counts: FromClause

    def rows(
        self,
        order: Sequence[ColumnElement[Any]],
        *,
        descending: bool = False,
        offset: int = 0,
        limit: int | None = None,
    ) -> list[CountedValues]:
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
        return [CountedValues(text, 1, first, second) for text, first, second in self.store.rows(rows)]

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
            return CountedBars(True, self._find_bins(bins), None)
        if self.axis.kind == "number" or self.axis.count <= most:
            return CountedBars(False, self.rows(order, descending=descending), None)
        shown = self.rows(order, descending=descending, limit=most - 1)
        values, first, second = self.store.row(self._totals())
        rest = first - sum(bar.first for bar in shown), second - sum(bar.second for bar in shown)
        return CountedBars(False, shown, CountedValues("others", values - len(shown), *rest))

    def count(self) -> int:
        """Count the values; a missing one is one of them."""
        return int(self.store.scalar(select(func.count()).select_from(self.counts)))

    def _totals(self) -> Query:
        counts = self.counts.c
        return select(func.count(), func.sum(counts.first), func.sum(counts.second))

    def _find_bins(self, bins: Bins) -> list[CountedValues]:
        """Sum up the counts of each bin, including empty bins; values outside all bins come last."""
        counts, places = self.counts, bins.places
        sums = func.count(), func.sum(counts.c.first), func.sum(counts.c.second)
        grouped = select(places.c.bin, *sums).group_by(places.c.bin)
        rows = self.store.rows(grouped.join_from(counts, places, places.c.place == counts.c.place, isouter=True))
        found: Mapping[int | None, Any] = {number: figures for number, *figures in rows}
        bars = [CountedValues(label, *found.get(number, (0, 0, 0))) for number, label in enumerate(bins.labels)]
        return [*bars, CountedValues(None, *found[None])] if None in found else bars


# How the records of each value of a column spread over classes of all sizes, so that any k is answered at once.


def count_class_spread(store: Store, source: KeptSource, rows: Table, position: int, axis: KeptAxis) -> Table:
    """Count the records of each value in classes of each size, in persons where these count.

    Parameters
    ----------
    rows : Table
        ``row, records, people``.

    Returns
    -------
    Table
        ``place, size, records``; the place of a missing value is null.
    """
    joined = rows.join(source.relation(), source.row_number() == rows.c.row)
    text = column_text(source.relation(), position)
    joined = joined.outerjoin(axis.texts, axis.texts.c.text.is_not_distinct_from(text))
    group = axis.texts.c.place, rows.c.people
    records = cast(func.sum(rows.c.records), BigInteger).label("records")
    shown = select(axis.texts.c.place, rows.c.people.label("size"), records)
    return store.create("spread", shown.select_from(joined).group_by(*group))


def count_at_size(spread: Table, k: int) -> Subquery:
    """Count the records of each value in classes of at least k, and in smaller ones: ``place, first, second``."""
    is_small = spread.c.size < k
    sums = (func.coalesce(func.sum(spread.c.records).filter(test), 0) for test in (~is_small, is_small))
    safe, at_risk = (cast(total, BigInteger) for total in sums)
    counted = select(spread.c.place, safe.label("first"), at_risk.label("second"))
    return counted.group_by(spread.c.place).subquery()


def order_of(counts: Subquery, sort: str) -> list[ColumnElement[Any]]:
    """Return what values are sorted by: themselves, the number of their records, or first the share at risk."""
    records = counts.c.first + counts.c.second
    if sort == "count":
        return [records]
    return [cast(counts.c.second, Double) / cast(records, Double), records] if sort == "risk" else []


# A quasi-identifier of a variant before, and the values that it releases instead.


def find_release_axis(variant: StoredVariant, index: int) -> ValueAxis:
    """Return the values of a quasi-identifier as its release orders them."""
    column = variant.tables.quasi_identifiers[index]
    ground = column.ground.c
    values = select(ground.level_0.label("place"), ground.label.label("text"), ground.value).subquery()
    return ValueAxis(column.kind, column.scale, values, column.values)


def _count_before(variant: StoredVariant, index: int) -> Query:
    """Count the records of each value as it was read: ``place, first, second``; the second is nothing."""
    name, before = variant.tables.interval_names[index], variant.tables.combinations
    counted = select(before.c[name].label("place"), func.sum(before.c.size).label("first"), literal(0).label("second"))
    return counted.group_by(before.c[name])


def _list_released_values(store: Store, variant: StoredVariant, index: int, most: int) -> list[CountedBar]:
    """List the values that a release shows, each with its records; in their order if they are few.

    Suppressed records show the root. Of too many values the rarest share the last bar.
    """
    column, used = variant.tables.quasi_identifiers[index], variant.tables.equivalence.c
    interval = column.intervals.c
    shown = case((used.suppressed, column.root), else_=used[variant.tables.interval_names[index]])
    sums = select(shown.label("interval_id"), func.sum(used.size).label("records")).group_by(shown).subquery()
    is_root = (interval.interval_id == column.root).label("is_root")
    named = select(interval.label, sums.c.records, interval.low, interval.high, is_root)
    values = store.create(
        "shown_values", named.join_from(sums, column.intervals, interval.interval_id == sums.c.interval_id)
    )
    label, records, low, high, is_widest = values.c
    count, total = map(int, store.row(select(func.count(), func.coalesce(func.sum(records), 0))))
    if count <= most:
        rows = store.rows(select(label, records).order_by(is_widest, low.nulls_last(), high, label))
        return [CountedBar(text, 1, int(found)) for text, found in rows]
    rows = store.rows(select(label, records).order_by(records.desc(), low.nulls_last(), high, label).limit(most - 1))
    bars = [CountedBar(text, 1, int(found)) for text, found in rows]
    return [*bars, CountedBar("others", count - len(bars), total - sum(bar.records for bar in bars))]


# The values of the columns of a session: how many records each has, safe and at risk, before and after a run.


@dataclass(frozen=True)
class SessionColumn:
    """One column that can be asked about."""

    name: str
    role: str
    """``candidate``: it can be a quasi-identifier; or ``sensitive``."""
    kind: str | None
    """What it holds, where that is known before its values are looked at."""
    values: int
    """Distinct ones, as they are written."""
    missing: int
    """Records without a value."""
    has_hierarchy: bool


@dataclass(eq=False)
class Distributions:
    """Counts values; what it finds out of a column is kept for the next question."""

    table: OpenedTable
    _axes: dict[str, KeptAxis] = field(default_factory=dict)
    _bins: dict[tuple[str, int], Bins] = field(default_factory=dict)

    def describe_columns(self) -> tuple[SessionColumn, ...]:
        """Describe all columns, in one reading of the combinations."""
        source = self.table.source
        relation = source.relation()
        size = relation.c[f"c{source.width}"]
        attributes: list[tuple[str, Attribute]] = [
            ("candidate", attribute) for attribute in self.table.declared.config.quasi_identifiers
        ]
        attributes += [("sensitive", attribute) for attribute in self.table.declared.config.sensitive]
        missing = MissingValues.of(self.table.declared.config)
        figures: list[ColumnElement[Any]] = []
        for _, attribute in attributes:
            text = column_text(relation, self.table.positions[str(attribute.column)])
            is_missing = missing.test(attribute, text)
            figures.append(func.count(text.distinct()).filter(~is_missing))
            figures.append(func.coalesce(func.sum(size).filter(is_missing), 0))
        row = list(map(int, self.table.store.row(select(*figures).select_from(relation))))
        return tuple(
            SessionColumn(
                name=str(attribute.column),
                role=role,
                kind=attribute.kind or self.table.source.kinds[self.table.positions[str(attribute.column)]],
                values=values,
                missing=lacking,
                has_hierarchy=attribute.hierarchy is not None,
            )
            for (role, attribute), values, lacking in zip(attributes, row[::2], row[1::2], strict=True)
        )

    def count_missing(self) -> MissingRecords:
        """Count the records that lack a value of any column that is declared, and of each."""
        config, source = self.table.declared.config, self.table.source
        relation, missing = source.relation(), MissingValues.of(config)
        size = relation.c[f"c{source.width}"]
        tests = {
            str(attribute.column): missing.test(
                attribute, column_text(relation, self.table.positions[str(attribute.column)])
            )
            for attribute in (*config.quasi_identifiers, *config.sensitive)
        }
        lacks = or_(relation.c.unusable, *tests.values())
        sums = [func.coalesce(func.sum(size).filter(test), 0) for test in (lacks, *tests.values())]
        total = func.coalesce(func.sum(size), 0)
        records, lacking, *counts = map(int, self.table.store.row(select(total, *sums).select_from(relation)))
        pairs = sorted(zip(tests, counts, strict=True), key=lambda pair: -pair[1])
        return MissingRecords(
            records=records,
            lacking=lacking,
            on_missing=None if config.input is None else config.input.on_missing,
            needs_choice=missing.needs_choice(records, lacking),
            columns=tuple((name, count) for name, count in pairs if count),
        )

    def count_at_risk(self, load: Load, k: int, column: str | None) -> AtRisk:
        """Count the records in classes of fewer than k; `Session.at_risk` explains the arguments."""
        classes = select_combinations(load.loaded).subquery().c
        figures = (
            func.sum(classes.size),
            func.coalesce(func.sum(classes.size).filter(classes.people < k), 0),
            func.count(),
        )
        records, at_risk, count = map(int, self.table.store.row(select(*figures)))
        return AtRisk(
            k=k,
            quasi_identifiers=tuple(str(attribute.column) for attribute in load.config.quasi_identifiers),
            records=records,
            at_risk=at_risk,
            classes=count,
            counts_persons=load.loaded.tables.persons is not None,
            column=column,
            values=() if column is None else self.values(load, column, k).values,
        )

    def axis(self, column: str) -> KeptAxis:
        """Return the values of a column in their order."""
        if column not in self._axes:
            source, config, position = self.table.source, self.table.declared.config, self.table.positions[column]
            clues = TypeHints(source.kinds[position], source.zones[position], self._figures())
            with self.table.keep_beyond_scope():
                axis = sort_kept_values(
                    self.table.store, source, self._attribute(column), position, clues, MissingValues.of(config)
                )
            self._axes[column] = axis
        return self._axes[column]

    def values(
        self,
        load: Load,
        column: str,
        k: int,
        *,
        sort: str = "value",
        descending: bool = False,
        offset: int = 0,
        limit: int | None = None,
    ) -> ValuesAtRisk:
        """List some of the values of a column; `Session.values` explains the arguments."""
        counts = count_at_size(self._find_spread(load, column), k)
        tally = Tally(self.table.store, self.axis(column), counts)
        rows = tally.rows(order_of(counts, sort), descending=descending, offset=offset, limit=limit)
        values = tuple(ValueAtRisk(row.label, int(row.first), int(row.second)) for row in rows)
        return ValuesAtRisk(k=k, column=column, total=tally.count(), offset=offset, values=values)

    def histogram(self, load: Load, column: str, k: int, *, sort: str, descending: bool, most: int) -> Histogram:
        """Show the values of a column in few bars; `Session.histogram` explains the arguments."""
        counts = count_at_size(self._find_spread(load, column), k)
        tally = Tally(self.table.store, self.axis(column), counts)
        found = tally.bars(self._find_bins(column, most), most, order_of(counts, sort), descending=descending)
        bars, others = tuple(map(_make_bar, found.bars)), None if found.others is None else _make_bar(found.others)
        return Histogram(k=k, column=column, is_binned=found.is_binned, bars=bars, others=others)

    def before_and_after(self, variant: StoredVariant, column: str, *, most: int) -> BeforeAndAfter:
        """Compare a quasi-identifier with what a variant tells of it; `Session.before_and_after` explains it."""
        store, index = self.table.store, variant.names.index(column)
        axis = find_release_axis(variant, index)
        counts = store.create("before", _count_before(variant, index))
        bins = axis.bins(store, most) if axis.has_bins else None
        has_others = axis.kind == "category" and axis.count > most
        order = [counts.c.first] if has_others else []
        found = Tally(store, axis, counts).bars(bins, most, order, descending=has_others)
        classes = variant.classes.c
        suppressed = store.scalar(select(func.coalesce(func.sum(classes.size).filter(classes.suppressed), 0)))
        bars = [*found.bars, *([] if found.others is None else [found.others])]
        return BeforeAndAfter(
            column=column,
            is_binned=found.is_binned,
            before=tuple(CountedBar(bar.label, bar.values, int(bar.first)) for bar in bars),
            after=tuple(_list_released_values(store, variant, index, most)),
            suppressed=int(suppressed),
        )

    def _find_spread(self, load: Load, column: str) -> Table:
        if column not in load.spreads:
            store, axis = self.table.store, self.axis(column)
            rows = load.rows(store)
            with store.within(load.scope):
                spread = count_class_spread(store, self.table.source, rows, self.table.positions[column], axis)
            load.spreads[column] = spread
        return load.spreads[column]

    def _find_bins(self, column: str, most: int) -> Bins | None:
        axis = self.axis(column)
        if not axis.has_bins:
            return None
        if (column, most) not in self._bins:
            with self.table.keep_beyond_scope():
                bins = axis.bins(self.table.store, most)
            self._bins[column, most] = bins
        return self._bins[column, most]

    def _attribute(self, column: str) -> Attribute:
        """Return a column as it is declared, with the order that its type has."""
        config = self.table.declared.config
        positions = [self.table.positions[name] for name in self.table.declared.candidates]
        attributes = [*complete_quasi_identifiers(config, self.table.source, positions), *config.sensitive]
        return next(attribute for attribute in attributes if str(attribute.column) == column)

    def _figures(self) -> Figures:
        declared = self.table.declared.config.input
        return Figures(declared.decimal, declared.thousands) if declared else Figures()


def _make_bar(counted: CountedValues) -> Bar:
    return Bar(counted.label, counted.values, int(counted.first), int(counted.second))
