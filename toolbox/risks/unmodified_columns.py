"""The columns that a release shows as they are, each with the evidence against it: counts, never a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import ColumnElement, FromClause, String, case, cast, column, func, select
from sqlalchemy import table as table_of

from toolbox.errors import InputError
from toolbox.knowledge.known_values import is_iban
from toolbox.knowledge.meanings import (
    CONSTANT,
    DETERMINES,
    FEWEST,
    IBANS,
    MEANINGS,
    MOST_ARE,
    NEARLY_UNIQUE,
    PROSE,
    YEARS_OF_BIRTH,
)
from toolbox.knowledge.name_words import find_name_meaning
from toolbox.knowledge.texts import CONTACTS, extract_year, is_date, is_prose, may_be_iban, remove_blanks
from toolbox.messages import mark, say
from toolbox.queries.dialect import Query, Table, compute_quantile, hash_values, list_nested_cells, list_of
from toolbox.store.engine.store import Store
from toolbox.store.input.layout import Layout
from toolbox.store.input.memory import take_rows
from toolbox.store.tables import Tables

if TYPE_CHECKING:
    import pyarrow as pa


# A sample of the records of a table, all of a small one, so that looking at texts costs little.

_RECORDS = 20_000
"""About this many records are looked at; those of a larger table are chosen by a hash of their numbers."""
_CELLS = 1_000_000
"""Most texts that are looked at, if the table is wide."""
_COUNTED_EXACTLY = 100_000
"""Most records among which different values are counted one by one."""


@dataclass(frozen=True)
class Sample:
    """Texts of some records in columns that pass through, beside the codes of their quasi-identifiers."""

    store: Store
    table: Table
    """``interval_1 .. interval_q, texts``: a list of the texts of all columns; an empty text is null."""
    positions: tuple[int, ...]
    """The columns that can be looked at."""
    records: int
    """Of all the table."""
    rows: int
    _all: FromClause

    @property
    def is_whole(self) -> bool:
        """Whether these are all records."""
        return self.rows == self.records

    @property
    def is_estimated(self) -> bool:
        """Whether different values are counted in a part of all values only."""
        return self.records > _COUNTED_EXACTLY

    def distinct(self, position: int) -> tuple[int, int]:
        """Count the different values of a column among all records, and all values that are there.

        Of a large table only the values with some hashes are counted, each with all of its records, so that the share
        of those that differ is exact among them.
        """
        value = self._all.c[f"c{position}"]
        parts = -(-self.records // _COUNTED_EXACTLY)
        is_chosen = hash_values(value) % parts == 0
        counts = func.count(value.distinct()).filter(is_chosen), func.count(value).filter(is_chosen), func.count(value)
        different, chosen, there = self.store.row(select(*counts))
        return round(different * there / chosen) if chosen else 0, there


def sample_of(tables: Tables, positions: Sequence[int], caller: pa.Table | None = None) -> Sample:
    """Draw the sample of a run.

    Parameters
    ----------
    positions : sequence of int
        Columns of the input.
    caller : pyarrow.Table, optional
        The caller's own table, where the engine has only the places of its records (see `prepare_for_engine`).
    """
    store, combination = tables.store, tables.combinations
    names = [f"c{position}" for position in positions]
    count = min(_RECORDS, _CELLS // max(1, len(positions)))
    step = -(-tables.record_count // count)
    codes = [combination.c[name] for name in tables.interval_names]
    everybody = tables.kept_records
    others = [column for column in everybody.c if column.name not in names]
    shown = everybody.c[f"c{caller.num_columns}"] if caller is not None else _select_texts(everybody, names)
    chosen = select(*others, shown.label("shown")).where(hash_values(everybody.c.record_id) % step == 0)
    # Chosen before it is joined: a join of all records would cost more than all looks.
    few = store.create("chosen", chosen)
    record = replace(tables, records=few).anon_record
    rows = select(*codes, record.c.shown.label("texts"))
    rows = rows.join_from(record, combination, combination.c.combination_id == record.c.combination_id)
    if caller is not None:
        positions, everybody = _register_columns(store, caller, positions)
        rows = _join_caller_texts(store, rows, caller, positions)
    table = store.create("sample", rows)
    store.drop(few)
    return Sample(store, table, tuple(positions), tables.record_count, store.count(table), everybody)


def _select_texts(rows: FromClause, names: Sequence[str]) -> ColumnElement[Any]:
    return list_of([func.nullif(cast(rows.c[name], String), "") for name in names])


def _register_columns(store: Store, caller: pa.Table, positions: Sequence[int]) -> tuple[Sequence[int], FromClause]:
    """Register those columns of the caller's table that the engine can read."""
    positions = [position for position in positions if _is_readable(store, caller, position)]
    names = [f"c{position}" for position in positions]
    if not names:
        return (), table_of("nothing")
    name = store.register("passing", caller.select(list(positions)).rename_columns(names))
    return positions, table_of(name, *map(column, names))


