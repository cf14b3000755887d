"""Rows as they come, kept in a folder until all are known; then one Parquet file, with one type for each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolbox.store.readers.columns import MARK, common_type, converted

if TYPE_CHECKING:
    import pyarrow as pa


class Spool:
    """Keeps batches of columns, each of the types that it happens to have.

    Parameters
    ----------
    folder : Path
        Where to keep them; it is there, and empty.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._batches: list[tuple[Path, int]] = []
        self._types: list[set[pa.DataType]] = []
        self._largest: list[int] = []
        self.rows = 0

    def add(self, columns: Sequence[pa.Array], rows: int) -> None:
        """Add some rows; later ones may have more columns, behind those of the earlier ones."""
        import pyarrow as pa
        from pyarrow import compute

        while len(self._types) < len(columns):
            self._types.append(set())
            self._largest.append(0)
        for position, column in enumerate(columns):
            self._types[position].add(column.type)
            if column.type == pa.int64():
                ends = compute.min_max(column).as_py().values()
                self._largest[position] = max(self._largest[position], *(abs(end or 0) for end in ends))
        path = self._folder / f"{len(self._batches):06}.arrow"
        table = pa.Table.from_arrays(list(columns), names=[str(position) for position, _ in enumerate(columns)])
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
        self._batches.append((path, rows))
        self.rows += rows

    def finish(self, path: Path, names: Sequence[str], texts: Mapping[int, Mapping[Any, str]]) -> pa.Schema:
        """Write all rows as Parquet.

        Parameters
        ----------
        names : sequence of str
            Of the columns.
        texts : mapping of position to mapping of value to str
            What stands for the values of a column.

        Returns
        -------
        pyarrow.Schema
        """
        import pyarrow as pa
        from pyarrow import parquet

        schema = pa.schema([self._field(position, name, position in texts) for position, name in enumerate(names)])
        with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
            for batch, rows in self._batches:
                writer.write_table(_table(batch, rows, schema, texts))
                batch.unlink()
        return schema

    def _field(self, position: int, name: str, is_text: bool) -> pa.Field:
        import pyarrow as pa

        if position >= len(self._types):
            return pa.field(name, pa.string())
        kind, are_numbers = common_type(self._types[position], largest=self._largest[position])
        return pa.field(name, pa.string()) if is_text else pa.field(name, kind, metadata=MARK if are_numbers else None)


def _table(batch: Path, rows: int, schema: pa.Schema, texts: Mapping[int, Mapping[Any, str]]) -> pa.Table:
    import pyarrow as pa

    with pa.memory_map(str(batch)) as file, pa.ipc.open_stream(file) as reader:
        table = reader.read_all()
    columns = []
    for position, field in enumerate(schema):
        if position >= table.num_columns:
            columns.append(pa.nulls(rows, field.type))
            continue
        column = table.column(position).combine_chunks()
        columns.append(_in_words(column, texts[position]) if position in texts else converted(column, field.type))
    return pa.Table.from_arrays(columns, schema=schema)


def _in_words(column: pa.Array, words: Mapping[Any, str]) -> pa.Array:
    import pyarrow as pa

    known = column.dictionary_encode()
    return pa.array([words.get(value) for value in known.dictionary.to_pylist()], pa.string()).take(known.indices)
