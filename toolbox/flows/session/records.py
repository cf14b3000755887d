"""The records of a session in any order and by any filter, some at a time, before a run and after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import FromClause, Integer, Select, and_, cast, false, func, null, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import UsageError
from toolbox.flows.session.histograms import Distributions, KeptAxis
from toolbox.flows.session.loads import CombinationLoader, Load
from toolbox.flows.session.variants import StoredVariant
from toolbox.queries.dialect import find_row_place
from toolbox.queries.query import Query, Table
from toolbox.report.explore.records import ClassColumn, LookedAt, RecordClass, RecordsPage
from toolbox.store.engine.store import Scope, Store
from toolbox.store.input.source import column_text

# The records of a session in any order and by any filter, some at a time, however far from the first.

_MOST = 4
"""Listings that are held at once; each takes 16 bytes a record."""
_AHEAD = 1000
"""Records around a page that are read with it: the statement costs the same, and the next page none."""
_MOST_CELLS = 20_000
"""Of those; fewer records of a wide table are read ahead."""


class RecordView(NamedTuple):
    """The known facts about the class of each row."""

    key: str
    """Tells it from all others."""
    names: tuple[str, ...]
    """Of the quasi-identifiers."""
    rows: Table
    """``row, records, class_id, size``, and of a variant ``suppressed, changed``."""
    classes: Table | None = None
    """``key, text_1 .., size, suppressed`` of a variant."""

    @classmethod
    def at_input(cls, load: Load, store: Store) -> RecordView:
        """Look at the records as they were read."""
        names = tuple(str(attribute.column) for attribute in load.config.quasi_identifiers)
        return cls(repr(names), names, load.rows(store))

    @classmethod
    def at_variant(cls, number: int, variant: StoredVariant) -> RecordView:
        """Look at what became of them."""
        return cls(find_view_key(number), variant.names, variant.rows, variant.classes)


def find_view_key(number: int) -> str:
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


class Slice(NamedTuple):
    """Some records of a listing."""

    total: int
    """Of all records that it has."""
    records: tuple[LookedAt, ...]


@dataclass(eq=False)
class Listings:
    """Pages through records.

    Far from the first record no rows are skipped: a filter or an order once makes a table of the records, of
    which a page is a range of row numbers.

    Parameters
    ----------
    positions : mapping of column to position
    axis : callable
        Returns the values of a column in their order.
    """

    combinations: CombinationLoader
    positions: Mapping[str, int]
    axis: Callable[[str], KeptAxis]
    _held: dict[tuple[str, Filter], tuple[Table, Scope]] = field(default_factory=dict)
    _windows: dict[tuple[str, Filter], _Window] = field(default_factory=dict)
    """What was read last of the listings that were looked at last."""

    def page(self, look: RecordView, asked: Filter, offset: int, limit: int, *, descending: bool) -> Slice:
        """Return some of the records; descending ones stand exactly the other way round."""
        store, records = self.combinations.store, self.records
        listing = records if asked == Filter() else self._make_listing(look, asked)
        total = store.count(listing)
        first, beyond = (total - offset - limit, total - offset) if descending else (offset, offset + limit)
        first, beyond = max(0, first), max(0, min(beyond, total))
        if first >= beyond:
            return Slice(total, ())
        window = self._windows.pop((look.key, asked), None)
        if window is None or not window.holds(first, beyond):
            window = self._read(look, listing, *self._find_page_places(first, beyond, total))
        self._windows[look.key, asked] = window
        while len(self._windows) > _MOST:
            del self._windows[next(iter(self._windows))]
        found = window.records[first - window.first : beyond - window.first]
        return Slice(total, found[::-1] if descending else found)

    def _find_page_places(self, first: int, beyond: int, total: int) -> tuple[int, int]:
        """Return the places that are read for a page, in either direction."""
        ahead = max(0, min(_AHEAD, _MOST_CELLS // len(self.positions)) - (beyond - first)) // 2
        return max(0, first - ahead), min(total, beyond + ahead)

    def _read(self, look: RecordView, listing: Table, first: int, beyond: int) -> _Window:
        place = find_row_place(listing)
        number = place if listing is self.records else listing.c.record
        within = and_(place >= first, place < beyond)
        chosen = select(place.label("place"), number.label("record"), listing.c.key).where(within).subquery()
        rows = self.combinations.store.rows(self._shown(look, chosen).order_by(chosen.c.place))
        return _Window(first, beyond, tuple(self._record(look, *row) for row in rows))

    def find_row(self, record: int) -> int | None:
        """Return the row of a record, from 0; None if there are fewer."""
        source, records = self.combinations.source, self.records
        same = source.relation().c.key == records.c.key
        found = select(source.row_number()).select_from(records.join(source.relation(), same))
        rows = self.combinations.store.rows(found.where(find_row_place(records) == record))
        return int(rows[0][0]) if rows else None

    def forget(self, look: str) -> None:
        """Drop the listings that ask for the classes of a look, by its key."""
        for key in [key for key in self._held if key[0] == look]:
            self.combinations.forget(self._held.pop(key)[1])
        for key in [key for key in self._windows if key[0] == look]:
            del self._windows[key]

    @property
    def records(self) -> Table:
        """The key of each record, in their order."""
        records = self.combinations.source.records
        assert records is not None, "it was asked before"
        return records

    def _make_listing(self, look: RecordView, asked: Filter) -> Table:
        """Return the records in their order: ``record, key``."""
        key = look.key if asked.judges else "", asked
        if key in self._held:
            self._held[key] = self._held.pop(key)
            return self._held[key][0]
        store, records = self.combinations.store, self.records
        with self.combinations.keep_beyond_scope() as scope:
            ranked = store.create("ranked", self._select_ranked_rows(look, asked))
            joined = records.join(ranked, ranked.c.key == records.c.key)
            rows = select(find_row_place(records).label("record"), records.c.key).select_from(joined)
            listing = store.create("listing", rows.order_by(ranked.c.place.nulls_last(), find_row_place(records)))
            store.drop(ranked)
        self._held[key] = listing, scope
        while len(self._held) > _MOST:
            oldest = next(iter(self._held))
            self.combinations.forget(self._held.pop(oldest)[1])
        return listing

    def _select_ranked_rows(self, look: RecordView, asked: Filter) -> Query:
        """Select the rows that are asked for, with the place of their value: ``key, place``."""
        source, rows = self.combinations.source, look.rows
        kept = source.relation()
        joined: FromClause = kept
        place: ColumnElement[Any] = cast(null(), Integer)
        if asked.sort is not None:
            texts = self.axis(asked.sort).texts
            text = column_text(kept, self.positions[asked.sort])
            joined = joined.outerjoin(texts, texts.c.text.is_not_distinct_from(text))
            place = texts.c.place
        wanted = [column_text(kept, self.positions[name]) == text for name, text in asked.having]
        if asked.judges:
            joined = joined.join(rows, rows.c.row == source.row_number())
            wanted += [rows.c[asked.where]] if asked.where else []
            wanted += [] if asked.smaller_than is None else [rows.c.size < asked.smaller_than]
        return select(kept.c.key, place.label("place")).select_from(joined).where(*wanted)

    def _shown(self, look: RecordView, chosen: FromClause) -> Select[Any]:
        """Select the texts of some records, and their classes."""
        source, rows = self.combinations.source, look.rows
        kept = source.relation()
        texts = [column_text(kept, position) for position in self.positions.values()]
        joined = chosen.join(kept, kept.c.key == chosen.c.key)
        joined = joined.outerjoin(rows, rows.c.row == source.row_number())
        if look.classes is None:
            return select(chosen.c.record, rows.c.size, false(), false(), *texts).select_from(joined)
        joined = joined.outerjoin(look.classes, look.classes.c.key == rows.c.class_id)
        shown = {name: look.classes.c[f"text_{index}"] for index, name in enumerate(look.names, start=1)}
        released = [shown.get(name, text) for name, text in zip(self.positions, texts, strict=True)]
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
        width = len(self.positions)
        released = None if look.classes is None or size is None else texts[width:]
        return LookedAt(record + 1, texts[:width], released, size, bool(suppressed), bool(changed))


# The records of a session and of its variants, for people who look at them.

_MOST_VALUES = 10
"""Values of a class that are listed for each column."""


@dataclass(eq=False)
class Paging:
    """Shows records, and the class of one.

    Parameters
    ----------
    positions : mapping of str to int
        Of all columns that were kept, by their names.
    """

    combinations: CombinationLoader
    positions: Mapping[str, int]
    distributions: Distributions
    listings: Listings = field(init=False)

    def __post_init__(self) -> None:
        self.listings = Listings(self.combinations, self.positions, self.distributions.axis)

    def require_records(self) -> None:
        """Stop where only combinations were kept.

        Raises
        ------
        UsageError
        """
        if self.combinations.source.records is None:
            raise UsageError("The session keeps no records. Open the table with records=True to look at them.")

    def page(self, look: RecordView, asked: Filter, offset: int, limit: int, *, descending: bool) -> RecordsPage:
        """Return some records; `Session.page` explains the arguments."""
        found = self.listings.page(look, asked, offset, limit, descending=descending)
        return RecordsPage(columns=tuple(self.positions), total=found.total, offset=offset, records=found.records)

    def class_of(self, look: RecordView, record: int) -> RecordClass:
        """Return the class of a record, numbered from 1; `Session.class_of` explains the arguments.

        Raises
        ------
        UsageError
            If there is no such record, or it lacks a value, so that it is in no class.
        """
        store, rows = self.combinations.store, look.rows
        row = self.listings.find_row(record - 1)
        if row is None:
            total = store.count(self.listings.records)
            raise UsageError(f"There is no record {record:,}. The session has {total:,}, numbered from 1.")
        found = store.rows(select(rows.c.class_id).where(rows.c.row == row))
        if not found:
            raise UsageError(f"Record {record:,} lacks a value, so that it is in no class and no release.")
        return self._describe_class(look, record, int(found[0][0]))

    def _describe_class(self, look: RecordView, record: int, class_id: int) -> RecordClass:
        store, rows = self.combinations.store, look.rows
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
        source = self.combinations.source
        kept = source.relation()
        text, records = column_text(kept, self.positions[name]), func.sum(rows.c.records)
        counted = select(text.label("text"), records.label("records")).group_by(text).where(members)
        counted = counted.join_from(rows, kept, source.row_number() == rows.c.row)
        values = counted.subquery()
        ordered = select(*values.c, func.count().over()).order_by(values.c.records.desc(), values.c.text)
        found = self.combinations.store.rows(ordered.limit(_MOST_VALUES))
        listed = tuple((value, int(count)) for value, count, _ in found)
        return ClassColumn(name, released, listed, int(found[0][2]) - len(listed))
