"""The folder of a run's temporary files: its own while it runs, removed by the next run if it was cut off.

Its name begins with `FOLDER_PREFIX` and tells on which machine, and since which start of it, the run was at work. A
lock on a file within tells whether the run still lives: the operating system lets go of it with the process. Nothing is
removed unless its name, its owner and its lock all say that it is ours and dead.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import secrets
import shutil
import socket
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from types import TracebackType
from typing import Final, Self

from toolbox.store.journal import DIRECTORY_LOCK, FOLDER_PREFIX, settle
from toolbox.store.locking import FileLock

_NAME: Final = re.compile(
    rf"{re.escape(FOLDER_PREFIX)}(?P<host>[0-9a-f]{{8}})-(?P<boot>[0-9a-f]{{8}})-[0-9a-f]{{16}}(?P<dead>\.dead)?"
)
_LOCK: Final = "lock"
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
_unclosed: set[Workspace] = set()


class Workspace:
    """A folder that one run has for itself; use it as a context manager.

    Parameters
    ----------
    parent : Path, optional
        Where it lies; None: the system's temporary folder. What dead runs have left there is removed first.

    Raises
    ------
    OSError
        If it cannot be made.
    """

    def __init__(self, parent: Path | None = None) -> None:
        parent = Path(tempfile.gettempdir()) if parent is None else parent
        remove_dead(parent)
        self._process = os.getpid()
        self._lock: FileLock | None = None
        _unclosed.add(self)
        try:
            # Another run may take the folder for a dead one until it is locked.
            while self._lock is None:
                self.folder = parent / f"{FOLDER_PREFIX}{'-'.join(_machine())}-{secrets.token_hex(8)}"
                self.folder.mkdir(mode=0o700)
                with suppress(FileNotFoundError):
                    self._lock = FileLock.take(self.folder / _LOCK, create=True)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove the folder; where files were being moved from it, bring that to an end first."""
        try:
            with suppress(OSError):
                settle(self.folder)
                _remove(self.folder)
        finally:
            if self._lock is not None:
                self._lock.release()
        _unclosed.discard(self)


@atexit.register
def _close_all() -> None:
    """Remove at the end of the process what an interrupt has left open, but not in a child what is its parent's."""
    for workspace in list(_unclosed):
        if workspace._process == os.getpid():
            workspace.close()


def remove_dead(parent: Path) -> None:
    """Remove what runs that were cut off have left in a folder, and bring to an end what they were moving."""
    try:
        found = [path for path in parent.iterdir() if path.name.startswith(FOLDER_PREFIX)]
    except OSError:
        return
    for path in found:
        # What cannot be removed now may be removable for a later run.
        with suppress(OSError):
            _remove_if_dead(path)


def _remove_if_dead(path: Path) -> None:
    status = path.lstat()
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        return
    if path.name == DIRECTORY_LOCK and S_ISREG(status.st_mode) and not status.st_size:
        if lock := FileLock.take(path):
            lock.remove()
        return
    name = _NAME.fullmatch(path.name)
    if name is None or not S_ISDIR(status.st_mode):
        return
    host, boot = _machine()
    # On a network file system without locks the run of another machine would look dead.
    if name["host"] != host and name["boot"] != boot:
        return
    if name["dead"]:
        shutil.rmtree(path, ignore_errors=True)
        return
    try:
        lock = FileLock.take(path / _LOCK)
    except FileNotFoundError:
        # Cut off before it was locked, or about to be: a run that finds its folder gone makes another one.
        path.rmdir()
        return
    if lock is not None:
        try:
            settle(path)
            _remove(path)
        finally:
            lock.release()


def _remove(folder: Path) -> None:
    """Remove a folder; its name says that it is dead before its lock goes with the rest."""
    dead = folder.with_name(f"{folder.name}.dead")
    with suppress(OSError):  # where open files cannot be renamed
        folder.rename(dead)
    shutil.rmtree(dead if dead.exists() else folder, ignore_errors=True)


@cache
def _machine() -> tuple[str, str]:
    """Name this machine, and the time since it was started, during which a free lock is the sign of a dead process."""
    host = socket.gethostname()
    try:
        boot = _BOOT_ID.read_text().strip()
    except OSError:
        boot = host
    return _digest(host), _digest(boot)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