def _is_readable(store: Store, caller: pa.Table, position: int) -> bool:
    try:
        store.register("readable", caller.select([position]).slice(0, 0).rename_columns(["c"]))
    except InputError:
        return False
    return True


def _join_caller_texts(store: Store, rows: Query, caller: pa.Table, positions: Sequence[int]) -> Query:
    """Select the caller's values beside the codes of the records, whose last column holds the row numbers."""
    table = store.arrow(rows)
    places = table.column(table.num_columns - 1)
    codes, names = table.select(range(table.num_columns - 1)), [f"c{position}" for position in positions]
    for position in positions:
        codes = codes.append_column(f"c{position}", take_rows(caller.column(position), places))
    taken = table_of(store.register("taken", codes), *map(column, codes.column_names))
    shown = [name for name in codes.column_names if name not in names]
    return select(*(taken.c[name] for name in shown), _select_texts(taken, names).label("texts"))


# Evidence against releasing a column as it is: counts on the records, never a value.

NEARLY_ALL_DIFFER = mark("values that nearly all differ")
"""The kind of evidence of a column that has nearly one value of its own for each record."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One reason not to release a column as it is."""

    kind: str
    """What it looks like, as a note says it."""
    count: int
    """Of the values that were looked at, those that look so."""
    looked_at: int
    is_sample: bool = False
    """Whether only some records were looked at."""
    is_estimate: bool = False
    """Whether the count was made on a part of all values."""


class CheckedColumn(NamedTuple):
    """A column that is looked at."""

    position: int
    """In the input."""
    name: str
    """Which may tell dates of birth from others."""
    is_declared: bool
    """Whether it is a sensitive attribute, of which contacts, accounts and values that nearly all differ are said."""


def list_evidence(
    sample: Sample, looks: Sequence[CheckedColumn], quasi_identifiers: Sequence[str]
) -> list[tuple[Evidence, ...]]:
    """List the evidence against releasing columns as they are, for each column; all are looked at together.

    Parameters
    ----------
    sample : Sample
    looks : sequence of CheckedColumn
        Columns that the sample has.
    quasi_identifiers : sequence of str
        Names, for the reader.
    """
    texts = _Texts(sample, [look.position for look in looks], len(quasi_identifiers))
    found = []
    for place, look in enumerate(looks):
        column = texts.column(place)
        found.append(() if column is None else tuple(_list_column_evidence(column, look, quasi_identifiers)))
    texts.drop()
    return found


def _list_column_evidence(column: _Column, look: CheckedColumn, quasi_identifiers: Sequence[str]) -> Iterator[Evidence]:
    yield from column.find_contacts()
    if not look.is_declared:
        yield from column.find_birth_dates(look.name)
        yield from column.find_prose()
    yield from column.find_nearly_unique()
    if not look.is_declared:
        yield from column.find_determined_columns(quasi_identifiers)


