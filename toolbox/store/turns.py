"""Turns of runs that release into the same folder: a run that moves files there holds a lock in it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from toolbox.config.model import Limits
from toolbox.config.outputs import obstacle
from toolbox.errors import OutputError
from toolbox.messages import tell
from toolbox.store.folders import is_own
from toolbox.store.locking import FileLock, NotOurLockError, holder

FOLDER_PREFIX: Final = ".toolbox-"
DIRECTORY_LOCK: Final = f"{FOLDER_PREFIX}lock"
LOCK_TIMEOUT: Final = Limits.lock_timeout
_FIRST_PAUSE: Final = 0.001
_LONGEST_PAUSE: Final = 0.05


@contextmanager
def directories_locked(directories: Iterable[Path], timeout: float = LOCK_TIMEOUT) -> Iterator[None]:
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
    """Stop where the path of the lock holds something that is no file, and so does not go away by itself.

    Raises
    ------
    OutputError
    """
    path = directory / DIRECTORY_LOCK
    if thing := obstacle(path):
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
            raise OutputError(
                f"{path} is held by {_holder(path)}; --lock-timeout {timeout:g} is over. Wait until that run has "
                "ended, or end it; if none is at work, remove the file. Nothing was released."
            )
        if pause == _FIRST_PAUSE:
            tell(f"waiting for {_holder(path)} to release into {path.parent}, {timeout:g} seconds at most.")
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def _holder(path: Path) -> str:
    """Return a description of the process that holds a lock, as far as the system tells."""
    process = holder(path)
    shown = "" if process is None else f" (process {process})"
    try:
        status = path.lstat()
    except OSError:
        return f"another run{shown}"
    return f"{'another run' if is_own(status) else f'user number {status.st_uid}'}{shown}"
