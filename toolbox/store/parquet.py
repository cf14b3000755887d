"""Parquet files as a source: all with the same columns, each column of one type in all of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from toolbox.errors import InputError, debug_hint, quote
from toolbox.store.source import Place, TableSource, require_same_columns, row_number_name, several
from toolbox.store.statements import read_parquet
from toolbox.store.store import Store

if TYPE_CHECKING:
    import pyarrow as pa


class ParquetSource(TableSource):
    """One Parquet file, or several whose records follow each other."""

    def __init__(self, paths: Sequence[Path], store: Store) -> None:
        import pyarrow as pa

        opened = [_open(path) for path in paths]
        schemas = [schema for schema, _ in opened]
        for path, schema in zip(paths[1:], schemas[1:], strict=True):
            require_same_columns(path, schema.names, paths[0], schemas[0].names, named=True)
        fields = [_common_field(paths, schemas, position) for position in range(len(schemas[0]))]
        links = _links(paths, store)
        one_type = all(schema.types == schemas[0].types for schema in schemas)
        origin = read_parquet(links, len(fields), one_type=one_type)
        super().__init__(several(paths), store, origin, pa.schema(fields), sum(rows for _, rows in opened))
        self.schema = pa.schema(fields)
        self.paths = tuple(paths)
        self._last_rows = list(accumulate(rows for _, rows in opened))

    def number_rows(self) -> None:
        """Add a last column with the number of each row, from 0, for columns that bypass the engine."""
        # Its own number, which the engine counts as it reads.
        row = (func.row_number().over() - 1).label(f"c{self.width}")
        self._origin = select(*self._origin.c, row).subquery("numbered")
        names = self.headers or ()
        self.headers, self.kinds = (*names, row_number_name(names)), (*self.kinds, "number")
        self.added += 1

    def place_of(self, row: int) -> Place:
        """Return the place of a row; with several files, counted within the file that holds it."""
        if len(self.paths) == 1:
            return Place(row)
        index = bisect_left(self._last_rows, row)
        return Place(row - (self._last_rows[index - 1] if index else 0), self.paths[index])


def _open(path: Path) -> tuple[pa.Schema, int]:
    """Return the columns of a file and the number of its rows."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        metadata = parquet.read_metadata(path)
        return metadata.schema.to_arrow_schema(), metadata.num_rows
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{path} is not a readable Parquet file. Get a complete copy. {debug_hint()}") from error


def _links(paths: Sequence[Path], store: Store) -> list[Path]:
    """Make a link to every file, under a name that the engine does not take for a pattern."""
    if all(path.parent.parent == store.folder for path in paths):
        # Files of the store's own, which it may read without being shown them.
        return list(paths)
    folder = store.folder / store.fresh("input")
    folder.mkdir()
    links = [folder / f"{index:06}.parquet" for index, _ in enumerate(paths)]
    for link, path in zip(links, paths, strict=True):
        link.symlink_to(path.resolve())
        store.gate.admit(link)
    return links


def _common_field(paths: Sequence[Path], schemas: Sequence[pa.Schema], position: int) -> pa.Field:
    """Return a column as the first file has it that knows its type."""
    common, origin = schemas[0].field(position), paths[0]
    for path, schema in zip(paths, schemas, strict=True):
        field = schema.field(position)
        first_family, family = _family(common.type), _family(field.type)
        if first_family is None:
            common, origin = field, path
        elif family is not None and family != first_family:
            raise InputError(
                f"{path}: the column {quote(field.name)} is of type {field.type}, but in {origin} of type "
                f"{common.type}. Write it as one type in all files."
            )
    return common


def _family(kind: Any) -> object:
    """Return the family of a type: types that hold the same values. None for a column without values."""
    from pyarrow import types

    if types.is_null(kind):
        return None
    if types.is_dictionary(kind):
        return _family(kind.value_type)
    if types.is_integer(kind) and not types.is_uint64(kind):
        return "whole number"
    return "text" if types.is_string(kind) or types.is_large_string(kind) else kind