class _Texts:
    """The different texts of all columns, in one table, and what is counted of them, in one statement."""

    def __init__(self, sample: Sample, positions: Sequence[int], codes: int) -> None:
        self.sample, self.store, self.positions = sample, sample.store, positions
        self.codes = [sample.table.c[f"interval_{index}"] for index in range(1, codes + 1)]
        self.table = self._distinct()
        text, of = self.table.c.text, self.table.c.records
        tests = [*(look.test(text) for look in CONTACTS), may_be_iban(text), is_date(text), is_prose(text)]
        # Values that several records have, and of these the ones that go with one value of a quasi-identifier.
        tests += [of > 1, *((of > 1) & self.table.c[f"alone_{index}"] for index in range(1, codes + 1))]
        counts = [func.coalesce(func.sum(of).filter(test), 0) for test in tests]
        place = self.table.c.place
        rows = self.store.rows(select(place, func.sum(of), func.count(), *counts).group_by(place))
        self._counts = {place: list(map(int, counted)) for place, *counted in rows}
        self._varying: dict[int, bool] = {}

    def _distinct(self) -> Table:
        place, text = list_nested_cells(self.sample.table.c.texts, len(self.positions))
        names = [code.name for code in self.codes]
        cells = select(*self.codes, place.label("place"), text.label("text")).subquery()
        alone = [
            (func.min(cells.c[name]) == func.max(cells.c[name])).label(f"alone_{index}")
            for index, name in enumerate(names, start=1)
        ]
        keys = cells.c.place, cells.c.text
        rows = select(*keys, func.count().label("records"), *alone).where(cells.c.text.is_not(None)).group_by(*keys)
        return self.store.create("texts", rows)

    def column(self, place: int) -> _Column | None:
        """Return what was counted of a column; None if it has no value."""
        return _Column(self, place, self._counts[place]) if place in self._counts else None

    def varies(self, index: int) -> bool:
        """Return whether a quasi-identifier, from 0, has no value that nearly everybody has."""
        if index not in self._varying:
            code = self.codes[index]
            sizes = select(func.count().label("records")).select_from(self.sample.table).group_by(code).subquery()
            most, total = self.store.row(select(func.max(sizes.c.records), func.sum(sizes.c.records)))
            self._varying[index] = bool(most <= CONSTANT * total)
        return self._varying[index]

    def drop(self) -> None:
        """Drop the table."""
        self.store.drop(self.table)


