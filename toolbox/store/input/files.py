"""The files of a run's input: found once, opened as one source, and watched for changes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from toolbox.config.file_names import (
    DelimitedText,
    Parquet,
    find_copies,
    find_file_kind,
    has_types,
    is_parquet,
    list_input_files,
    name_objects,
)
from toolbox.config.model import Input
from toolbox.config.values import format_object, is_object
from toolbox.errors import EngineError, InputError, UsageError, format_debug_hint, quote
from toolbox.extensions import raise_named_errors
from toolbox.store.engine.errors import UnreadableFileError
from toolbox.store.engine.statements import read_parquet
from toolbox.store.engine.store import Store
from toolbox.store.input.formats.first_bytes import detect_compression, find_damage, require_kind
from toolbox.store.input.formats.table import Codebook, FileTable, Spool, make_array
from toolbox.store.input.source import (
    Account,
    FolderColumns,
    RecordPlace,
    Source,
    TableSource,
    format_input_name,
    make_row_number_name,
    require_same_columns,
)
from toolbox.store.input.text import DelimitedSource
from toolbox.store.input.text_file import check_readable

if TYPE_CHECKING:
    import pyarrow as pa


# Parquet files as a source: all with the same columns, each column of one type in all of them.


class ParquetSource(TableSource):
    """One Parquet file, or several whose records follow each other.

    Parameters
    ----------
    paths : sequence of Path
    store : Store
    declared : Input, optional
        What has named them, where folders below it may tell columns.
    """

    def __init__(self, paths: Sequence[Path], store: Store, declared: Input | None = None) -> None:
        import pyarrow as pa

        opened = [_open(path) for path in paths]
        schemas = [schema for schema, _ in opened]
        for path, schema in zip(paths[1:], schemas[1:], strict=True):
            require_same_columns(path, schema.names, paths[0], schemas[0].names, named=True)
        fields = [_find_common_field(paths, schemas, position) for position in range(len(schemas[0]))]
        told = FolderColumns() if declared is None else FolderColumns.find(declared, paths, schemas[0].names)
        links = _link_files(paths, store, told)
        one_type = all(schema.types == schemas[0].types for schema in schemas)
        more = told.list_fields() if told.names else []
        types = ["BIGINT" if pa.types.is_integer(each.type) else "VARCHAR" for each in more]
        origin = read_parquet(links, len(fields), one_type=one_type, told=types)
        fields += more
        super().__init__(format_input_name(paths), store, origin, pa.schema(fields), sum(rows for _, rows in opened))
        self.schema = pa.schema(fields)
        self.paths = tuple(paths)
        self._last_rows = list(accumulate(rows for _, rows in opened))

    def number_rows(self) -> None:
        """Add a last column with the number of each row, from 0, for columns that bypass the engine."""
        # Its own number, which the engine counts as it reads.
        row = (func.row_number().over() - 1).label(f"c{self.width}")
        self._origin = select(*self._origin.c, row).subquery("numbered")
        names = self.headers or ()
        self.headers, self.kinds = (*names, make_row_number_name(names)), (*self.kinds, "number")
        self.added += 1

    def place_of(self, row: int) -> RecordPlace:
        """Return the place of a row; with several files, counted within the file that holds it."""
        if len(self.paths) == 1:
            return RecordPlace(row)
        index = bisect_left(self._last_rows, row)
        return RecordPlace(row - (self._last_rows[index - 1] if index else 0), self.paths[index])


def _open(path: Path) -> tuple[pa.Schema, int]:
    """Return the columns of a file and the number of its rows."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        metadata = parquet.read_metadata(path)
        return metadata.schema.to_arrow_schema(), metadata.num_rows
    except (OSError, pa.ArrowException) as error:
        raise InputError(
            f"{path} is not a readable Parquet file. Get a complete copy. {format_debug_hint()}"
        ) from error


def _link_files(paths: Sequence[Path], store: Store, told: FolderColumns) -> list[Path]:
    """Make a link to every file, under a name that the engine does not take for a pattern."""
    if all(path.parent.parent == store.folder for path in paths):
        # Files of the store's own, which it may read without being shown them.
        return list(paths)
    folder = store.folder / store.fresh("input")
    folder.mkdir()
    links = [told.place(folder, index) / f"{index:06}.parquet" for index, _ in enumerate(paths)]
    for link, path in zip(links, paths, strict=True):
        link.symlink_to(path.resolve())
        store.gate.admit(link)
    return links


