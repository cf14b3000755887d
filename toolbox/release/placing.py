"""Finished files come to their names: all of them or none, on whatever file systems, even if the run is cut off."""

from __future__ import annotations

import errno
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from toolbox.errors import OutputError
from toolbox.release.leftovers import leftovers
from toolbox.store.journal import (
    Move,
    directories_locked,
    flush_directory,
    forget_journal,
    go_back,
    mark_of,
    write_journal,
)
from toolbox.store.room import NO_ROOM, no_room
from toolbox.store.workspace import Workspace


def move_together(
    files: Mapping[Path, Path],
    folder: Path,
    placed: Callable[[], None] = lambda: None,
    *,
    tables: Sequence[Path] = (),
) -> None:
    """Move finished files to their names: all of them, or, if one cannot be moved, none.

    Everything that may take long or fail for want of room comes first: the files are brought to the file systems of
    their names and to the disk. Each move is then a single step. Before the first of several a journal is written, from
    which the next run in one of the directories brings them to an end if this one is cut off.

    Parameters
    ----------
    files : mapping of finished file to its final path
    folder : Path
        The folder of the run's temporary files.
    placed : callable, optional
        Is called at once when all files are in place, once more if an interrupt comes meanwhile; from then on an
        interrupt comes too late.
    tables : sequence of Path
        The names of tables that are split: pieces of an earlier, longer release go when the new ones come.

    Raises
    ------
    OutputError
        If a file cannot be moved; what stood at the final paths before is there again.
    """
    places = {(os.path.realpath(final.parent), final.name) for final in files.values()}
    assert len(places) == len(files), "two files would come to one name"
    with ExitStack() as workspaces:
        staged = _staged(files, folder, workspaces)
        with directories_locked(final.parent for final in staged):
            moves = []
            for number, (final, path) in enumerate(staged.items()):
                with _reported(final):
                    moves.append(_planned(path, final, path.with_name(f"earlier_{number}")))
            # Not before: another run may just have placed a longer release.
            moves += _removals(leftovers(tables, staged), staged)
            journals = list(dict.fromkeys(move.staged.parent for move in moves)) if len(moves) > 1 else []
            try:
                with _reported(folder):
                    write_journal(journals, moves)
                _do(moves)
                placed()
            except BaseException as error:
                # Also on an interrupt: half of an anatomy beside an older half would be worse than none.
                if not (isinstance(error, KeyboardInterrupt) and all(move.is_done() for move in moves)):
                    _undo(moves, journals)
                    raise
                placed()
            for journal in journals:
                # The release is in place; what remains of the journal the next run settles.
                with suppress(OSError):
                    forget_journal(journal)


def _staged(files: Mapping[Path, Path], folder: Path, workspaces: ExitStack) -> dict[Path, Path]:
    """Bring each finished file into a folder from which one step leads to its final path."""
    near: dict[str, Path] = {os.path.realpath(folder.parent): folder}
    staged = {}
    for number, (finished, final) in enumerate(files.items()):
        with _reported(final):
            directory = os.path.realpath(final.parent)
            if directory not in near:
                near[directory] = workspaces.enter_context(Workspace(Path(directory))).folder
            staged[final] = near[directory] / f"new_{number}"
            _bring(finished, staged[final])
    return staged


def _bring(finished: Path, target: Path) -> None:
    """Move a finished file, by copying it where it has to go to another file system."""
    _to_disk(finished)
    try:
        finished.replace(target)
        return
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
    shutil.copyfile(finished, target)
    shutil.copymode(finished, target)
    _to_disk(target)


def _planned(staged: Path, final: Path, kept: Path) -> Move:
    """Plan a move, with a second name of the earlier file, or a copy where the file system has no second names."""
    earlier, new = mark_of(final), mark_of(staged)
    if earlier is not None:
        try:
            os.link(final, kept, follow_symlinks=False)
        except (OSError, NotImplementedError):
            shutil.copy2(final, kept, follow_symlinks=False)
    return Move(staged=staged, final=final, kept=kept, new=new, earlier=earlier)


def _removals(paths: Sequence[Path], staged: Mapping[Path, Path]) -> list[Move]:
    """Plan that files go which lie beside new ones."""
    near = {final.parent: path.parent for final, path in staged.items()}
    moves = []
    for number, path in enumerate(paths):
        # A file that has just vanished need not go.
        with _reported(path), suppress(FileNotFoundError):
            folder = near[path.parent]
            moves.append(_planned(folder / f"none_{number}", path, folder / f"leftover_{number}"))
    return [move for move in moves if move.earlier is not None]


def _do(moves: Sequence[Move]) -> None:
    for move in moves:
        with _reported(move.final):
            move.do()
    for directory in {move.final.parent for move in moves}:
        with _reported(directory):
            flush_directory(directory)


def _undo(moves: Sequence[Move], journals: Sequence[Path]) -> None:
    """Put the earlier files back; what cannot be put back now is put back by the next run."""
    with suppress(OSError):
        go_back(moves)
        for journal in journals:
            forget_journal(journal)


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    """Say which file cannot be written."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            raise no_room(error.errno, path.parent) from error
        raise OutputError(f"{path} cannot be written: {error.strerror}. Nothing was released.") from error


@contextmanager
def flushing(paths: Iterable[Path]) -> Iterator[None]:
    """Send finished files to the disk while something else is done with them, so that placing need not wait for it."""

    def flush() -> None:
        # Placing does it again, and says what is wrong.
        with suppress(OSError):
            for path in paths:
                _to_disk(path)

    thread = threading.Thread(target=flush, daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def _to_disk(path: Path) -> None:
    """Make sure that a finished file survives a power cut before its name points at it."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
