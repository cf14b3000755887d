"""SHA-256 of files, in the background where they are long."""

from __future__ import annotations

import hashlib
import hmac
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from toolbox.errors import InputError

_BLOCK = 1 << 20
_FLUSHED = 1 << 28
"""Bytes after which what is written goes to the disk, so that less is left to flush at the end."""
_PAUSE = 0.01
"""Seconds to wait for more text."""


def compute_sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def compute_hmac_sha256(path: Path, key: bytes) -> str:
    """Return the HMAC of a file with a key, by SHA-256, in hexadecimal: nobody can compute it without the key."""
    digest = hmac.new(key, digestmod="sha256")
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


class FollowingChecksum:
    """The SHA-256 of a file that another thread writes from its beginning to its end, computed meanwhile.

    Hashing and flushing release the interpreter, and an engine that writes in order leaves part of a processor.

    Parameters
    ----------
    path : Path
        Need not be there yet.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._digest = hashlib.sha256()
        self._size = 0
        self._fault: OSError | None = None
        self._finished: tuple[int, int] | None = None
        self._is_written, self._is_vain = threading.Event(), False
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._is_vain = kind is not None
        if not self._is_vain:
            self._finished = self._state()
        self._is_written.set()
        if self._is_vain:
            self._thread.join()

    def _follow(self) -> None:
        while not self._path.exists():
            if self._is_written.wait(_PAUSE):
                break
        with suppress(OSError), self._path.open("rb", buffering=0) as file:
            while not self._is_vain:
                # Before reading: what is written between the two would be taken for the end.
                is_written = self._is_written.is_set()
                if block := file.read(_BLOCK):
                    self._add(block, file.fileno())
                elif is_written:
                    return
                else:
                    self._is_written.wait(_PAUSE)

    def _add(self, block: bytes, descriptor: int) -> None:
        self._digest.update(block)
        before, self._size = self._size, self._size + len(block)
        if before // _FLUSHED < self._size // _FLUSHED:
            try:
                os.fsync(descriptor)
            except OSError as error:
                # The system tells it once.
                self._fault = self._fault or error

    def result(self) -> str:
        """Return the checksum of the finished file, in hexadecimal.

        Raises
        ------
        OSError
            If the file did not reach the disk.
        """
        self._thread.join()
        if self._fault is not None:
            raise self._fault
        # Whatever has kept the thread from following it: the file is what counts.
        if self._state() != self._finished or self._finished[0] != self._size:
            return compute_sha256(self._path)
        return self._digest.hexdigest()

    def _state(self) -> tuple[int, int]:
        """Return the size and the time of the last change, by which one sees that somebody has written since."""
        state = self._path.stat()
        return state.st_size, state.st_mtime_ns


class BackgroundChecksum:
    """The checksum of every file of an input, computed while it is anonymised.

    Hashing releases the interpreter, so it runs beside the engine.

    Parameters
    ----------
    paths : sequence of Path
    key : bytes, optional
        Makes it an HMAC; None: plain SHA-256.
    """

    def __init__(self, paths: Sequence[Path], key: bytes | None = None) -> None:
        self._paths = paths
        self._key = key
        self._digests: dict[Path, str] = {}
        self._fault: InputError | None = None
        self._thread = threading.Thread(target=self._compute, daemon=True)
        self._thread.start()

    def _compute(self) -> None:
        for path in self._paths:
            try:
                self._digests[path] = (
                    compute_sha256(path) if self._key is None else compute_hmac_sha256(path, self._key)
                )
            except OSError as error:
                self._fault = self._fault or InputError(f"{path} could not be read again: {error.strerror}.")

    def result(self) -> str | dict[str, str]:
        """Wait for the end; return the digest of the only file, or that of each.

        Raises
        ------
        InputError
            If a file can no longer be read.
        """
        self._thread.join()
        if self._fault is not None:
            raise self._fault
        if len(self._paths) == 1:
            return self._digests[self._paths[0]]
        return {str(path): digest for path, digest in self._digests.items()}
