"""Locks that the operating system holds for a process, and lets go of when it ends, however it ends."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

_UNSUPPORTED: Final = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL, errno.EBADF}
"""What a file system says that knows no locks, as some network file systems do."""

if sys.platform == "win32":  # pragma: no cover - there is no machine of this kind where we test
    import msvcrt

    def _lock(descriptor: int, *, wait: bool) -> bool:
        """Lock a file for this process alone; False if another one has it."""
        try:
            # LK_LOCK gives up after ten seconds.
            while True:
                try:
                    msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
                    return True
                except OSError as error:
                    if not (wait and error.errno == errno.EDEADLOCK):
                        raise
        except PermissionError:
            return False
else:
    import fcntl

    def _lock(descriptor: int, *, wait: bool) -> bool:
        """Lock a file for this process alone; False if another one has it."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        return True


class FileLock:
    """A file that one process at a time has for itself.

    The file may be removed by whoever holds it. So a lock counts only while the file still stands at its path.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor: int | None = descriptor

    @classmethod
    def take(cls, path: Path, *, wait: bool = False, create: bool = False) -> FileLock | None:
        """Take the lock; None if another process has it.

        Parameters
        ----------
        path : Path
        wait : bool
            Whether to wait for the other process.
        create : bool
            Whether to make the file if it is not there, and to go on without a lock where the file system knows none.

        Raises
        ------
        OSError
            If the file is not there, or cannot be made.
        """
        while True:
            descriptor = _opened(path, create=create)
            keep = False
            try:
                try:
                    if not _lock(descriptor, wait=wait):
                        return None
                except OSError as error:
                    if error.errno not in _UNSUPPORTED:
                        raise
                    keep = create
                    return cls(path, descriptor) if create else None
                if _is_at(descriptor, path):
                    keep = True
                    return cls(path, descriptor)
            finally:
                if not keep:
                    os.close(descriptor)
            # Its holder removed the file while this process was on the way to it.
            if not (wait or create):
                return None

    def release(self) -> None:
        """Let go of it; the file stays."""
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            os.close(descriptor)

    def remove(self) -> None:
        """Remove the file, and let go of it."""
        if sys.platform == "win32":  # pragma: no cover - where an open file cannot be removed
            self.release()
        with suppress(OSError):
            self._path.unlink()
        self.release()


def _opened(path: Path, *, create: bool) -> int:
    """Open a file that is locked, never through a link; what another user has made may be readable only."""
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        return os.open(path, os.O_RDWR | flags)
    except PermissionError:
        return os.open(path, os.O_RDONLY | flags)
    except FileNotFoundError:
        if not create:
            raise
    return os.open(path, os.O_RDWR | os.O_CREAT | flags, 0o666)


def _is_at(descriptor: int, path: Path) -> bool:
    """Test whether an open file is still the one at its path."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False
