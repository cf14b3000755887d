"""Locks of directories: runs that release into the same folder take turns, and a lock ends with its process."""

from __future__ import annotations

import errno
import hashlib
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from stat import S_ISREG
from typing import Final

from toolbox.config.file_names import find_obstacle
from toolbox.config.model import Limits
from toolbox.errors import OutputError
from toolbox.messages import choose_setting_name, print_note
from toolbox.store.disk.folders import is_own

# Locks that the operating system holds for a process, and releases when the process ends in any way.

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

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None
        self._is_unsure = False
        """Whether the file may have been made here, and is not known to be held."""

    @classmethod
    def take(cls, path: Path, *, create: bool = False) -> FileLock | None:
        """Lock a file and return the lock; None if another process has it. All else is as in `acquire`."""
        lock = cls(path)
        return lock if lock.acquire(create=create) else None

    def acquire(self, *, create: bool = False) -> bool:
        """Lock the file; return False if another process has it.

        Whoever makes the file calls `remove` in the end, also where this was interrupted: it may have been made.

        Parameters
        ----------
        create : bool
            Whether to make the file if it is not there, and to go on without a lock where the file system knows none.

        Raises
        ------
        NotOurLockError
            If something else stands there than a file of this user.
        OSError
            If the file is not there, or cannot be made.
        """
        self._is_unsure = self._is_unsure or create
        while True:
            is_held, is_there = False, True
            try:
                self._descriptor = _open_lock_file(self._path, create=create)
                try:
                    is_held = _lock(self._descriptor)
                except OSError as error:
                    if error.errno not in _UNSUPPORTED:
                        raise
                    is_held = create
                else:
                    # Its holder may have removed the file while this process was on the way to it.
                    is_there = not is_held or _is_at(self._descriptor, self._path)
                    is_held = is_held and is_there
            finally:
                if not is_held:
                    self._let_go()
            if is_there or not create:
                return is_held

    def is_the_file(self, status: os.stat_result) -> bool:
        """Test whether this is the file that is locked."""
        return self._descriptor is not None and os.path.samestat(os.fstat(self._descriptor), status)

    def write(self, content: bytes) -> None:
        """Write something into the file, which this process has just made."""
        assert self._descriptor is not None
        os.write(self._descriptor, content)

    def release(self) -> None:
        """Release the lock; the file stays."""
        self._is_unsure = False
        self._let_go()

    def _let_go(self) -> None:
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            with suppress(OSError):  # even then it is closed
                os.close(descriptor)

    def remove(self) -> None:
        """Remove the file unless somebody has written into it or holds it, and let go of it."""
        run_undisturbed(self._remove)

    def _remove(self) -> None:
        try:
            # An interrupt, or an error after the effect, may have come between the making of the file and its lock.
            if self._descriptor is None and not (self._is_unsure and self.acquire()):
                return
            assert self._descriptor is not None
            self._is_unsure = True
            is_ours = not os.fstat(self._descriptor).st_size and _is_at(self._descriptor, self._path)
            if sys.platform == "win32":  # pragma: no cover - where an open file cannot be removed
                self._let_go()
            if is_ours:
                self._path.unlink()
        except (FileNotFoundError, NotOurLockError):
            pass
        except OSError as error:
            tell_left(self._path, error)
        finally:
            self._let_go()
        self._is_unsure = False


def hear_interrupts() -> None:
    """Let an interrupt end the waiting of a system call, as Python does, whatever was imported since.

    Polars handles it, too, when it is imported, and lets the call go on: neither whoever waits for a thread nor whoever
    reads from a pipe would hear of it. Its handler stays.
    """
    if hasattr(signal, "siginterrupt") and signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, signal.SIG_DFL):
        signal.siginterrupt(signal.SIGINT, True)


def run_undisturbed(step: Callable[[], object]) -> None:
    """Clear something up; where an interrupt comes meanwhile, begin again, and raise it when all is done."""
    try:
        step()
    except KeyboardInterrupt:
        step()
        raise


