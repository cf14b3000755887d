"""A finished table cut into files: of a given size, in its order, or for each value of some columns."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol
from urllib.parse import quote as quote_url

from sqlalchemy import String, cast, except_all, func, select

from toolbox.config.file_names import MOST_PIECES, find_compression
from toolbox.config.model import Input
from toolbox.errors import ProofError, UsageError, did_you_mean, name_option, quote
from toolbox.release.files.part import Part, make_writable_headers, rename_columns
from toolbox.store.engine.statements import read_parquet
from toolbox.store.engine.store import Store
from toolbox.store.input.files import ParquetSource

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
_LONGEST_NAME = 255
"""Bytes of the name of a folder."""
_SUCCESS = "_SUCCESS"
"""The file that says that a folder is whole; of an object store it comes last."""


def write_partitions(store: Store, whole: Path, folder: Path, columns: Sequence[str]) -> list[Path]:
    """Write the records of a Parquet file into a folder, and see that all are there; return its files.

    Parameters
    ----------
    columns : sequence of str
        Those whose values the names of the folders tell.

    Raises
    ------
    UsageError
        If they cannot be told so.
    ProofError
        If the folder does not hold the records of the file.
    """
    import pyarrow as pa
    from pyarrow import dataset

    found = dataset.dataset(whole)
    _require_names(columns, found.schema.names)
    read = {name: dataset.field(name) for name in found.schema.names}
    read |= {name: read[name].cast(pa.string()) for name in columns if _can_be_told(found.schema.field(name))}
    _require_few_folders(found.to_table(columns={name: read[name] for name in columns}), columns)
    told = pa.schema([pa.field(name, pa.string()) for name in columns])
    dataset.write_dataset(
        found.scanner(columns=read, use_threads=False),
        folder,
        format="parquet",
        partitioning=dataset.partitioning(told, flavor="hive"),
        basename_template="part-{i}.parquet",
        max_partitions=_MOST_FOLDERS,
        max_rows_per_group=_GROUP,
        min_rows_per_group=_GROUP,
        use_threads=False,
    )
    files = sorted(folder.rglob("*.parquet"))
    _prove_partitions(store, whole, folder, files)
    (folder / _SUCCESS).touch()
    return files


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


def _can_be_told(field: pa.Field) -> bool:
    """Return True; of a column whose texts are written in several ways, stop."""
    from pyarrow import types

    tests = (types.is_string, types.is_large_string, types.is_integer, types.is_boolean, types.is_date)
    if not any(is_of(field.type) for is_of in tests):
        problem = f"{name_option('partition-by')} names {quote(field.name)}, which is of type {field.type}."
        raise UsageError(f"{problem} Name columns of texts, whole numbers or dates.")
    return True


def _require_few_folders(values: pa.Table, columns: Sequence[str]) -> None:
    different = values.group_by(list(columns)).aggregate([])
    texts = [f"{name}={quote_url(str(text), safe='')}" for name in columns for text in different[name].to_pylist()]
    is_many = different.num_rows > _MOST_FOLDERS
    if is_many or max(map(len, texts), default=0) > _LONGEST_NAME:
        what = f"{different.num_rows:,} folders" if is_many else f"names of more than {_LONGEST_NAME} bytes"
        raise UsageError(f"{name_option('partition-by')} would make {what}. Name columns with fewer or shorter values.")


def _prove_partitions(store: Store, whole: Path, folder: Path, files: Sequence[Path]) -> None:
    """Read the folder as its readers will, and compare its records with those of the file."""
    one, several = ParquetSource([whole], store), ParquetSource(files, store, Input(path=folder))
    found = []
    for source in (one, several):
        columns = dict(zip(source.headers or (), source.relation().c, strict=True))
        found.append(select(*(cast(columns[name], String) for name in one.headers or ())))
    for first, second in (found, found[::-1]):
        if store.scalar(select(func.count()).select_from(except_all(first, second).subquery())):
            raise ProofError("The files of the folder do not hold the records of the release. Nothing was released.")
