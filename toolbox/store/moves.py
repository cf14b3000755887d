"""Moving files to their places, undoing the moves, and finding out how far they had come."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from toolbox.store.folders import Folder

Mark = tuple[int, int]
"""Size and time of the last change of a file, which both stay when it is moved."""


def mark_of(folder: Folder, name: str) -> Mark | None:
    """Return the identity of a file; None if there is no file."""
    try:
        status = folder.status(name)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_size, status.st_mtime_ns


@dataclass(frozen=True)
class Move:
    """The move of one file to its place, within one file system."""

    near: Folder
    """The folder of the run from which it comes."""
    place: Folder
    staged: str
    final: str
    kept: str
    """A second name of the earlier file, beside the staged one, if there was one."""
    new: Mark | None
    """None: the earlier file goes, and no other takes its place."""
    earlier: Mark | None

    @property
    def path(self) -> Path:
        """The place as messages name it."""
        return self.place.path / self.final

    def is_done(self) -> bool:
        """Test whether the new file is in its place."""
        return mark_of(self.place, self.final) == self.new

    def is_to_do(self) -> bool:
        """Test whether the place is as it was before."""
        return mark_of(self.place, self.final) == self.earlier

    def can_be_done(self) -> bool:
        """Test whether the new file still waits for its move."""
        return mark_of(self.near, self.staged) == self.new

    def was_removed(self) -> bool:
        """Test whether a new file where none was before has come and gone."""
        there, waiting = mark_of(self.place, self.final), mark_of(self.near, self.staged)
        return self.earlier is None and there is None and waiting is None

    def give_up(self) -> None:
        """Replace the new file by something else, so that a later run undoes the moves instead of finishing them."""
        with suppress(OSError):
            with suppress(FileNotFoundError):
                self.near.remove(self.staged)
            self.near.write(self.staged, b"given up")

    def do(self) -> None:
        """Move the new file to its place; nothing stands there if there is none."""
        if self.new is None:
            with suppress(FileNotFoundError):
                self.place.remove(self.final)
        else:
            self.near.move(self.staged, self.place, self.final)

    def undo(self) -> None:
        """Move the earlier file back; nothing stands there if there was none."""
        if self.earlier is None:
            with suppress(FileNotFoundError):
                self.place.remove(self.final)
        else:
            self.near.move(self.kept, self.place, self.final)


def bring_to_an_end(moves: Sequence[Move]) -> None:
    """Finish moves that were interrupted, or undo those that were done.

    Nothing is touched if no file was moved, or if somebody has changed a file since.

    Raises
    ------
    OSError
        If neither all the new nor all the earlier files can be put in place now.
    """
    waiting = [move for move in moves if not move.is_done()]
    is_untouched = len(waiting) == len(moves)
    if not waiting or is_untouched or not all(move.is_to_do() for move in waiting):
        return
    if any(move.was_removed() for move in waiting):
        return
    if all(move.can_be_done() for move in waiting):
        with suppress(OSError):
            for move in waiting:
                move.do()
            flush_places(moves)
            return
    go_back(moves)


def go_back(moves: Sequence[Move]) -> None:
    """Undo the moves that have been done; if this is cut off, a later run does it."""
    for move in moves:
        move.give_up()
    for move in moves:
        if move.is_done():
            move.undo()
    flush_places(moves)


def flush_places(moves: Sequence[Move]) -> None:
    """Make the names of moved files survive a power cut."""
    for folder in {move.place.path: move.place for move in moves}.values():
        folder.flush()