def tell_left(path: Path, error: OSError | None = None) -> None:
    """Say that something of ours could not be removed, and what to do."""
    reason = "" if error is None else f" ({error.strerror or type(error).__name__})"
    print_note(f"{path} could not be removed{reason}. The next run that writes there removes it, or remove it by hand.")


def find_lock_holder(path: Path) -> int | None:
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


def _open_lock_file(path: Path, *, create: bool) -> int:
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


# Turns of runs that release into the same folder: a run that moves files there holds a lock in it.

FOLDER_PREFIX: Final = ".toolbox-"
DIRECTORY_LOCK: Final = f"{FOLDER_PREFIX}lock"
LOCK_TIMEOUT: Final = Limits.lock_timeout
_FIRST_PAUSE: Final = 0.001
_LONGEST_PAUSE: Final = 0.05


@contextmanager
def lock_directories(directories: Iterable[Path], timeout: float = LOCK_TIMEOUT) -> Iterator[None]:
    """Lock directories while the block runs, so that no other run moves files there.

    Parameters
    ----------
    directories : iterable of Path
    timeout : float, optional
        Most seconds to wait for other runs, in all.

    Raises
    ------
    OutputError
        If another run holds one of the locks for longer, or if something else stands in its place.
    """
    until = time.monotonic() + timeout
    with ExitStack() as stack:
        # In one order, so that no two runs wait for each other.
        for directory in sorted({os.path.realpath(directory) for directory in directories}):
            path = Path(directory) / DIRECTORY_LOCK
            lock = FileLock(path)
            stack.callback(lock.remove)  # before it is there: an interrupt may come as soon as it is
            _take_turn(lock, path, until, timeout)
        yield


def require_lockable(directory: Path) -> None:
    """Stop where the path of the lock holds something that is no file, and so does not go away by itself."""
    path = directory / DIRECTORY_LOCK
    if thing := find_obstacle(path):
        raise OutputError(
            f"{path} is {thing}, where runs lock the folder, and none has made it. Remove it, or release into another "
            "folder. Nothing was released."
        )


def _take_turn(lock: FileLock, path: Path, until: float, timeout: float) -> None:
    """Wait for a lock, but not where none is possible: the directory does not exist or is read-only."""
    pause = _FIRST_PAUSE
    while True:
        try:
            if lock.acquire(create=True):
                return
        except NotOurLockError:
            require_lockable(path.parent)
        except OSError:
            return  # the move itself says what is wrong
        if time.monotonic() >= until:
            waited = choose_setting_name("--lock-timeout ", python="lock_timeout=") + f"{timeout:g}"
            raise OutputError(
                f"{path} is held by {_describe_holder(path)}; {waited} is over. Wait until that run has "
                "ended, or end it; if none is at work, remove the file. Nothing was released."
            )
        if pause == _FIRST_PAUSE:
            print_note(
                f"waiting for {_describe_holder(path)} to release into {path.parent}, {timeout:g} seconds at most."
            )
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def _describe_holder(path: Path) -> str:
    """Return a description of the process that holds a lock, as far as the system tells."""
    process = find_lock_holder(path)
    shown = "" if process is None else f" (process {process})"
    try:
        status = path.lstat()
    except OSError:
        return f"another run{shown}"
    return f"{'another run' if is_own(status) else f'user number {status.st_uid}'}{shown}"


# Which machine this is, and since when it runs. Only on the same machine does a free lock mean a dead process.

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class Machine:
    """A machine and one start of it, each by eight hexadecimal digits."""

    host: str
    boot: str

    def __str__(self) -> str:
        return f"{self.host}-{self.boot}"

    def may_be(self, other: Machine) -> bool:
        """Return whether both may be one machine: a container changes its name, a power cut the start."""
        return self.host == other.host or self.boot == other.boot


@cache
def describe_machine() -> Machine:
    """Return the name and the start of this machine."""
    host = socket.gethostname()
    try:
        boot = _BOOT_ID.read_text().strip()
    except OSError:
        boot = host
    return Machine(_compute_digest(host), _compute_digest(boot))


def _compute_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
