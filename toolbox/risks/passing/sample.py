"""A sample of the records of a table, all of a small one, so that looking at texts costs little."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, FromClause, String, cast, column, func, select
from sqlalchemy import table as table_of

from toolbox.errors import InputError
from toolbox.queries.dialect import hashed, list_of
from toolbox.queries.query import Query, Table
from toolbox.store.caller import taken_rows
from toolbox.store.store import Store
from toolbox.store.tables import Tables

if TYPE_CHECKING:
    import pyarrow as pa

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
        is_chosen = hashed(value) % parts == 0
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
        The caller's own table, where the engine has only the places of its records (see `for_engine`).
    """
    store, combination = tables.store, tables.combinations
    names = [f"c{position}" for position in positions]
    count = min(_RECORDS, _CELLS // max(1, len(positions)))
    step = -(-tables.record_count // count)
    codes = [combination.c[name] for name in tables.interval_names]
    everybody = tables.kept_records
    others = [column for column in everybody.c if column.name not in names]
    shown = everybody.c[f"c{caller.num_columns}"] if caller is not None else _texts(everybody, names)
    chosen = select(*others, shown.label("shown")).where(hashed(everybody.c.record_id) % step == 0)
    # Chosen before it is joined: a join of all records would cost more than all looks.
    few = store.create("chosen", chosen)
    record = replace(tables, records=few).anon_record
    rows = select(*codes, record.c.shown.label("texts"))
    rows = rows.join_from(record, combination, combination.c.combination_id == record.c.combination_id)
    if caller is not None:
        positions, everybody = _registered(store, caller, positions)
        rows = _beside_texts(store, rows, caller, positions)
    table = store.create("sample", rows)
    store.drop(few)
    return Sample(store, table, tuple(positions), tables.record_count, store.count(table), everybody)


def _texts(rows: FromClause, names: Sequence[str]) -> ColumnElement[Any]:
    return list_of([func.nullif(cast(rows.c[name], String), "") for name in names])


def _registered(store: Store, caller: pa.Table, positions: Sequence[int]) -> tuple[Sequence[int], FromClause]:
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


def _beside_texts(store: Store, rows: Query, caller: pa.Table, positions: Sequence[int]) -> Query:
    """Select the caller's values beside the codes of the records, whose last column holds the row numbers."""
    table = store.arrow(rows)
    places = table.column(table.num_columns - 1)
    codes, names = table.select(range(table.num_columns - 1)), [f"c{position}" for position in positions]
    for position in positions:
        codes = codes.append_column(f"c{position}", taken_rows(caller.column(position), places))
    taken = table_of(store.register("taken", codes), *map(column, codes.column_names))
    shown = [name for name in codes.column_names if name not in names]
    return select(*(taken.c[name] for name in shown), _texts(taken, names).label("texts"))
