"""What a file is, by its first bytes: compressed, or made by another program, whatever its name says."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Literal, NamedTuple, cast
from zipfile import BadZipFile, ZipFile

from toolbox.config.file_names import find_file_kind
from toolbox.errors import InputError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


# Files that may be compressed: how, by their first bytes, and the bytes that they hold.

_CHUNK = 1 << 20
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE = b"\x2a\x4d\x18"
"""Behind a byte from 50 to 5f: a frame of other data, which some programs put in front."""


def require_regular(path: Path) -> None:
    """Stop where a path is a pipe or a device: opening it may wait for ever, and it cannot be read twice.

    Raises
    ------
    InputError
    """
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is no regular file, which could be read twice. Write it to one.")


def detect_compression(path: Path) -> Literal["gzip", "zstd"] | None:
    """Return how a file is compressed, by its first bytes, whatever its name; None if it is not.

    Raises
    ------
    InputError
        If it is no regular file.
    """
    require_regular(path)
    with path.open("rb") as file:
        start = file.read(4)
    if start.startswith(_GZIP):
        return "gzip"
    is_skippable = start[:1].hex().startswith("5") and start[1:] == _ZSTD_SKIPPABLE
    return "zstd" if start == _ZSTD or is_skippable else None


@contextmanager
def open_binary(path: Path, called: Path | None = None) -> Iterator[IO[bytes]]:
    """Open a file, unpacking gzip and zstd.

    Parameters
    ----------
    called : Path, optional
        What messages call it, where the path is a link of our own.

    Raises
    ------
    InputError
        While reading, if the file is compressed and damaged.
    """
    kind = detect_compression(path)
    try:
        with path.open("rb") as raw:
            match kind:
                case "gzip":
                    yield cast(IO[bytes], gzip.GzipFile(fileobj=raw))
                case "zstd":
                    yield io.BufferedReader(_Unpacked(raw), _CHUNK)
                case None:
                    yield raw
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        origin = called or (path.readlink() if path.is_symlink() else path)
        raise InputError(f"{origin} is a damaged {kind} file ({error}). Get a complete copy.") from error


class _Unpacked(io.RawIOBase):
    """What a zstd file holds."""

    def __init__(self, packed: IO[bytes]) -> None:
        import pyarrow as pa

        self._stream = pa.CompressedInputStream(packed, "zstd")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Unpack the next bytes.

        Raises
        ------
        EOFError
            If the file is damaged.
        """
        try:
            return cast(int, self._stream.readinto(buffer))
        except OSError as error:
            raise EOFError(error) from error


def find_damage(path: Path) -> InputError | None:
    """Return the error of a compressed file that cannot be unpacked; None if it can be, or is not compressed."""
    try:
        if detect_compression(path) is not None:
            with open_binary(path) as file:
                while file.read(_CHUNK):
                    pass
    except InputError as error:
        return error
    return None


# Files of other programs, recognised by their first bytes, whatever they are called.

_SAMPLE: Final = 1 << 16
_SHORT: Final = 4


class ForeignFileKind(NamedTuple):
    """A kind of file."""

    name: str
    remedy: str
    extensions: tuple[str, ...] = ()
    """Those of its files, where they are read."""


_RENAME: Final = "Give it a name that ends in {its}."
_XLSX = ForeignFileKind("an Excel workbook", _RENAME, (".xlsx", ".xlsm"))
_XLSB = ForeignFileKind("a binary Excel workbook", _RENAME, (".xlsb",))
# A locked workbook of today is a compound file too.
_COMPOUND = ForeignFileKind("an Excel workbook", _RENAME, (".xls", ".xlsx", ".xlsm", ".xlsb"))
_OPEN_DOCUMENT = ForeignFileKind("an OpenDocument file", _RENAME, (".ods",))
_CUT_OFF = ForeignFileKind("a damaged zip archive", "Get a complete copy.", ("", ".xlsx", ".xlsm", ".xlsb", ".ods"))
_SPSS = ForeignFileKind("an SPSS data file", _RENAME, (".sav", ".zsav"))
_BY_FIRST_BYTES: Final = {
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": _COMPOUND,
    b"$FL2": _SPSS,
    b"$FL3": _SPSS,
    b"\x1c" + bytes(7) + b"ENCRYPTED": ForeignFileKind(
        "locked by a password of SPSS", "Save a copy without one in SPSS."
    ),
    b"<stata_dta>": ForeignFileKind("a Stata data file", _RENAME, (".dta",)),
    b"\0" * 12 + b"\xc2\xea\x81\x60": ForeignFileKind("a SAS data file", _RENAME, (".sas7bdat",)),
    b"HEADER RECORD*******LIB": ForeignFileKind("a SAS transport file", _RENAME, (".xpt",)),
    b"SQLite format 3\0": ForeignFileKind("an SQLite database", _RENAME, (".sqlite", ".sqlite3", ".db")),
    b"PAR1": ForeignFileKind("Parquet", _RENAME, (".parquet", ".pq")),
    b"ARROW1\0\0": ForeignFileKind("an Arrow file", "Save it as Parquet. {pandas}read_feather"),
    b"Obj\x01": ForeignFileKind("an Avro file", "Save it as Parquet or CSV."),
    b"ORC": ForeignFileKind("an ORC file", "Save it as Parquet. {pandas}read_orc"),
    b"\x89HDF\r\n\x1a\n": ForeignFileKind("an HDF5 file", "Save it as Parquet. {pandas}read_hdf"),
    b"%PDF-": ForeignFileKind("a PDF", "Get the table itself, as CSV or Parquet."),
    b"BZh": ForeignFileKind("compressed with bzip2", "Unpack it, or compress it with gzip or zstd."),
    b"\xfd7zXZ\0": ForeignFileKind("compressed with xz", "Unpack it, or compress it with gzip or zstd."),
    b"7z\xbc\xaf\x27\x1c": ForeignFileKind("a 7z archive", "Unpack it."),
}
_DUCKDB = ForeignFileKind("a DuckDB database", _RENAME, (".duckdb", ".ddb", ".db"))
_DUCKDB_MARK: Final = slice(8, 12), b"DUCK"
_JSON_LINES = ForeignFileKind("JSON lines, not delimited text", _RENAME, (".jsonl", ".ndjson"))
_JSON = ForeignFileKind("a JSON document", "Convert it to CSV, Parquet or JSON lines. {pandas}read_json")
_OLD_STATA: Final = range(0x66, 0x74)
"""Versions 102 to 115, which name themselves by their first byte."""
_WITHOUT_MARK: Final = (".por", ".jsonl", ".ndjson")
"""Extensions of files whose first bytes may be any."""
_PANDAS = "Or read it in Python, and give toolbox.anonymize the DataFrame: pandas."


