"""The folder of a run's temporary files: its own while it runs, removed by the next run if it was cut off.

Its name begins with `FOLDER_PREFIX` and holds the machine, and the start of the machine, on which the run was at work.
A lock on a file within tells whether the run still lives: the operating system lets go of it with the process. That
file also holds the name of the folder, which nobody else can have written there. Nothing is removed unless name, owner,
lock and content all say that it is ours and dead.
"""

from __future__ import annotations

import atexit
import os
import re
import secrets
import shutil
import sys
import tempfile
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from types import TracebackType
from typing import Final, Self

from toolbox.errors import OutputError
from toolbox.messages import print_note
from toolbox.store.disk.directory_lock import (
    DIRECTORY_LOCK,
    FOLDER_PREFIX,
    LOCK_TIMEOUT,
    FileLock,
    Machine,
    NotOurLockError,
    describe_machine,
    run_undisturbed,
    tell_left,
)
from toolbox.store.disk.folders import OTHERS_WRITE, Folder, is_own
from toolbox.store.disk.journal import UntrustedError, complete_interrupted_moves, has_journal

_NAME: Final = re.compile(rf"{re.escape(FOLDER_PREFIX)}(?P<host>[0-9a-f]{{8}})-(?P<boot>[0-9a-f]{{8}})-[0-9a-f]{{16}}")
_LOCK: Final = "lock"
_unclosed: set[Workspace] = set()


class Workspace:
    """A folder that belongs to one run; use it as a context manager.

    Parameters
    ----------
    parent : Path, optional
        Where it lies; None: the system's temporary folder. What dead runs have left there is removed first.
    timeout : float, optional
        Most seconds to wait for another run, where something that a dead one was moving has to be brought to an end.

    Raises
    ------
    OSError
        If it cannot be made.
    OutputError
        If another run kept this one waiting for too long.
    """

    def __init__(self, parent: Path | None = None, timeout: float = LOCK_TIMEOUT) -> None:
        parent = Path(tempfile.gettempdir()) if parent is None else parent
        remove_dead(parent, timeout)
        self.folder = self._new(parent)
        self._process = os.getpid()
        self._lock = FileLock(self.folder / _LOCK)
        self._is_locked = False
        _unclosed.add(self)
        try:
            # Another run may take the folder for a dead one until it is locked.
            while not self._is_locked:
                self.folder = self._new(parent)
                self._lock = FileLock(self.folder / _LOCK)
                self.folder.mkdir(mode=0o700)
                with suppress(FileNotFoundError):
                    self._is_locked = self._lock.acquire(create=True)
            self._lock.write(self.folder.name.encode("ascii"))
        except BaseException:
            self.close()
            raise

    @staticmethod
    def _new(parent: Path) -> Path:
        return parent / f"{FOLDER_PREFIX}{describe_machine()}-{secrets.token_hex(8)}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove the folder; if files were being moved from it, finish the moves first."""
        run_undisturbed(self._close)

    def _close(self) -> None:
        try:
            if self._is_locked:
                with suppress(OutputError):
                    _finish(self.folder, self._lock, LOCK_TIMEOUT)
            else:
                # It was made a moment ago: an interrupt came before its lock was held, or known to be.
                with suppress(OSError):
                    (self.folder / _LOCK).unlink()
                _remove_unlocked(self.folder)
                _tell_if_left(self.folder)
        finally:
            self._lock.release()
        _unclosed.discard(self)


@atexit.register
def _close_all() -> None:
    """Remove, at the end of the process, the folders that an interrupt has left; not those of the parent process."""
    for workspace in list(_unclosed):
        if workspace._process == os.getpid():
            workspace.close()


def remove_dead(parent: Path, timeout: float = LOCK_TIMEOUT) -> None:
    """Remove what interrupted runs have left in a folder, and finish the moves that they had begun.

    Raises
    ------
    OutputError
        If another run moves files to the same places for longer than the timeout.
    """
    try:
        folders = [path for path in parent.iterdir() if path.name.startswith(FOLDER_PREFIX)]
    except OSError:
        return
    for path in folders:
        # What cannot be removed now may be removable for a later run.
        with suppress(OSError):
            _remove_if_dead(path, timeout)


