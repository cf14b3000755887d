"""Columns that no expression over a record makes: those of whole columns, of equal values, and around the engine.

From Parquet to Parquet, columns of types that the engine does not know bypass it, and stay unchanged.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import ColumnElement, FromClause, String, and_, func, or_, select

from toolbox.config.file_names import is_parquet
from toolbox.config.model import Config
from toolbox.errors import UsageError, quote
from toolbox.messages import format_count, name_column
from toolbox.queries.dialect import Query, Table, count_where, hash_values
from toolbox.release.files.part import Part, make_writable_headers
from toolbox.release.returned import take_column_rows
from toolbox.store.input.files import ParquetSource
from toolbox.store.input.layout import Layout, find_columns
from toolbox.store.input.source import Source
from toolbox.store.tables import Tables
from toolbox.treatments.columns import ColumnTreatment
from toolbox.treatments.treatment import PERSON_KEY, ReleasedColumn

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


def is_carried(kind: Any) -> bool:
    """Return whether the engine writes values of a type of Arrow as it read them; it may rename the type."""
    import pyarrow as pa

    types = pa.types
    if types.is_nested(kind) and not types.is_dictionary(kind):
        return all(is_carried(kind.field(index).type) for index in range(kind.num_fields))
    plain = (types.is_integer, types.is_float32, types.is_float64, types.is_boolean, types.is_decimal128)
    texts = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    units = (types.is_date32, types.is_duration)
    instants = kind in (pa.timestamp("ns"), pa.time64("us")) or (types.is_timestamp(kind) and kind.unit == "us")
    return instants or any(test(kind) for test in (*plain, *texts, *units))


@dataclass(frozen=True)
class Around:
    """What a Parquet release takes directly from its Parquet input, beside what the engine writes.

    The schema of Arrow tells readers what the engine calls otherwise, such as a large string or a time zone. Columns
    whose values it would change go around it: they are in memory while a file is written.

    Parameters
    ----------
    schema : pyarrow.Schema
        Of the input.
    sources : sequence of Path
        The files of the input.
    positions : collection of int
        The columns that go around.
    """

    schema: pa.Schema
    sources: Sequence[Path]
    positions: frozenset[int]

    def described(self, part: Part) -> Part:
        """Return a part of the release with its schema, which has the types of the input."""
        import pyarrow as pa

        names, width = make_writable_headers(part.headers), len(self.schema)
        fields = [
            pa.field(name, pa.float64())
            if column.treatment.makes_numbers and column.treatment.facts.is_typed
            else pa.field(name, pa.int64() if column.position == width else pa.string())
            if column.position is None or column.position == width or not column.treatment.keeps_type
            else self.schema.field(column.position).with_name(name).with_nullable(True).remove_metadata()
            for name, column in zip(names, part.shown, strict=True)
        ]
        schema = b64encode(pa.schema(fields).serialize().to_pybytes()).decode("ascii")
        return replace(part, arrow_schema=schema)

    def put_into(self, written: Path, part: Part) -> None:
        """Add the values that bypass the engine to a file that it has written, by the numbers of the rows."""
        shown = [column.unmodified_position for column in part.shown]
        if not self.positions or len(self.schema) not in shown:
            return
        import pyarrow as pa
        from pyarrow import parquet

        file = parquet.ParquetFile(written)
        names, numbers = file.schema_arrow.names, shown.index(len(self.schema))
        rows = _read_numbers(file, numbers)
        taken = {
            index: (self.schema.field(position).with_name(names[index]), take_column_rows(self._values(position), rows))
            for index, position in enumerate(shown)
            if position is not None and position in self.positions
        }
        schema = file.schema_arrow.remove_metadata()
        for index, (field, _) in taken.items():
            schema = schema.set(index, field)
        finished, start = written.with_name(f"{written.name}.around"), 0
        with parquet.ParquetWriter(finished, schema.remove(numbers)) as writer:
            for group in range(file.num_row_groups):
                columns = file.read_row_group(group).columns
                for index, (_, values) in taken.items():
                    columns[index] = values.slice(start, len(columns[index]))
                start += len(columns[numbers])
                del columns[numbers]
                writer.write_table(pa.Table.from_arrays(columns, schema=schema.remove(numbers)))
        finished.replace(written)

    def _values(self, position: int) -> pa.ChunkedArray:
        """Read one column of all files."""
        import pyarrow as pa
        from pyarrow import parquet

        kind, chunks = self.schema.field(position).type, list[Any]()
        for path in self.sources:
            file = parquet.ParquetFile(path)
            names = file.schema_arrow.names
            # A dot in a name leads into a column, for the reader.
            name = names[position] if names.count(names[position]) == 1 and "." not in names[position] else None
            for group in range(file.num_row_groups):
                table = file.read_row_group(group, columns=None if name is None else [name])
                column = table.column(position if name is None else 0)
                chunks += (column if column.type == kind else column.cast(kind)).chunks
        return pa.chunked_array(chunks, kind)


def find_columns_around(config: Config, source: Source) -> Around | None:
    """Find the columns that the engine cannot carry from Parquet to Parquet; if there are any, number the rows."""
    target = config.output.path
    if not isinstance(source, ParquetSource) or target is None or not is_parquet(target):
        return None
    treated = find_columns(config, source).treated
    positions = frozenset(
        position
        for position, column in treated.items()
        if column.is_unmodified and not is_carried(source.schema.field(position).type)
    )
    if positions:
        source.number_rows()
    return Around(source.schema, source.paths, positions)


def _read_numbers(file: Any, position: int) -> Any:
    import pyarrow as pa

    groups = (file.read_row_group(group).column(position) for group in range(file.num_row_groups))
    chunks = [chunk for group in groups for chunk in group.chunks]
    return pa.chunked_array(chunks, pa.int64()).to_numpy()


# What is made of whole columns before a release is written, and stands beside the records of the store.


def make_columns(tables: Tables, layout: Layout, *, drops: bool) -> Tables:
    """Return tables whose records have what whole-column treatments make of them.

    Parameters
    ----------
    drops : bool
        Whether suppressed records are left out of the release, and so out of the groups.

    Raises
    ------
    UsageError
        If a column cannot be treated so.
    """
    treated = [column for column in layout.treated.values() if isinstance(column.treatment, ColumnTreatment)]
    if not treated:
        return tables
    records = rows = tables.kept_records
    if drops:
        classed, classes = tables.anon_record, tables.equivalence
        is_kept = (classes.c.equivalence_id == classed.c.equivalence_id) & ~classes.c.suppressed
        kept = select(*classed.c).join_from(classed, classes, is_kept).subquery()
        rows = kept
    joined: FromClause = records
    made_columns: list[ColumnElement[Any]] = []
    for together in _list_together(treated):
        made = _make_together(tables, rows, together)
        joined = joined.outerjoin(made, made.c.record_id == records.c.record_id)
        made_columns += [column for column in made.c if column.name != "record_id"]
    view = select(*records.c, *made_columns).select_from(joined)
    return replace(tables, records=tables.store.create_view("record", view))


_WORTH_ONCE = 100_000
"""Records from which on values are looked up; of fewer each is treated in less time than a table is made."""
_ONE_OF: Final = 64
"""One of so many records is looked at for an estimate of how many values differ."""
_DIFFERING: Final = 0.97
"""Most of these records that may differ: if each value stands in 4 records, about (1 - exp(-1/16)) / (1/16) do."""
_FEW_TEXTS: Final = 65_536
"""Most texts that are worth an enumeration, whose numbers take two bytes then."""


def treat_values_once(tables: Tables, layout: Layout) -> Tables:
    """Return tables whose records have, beside a value that costs much to treat, what becomes of it.

    Each different value is treated once. For writing only: the recount of a promise treats what was read by itself.
    """
    treated = list(layout.treated.values())
    costly = [
        column
        for column in treated
        if column.treatment.is_costly and column.treatment.keeps_missing and not column.treatment.by_record
    ]
    if tables.record_count < _WORTH_ONCE or not any(column.treatment.changes for column in treated):
        return tables
    records = joined = tables.kept_records
    made_columns: list[ColumnElement[Any]] = []
    for column in _find_repeated(tables, costly):
        name, values = f"c{column.position}", _count_column_values(tables, column)
        found = _make_once(tables, column, select(values.c.value.label(name)).where(values.c.value.is_not(None)))
        joined = joined.outerjoin(found, found.c.value == column.find_value(records))
        made_columns.append(found.c[column.looked_up])
    prepared: FromClause = select(*records.c, *made_columns).select_from(joined).subquery()
    for column in treated:
        prepared = column.treatment.prepare(prepared, f"c{column.position}")
    return replace(tables, records=tables.store.create_view("record", select(*prepared.c)))


def _count_column_values(tables: Tables, column: ReleasedColumn) -> Table:
    """Count the different values of a column; the recount finds them in the tables, and treats them by itself."""
    records = tables.kept_records
    value = column.find_value(records)
    counted = select(value.label("value"), func.count().label("size")).select_from(records).group_by(value)
    tables.values[value.name] = found = tables.store.create("values", counted)
    return found


def _make_once(tables: Tables, column: ReleasedColumn, rows: Query) -> Table:
    """Treat each different value: ``value``, and what becomes of it; few texts as an enumeration, which sorts fast."""
    values = rows.subquery()
    made = column.select_from_records(values).label(column.looked_up)
    found = tables.store.create("treated", select(column.find_value(values).label("value"), made))
    is_text = isinstance(made.type, String) or not column.treatment.facts.is_typed
    if not is_text or tables.store.scalar(select(func.count(found.c[made.name].distinct()))) > _FEW_TEXTS:
        return found
    numbered = tables.store.copy_with_enumerations(found, [column.looked_up])
    tables.store.drop(found)
    return numbered


def _find_repeated(tables: Tables, columns: Sequence[ReleasedColumn]) -> list[ReleasedColumn]:
    """Find the columns whose values repeat so often that a table of them is small beside the records.

    A part of the records, which the hashes of their numbers choose, is looked at for all of them.
    """
    if not columns:
        return []
    records = tables.kept_records
    counts = [func.count(column.find_value(records).distinct()) for column in columns]
    chosen = hash_values(records.c.record_id) % _ONE_OF == 0
    total, *found = tables.store.row(select(func.count(), *counts).where(chosen).select_from(records))
    return [column for column, count in zip(columns, found, strict=True) if count <= _DIFFERING * total]


def _list_together(treated: Iterable[ReleasedColumn]) -> list[list[ReleasedColumn]]:
    """Group the columns that are made together."""

    def key(column: ReleasedColumn) -> str:
        return repr((column.treatment.name, getattr(column.treatment, "together", None)))

    return [list(columns) for _, columns in groupby(sorted(treated, key=key), key)]


def _make_together(tables: Tables, rows: FromClause, columns: Sequence[ReleasedColumn]) -> Table:
    """Make the values of columns: ``record_id, made_<position> .., group_<position> ..``."""
    import numpy as np

    treatments = [column.treatment for column in columns if isinstance(column.treatment, ColumnTreatment)]
    values = [column.find_value(rows) for column in columns]
    numbers = [each.find_number(value) for each, value in zip(treatments, values, strict=True)]
    lacks = [each.is_missing(value) for each, value in zip(treatments, values, strict=True)]
    _require_makeable(tables, rows, columns, numbers, lacks)
    labelled = (number.label(f"n{place}") for place, number in enumerate(numbers))
    present = select(rows.c.record_id, *labelled).select_from(rows).where(~or_(*lacks)).order_by(rows.c.record_id)
    fetched = tables.store.arrow(present)
    made: list[NDArray[Any]] = []
    groups = np.zeros(0, np.int64)
    if fetched.num_rows:
        given = [fetched.column(place + 1).to_numpy().astype(np.float64) for place, _ in enumerate(columns)]
        made, groups = treatments[0].make(given)
    if treatments[0].takes_places:
        return _take_from_others(tables, rows, columns[0], fetched.column(0).to_numpy(), made, groups)
    arrays = {"record_id": fetched.column(0).to_numpy().astype(np.int64)}
    for place, each in enumerate(treatments):
        arrays[each.made] = made[place] if made else np.zeros(0)
        arrays[each.made_with] = groups
    return tables.store.from_arrays("made", arrays)


def _take_from_others(
    tables: Tables,
    rows: FromClause,
    column: ReleasedColumn,
    numbers: NDArray[Any],
    made: Sequence[NDArray[Any]],
    groups: NDArray[Any],
) -> Table:
    """Make the values of a column from those of other records, by their places among the numbers of the records."""
    treatment = column.treatment
    assert isinstance(treatment, ColumnTreatment)
    ids = numbers.astype("int64")
    others = ids[made[0]] if len(made) else ids
    places = tables.store.from_arrays("places", {"record_id": ids, "other_id": others, "part": groups})
    value = column.find_value(rows)
    taken = select(places.c.record_id, value.label(treatment.made), places.c.part.label(treatment.made_with))
    return tables.store.create("made", taken.join_from(places, rows, rows.c.record_id == places.c.other_id))


def _require_makeable(
    tables: Tables,
    rows: FromClause,
    columns: Sequence[ReleasedColumn],
    numbers: Sequence[ColumnElement[float]],
    lacks: Sequence[ColumnElement[bool]],
) -> None:
    """Stop where values are no numbers, stand in some of the columns only, are too few, or several are of one person.

    Raises
    ------
    UsageError
    """
    treatment = columns[0].treatment
    assert isinstance(treatment, ColumnTreatment)
    some, unread = (
        or_(*lacks) & ~and_(*lacks),
        [count_where(number.is_(None) & ~lack) for number, lack in zip(numbers, lacks, strict=True)],
    )
    by_person = treatment.needs_persons and treatment.facts.persons and PERSON_KEY in rows.c
    people = func.count(rows.c[PERSON_KEY].distinct()).filter(~or_(*lacks)) if by_person else count_where(~or_(*lacks))
    found = tables.store.row(select(count_where(some), count_where(~or_(*lacks)), people, *unread).select_from(rows))
    partly, present, persons, *wrong = map(int, found)
    names = " and ".join(quote(name_column(column.header)) for column in columns)
    said = f"The treatment {quote(treatment.name)} of {names}"
    for column, count in zip(columns, wrong, strict=True):
        if count:
            what = (
                f"{format_count(count, 'cell')} of {quote(name_column(column.header))} {'is' if count == 1 else 'are'}"
            )
            raise UsageError(f"{what} no value that {quote(treatment.name)} can read. {treatment.remedy}")
    if partly:
        raise UsageError(
            f"{said} needs records with a value in each of the columns or in none, and "
            f"{format_count(partly, 'record has', 'records have')} some. Treat each column by itself."
        )
    if present < treatment.fewest and present:
        raise UsageError(
            f"{said} needs {treatment.fewest} values, and there {'is' if present == 1 else 'are'} {present}. "
            "Choose another treatment, such as redact or drop."
        )
    if persons < present:
        raise UsageError(
            f"{said} takes one record of each person, and {present:,} records are of "
            f"{format_count(persons, 'person')}. Choose another treatment, such as round or drop."
        )