def _find_common_field(paths: Sequence[Path], schemas: Sequence[pa.Schema], position: int) -> pa.Field:
    """Return a column as the first file has it that knows its type."""
    common, origin = schemas[0].field(position), paths[0]
    for path, schema in zip(paths, schemas, strict=True):
        field = schema.field(position)
        first_family, family = _find_type_family(common.type), _find_type_family(field.type)
        if first_family is None:
            common, origin = field, path
        elif family is not None and family != first_family:
            raise InputError(
                f"{path}: the column {quote(field.name)} is of type {field.type}, but in {origin} of type "
                f"{common.type}. Write it as one type in all files."
            )
    return common


def _find_type_family(kind: Any) -> object:
    """Return the family of a type: types that hold the same values. None for a column without values."""
    from pyarrow import types

    if types.is_null(kind):
        return None
    if types.is_dictionary(kind):
        return _find_type_family(kind.value_type)
    if types.is_integer(kind) and not types.is_uint64(kind):
        return "whole number"
    return "text" if types.is_string(kind) or types.is_large_string(kind) else kind


# The files of a run's input: found once, opened as one source, and watched for changes.


class InputFiles:
    """The files of an input, in the order of their records.

    Parameters
    ----------
    given : Input

    Raises
    ------
    InputError
        If there are none, or they are no table together.
    """

    def __init__(self, declared: Input) -> None:
        if declared.remote is not None:
            problem = f"The records are a table of a database, {declared.remote}, which only a run reads."
            raise UsageError(f"{problem} Export it to a file, and name that.")
        declared = find_copies(declared)
        if objects := [name for name in declared.names if is_object(name)]:
            problem = f"The records are in an object store, {format_object(objects[0])}, which is not read here."
            raise UsageError(f"{problem} Copy them to a file, and name that.")
        self._given = declared
        self.paths = list_input_files(declared)
        self._before = [_read_fingerprint(path) for path in self.paths]

    def measure_text_size(self) -> int | None:
        """Return the size of the text in bytes; None if only reading could tell it."""
        try:
            if any(has_types(path) or not path.is_file() or detect_compression(path) for path in self.paths):
                return None
            return sum(path.stat().st_size for path in self.paths)
        except OSError:
            return None

    def source(self, store: Store) -> Source:
        """Open the files as one source.

        Raises
        ------
        InputError
            If one of them cannot be read, or has other columns than the first.
        """
        source = self._open(store)
        source.name = name_objects(source.name)
        source.note_partitions(map(str, self.paths))
        return source

    def _open(self, store: Store) -> Source:
        kind = find_file_kind(self.paths[0])
        if kind is DelimitedText:
            return DelimitedSource(self._given, store, self.paths)
        for path in self.paths:
            check_readable(path, alone=len(self.paths) == 1)
        if kind is Parquet:
            return ParquetSource(self.paths, store, self._given)
        return ConvertedSource(self.paths, self._given, store)

    @contextmanager
    def watch_reading(self) -> Iterator[None]:
        """Stop with the name of a file that is damaged, or that somebody has written to while the block ran."""
        try:
            yield
            self.require_unchanged()
        except UnreadableFileError as error:
            for path in self.paths:
                if (fault := find_damage(path)) is not None:
                    raise fault from error
            if packed := [path for path in self.paths if detect_compression(path) is not None]:
                # Python passes over zeros behind the end, which blocks of a tape leave, and the engine does not.
                raise InputError(
                    f"{format_input_name(packed)} cannot be read. Other bytes may follow the end of the compressed "
                    "data: decompress it, and compress it again."
                ) from error
            raise
        except InputError:
            # The damage may mean that somebody wrote to the file meanwhile.
            self.require_unchanged()
            raise
        except EngineError as error:
            if not is_parquet(self.paths[0]):
                raise
            named = f"{format_input_name(self.paths)} cannot be read to the end ({error.args[0]})"
            raise InputError(f"{named}. It is damaged: get a complete copy. {format_debug_hint()}") from error.__cause__

    def require_unchanged(self) -> None:
        """Stop if somebody has written to a file since it was found."""
        for path, before in zip(self.paths, self._before, strict=True):
            if _read_fingerprint(path) != before:
                raise InputError(f"{path} changed while it was read. Run again when nothing writes to it.")


