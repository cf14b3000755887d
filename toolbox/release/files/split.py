"""A finished table cut into files: of a given size, in its order, or for each value of some columns."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol
from urllib.parse import quote as quote_url

from sqlalchemy import String, cast, except_all, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.file_names import MOST_PIECES, find_compression, find_extension
from toolbox.config.model import Input
from toolbox.errors import ProofError, UsageError, did_you_mean, name_option, quote
from toolbox.queries.dialect import count_bytes
from toolbox.release.files.part import Notation, Part, make_writable_headers, rename_columns
from toolbox.store.engine.statements import read_parquet
from toolbox.store.engine.store import Store
from toolbox.store.input.files import ParquetSource
from toolbox.store.input.source import Source
from toolbox.store.input.text import DelimitedSource

if TYPE_CHECKING:
    import pyarrow as pa

# One file of a table that is split, as it grows: how much text it may still take.

_FULL_ENOUGH = 0.98
"""Share of its size at which a compressed file is finished: the rest cannot be filled without guessing."""
_GZIP = 31
"""How zlib calls gzip with its largest window."""


class _Packer(Protocol):
    """Compresses what is written into a file."""

    def write(self, data: bytes) -> None:
        """Write and flush, so that the size of the file is known."""

    def close(self) -> None:
        """Write the end, and close the file."""


class Piece:
    """A file of delimited text that ends before a record when it has its size.

    Parameters
    ----------
    path : Path
        Its extension tells how it is compressed.
    size : int
        Bytes that the file shall have.
    head : bytes
        What it begins with.
    """

    def __init__(self, path: Path, size: int, head: bytes) -> None:
        self.path = path
        self._size = size
        self._file = path.open("wb")
        self._packer = _make_packer(self._file, find_compression(path))
        self._text = 0
        self.write(head)

    def write(self, text: bytes) -> None:
        """Add text."""
        self._packer.write(text)
        self._text += len(text)

    def count_free_bytes(self) -> int:
        """Return how many bytes of text fit: exactly, or, if they are compressed, by what has been written so far."""
        used = self._file.tell()
        if find_compression(self.path) is None:
            return self._size - used
        if used >= _FULL_ENOUGH * self._size:
            return 0
        return int((self._size - used) * self._text / used) if self._text else self._size

    def close(self) -> None:
        """Finish the file."""
        self._packer.close()
        self._file.close()


def _make_packer(file: IO[bytes], compression: str | None) -> _Packer:
    match compression:
        case "gzip":
            return _Gzip(file)
        case "zstd":
            return _Zstd(file)
        case _:
            return _Plain(file)


class _Plain:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, data: bytes) -> None:
        self._file.write(data)

    def close(self) -> None:
        self._file.flush()


class _Gzip:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        # Without name and time: the same release is the same file.
        self._packer = zlib.compressobj(wbits=_GZIP)

    def write(self, data: bytes) -> None:
        self._file.write(self._packer.compress(data) + self._packer.flush(zlib.Z_SYNC_FLUSH))

    def close(self) -> None:
        self._file.write(self._packer.flush())


class _Zstd:
    def __init__(self, file: IO[bytes]) -> None:
        import pyarrow as pa

        self._packer: Any = pa.CompressedOutputStream(pa.PythonFile(file, "w"), "zstd")

    def write(self, data: bytes) -> None:
        self._packer.write(data)
        self._packer.flush()

    def close(self) -> None:
        self._packer.close()


# A finished table cut into files of a given size, in its order, and never within a record.

_BLOCK = 1 << 20

Naming = Callable[[int], Path]
"""From the number of a piece, from 1, to where it is written."""


def split_text(whole: Path, name: Naming, size: int, *, header: bool) -> list[Path]:
    """Cut a file of delimited text into files of at most this size, each with the header.

    Only a single record that is larger than the size makes a larger file. Compressed files, whose sizes cannot be known
    beforehand, come near to the size.

    Parameters
    ----------
    whole : Path
        Not compressed; values are quoted where they hold a quote or a line end, and quotes doubled.
    name : callable
        The extensions of its paths tell how the pieces are compressed.
    size : int, >= 1
        In bytes.
    header : bool
        Whether the first record names the columns.
    """
    paths: list[Path] = []

    def begin() -> Piece:
        _require_few(len(paths) + 1)
        paths.append(name(len(paths) + 1))
        return Piece(paths[-1], size, head)

    with whole.open("rb") as file:
        head = _read_first_record(file) if header else b""
        piece = begin()
        is_bare = True
        for records in _read_whole_records(file):
            start = 0
            while start < len(records):
                end = _find_last_end(records, start, start + piece.count_free_bytes())
                if end is None and not is_bare:
                    piece.close()
                    piece, is_bare = begin(), True
                    continue
                end = end or _find_first_end(records, start)
                piece.write(records[start:end])
                start, is_bare = end, False
        piece.close()
    return paths


def split_parquet(store: Store, whole: Path, name: Naming, size: int, part: Part) -> list[Path]:
    """Cut the Parquet file of a part into files of about this size."""
    headers = part.headers
    cuts = _choose_row_numbers(whole, size)
    _require_few(len(cuts) - 1)
    paths = []
    for index, (first, last) in enumerate(pairwise(cuts), start=1):
        paths.append(name(index))
        rows = select(read_parquet([whole], len(headers))).offset(first).limit(last - first)
        store.write_parquet(
            rename_columns(rows, make_writable_headers(headers)), paths[-1], arrow_schema=part.arrow_schema
        )
    return paths


def _require_few(count: int) -> None:
    if count > MOST_PIECES:
        raise UsageError(
            f"This release would be more than {MOST_PIECES:,} files of the size to split by. Write a larger size."
        )


def _choose_row_numbers(whole: Path, size: int) -> list[int]:
    """Choose the rows at which to cut; the rows of a row group are taken to be equally large."""
    import numpy as np
    from pyarrow import parquet

    metadata = parquet.read_metadata(whole)
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    rows = np.cumsum([0, *(group.num_rows for group in groups)])
    packed = [
        sum(group.column(column).total_compressed_size for column in range(group.num_columns)) for group in groups
    ]
    count = min(-(-whole.stat().st_size // size), max(metadata.num_rows, 1), MOST_PIECES + 1)
    bytes_before = np.cumsum([0, *packed])
    ends = np.linspace(0, bytes_before[-1], count + 1)[1:-1]
    inner = np.rint(np.interp(ends, bytes_before, rows)).astype(int).tolist()
    return [*sorted({0, *inner} - {metadata.num_rows}), metadata.num_rows] if metadata.num_rows else [0, 0]


def _read_first_record(file: IO[bytes]) -> bytes:
    record = b""
    while line := file.readline():
        record += line
        if record.count(b'"') % 2 == 0:
            break
    return record


def _read_whole_records(file: IO[bytes]) -> Iterator[bytes]:
    """Read blocks that end where a record does."""
    rest = b""
    while block := file.read(_BLOCK):
        rest += block
        end = _find_last_end(rest, 0, len(rest))
        if end is not None:
            yield rest[:end]
            rest = rest[end:]
    if rest:
        yield rest


def _find_last_end(records: bytes, start: int, limit: int) -> int | None:
    """Find the last end of a record up to a limit; a record begins at the start. None if there is none."""
    # Not below the start: a negative limit would count from the end.
    limit = max(start, min(limit, len(records)))
    quotes = records.count(b'"', start, limit)
    end = limit
    while (line_end := records.rfind(b"\n", start, end)) >= 0:
        quotes -= records.count(b'"', line_end, end)
        # After an odd number of quotes the value continues.
        if quotes % 2 == 0:
            return line_end + 1
        end = line_end
    return None


def _find_first_end(records: bytes, start: int) -> int:
    """Find the first end of a record."""
    line_end = start - 1
    quotes = 0
    while True:
        before = line_end + 1
        line_end = records.find(b"\n", before)
        if line_end < 0:
            return len(records)
        quotes += records.count(b'"', before, line_end)
        if quotes % 2 == 0:
            return line_end + 1


# A folder of files, one or more for each value of some columns, as Hive and Spark read it.

_MOST_FOLDERS = 10_000
_SHOWN = 30
"""Columns that a message names."""
_GROUP = 122_880
"""Records of a row group, as the engine writes them."""
_MOST_HELD = 16 * _GROUP
"""Records that are held at once, for all folders together."""
_OPEN = 16
"""Files that are written at once where the records are sorted by their folders."""
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_LONGEST_NAME = 255
"""Bytes of the name of a folder."""
_SUCCESS = "_SUCCESS"
"""The file that says that a folder is whole; of an object store it comes last."""


def write_partitions(
    store: Store,
    whole: Path,
    folder: Path,
    columns: Sequence[str],
    notation: Notation | None = None,
    *,
    sorts: bool = True,
) -> list[Path]:
    """Write the records of a file into a folder, and see that all are there; return its files.

    Without records there is one empty file, below the folders of missing values.

    Parameters
    ----------
    whole : Path
        Parquet, or text that is not compressed and begins with the headers.
    folder : Path
        Its extension tells what the files are, and how text is compressed.
    columns : sequence of str
        Those whose values the names of the folders tell.
    notation : Notation, optional
        Of the text; None for Parquet.
    sorts : bool
        Whether the engine knows all types of Parquet, so that it may sort the records by their folders.

    Raises
    ------
    UsageError
        If they cannot be told so.
    ProofError
        If the folder does not hold the records of the file.
    """
    if notation is None:
        _write_parquet_partitions(store, whole, folder, columns, sorts=sorts)
        one: Source = ParquetSource([whole], store)
    else:
        one = _open_text(store, whole, [whole], notation)
        _write_text_partitions(store, one, whole, folder, columns, notation)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if notation is None:
        several: Source = ParquetSource(files, store, Input(path=folder))
    else:
        several = _open_text(store, folder, files, notation)
    _prove_partitions(store, one, several)
    (folder / _SUCCESS).touch()
    return files


def _open_text(store: Store, path: Path, files: Sequence[Path], notation: Notation) -> DelimitedSource:
    declared = Input(path=path, separator=notation.separator, header=True, encoding="utf-8")
    return DelimitedSource(declared, store, files)


def _write_parquet_partitions(store: Store, whole: Path, folder: Path, columns: Sequence[str], *, sorts: bool) -> None:
    import pyarrow as pa
    from pyarrow import dataset, parquet

    found = dataset.dataset(whole)
    _require_names(columns, found.schema.names)
    told = [_require_telling(found.schema.field(name)) for name in columns]
    relation = read_parquet([whole], len(found.schema))
    by = [relation.c[f"c{found.schema.names.index(name)}"] for name in columns]
    folders = _require_few_folders(store, by, columns)
    if sorts and folders * _GROUP > _MOST_HELD:
        # One folder after the other, so that Arrow holds one group of records and not one for each.
        ordered = whole.with_name("ordered.parquet")
        place = func.row_number().over().label("place")
        rows = select(*relation.c, place).subquery()
        keys = [rows.c[column.name] for column in by]
        in_order = select(*(rows.c[column.name] for column in relation.c)).order_by(*keys, rows.c.place)
        schema = (parquet.read_metadata(whole).metadata or {}).get(b"ARROW:schema", b"").decode()
        store.write_parquet(rename_columns(in_order, found.schema.names), ordered, arrow_schema=schema)
        found = dataset.dataset(ordered)
    if not folders:
        empty = folder.joinpath(*(_name_folder(name, None) for name in told))
        empty.mkdir(parents=True)
        parquet.write_table(found.schema.empty_table().drop_columns(told), empty / "part-0.parquet")
        return
    read = {name: dataset.field(name) for name in found.schema.names}
    read |= {name: read[name].cast(pa.string()) for name in told}
    dataset.write_dataset(
        found.scanner(columns=read, use_threads=False),
        folder,
        format="parquet",
        partitioning=dataset.partitioning(pa.schema([pa.field(name, pa.string()) for name in told]), flavor="hive"),
        basename_template="part-{i}.parquet",
        max_partitions=_MOST_FOLDERS,
        max_rows_per_group=_GROUP,
        min_rows_per_group=_GROUP,
        max_open_files=_OPEN if sorts else _MOST_FOLDERS,
        use_threads=False,
    )


def _write_text_partitions(
    store: Store, source: Source, whole: Path, folder: Path, columns: Sequence[str], notation: Notation
) -> None:
    """Sort the lines by their folders, and cut them by their bytes."""
    headers = source.headers or ()
    _require_names(columns, headers)
    relation = source.relation()
    named = dict(zip(headers, relation.c, strict=False))
    _require_few_folders(store, [named[name] for name in columns], columns)
    rest = [name for name in headers if name not in columns]
    texts = [cast(named[name], String) for name in rest]
    # A line with nothing on it is no record.
    lines = notation.values(texts) if len(texts) > 1 else [func.coalesce(notation.value(texts[0]), '""')]
    keys = [named[name].label(f"key_{place}") for place, name in enumerate(columns)]
    line = notation.record(lines).label("line")
    records = store.create("lines", select(*keys, line, func.row_number().over().label("place")))
    by = [records.c[key.name] for key in keys]
    store.write_lines(select(records.c.line).order_by(*by, records.c.place), ordered := whole.with_name("ordered"))
    size = func.sum(count_bytes(records.c.line) + 1)
    # Without records there is one file with the header.
    sizes = store.rows(select(*by, size).group_by(*by).order_by(*by)) or [(*(None for _ in columns), 0)]
    store.drop(records)
    head = f"{notation.header(rest)}\n".encode()
    name = f"part-0{find_extension(folder)}"
    with ordered.open("rb") as file:
        for *values, count in sizes:
            path = folder.joinpath(*map(_name_folder, columns, values), name)
            path.parent.mkdir(parents=True, exist_ok=True)
            piece = Piece(path, sys.maxsize, head)
            for start in range(0, count, _BLOCK):
                piece.write(file.read(min(_BLOCK, count - start)))
            piece.close()
    ordered.unlink()


def _name_folder(column: str, value: str | None) -> str:
    return f"{column}={_NO_VALUE if value is None else quote_url(str(value), safe='')}"


def _require_names(columns: Sequence[str], headers: Sequence[str]) -> None:
    """Stop where a release has no such columns, or their names cannot be those of folders.

    Raises
    ------
    UsageError
    """
    setting = name_option("partition-by")
    for name in columns:
        if headers.count(name) != 1:
            known = ", ".join(map(repr, headers[:_SHOWN])) + (", .." if len(headers) > _SHOWN else "")
            hint = did_you_mean(name, headers)
            raise UsageError(f"{setting} names {quote(name)}, which no column of the release is.{hint} It has {known}.")
        if not name.isprintable() or set(name) & set("/=\\%:") or name.startswith((".", "_")):
            raise UsageError(f"{setting} names {quote(name)}, which no folder can be called by. Rename the column.")
    if len(columns) == len(headers):
        raise UsageError(f"{setting} names all columns of the release, and files need one. Leave one out.")


def _require_telling(field: pa.Field) -> str:
    """Return the name of a column; of one whose texts are written in several ways, stop."""
    from pyarrow import types

    tests = (types.is_string, types.is_large_string, types.is_integer, types.is_boolean, types.is_date)
    if not any(is_of(field.type) for is_of in tests):
        problem = f"{name_option('partition-by')} names {quote(field.name)}, which is of type {field.type}."
        raise UsageError(f"{problem} Name columns of texts, whole numbers or dates.")
    return str(field.name)


def _require_few_folders(store: Store, values: Sequence[ColumnElement[Any]], columns: Sequence[str]) -> int:
    """Return how many folders there are, or stop where they are too many or have no names."""
    told = select(*(cast(value, String).label(f"key_{place}") for place, value in enumerate(values))).distinct()
    different = store.rows(told.limit(_MOST_FOLDERS + 1))
    is_many = len(different) > _MOST_FOLDERS
    names = (map(_name_folder, columns, texts) for texts in different)
    if is_many or max((len(name) for folder in names for name in folder), default=0) > _LONGEST_NAME:
        what = f"more than {_MOST_FOLDERS:,} folders" if is_many else f"names of more than {_LONGEST_NAME} bytes"
        raise UsageError(f"{name_option('partition-by')} would make {what}. Name columns with fewer or shorter values.")
    return len(different)


def _prove_partitions(store: Store, one: Source, several: Source) -> None:
    """Read the folder as its readers will, and compare its records with those of the file."""
    found = []
    for source in (one, several):
        columns = dict(zip(source.headers or (), source.relation().c, strict=False))
        found.append(select(*(cast(columns[name], String) for name in one.headers or ())))
    for first, second in (found, found[::-1]):
        if store.scalar(select(func.count()).select_from(except_all(first, second).subquery())):
            raise ProofError("The files of the folder do not hold the records of the release. Nothing was released.")
