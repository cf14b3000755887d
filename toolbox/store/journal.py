"""What was to be moved to its place, written down before the first move, so that a later run can bring it to an end.

A file is moved in one step, several are not. If a run is cut off between two moves, whoever finds its folder moves the
rest; if that cannot be, everything goes back to what was there before.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from toolbox.store.locking import FileLock

FOLDER_PREFIX: Final = ".toolbox-"
DIRECTORY_LOCK: Final = f"{FOLDER_PREFIX}lock"
_NAME: Final = "journal.json"
_LOST: Final = {errno.EIO, errno.ENOSPC, errno.EDQUOT}
"""What a system says that could write a directory to the disk, and has not."""

Mark = tuple[int, int]
"""Size and time of the last change of a file, which both stay when it is moved."""


def mark_of(path: Path) -> Mark | None:
    """Return what tells a file from another one; None if there is none."""
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_size, status.st_mtime_ns


@dataclass(frozen=True)
class Move:
    """One file on its way to its place, all on one file system."""

    staged: Path
    final: Path
    kept: Path
    """A second name of the earlier file, if there was one."""
    new: Mark | None
    """None: the earlier file goes, and no other takes its place."""
    earlier: Mark | None

    def is_done(self) -> bool:
        """Test whether the new file is in its place."""
        return mark_of(self.final) == self.new

    def is_to_do(self) -> bool:
        """Test whether the place is as it was before."""
        return mark_of(self.final) == self.earlier

    def was_removed(self) -> bool:
        """Test whether a new file where none was before has come and gone."""
        return self.earlier is None and mark_of(self.final) is None and mark_of(self.staged) is None

    def give_up(self) -> None:
        """Leave something else instead of the new file, so that a later run goes back and not on."""
        with suppress(OSError):
            self.staged.unlink(missing_ok=True)
            self.staged.write_bytes(b"given up")

    def do(self) -> None:
        """Put the new file in its place, or nothing if there is none."""
        if self.new is None:
            self.final.unlink(missing_ok=True)
        else:
            self.staged.replace(self.final)

    def undo(self) -> None:
        """Put the earlier file back, or nothing if there was none."""
        if self.earlier is None:
            self.final.unlink(missing_ok=True)
        else:
            self.kept.replace(self.final)


def go_back(moves: Sequence[Move]) -> None:
    """Undo the moves that have been done; if this is cut off, a later run does it."""
    for move in moves:
        move.give_up()
    for move in moves:
        if move.is_done():
            move.undo()
    flush_directories(moves)


def write_journal(folders: Sequence[Path], moves: Sequence[Move]) -> None:
    """Write the same journal into each folder from which something is moved, safe from a power cut."""
    for folder in folders:
        document = json.dumps([_document(move, folder.parent) for move in moves])
        unfinished = folder / f"{_NAME}.unfinished"
        with unfinished.open("w", encoding="ascii") as file:
            file.write(document)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(folder / _NAME)
        flush_directory(folder)


def forget_journal(folder: Path) -> None:
    """Say that nothing remains to be done."""
    (folder / _NAME).unlink(missing_ok=True)


def settle(folder: Path) -> None:
    """Bring to an end what the journal of a dead folder says, if it has one.

    Nothing is touched if no file was moved, or if somebody has changed one of them since.

    Raises
    ------
    OSError
        If neither all the new nor all the earlier files can be put in place now.
    """
    try:
        moves = [_move(written, folder.parent) for written in json.loads((folder / _NAME).read_text("ascii"))]
    except FileNotFoundError:
        return
    except (KeyError, TypeError, ValueError) as error:
        raise OSError(errno.EINVAL, "this is no journal of ours", str(folder / _NAME)) from error
    with directories_locked(move.final.parent for move in moves):
        _settle(moves)
        forget_journal(folder)


def _settle(moves: Sequence[Move]) -> None:
    waiting = [move for move in moves if not move.is_done()]
    is_untouched = len(waiting) == len(moves)
    if not waiting or is_untouched or not all(move.is_to_do() for move in waiting):
        return
    if any(move.was_removed() for move in waiting):
        return
    if all(mark_of(move.staged) == move.new for move in waiting):
        with suppress(OSError):
            for move in waiting:
                move.do()
            flush_directories(moves)
            return
    go_back(moves)


@contextmanager
def directories_locked(directories: Iterable[Path]) -> Iterator[None]:
    """Let no other run move files to the same directories meanwhile."""
    with ExitStack() as stack:
        # In one order, so that no two runs wait for each other.
        for directory in sorted({os.path.realpath(directory) for directory in directories}):
            with suppress(OSError):  # such as a directory that is not there, which the move itself reports
                if lock := FileLock.take(Path(directory) / DIRECTORY_LOCK, wait=True, create=True):
                    stack.callback(lock.remove)
        yield


def flush_directories(moves: Sequence[Move]) -> None:
    """Make the names of moved files survive a power cut."""
    for directory in {move.final.parent for move in moves}:
        flush_directory(directory)


def flush_directory(path: Path) -> None:
    """Write the names in a directory to the disk, where the system can do that."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno in _LOST:
            raise


def _document(move: Move, parent: Path) -> dict[str, object]:
    """Write a move; paths below the parent of the journal's folder are written so that it may be renamed."""
    within = parent.resolve()

    def written(path: Path) -> str:
        full = path.parent.resolve() / path.name  # which may itself be a link
        return str(full.relative_to(within) if full.is_relative_to(within) else full)

    return {
        "staged": written(move.staged),
        "final": written(move.final),
        "kept": written(move.kept),
        "new": move.new,
        "earlier": move.earlier,
    }


def _move(written: Mapping[str, Any], parent: Path) -> Move:
    new, earlier = written["new"], written["earlier"]
    return Move(
        staged=parent / written["staged"],
        final=parent / written["final"],
        kept=parent / written["kept"],
        new=None if new is None else tuple(new),
        earlier=None if earlier is None else tuple(earlier),
    )