def _remove_if_dead(path: Path, timeout: float) -> None:
    status = path.lstat()
    # Those of other users, and of machines whose locks are not seen here, may be at work.
    if not is_own(status):
        return
    if path.name == DIRECTORY_LOCK and S_ISREG(status.st_mode) and not status.st_size:
        if lock := FileLock.take(path):
            lock.remove()
        return
    name = _NAME.fullmatch(path.name)
    if name is None or not Machine(name["host"], name["boot"]).may_be(describe_machine()):
        return
    if not S_ISDIR(status.st_mode):
        _leave_alone(path, "it is no folder")
        return
    try:
        lock = FileLock.take(path / _LOCK)
    except FileNotFoundError:
        # Cut off before it was locked, or about to be: a run that finds its folder gone makes another one.
        _remove_unlocked(path)
        if path.exists():
            _leave_alone(path, "it lacks the lock of a run")
        return
    except NotOurLockError:
        _leave_alone(path, "its lock is no file of yours")
        return
    if lock is not None:
        try:
            _finish(path, lock, timeout, is_found=True)
        finally:
            lock.release()


def _remove_unlocked(path: Path) -> None:
    with suppress(OSError):
        path.rmdir()


def _finish(path: Path, lock: FileLock, timeout: float, *, is_found: bool = False) -> None:
    """Finish the moves from a folder whose lock is held, and remove the folder.

    Parameters
    ----------
    is_found : bool
        Whether it was not made by this process, so that it has to be proved to be ours.
    """
    fault = None
    for _ in range(2):  # what fails once need not fail again, and otherwise the folder stays until the next run
        try:
            _settle_and_remove(path, lock, timeout, is_found=is_found)
            break
        except UntrustedError as error:
            _leave_alone(path, str(error))
            return
        except OSError as error:
            fault = error
    _tell_if_left(path, fault)


def _settle_and_remove(path: Path, lock: FileLock, timeout: float, *, is_found: bool) -> None:
    with ExitStack() as stack:
        parent = stack.enter_context(Folder.opened(Path(os.path.realpath(path.parent))))
        folder = stack.enter_context(Folder.opened(Path(path.name), within=parent))
        if is_found:
            _require_ours(folder, lock)
        complete_interrupted_moves(folder, parent, timeout)
        _remove(folder, parent, lock)
        if os.path.lexists(path):
            _remove(folder, parent, lock)  # an interrupt may have been lost in the midst of it


def _tell_if_left(path: Path, error: OSError | None = None) -> None:
    """Say that a folder of ours is still there, and what to do."""
    if not os.path.lexists(path):
        return
    if has_journal(path):
        print_note(
            f"{path} lists files that were being moved, and could not be brought to its end. Beside it new files may "
            "stand with earlier ones. Do not remove it: the next run that writes there brings it to its end."
        )
    else:
        tell_left(path, error)


def _require_ours(folder: Folder, lock: FileLock) -> None:
    """Stop where a folder has the name of one of our folders, but is none."""
    status = folder.status()
    if not is_own(status) or status.st_mode & OTHERS_WRITE or not lock.is_the_file(folder.status(_LOCK)):
        raise UntrustedError("others may write into it")
    try:
        written = folder.read(_LOCK, len(folder.path.name)).decode("ascii")
    except (OSError, ValueError):
        written = "?"
    # A run that was interrupted before it wrote the name has done nothing else.
    if written != folder.path.name and (written or folder.names() != [_LOCK]):
        raise UntrustedError("its lock does not bear its name")


def _remove(folder: Folder, parent: Folder, lock: FileLock) -> None:
    """Remove a folder, its lock last, so that a part that cannot be removed now is still known to be ours."""
    for name in set(folder.names()) - {_LOCK}:
        with suppress(OSError):
            if S_ISDIR(folder.status(name).st_mode):
                shutil.rmtree(folder.at(name), ignore_errors=True, dir_fd=folder.descriptor)
            else:
                folder.remove(name)
    if set(folder.names()) <= {_LOCK}:
        if sys.platform == "win32":  # pragma: no cover - where an open file cannot be removed
            lock.release()
        with suppress(FileNotFoundError):
            folder.remove(_LOCK)
        os.rmdir(parent.at(folder.path.name), dir_fd=parent.descriptor)


@cache
def _leave_alone(path: Path, why: str) -> None:
    """Warn once that a folder is left alone, and why."""
    print_note(
        f"{path} looks like the folder of a run that was cut off. It is not touched: {why}. Check whether the files "
        "beside it are complete, then remove it."
    )