class _Column:
    """What was counted of one column; few need another statement."""

    def __init__(self, texts: _Texts, place: int, counts: Sequence[int]) -> None:
        self._of_all = texts
        self._sample, self._store = texts.sample, texts.store
        self._position = texts.positions[place]
        of_place = select(texts.table.c.text, texts.table.c.records).where(texts.table.c.place == place)
        self._texts = of_place.subquery()
        self.values, self._different, *rest = counts
        self._contacts, rest = rest[: len(CONTACTS)], rest[len(CONTACTS) :]
        self._ibans, self._dates, self._prose, self._repeated, *self._alone = rest

    def _make_evidence(self, kind: str, count: int) -> Evidence:
        return Evidence(kind=kind, count=count, looked_at=self.values, is_sample=not self._sample.is_whole)

    def find_contacts(self) -> Iterator[Evidence]:
        for look, count in zip(CONTACTS, self._contacts, strict=True):
            if count and count >= look.least * self.values:
                yield self._make_evidence(look.name, count)
        if self._ibans >= IBANS * self.values:
            text, of = self._texts.c.text, self._texts.c.records
            rows = self._store.rows(select(remove_blanks(text), of).where(may_be_iban(text)))
            count = sum(records for account, records in rows if is_iban(account))
            if count >= IBANS * self.values:
                yield self._make_evidence(MEANINGS["iban"].words, count)

    def find_birth_dates(self, name: str) -> Iterator[Evidence]:
        if self._dates < MOST_ARE * self.values:
            return
        text = self._texts.c.text
        years = select(case((is_date(text), extract_year(text))).label("year")).subquery()
        first, last = self._store.row(
            select(*(func.coalesce(compute_quantile(years.c.year, share), 0) for share in (0.05, 0.95)))
        )
        if last - first >= YEARS_OF_BIRTH or find_name_meaning(name) is MEANINGS["birth"]:
            yield self._make_evidence(MEANINGS["birth"].words, self._dates)

    def find_prose(self) -> Iterator[Evidence]:
        is_varied = self._different >= MOST_ARE * self.values
        if is_varied and self._prose >= PROSE * self.values:
            yield self._make_evidence(MEANINGS["text"].words, self._prose)

    def find_nearly_unique(self) -> Iterator[Evidence]:
        # Among fewer records values differ more, so that a sample that repeats them says it for all.
        if self.values < FEWEST or self._different < NEARLY_UNIQUE * self.values:
            return
        different, there = self._sample.distinct(self._position)
        if different >= NEARLY_UNIQUE * there:
            yield Evidence(
                kind=NEARLY_ALL_DIFFER,
                count=different,
                looked_at=there,
                is_estimate=self._sample.is_estimated,
            )

    def find_determined_columns(self, quasi_identifiers: Sequence[str]) -> Iterator[Evidence]:
        """Find the quasi-identifiers that follow from this column: nearly every value of it goes with one of theirs."""
        repeated = self._repeated
        if repeated < max(FEWEST, 0.1 * self.values):
            return
        for index, (name, count) in enumerate(zip(quasi_identifiers, self._alone, strict=True)):
            if count >= DETERMINES * repeated and self._of_all.varies(index):
                yield Evidence(
                    kind=say("values that give %(column)s away", column=name),
                    count=count,
                    looked_at=repeated,
                    is_sample=not self._sample.is_whole,
                )


# The columns that a release shows as they are, each with the evidence against it.


@dataclass(frozen=True, kw_only=True)
class PassedColumn:
    """A column that is released as it is."""

    name: str
    is_declared: bool
    """Whether it is declared as sensitive; otherwise nobody has said anything about it."""
    evidence: tuple[Evidence, ...] = ()

    def document(self) -> dict[str, Any]:
        """Return the entry of the column in the JSON document of a run."""
        evidence = [dict(vars(item)) for item in self.evidence]
        return {"column": self.name, "declared": "sensitive" if self.is_declared else None, "evidence": evidence}


def list_unmodified_columns(tables: Tables, layout: Layout, caller: pa.Table | None = None) -> tuple[PassedColumn, ...]:
    """List the columns of a release that are neither dropped nor generalised, in their order.

    Parameters
    ----------
    tables : Tables
        As they were read.
    caller : pyarrow.Table, optional
        The caller's own table, where the engine has only the places of its records.

    Returns
    -------
    tuple of PassedColumn
        Without evidence where the records stay elsewhere.
    """
    declared = set(layout.sensitive)
    positions = [
        position
        for position, column in layout.treated.items()
        if column.is_unmodified and (position in declared or position in layout.undeclared)
    ]
    if not positions:
        return ()
    if tables.records is None:
        names = layout.names
        return tuple(PassedColumn(name=names[position], is_declared=position in declared) for position in positions)
    sample = sample_of(tables, positions, caller)
    known = [attribute.name for attribute in tables.quasi_identifiers]
    looks = [CheckedColumn(position, layout.names[position], position in declared) for position in sample.positions]
    found = dict(zip(sample.positions, list_evidence(sample, looks, known) if looks else (), strict=True))
    tables.store.drop(sample.table)
    return tuple(
        PassedColumn(name=layout.names[position], is_declared=position in declared, evidence=found.get(position, ()))
        for position in positions
    )
