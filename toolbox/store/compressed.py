"""Files that may be compressed: how, by their first bytes, and the bytes that they hold."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, cast

from toolbox.errors import InputError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

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


def compression(path: Path) -> Literal["gzip", "zstd"] | None:
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
    kind = compression(path)
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


def damage(path: Path) -> InputError | None:
    """Return the error of a compressed file that cannot be unpacked; None if it can be, or is not compressed."""
    try:
        if compression(path) is not None:
            with open_binary(path) as file:
                while file.read(_CHUNK):
                    pass
    except InputError as error:
        return error
    return None
