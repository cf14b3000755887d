"""Files of a kind that the engine does not read, as a source: their rows become one Parquet file of the store."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolbox.config.file_kinds import DATABASE, JSON_LINES, STATISTICS, WORKBOOK, FileKind, kind_of
from toolbox.config.model import Input
from toolbox.errors import InputError
from toolbox.store.parquet import ParquetSource
from toolbox.store.readers.file_table import Codebook, FileTable, array_of
from toolbox.store.readers.spool import Spool
from toolbox.store.source import Account, Place, require_same_columns, several
from toolbox.store.store import Store

if TYPE_CHECKING:
    import pyarrow as pa

Opener = Callable[[Path, Input, Sequence[str]], FileTable]
"""Opens the table of a file; what the files before it call their columns follows."""


def _workbook(path: Path, declared: Input, _: Sequence[str]) -> FileTable:
    from toolbox.store.readers.workbook import Sheet

    return Sheet(path, declared.table)


def _statistics(path: Path, declared: Input, _: Sequence[str]) -> FileTable:
    from toolbox.store.readers.statistics import StatisticsFile

    return StatisticsFile(path, declared.encoding)


def _json_lines(path: Path, declared: Input, known: Sequence[str]) -> FileTable:
    from toolbox.store.readers.json_lines import JsonLines

    return JsonLines(path, declared.encoding, known)


def _database(path: Path, declared: Input, _: Sequence[str]) -> FileTable:
    from toolbox.store.readers.database import database_table

    return database_table(path, declared.table)


_OPENERS: Final[Mapping[FileKind, Opener]] = {
    WORKBOOK: _workbook,
    STATISTICS: _statistics,
    JSON_LINES: _json_lines,
    DATABASE: _database,
}


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
            tables.append(_spooled(path, declared, tables, paths[0], spool))
            self._ends.append(spool.rows)
        names, codebooks = tables[-1].names, tables[0].codebooks
        words = {position: book.codes for position, book in codebooks.items() if book.codes}
        target = folder / "records.parquet"
        spool.finish(target, names, words)
        super().__init__([target], store)
        self._given, self._tables = tuple(paths), tables
        self.name = several(paths)
        self.place = tables[0].place
        self.codebooks = codebooks
        self.notes = tuple(dict.fromkeys(note for table in tables for note in table.notes))
        self.orders = tuple(_order(codebooks.get(position)) for position, _ in enumerate(names))

    def account(self, read: int, *, is_strict: bool = False) -> Account:
        super().account(read, is_strict=is_strict)
        return Account(blank=sum(table.blank for table in self._tables))

    def place_of(self, row: int) -> Place:
        """Return where a person finds a record: by the rows of its sheet, or the lines of its file."""
        index = bisect_left(self._ends, row)
        within = row - (self._ends[index - 1] if index else 0)
        return Place(self._tables[index].place_of(within), self._given[index] if len(self._given) > 1 else None)

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


def _spooled(path: Path, declared: Input, before: Sequence[FileTable], first: Path, spool: Spool) -> FileTable:
    """Read a file to its end."""
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise InputError(f"The name of {str(path)!r} is no valid text. Give the file another one.") from error
    known = before[-1].names if before else ()
    with _OPENERS[kind_of(path)](path, declared, known) as table:
        if before and kind_of(path) is not JSON_LINES:
            require_same_columns(path, table.names, first, known, named=True)
            _require_same_codes(path, table, first, before[0])
        for rows, columns in table.batches():
            spool.add([array_of(values) for values in columns], rows)
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
