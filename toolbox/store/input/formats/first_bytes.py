"""What a file is, by its first bytes: compressed, or made by another program, whatever its name says."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, ClassVar, Final, Literal, cast
from zipfile import BadZipFile, ZipFile

from toolbox.config.file_names import KINDS, FileKind, FirstBytes, find_file_kind
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
_PANDAS = "Or read it in Python, and give toolbox.anonymize the DataFrame: pandas.{}(..)."


class _UnreadFile(FileKind):
    """Files that are not read, so that what they are can be told."""

    extensions: ClassVar[tuple[str, ...]] = ()
    first_bytes: ClassVar[tuple[FirstBytes, ...]] = (
        FirstBytes("an Arrow file", b"ARROW1\0\0", remedy=f"Save it as Parquet. {_PANDAS.format('read_feather')}"),
        FirstBytes("an Avro file", b"Obj\x01", remedy="Save it as Parquet or CSV."),
        FirstBytes("an ORC file", b"ORC", remedy=f"Save it as Parquet. {_PANDAS.format('read_orc')}"),
        FirstBytes("an HDF5 file", b"\x89HDF\r\n\x1a\n", remedy=f"Save it as Parquet. {_PANDAS.format('read_hdf')}"),
        FirstBytes("a PDF", b"%PDF-", remedy="Get the table itself, as CSV or Parquet."),
        FirstBytes("compressed with bzip2", b"BZh", remedy="Unpack it, or compress it with gzip or zstd."),
        FirstBytes("compressed with xz", b"\xfd7zXZ\0", remedy="Unpack it, or compress it with gzip or zstd."),
        FirstBytes("a 7z archive", b"7z\xbc\xaf\x27\x1c", remedy="Unpack it."),
        FirstBytes("a zip archive", b"PK\x03\x04", remedy="Unpack it, or compress the text with gzip or zstd."),
    )


_PAGE: Final = FirstBytes("a web page", remedy="Was it downloaded in the place of a table? Get the file itself.")
_JSON: Final = FirstBytes(
    "a JSON document", remedy=f"Convert it to CSV, Parquet or JSON lines. {_PANDAS.format('read_json')}"
)


def require_known(path: Path) -> None:
    """Stop where a file is no delimited text; the error names its kind and what to do.

    Raises
    ------
    InputError
    """
    with open_binary(path) as file:
        found = _recognise(file.read(_SAMPLE), path)
    if found is not None:
        verdict = "" if found.extensions else ", which is not read"
        raise InputError(f"{path} is {found.words}{verdict}. {_format_remedy(found)}")


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
    found = kind.recognise(start, path) or _recognise(start, path)
    if found is None:
        marked = {marked for mark in kind.first_bytes for marked in mark.extensions}
        if extension not in marked:
            return
        is_text = b"\0" not in start
        remedy = "Give it a name that ends in .csv, say." if is_text else "Get a complete copy, or the file itself."
        what = "text" if is_text else "something else"
        raise InputError(f"{path} has the name of {kind.words}, and is {what}. {remedy}")
    if extension not in found.extensions:
        raise InputError(f"{path} has the name of {kind.words}, and is {found.words}. {_format_remedy(found)}")


def _format_remedy(found: FirstBytes) -> str:
    return found.remedy.replace("{its}", found.extensions[0] if found.extensions else "")


def _recognise(start: bytes, path: Path) -> FirstBytes | None:
    """Return what a file is by how it begins; others' kinds are asked only of what is no text and none of ours."""
    found = _find_fitting(KINDS.own(), start, path)
    if found is None and b"\0" in start and (kind := KINDS.find(lambda kind: kind.recognise(start, path))) is not None:
        found = kind.recognise(start, path)
    if found is None:
        found = _find_fitting((_UnreadFile,), start, path)
    if found is not None:
        return found
    if start[:5].lower() == b"<html" or start[:14].lower() == b"<!doctype html":
        return _PAGE
    return _JSON if detect_json(start) == "document" else None


def _find_fitting(kinds: Iterable[type[FileKind]], start: bytes, path: Path) -> FirstBytes | None:
    # A header may begin with a few of these letters, but has no control characters.
    is_binary = min(start, default=ord("\t")) < ord("\t")
    found = (kind.recognise(start, path) for kind in kinds)
    return next((mark for mark in found if mark and (is_binary or not 0 < len(mark.begin) <= _SHORT)), None)


def list_archive_parts(path: Path) -> list[str] | None:
    """Return the names of what a zip archive holds; None if it is damaged."""
    try:
        with ZipFile(path) as archive:
            return archive.namelist()
    except (BadZipFile, OSError):
        return None


def detect_json(start: bytes) -> Literal["lines", "document"] | None:
    """Return how a file holds JSON objects, in lines or in a list; text may begin with ``{`` or ``[`` as well."""
    text = start.decode("utf-8-sig", errors="ignore").lstrip()
    listed = text.removeprefix("[").lstrip()
    with suppress(ValueError, RecursionError):
        first, end = json.JSONDecoder().raw_decode(listed)
        if isinstance(first, dict) and first:
            is_a_line = listed == text and "\n" not in text[:end] and text[end:].lstrip(" \t\r")[:1] in ("\n", "")
            return "lines" if is_a_line else "document"
    return None
