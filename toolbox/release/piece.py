"""One file of a table that is split, as it grows: how much text it may still take."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import IO, Any, Protocol

from toolbox.config.outputs import compression_of

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
        self._packer = _packer(self._file, compression_of(path))
        self._text = 0
        self.write(head)

    def write(self, text: bytes) -> None:
        """Add text."""
        self._packer.write(text)
        self._text += len(text)

    def room(self) -> int:
        """Return how many bytes of text fit: exactly, or, if they are compressed, by what has been written so far."""
        used = self._file.tell()
        if compression_of(self.path) is None:
            return self._size - used
        if used >= _FULL_ENOUGH * self._size:
            return 0
        return int((self._size - used) * self._text / used) if self._text else self._size

    def close(self) -> None:
        """Finish the file."""
        self._packer.close()
        self._file.close()


def _packer(file: IO[bytes], compression: str | None) -> _Packer:
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