def require_known(path: Path) -> None:
    """Stop where a file is no delimited text; the error names its kind and what to do.

    Raises
    ------
    InputError
    """
    with path.open("rb") as file:
        kind = _detect_kind(file.read(_SAMPLE), path)
    if kind is None:
        with open_binary(path) as file:
            kind = _detect_kind(file.read(_SAMPLE), path)
    if kind is not None:
        verdict = "" if kind.extensions else ", which is not read"
        raise InputError(f"{path} is {kind.name}{verdict}. {_format_remedy(kind)}")


def require_kind(path: Path) -> None:
    """Stop where a file is not what its extension says.

    Raises
    ------
    InputError
        With what it is, if that is known, and what to do.
    """
    kind = find_file_kind(path)
    with open_binary(path) if kind.may_be_packed else path.open("rb") as file:
        start = file.read(_SAMPLE)
    extension = next((suffix.lower() for suffix in reversed(path.suffixes) if suffix.lower() in kind.extensions), "")
    found = _detect_kind(start, path)
    if extension in (_WITHOUT_MARK if found is None else found.extensions):
        return
    if found is not None:
        raise InputError(f"{path} has the name of {kind.name}, and is {found.name}. {_format_remedy(found)}")
    is_text = b"\0" not in start
    remedy = "Give it a name that ends in .csv, say." if is_text else "Get a complete copy, or the file itself."
    raise InputError(f"{path} has the name of {kind.name}, and is {'text' if is_text else 'something else'}. {remedy}")


def _format_remedy(kind: ForeignFileKind) -> str:
    remedy = kind.remedy.replace("{its}", kind.extensions[0] if kind.extensions else "").replace("{pandas}", _PANDAS)
    return remedy if remedy.endswith(".") else f"{remedy}(..)."


def _detect_kind(start: bytes, path: Path) -> ForeignFileKind | None:
    # A header may begin with some of these letters, but has no control characters.
    is_binary = min(start, default=ord("\t")) < ord("\t")
    if start[_DUCKDB_MARK[0]] == _DUCKDB_MARK[1]:
        return _DUCKDB
    for magic, foreign in _BY_FIRST_BYTES.items():
        if start.startswith(magic) and (is_binary or len(magic) > _SHORT):
            return foreign
    if start[:4] == b"PK\x03\x04":
        return _detect_archive(path)
    if len(start) > 3 and start[0] in _OLD_STATA and start[1] in (1, 2) and start[2:4] == b"\x01\0":
        return _BY_FIRST_BYTES[b"<stata_dta>"]
    if start[:5].lower() == b"<html" or start[:14].lower() == b"<!doctype html":
        return ForeignFileKind("a web page", "Was it downloaded in the place of a table? Get the file itself.")
    return _detect_json(start)


def _detect_archive(path: Path) -> ForeignFileKind:
    """Return the kind of an archive: new workbooks are archives."""
    try:
        with ZipFile(path) as archive:
            names = archive.namelist()
    except (BadZipFile, OSError):
        return _CUT_OFF
    if "xl/workbook.xml" in names or "xl/workbook.bin" in names:
        return _XLSX if "xl/workbook.xml" in names else _XLSB
    if "content.xml" in names and "mimetype" in names:
        return _OPEN_DOCUMENT
    return ForeignFileKind("a zip archive", "Unpack it, or compress the text with gzip or zstd.")


def _detect_json(start: bytes) -> ForeignFileKind | None:
    """Return how a file holds JSON objects, in lines or in a list; text may begin with ``{`` or ``[`` as well."""
    text = start.decode("utf-8-sig", errors="ignore").lstrip()
    listed = text.removeprefix("[").lstrip()
    with suppress(ValueError, RecursionError):
        first, end = json.JSONDecoder().raw_decode(listed)
        if isinstance(first, dict) and first:
            is_a_line = listed == text and "\n" not in text[:end] and text[end:].lstrip(" \t\r")[:1] in ("\n", "")
            return _JSON_LINES if is_a_line else _JSON
    return None
