"""From Parquet to Parquet: columns of types that the engine does not know bypass it, and stay unchanged."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolbox.config.file_names import is_parquet
from toolbox.config.model import Config
from toolbox.release.files.part import Part, make_writable_headers
from toolbox.release.returned import take_column_rows
from toolbox.store.input.files import ParquetSource
from toolbox.store.input.layout import find_columns
from toolbox.store.input.source import Source

if TYPE_CHECKING:
    import pyarrow as pa


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
            pa.field(name, pa.int64() if column.position == width else pa.string())
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
