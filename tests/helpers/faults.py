"""A layer between the package and the file system, in which the nth call that changes something fails."""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

CALLS = (
    "mkdir",
    "rmdir",
    "unlink",
    "remove",
    "rename",
    "replace",
    "link",
    "symlink",
    "fsync",
    "chmod",
    "utime",
    "open",
)
"""What of `os` is watched. Files that are written are watched in `open` of Python, and write by write."""


class Faults:
    """Counts calls, and makes one of them fail.

    Parameters
    ----------
    number : int
        The call that fails, from 1.
    reason : int
        What the system says then, such as ``errno.EIO``.
    lasts : bool
        Whether every later call fails too, as on a disk that is full.
    """

    def __init__(self, number: int, reason: int, *, lasts: bool = False) -> None:
        self._number = number
        self._reason = reason
        self._lasts = lasts
        self.calls: list[str] = []

    @property
    def happened(self) -> bool:
        """Whether the call was made that fails."""
        return len(self.calls) >= self._number

    def note(self, call: str, path: object) -> None:
        """Count a call; fail if it is the one."""
        self.calls.append(call)
        count = len(self.calls)
        if count == self._number or (self._lasts and count > self._number and call not in ("unlink", "rmdir")):
            # Where room lacks, something can be removed all the same.
            raise OSError(
                self._reason,
                os.strerror(self._reason),
                path if isinstance(path, (str, os.PathLike)) else None,
            )

    def watched(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function of `os`."""

        def wrapper(*arguments: Any, **options: Any) -> Any:
            writes = name != "open" or arguments[1] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if writes:
                self.note(name, arguments[0])
            return call(*arguments, **options)

        return wrapper

    def opened(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap Python's `open`, so that each write to a file is a call of its own."""

        def wrapper(file: Any, mode: str = "r", buffering: int = -1, *arguments: Any, **options: Any) -> Any:
            if set(mode).isdisjoint("wax+") or "r" in mode or isinstance(file, int):
                return original(file, mode, buffering, *arguments, **options)
            self.note("create", file)
            binary = io.BufferedWriter(_Raw(file, mode.replace("b", "").replace("t", ""), self))
            return binary if "b" in mode else io.TextIOWrapper(binary, *arguments, **options)

        return wrapper


class _Raw(io.FileIO):
    """A file whose every write is counted."""

    def __init__(self, file: Any, mode: str, faults: Faults) -> None:
        super().__init__(file, mode)
        self._faults = faults

    def write(self, data: Any, /) -> int:
        self._faults.note("write", self.name)
        return super().write(data)


@contextmanager
def failing(number: int, reason: int, *, lasts: bool = False) -> Iterator[Faults]:
    """Let the nth call fail that changes the file system, for as long as the context lasts."""
    faults = Faults(number, reason, lasts=lasts)
    with pytest.MonkeyPatch.context() as patch:
        for name in CALLS:
            patch.setattr(os, name, faults.watched(name, getattr(os, name)))
        original = builtins.open
        patch.setattr(builtins, "open", faults.opened(original))
        patch.setattr(io, "open", faults.opened(original))
        yield faults


REASONS = (errno.ENOSPC, errno.EIO, errno.EINTR)
