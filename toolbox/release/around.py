"""From Parquet to Parquet: columns of types that the engine does not know go around it, and stay what they were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolbox.config.model import Config, is_parquet
from toolbox.release.part import Part
from toolbox.release.returned import rows_of
from toolbox.store.layout import find_columns
from toolbox.store.parquet import ParquetSource
from toolbox.store.source import Source

if TYPE_CHECKING:
    import pyarrow as pa


def is_carried(kind: Any) -> bool:
    """Tell whether the engine writes a type of Arrow as it has read it."""
    import pyarrow as pa

    types = pa.types
    if types.is_list(kind) or types.is_struct(kind) or types.is_map(kind):
        return all(is_carried(kind.field(number).type) for number in range(kind.num_fields))
    plain = (types.is_integer, types.is_float32, types.is_float64, types.is_boolean, types.is_decimal128)
    others = (types.is_string, types.is_binary, types.is_date32)
    known = (pa.timestamp("us"), pa.timestamp("ns"), pa.timestamp("us", "UTC"), pa.time64("us"))
    return kind in known or any(test(kind) for test in (*plain, *others))


@dataclass(frozen=True)
class Around:
    """The columns of an input of Parquet that go around the engine; their values are in memory while a file is written.

    Parameters
    ----------
    fields : mapping of position to field
        What the input says of them.
    sources : sequence of Path
        The files of the input.
    width : int
        Number of its columns, behind which the number of the row stands.
    """

    fields: Mapping[int, pa.Field]
    sources: Sequence[Path]
    width: int

    def put_into(self, written: Path, part: Part) -> None:
        """Put the values of the input into a file that the engine has written, by the numbers of its rows."""
        import pyarrow as pa
        from pyarrow import parquet

        file = parquet.ParquetFile(written)
        names, numbers = file.schema_arrow.names, part.passed_through.index(self.width)
        rows = _numbers(file, numbers)
        taken = {
            place: (self.fields[position].with_name(names[place]), rows_of(self._values(position), rows))
            for place, position in enumerate(part.passed_through)
            if position is not None and position in self.fields
        }
        schema = file.schema_arrow.remove_metadata()
        for place, (field, _) in taken.items():
            schema = schema.set(place, field)
        finished, start = written.with_name(f"{written.name}.around"), 0
        with parquet.ParquetWriter(finished, schema.remove(numbers)) as writer:
            for group in range(file.num_row_groups):
                columns = file.read_row_group(group).columns
                for place, (_, values) in taken.items():
                    columns[place] = values.slice(start, len(columns[place]))
                start += len(columns[numbers])
                del columns[numbers]
                writer.write_table(pa.Table.from_arrays(columns, schema=schema.remove(numbers)))
        finished.replace(written)

    def _values(self, position: int) -> pa.ChunkedArray:
        """Read one column of all files."""
        import pyarrow as pa
        from pyarrow import parquet

        kind, chunks = self.fields[position].type, list[Any]()
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


def columns_around(config: Config, source: Source) -> Around | None:
    """Find the columns that go around the engine, and have the rows of the input numbered; None if there are none."""
    target = config.output.path
    if not isinstance(source, ParquetSource) or target is None or not is_parquet(target):
        return None
    passed, width = find_columns(config, source).passed_through, source.width
    fields = {position: source.schema.field(position) for position in passed}
    fields = {position: field for position, field in fields.items() if not is_carried(field.type)}
    if not fields:
        return None
    source.number_rows()
    return Around(fields, source.paths, width)


def _numbers(file: Any, place: int) -> Any:
    import pyarrow as pa

    groups = (file.read_row_group(group).column(place) for group in range(file.num_row_groups))
    chunks = [chunk for group in groups for chunk in group.chunks]
    return pa.chunked_array(chunks, pa.int64()).to_numpy()
