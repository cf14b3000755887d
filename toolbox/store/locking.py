"""Locks that the operating system holds for a process, and releases when the process ends in any way."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from typing import Final

from toolbox.store.folders import is_own

_UNSUPPORTED: Final = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL, errno.EBADF}
"""What a file system says that knows no locks, as some network file systems do."""

if sys.platform == "win32":  # pragma: no cover - there is no machine of this kind where we test
    import msvcrt

    def _lock(descriptor: int) -> bool:
        """Lock a file for this process alone; False if another one has it."""
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True
else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        """Lock a file for this process alone; False if another one has it."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class NotOurLockError(OSError):
    """The path of a lock holds something that is no file of this user: it is neither opened nor removed."""


class FileLock:
    """A file that one process at a time has for itself.

    The file may be removed by whoever holds it. So a lock counts only while the file still stands at its path.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor: int | None = descriptor

    @classmethod
    def take(cls, path: Path, *, create: bool = False) -> FileLock | None:
        """Lock the file and return the lock; None if another process has it.

        Parameters
        ----------
        path : Path
        create : bool
            Whether to make the file if it is not there, and to go on without a lock where the file system knows none.

        Raises
        ------
        NotOurLockError
            If something else stands there than a file of this user.
        OSError
            If the file is not there, or cannot be made.
        """
        while True:
            descriptor = _opened(path, create=create)
            keep = False
            try:
                try:
                    if not _lock(descriptor):
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
            if not create:
                return None

    def is_the_file(self, status: os.stat_result) -> bool:
        """Test whether this is the file that is locked."""
        return self._descriptor is not None and os.path.samestat(os.fstat(self._descriptor), status)

    def write(self, content: bytes) -> None:
        """Write something into the file, which this process has just made."""
        assert self._descriptor is not None
        os.write(self._descriptor, content)

    def release(self) -> None:
        """Release the lock; the file stays."""
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            os.close(descriptor)

    def remove(self) -> None:
        """Remove the file unless somebody has written into it, and let go of it."""
        if self._descriptor is None:
            return
        with suppress(OSError):
            is_ours = not os.fstat(self._descriptor).st_size and _is_at(self._descriptor, self._path)
            if sys.platform == "win32":  # pragma: no cover - where an open file cannot be removed
                self.release()
            if is_ours:
                self._path.unlink()
        self.release()


def holder(path: Path) -> int | None:
    """Return the process that has locked a file, without opening it; None where the system does not tell."""
    with suppress(OSError, ValueError):
        status = path.lstat()
        device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}"
        for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
            words = line.split()
            # A line that begins with an arrow is of somebody who waits.
            if words[1] == "FLOCK" and words[5] == f"{device}:{status.st_ino}" and int(words[4]) > 0:
                return int(words[4])
    return None


def _opened(path: Path, *, create: bool) -> int:
    """Open a file of this user that is locked, or make it."""
    flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
    while True:
        if create:
            with suppress(FileExistsError):
                return os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            _require_our_lock(path.lstat(), path)  # before it is opened, which can have effects elsewhere
            descriptor = os.open(path, flags)
        except FileNotFoundError:
            if create:
                continue  # it has been removed since
            raise
        try:
            _require_our_lock(os.fstat(descriptor), path)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor


def _require_our_lock(status: os.stat_result, path: Path) -> None:
    if not S_ISREG(status.st_mode) or not is_own(status):
        raise NotOurLockError(errno.EPERM, "is no lock of yours", str(path))


def _is_at(descriptor: int, path: Path) -> bool:
    """Test whether an open file is still the one at its path."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False