def _read_fingerprint(path: Path) -> tuple[int, ...] | None:
    """Return what changes when somebody writes to a file or puts another there; None if it cannot be read."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


# Files of a kind that the engine does not read, as a source: their rows become one Parquet file of the store.


class ConvertedSource(ParquetSource):
    """One file, or several whose records follow each other, as a Parquet file that the store holds.

    Parameters
    ----------
    paths : sequence of Path
        All of one kind.
    declared : Input

    Raises
    ------
    InputError
        If one of them cannot be read, or has other columns than the first.
    """

    def __init__(self, paths: Sequence[Path], declared: Input, store: Store) -> None:
        folder = store.folder / store.fresh("input")
        folder.mkdir()
        spool = Spool(folder)
        tables: list[FileTable] = []
        self._ends: list[int] = []
        for path in paths:
            tables.append(_spool_file(path, declared, tables, paths[0], spool))
            self._ends.append(spool.rows)
        names, codebooks = tables[-1].names, tables[0].codebooks
        words = {position: book.codes for position, book in codebooks.items() if book.codes}
        target = folder / "records.parquet"
        spool.finish(target, names, words)
        super().__init__([target], store)
        self._given, self._tables = tuple(paths), tables
        self.name = format_input_name(paths)
        self.place = tables[0].place
        self.codebooks = codebooks
        self.notes = tuple(dict.fromkeys(note for table in tables for note in table.notes))
        self.orders = tuple(_order(codebooks.get(position)) for position, _ in enumerate(names))

    def account(self, read: int, *, is_strict: bool = False) -> Account:
        super().account(read, is_strict=is_strict)
        return Account(blank=sum(table.blank for table in self._tables))

    def place_of(self, row: int) -> RecordPlace:
        """Return where a person finds a record: by the rows of its sheet, or the lines of its file."""
        index = bisect_left(self._ends, row)
        within = row - (self._ends[index - 1] if index else 0)
        return RecordPlace(self._tables[index].place_of(within), self._given[index] if len(self._given) > 1 else None)

    def arrow(self) -> pa.Table:
        """Return all records as an Arrow table; what has an order keeps it."""
        import pyarrow as pa
        from pyarrow import parquet

        table = parquet.read_table(self.paths[0])
        for position, order in enumerate(self.orders):
            if order is not None:
                codes = table.column(position).combine_chunks().dictionary_encode()
                places = pa.array([order.index(text) for text in codes.dictionary.to_pylist()], pa.int32())
                values = pa.DictionaryArray.from_arrays(places.take(codes.indices), list(order), ordered=True)
                table = table.set_column(position, table.column_names[position], values)
        return table


def _spool_file(path: Path, declared: Input, before: Sequence[FileTable], first: Path, spool: Spool) -> FileTable:
    """Read a file to its end."""
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise InputError(f"The name of {str(path)!r} is no valid text. Give the file another one.") from error
    known = before[-1].names if before else ()
    kind = find_file_kind(path)
    with raise_named_errors(kind, lambda failure: InputError(f"{path} cannot be read: {failure}.")):
        require_kind(path)
        opened: FileTable = kind.open_table(path, declared, known)
        with opened as table:
            if before and not kind.columns_may_differ:
                require_same_columns(path, table.names, first, known, named=True)
                _require_same_codes(path, table, first, before[0])
            for rows, columns in table.batches():
                spool.add([make_array(values) for values in columns], rows)
    if not table.names:
        raise InputError(f"{path} has no columns. A table needs at least one.")
    return table


def _require_same_codes(path: Path, table: FileTable, first: Path, other: FileTable) -> None:
    for position, name in enumerate(table.names):
        if table.codebooks.get(position, Codebook()).codes != other.codebooks.get(position, Codebook()).codes:
            problem = f"{path}: the codes of {name!r} have other labels than in {first}, or stand without"
            raise InputError(f"{problem}. Give them the same labels in all files.")


def _order(book: Codebook | None) -> tuple[str, ...] | None:
    return tuple(book.codes.values()) if book is not None and book.is_ordered and book.codes else None
