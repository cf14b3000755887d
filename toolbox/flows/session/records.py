"""The records of a session in any order and by any filter, some at a time, before a run and after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import FromClause, Integer, Select, and_, case, cast, false, func, literal, null, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import UsageError
from toolbox.flows.session.histograms import KeptAxis
from toolbox.flows.session.loads import Load, OpenedTable, select_combinations
from toolbox.flows.session.variants import StoredVariant
from toolbox.loss.pairs import FigureChange, measure_pairs
from toolbox.published.comparing import compare_with_people
from toolbox.published.tables import Release
from toolbox.queries.dialect import Query, Table, find_row_place
from toolbox.queries.labels import is_within_bounds
from toolbox.report.explore.records import (
    ClassColumn,
    ColumnRemains,
    LookedAt,
    PopulationRisk,
    RecordClass,
    RecordsPage,
    ValueStatistics,
    VariantStatistics,
)
from toolbox.risks.individual import measure_sample_risk
from toolbox.risks.risk import DEFAULT_THRESHOLD, measure_attacker_risk
from toolbox.store.engine.store import Scope, Store
from toolbox.store.input.source import column_text
from toolbox.store.tables import QuasiIdentifierTables

# The records of a session in any order and by any filter, some at a time, however far from the first.

_MOST = 4
"""Listings that are held at once; each takes 16 bytes a record."""
_AHEAD = 1000
"""Records around a page that are read with it: the statement costs the same, and the next page none."""
_MOST_CELLS = 20_000
"""Of those; fewer records of a wide table are read ahead."""
_MOST_VALUES = 10
"""Values of a class that are listed for each column."""


class RecordView(NamedTuple):
    """The known facts about the class of each row."""

    key: str
    """Tells it from all others."""
    names: tuple[str, ...]
    """Of the quasi-identifiers."""
    rows: Table
    """``row, records, class_id, size, people``, and of a variant ``suppressed, changed``."""
    classes: Table | None = None
    """``key, text_1 .., size, suppressed`` of a variant."""
    is_sample: bool = False
    """Whether only some of the records are looked at."""

    @classmethod
    def at_input(cls, load: Load, store: Store) -> RecordView:
        """Look at the records as they were read."""
        names = tuple(str(attribute.column) for attribute in load.config.quasi_identifiers)
        return cls(repr(names), names, load.rows(store))

    @classmethod
    def at_variant(cls, number: int, variant: StoredVariant) -> RecordView:
        """Look at what became of them."""
        return cls(_find_view_key(number), variant.names, variant.rows, variant.classes, variant.load.is_sample)


def _find_view_key(number: int) -> str:
    """Return the key of the look at a variant."""
    return f"variant {number}"


class Filter(NamedTuple):
    """Which records are looked at, and in which order."""

    sort: str | None = None
    where: str | None = None
    """``changed`` or ``suppressed``."""
    smaller_than: int | None = None
    having: tuple[tuple[str, str], ...] = ()
    """Columns with the text that they must have."""

    @property
    def judges(self) -> bool:
        """Whether it asks for the classes of records."""
        return self.where is not None or self.smaller_than is not None


class _Window(NamedTuple):
    """The records of a listing at some places, in the order of these."""

    first: int
    beyond: int
    records: tuple[LookedAt, ...]

    def holds(self, first: int, beyond: int) -> bool:
        return self.first <= first and beyond <= self.beyond


@dataclass(eq=False)
class RecordPages:
    """Pages through records, and shows the class of one.

    Far from the first record no rows are skipped: a filter or an order once makes a table of the records, of
    which a page is a range of row numbers.

    Parameters
    ----------
    axis : callable
        Returns the values of a column in their order.
    """

    table: OpenedTable
    axis: Callable[[str], KeptAxis]
    _held: dict[tuple[str, Filter], tuple[Table, Scope]] = field(default_factory=dict)
    _windows: dict[tuple[str, Filter], _Window] = field(default_factory=dict)
    """What was read last of the listings that were looked at last."""

    def require_records(self) -> None:
        """Stop where only combinations were kept.

        Raises
        ------
        UsageError
        """
        if self.table.source.records is None:
            raise UsageError("The session keeps no records. Open the table with records=True to look at them.")

    def page(self, look: RecordView, asked: Filter, offset: int, limit: int, *, descending: bool) -> RecordsPage:
        """Return some records; descending ones stand exactly the other way round."""
        store, records = self.table.store, self.records
        listing = records if asked == Filter() and not look.is_sample else self._make_listing(look, asked)
        total = store.count(listing)
        first, beyond = (total - offset - limit, total - offset) if descending else (offset, offset + limit)
        first, beyond = max(0, first), max(0, min(beyond, total))
        if first >= beyond:
            return RecordsPage(columns=tuple(self.table.positions), total=total, offset=offset, records=())
        window = self._windows.pop((look.key, asked), None)
        if window is None or not window.holds(first, beyond):
            window = self._read(look, listing, *self._find_page_places(first, beyond, total))
        self._windows[look.key, asked] = window
        while len(self._windows) > _MOST:
            del self._windows[next(iter(self._windows))]
        found = window.records[first - window.first : beyond - window.first]
        shown = found[::-1] if descending else found
        return RecordsPage(columns=tuple(self.table.positions), total=total, offset=offset, records=shown)

    def _find_page_places(self, first: int, beyond: int, total: int) -> tuple[int, int]:
        """Return the places that are read for a page, in either direction."""
        ahead = max(0, min(_AHEAD, _MOST_CELLS // len(self.table.positions)) - (beyond - first)) // 2
        return max(0, first - ahead), min(total, beyond + ahead)

    def _read(self, look: RecordView, listing: Table, first: int, beyond: int) -> _Window:
        place = find_row_place(listing)
        number = place if listing is self.records else listing.c.record
        within = and_(place >= first, place < beyond)
        chosen = select(place.label("place"), number.label("record"), listing.c.key).where(within).subquery()
        rows = self.table.store.rows(self._shown(look, chosen).order_by(chosen.c.place))
        return _Window(first, beyond, tuple(self._record(look, *row) for row in rows))

    def find_row(self, record: int) -> int | None:
        """Return the row of a record, from 0; None if there are fewer."""
        source, records = self.table.source, self.records
        same = source.relation().c.key == records.c.key
        found = select(source.row_number()).select_from(records.join(source.relation(), same))
        rows = self.table.store.rows(found.where(find_row_place(records) == record))
        return int(rows[0][0]) if rows else None

    def forget(self, number: int) -> None:
        """Drop the listings that ask for the classes of a variant."""
        look = _find_view_key(number)
        for key in [key for key in self._held if key[0] == look]:
            self.table.forget(self._held.pop(key)[1])
        for key in [key for key in self._windows if key[0] == look]:
            del self._windows[key]

    def describe_remains(self, variant: StoredVariant) -> tuple[ColumnRemains, ...]:
        """Say of each quasi-identifier of a variant what is left of it; `Session.describe_remains` explains it."""
        columns = enumerate(variant.tables.quasi_identifiers)
        return tuple(_describe_column(self.table.store, variant, index, column) for index, column in columns)

    @property
    def records(self) -> Table:
        """The key of each record, in their order."""
        records = self.table.source.records
        assert records is not None, "it was asked before"
        return records

    def _make_listing(self, look: RecordView, asked: Filter) -> Table:
        """Return the records in their order: ``record, key``."""
        key = look.key if asked.judges or look.is_sample else "", asked
        if key in self._held:
            self._held[key] = self._held.pop(key)
            return self._held[key][0]
        store, records = self.table.store, self.records
        with self.table.keep_beyond_scope() as scope:
            ranked = store.create("ranked", self._select_ranked_rows(look, asked))
            joined = records.join(ranked, ranked.c.key == records.c.key)
            rows = select(find_row_place(records).label("record"), records.c.key).select_from(joined)
            listing = store.create("listing", rows.order_by(ranked.c.place.nulls_last(), find_row_place(records)))
            store.drop(ranked)
        self._held[key] = listing, scope
        while len(self._held) > _MOST:
            oldest = next(iter(self._held))
            self.table.forget(self._held.pop(oldest)[1])
        return listing

    def _select_ranked_rows(self, look: RecordView, asked: Filter) -> Query:
        """Select the rows that are asked for, with the place of their value: ``key, place``."""
        source, rows = self.table.source, look.rows
        kept = source.relation()
        joined: FromClause = kept
        place: ColumnElement[Any] = cast(null(), Integer)
        if asked.sort is not None:
            texts = self.axis(asked.sort).texts
            text = column_text(kept, self.table.positions[asked.sort])
            joined = joined.outerjoin(texts, texts.c.text.is_not_distinct_from(text))
            place = texts.c.place
        wanted = [column_text(kept, self.table.positions[name]) == text for name, text in asked.having]
        if asked.judges or look.is_sample:
            joined = joined.join(rows, rows.c.row == source.row_number())
            wanted += [rows.c[asked.where]] if asked.where else []
            if asked.smaller_than is not None:
                wanted.append(rows.c.people < asked.smaller_than)
        return select(kept.c.key, place.label("place")).select_from(joined).where(*wanted)

    def _shown(self, look: RecordView, chosen: FromClause) -> Select[Any]:
        """Select the texts of some records, and their classes."""
        source, rows = self.table.source, look.rows
        kept = source.relation()
        texts = [column_text(kept, position) for position in self.table.positions.values()]
        joined = chosen.join(kept, kept.c.key == chosen.c.key)
        joined = joined.outerjoin(rows, rows.c.row == source.row_number())
        if look.classes is None:
            return select(chosen.c.record, rows.c.size, false(), false(), *texts).select_from(joined)
        joined = joined.outerjoin(look.classes, look.classes.c.key == rows.c.class_id)
        shown = {name: look.classes.c[f"text_{index}"] for index, name in enumerate(look.names, start=1)}
        released = [shown.get(name, text) for name, text in zip(self.table.positions, texts, strict=True)]
        columns = [rows.c.size, rows.c.suppressed, rows.c.changed, *texts, *released]
        return select(chosen.c.record, *columns).select_from(joined)

    def _record(
        self,
        look: RecordView,
        record: int,
        size: int | None,
        suppressed: bool | None,
        changed: bool | None,
        *texts: str | None,
    ) -> LookedAt:
        width = len(self.table.positions)
        released = None if look.classes is None or size is None else texts[width:]
        return LookedAt(record + 1, texts[:width], released, size, bool(suppressed), bool(changed))

    def class_of(self, look: RecordView, record: int) -> RecordClass:
        """Return the class of a record, numbered from 1; `Session.class_of` explains the arguments.

        Raises
        ------
        UsageError
            If there is no such record, or it lacks a value, so that it is in no class.
        """
        store, rows = self.table.store, look.rows
        row = self.find_row(record - 1)
        if row is None:
            total = store.count(self.records)
            raise UsageError(f"There is no record {record:,}. The session has {total:,}, numbered from 1.")
        found = store.rows(select(rows.c.class_id).where(rows.c.row == row))
        if not found and look.is_sample:
            raise UsageError(f"Record {record:,} is not in the sample that was run, or it lacks a value.")
        if not found:
            raise UsageError(f"Record {record:,} lacks a value, so that it is in no class and no release.")
        return self._describe_class(look, record, int(found[0][0]))

    def _describe_class(self, look: RecordView, record: int, class_id: int) -> RecordClass:
        store, rows = self.table.store, look.rows
        members = rows.c.class_id == class_id
        size = int(store.scalar(select(func.sum(rows.c.records)).where(members)))
        texts: list[str | None] = [None] * len(look.names)
        suppressed = False
        if (classes := look.classes) is not None:
            shown = [classes.c[f"text_{index}"] for index, _ in enumerate(look.names, start=1)]
            suppressed, *texts = store.row(select(classes.c.suppressed, *shown).where(classes.c.key == class_id))
        columns = tuple(self._column(name, text, rows, members) for name, text in zip(look.names, texts, strict=True))
        return RecordClass(record=record, size=size, suppressed=bool(suppressed), columns=columns)

    def _column(self, name: str, released: str | None, rows: Table, members: ColumnElement[bool]) -> ClassColumn:
        """List the most frequent values of a column in a class."""
        source = self.table.source
        kept = source.relation()
        text, records = column_text(kept, self.table.positions[name]), func.sum(rows.c.records)
        counted = select(text.label("text"), records.label("records")).group_by(text).where(members)
        counted = counted.join_from(rows, kept, source.row_number() == rows.c.row)
        values = counted.subquery()
        ordered = select(*values.c, func.count().over()).order_by(values.c.records.desc(), values.c.text)
        found = self.table.store.rows(ordered.limit(_MOST_VALUES))
        listed = tuple((value, int(count)) for value, count, _ in found)
        return ClassColumn(name, released, listed, int(found[0][2]) - len(listed))


# What is left of each quasi-identifier of a variant.

_LOOKED_AT = 10_000
"""Rows among which an example is looked for."""


def _describe_column(store: Store, variant: StoredVariant, index: int, column: QuasiIdentifierTables) -> ColumnRemains:
    shown, used = variant.classes.c, variant.tables.equivalence.c
    text, cell = shown[f"text_{index + 1}"], used[variant.tables.interval_names[index]]
    values, records = store.row(select(func.count(text.distinct()), func.coalesce(func.sum(shown.size), 0)))
    says_nothing = or_(used.suppressed, cell.in_(_select_silent_intervals(column))) if column.values > 1 else false()
    # The first intervals of a column are its values.
    tests = and_(~used.suppressed, cell < column.values), says_nothing
    unchanged, silent = store.row(select(*(func.coalesce(func.sum(used.size).filter(test), 0) for test in tests)))
    return ColumnRemains(
        name=column.name,
        values_before=column.values,
        values_after=int(values),
        records=int(records),
        unchanged=int(unchanged),
        silent=int(silent),
        example=_find_example(store, variant, index),
    )


def _select_silent_intervals(column: QuasiIdentifierTables) -> Query:
    """Select the generalised values of a column that cover every value which occurs."""
    interval, ground = column.intervals, column.ground.c
    ends = select(func.min(ground.value).label("first"), func.max(ground.value).label("last")).subquery()
    covers = and_(*(is_within_bounds(interval, end) for end in (ends.c.first, ends.c.last)))
    lists_all = func.array_length(interval.c.members, 1) == column.values
    is_whole = case((interval.c.members.is_not(None), lists_all), else_=covers)
    found = select(interval.c.interval_id).join_from(interval, ends, literal(True))
    return found.where(or_(interval.c.interval_id == column.root, is_whole))


def _find_example(store: Store, variant: StoredVariant, index: int) -> tuple[str, str] | None:
    """Find a frequent value among the first rows, and what is shown most often instead of it."""
    tables, shown, read = variant.tables, variant.classes.c, variant.load.rows(store).c
    column = tables.quasi_identifiers[index].intervals.c
    released, combination = variant.rows.c, tables.combinations.c
    first = select(released.row, released.class_id, released.records).limit(_LOOKED_AT).subquery()
    text = func.coalesce(shown[f"text_{index + 1}"], "").label("after")
    pairs = (
        select(column.label.label("before"), text, func.sum(first.c.records).label("records"))
        .join_from(first, variant.load.rows(store), read.row == first.c.row)
        .join(tables.combinations, combination.combination_id == read.class_id)
        .join(tables.quasi_identifiers[index].intervals, column.interval_id == combination[f"interval_{index + 1}"])
        .join(variant.classes, shown.key == first.c.class_id)
        .group_by(column.label, text)
    ).subquery()
    of_value = func.sum(pairs.c.records).over(partition_by=pairs.c.before)
    order = of_value.desc(), pairs.c.before, pairs.c.records.desc(), pairs.c.after
    found = store.rows(select(pairs.c.before, pairs.c.after).order_by(*order).limit(1))
    return None if not found else (str(found[0][0]), str(found[0][1]))


# For whom the records stand, as they were read: among the people of a register, or of a population that is estimated.


def measure_population_risk(table: OpenedTable, load: Load, k: int, fraction: float | None) -> PopulationRisk:
    """Measure the risk among a population; `Session.population_risk` explains the arguments.

    Parameters
    ----------
    load : Load
        With the people of the population, if there is a register.
    """
    store, tables = table.store, load.loaded.tables
    combinations = select_combinations(load.loaded).subquery()
    register = below = alone = sample = None
    if tables.population is not None:
        people = tables.population.combinations
        same = and_(*(people.c[name] == combinations.c[name] for name in tables.interval_names))
        # Whoever is in the table is one of the people, also where the register does not know it.
        among = func.greatest(func.coalesce(people.c.size, 0), combinations.c.people).label("hidden_among")
        rows = select(combinations.c.people.label("records"), among)
        groups = store.create("groups", rows.join_from(combinations, people, same, isouter=True))
        hidden = groups.c.hidden_among
        sums = (func.coalesce(func.sum(groups.c.records).filter(test), 0) for test in (hidden < k, hidden == 1))
        below, alone = map(int, store.row(select(*sums)))
        register = measure_attacker_risk(store, groups, DEFAULT_THRESHOLD)
    if fraction is not None:
        sample = measure_sample_risk(_show_as_read(store, load), fraction=fraction, threshold=DEFAULT_THRESHOLD, k=k)
    return PopulationRisk(
        records=tables.record_count,
        counts_persons=tables.persons is not None,
        register=register,
        below_k=below,
        alone=alone,
        sample=sample,
    )


def _show_as_read(store: Store, load: Load) -> Release:
    """Return the combinations as the classes of a release that generalises nothing."""
    combinations = select_combinations(load.loaded).subquery()
    number, size = combinations.c.combination_id.label("equivalence_id"), combinations.c.people.label("size")
    classes = store.create("as_read", select(number, size, false().label("suppressed")))
    names = tuple(str(attribute.column) for attribute in load.config.quasi_identifiers)
    tables = load.loaded.tables
    return Release(
        store=store,
        name="the table",
        quasi_identifiers=names,
        cells=(),
        classes=classes,
        held=classes,
        persons=tables.person_pairs,
        records=tables.person_count,
    )


# What an analyst would compute of a variant, beside what the records say.

_MOST_TOLD = 400
"""Cells of a two-way table."""


def compare_statistics(table: OpenedTable, variant: StoredVariant, pair: Sequence[str]) -> VariantStatistics:
    """Compare figures of a variant with those of the records; `Session.compare_statistics` explains the arguments."""
    store, load = table.store, variant.load
    people = load.people(store, table.source)
    comparison = compare_with_people(
        store, people, variant.shown, quasi_identifiers=variant.names, roots=variant.roots, needs_pairs=True
    )
    changes = measure_pairs(comparison, only=pair, most_cells=_MOST_TOLD)
    numbers = {change.name for change in changes.columns if change.kind == "number" and not change.unit}
    values = (
        _describe_values(store, variant, index, column, is_number=column.name in numbers)
        for index, column in enumerate(variant.tables.quasi_identifiers)
    )
    return VariantStatistics(values=tuple(values), changes=changes)


def _describe_values(
    store: Store, variant: StoredVariant, index: int, column: QuasiIdentifierTables, *, is_number: bool
) -> ValueStatistics:
    name, ground, interval = variant.tables.interval_names[index], column.ground.c, column.intervals.c
    before, used = variant.tables.combinations.c, variant.tables.equivalence.c
    own = select(ground.label, ground.value, func.sum(before.size).label("size"))
    own = own.join_from(variant.tables.combinations, column.ground, ground.level_0 == before[name])
    read = store.create("read_values", own.group_by(ground.label, ground.value))
    shown = case((used.suppressed, column.root), else_=used[name])
    sums = select(shown.label("interval_id"), func.sum(used.size).label("size")).group_by(shown).subquery().c
    ends = interval.label, interval.low, interval.high, sums.size
    told = store.create("told_values", select(*ends).where(interval.interval_id == sums.interval_id))
    return ValueStatistics(
        name=column.name,
        commonest_before=_find_commonest(store, read),
        commonest_after=_find_commonest(store, told),
        order=_order(store, read, told) if is_number else {},
    )


def _find_commonest(store: Store, values: Table) -> tuple[str | None, int]:
    rows = store.rows(select(values.c.label, values.c.size).order_by(values.c.size.desc(), values.c.label).limit(1))
    return (rows[0][0], int(rows[0][1])) if rows else (None, 0)


def _order(store: Store, read: Table, told: Table) -> Mapping[Any, FigureChange]:
    """Compare the smallest, the middle and the largest number; none where some value is no number."""
    if store.scalar(select(func.count()).where(read.c.value.is_(None))):
        return {}
    least, most = store.row(select(func.min(read.c.value), func.max(read.c.value)))
    # A root may reach beyond all numbers; nobody has those.
    lows = select(func.greatest(func.coalesce(told.c.low, least), least).label("number"), told.c.size)
    highs = select(func.least(func.coalesce(told.c.high, most), most).label("number"), told.c.size)
    own = select(read.c.value.label("number"), read.c.size)
    known, lowest, highest = (_find_order(store, numbers.subquery()) for numbers in (own, lows, highs))
    return {
        word: FigureChange(before=old, after=None, lowest=low, highest=high)
        for word, old, low, high in zip(("smallest", "median", "largest"), known, lowest, highest, strict=True)
    }


def _find_order(store: Store, numbers: FromClause) -> list[float]:
    """Return the smallest number, the middle one or the mean of the two middle ones, and the largest."""
    number, size = numbers.c.number, numbers.c.size
    up_to = func.sum(size).over(order_by=number).label("up_to")
    each = select(number, up_to, func.sum(size).over().label("total")).subquery().c
    middle = [func.min(each.number).filter(2 * each.up_to >= each.total + more) for more in (0, 1)]
    found = store.row(select(func.min(each.number), (middle[0] + middle[1]) / 2.0, func.max(each.number)))
    return list(map(float, found))
