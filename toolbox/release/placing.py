"""Placing finished files: all of them or none, on any file systems, even if the run is interrupted."""

from __future__ import annotations

import errno
import os
import shutil
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import Final

from toolbox.config.file_names import MOST_PIECES, Content, build_piece_path, choose_file_mode, find_obstacle
from toolbox.errors import OutputError, UsageError, quote
from toolbox.messages import choose_setting_name
from toolbox.store.disk.directory_lock import LOCK_TIMEOUT, lock_directories, run_undisturbed
from toolbox.store.disk.folders import CREATE, Folder, make_write_error
from toolbox.store.disk.journal import Move, go_back, mark_of, remove_journals, write_journals
from toolbox.store.disk.workspace import Workspace

# Files that an earlier, longer release has left: they must not lie beside a shorter one as if they belonged to it.


def list_leftovers(tables: Sequence[Path], written: Collection[Path]) -> list[Path]:
    """List the pieces of earlier releases that the pieces of this one will not replace.

    A release numbers its pieces without a gap: what comes after one, such as ``export-90210.csv``, is no piece.

    Parameters
    ----------
    tables : sequence of Path
        The names of the tables before they were split.
    written : collection of Path
        The pieces of this release.
    """
    new = set(written)
    return [piece for path in tables for piece in takewhile(os.path.lexists, _list_later_pieces(path, new))]


def _list_later_pieces(path: Path, new: Collection[Path]) -> Iterator[Path]:
    """Return the pieces that a longer release of a table would have."""
    pieces = (build_piece_path(path, index) for index in range(1, MOST_PIECES + 1))
    return (piece for piece in pieces if piece not in new)


# Moving finished files to their names.

_AT_ONCE: Final = 1 << 20
"""Bytes that are copied at once."""


def move_together(
    files: Mapping[Path, Path],
    folder: Path,
    placed: Callable[[], None] = lambda: None,
    *,
    tables: Sequence[Path] = (),
    timeout: float = LOCK_TIMEOUT,
) -> None:
    """Move finished files to their names: all of them, or, if one cannot be moved, none.

    Everything that may take long or fail for want of room comes first: the files are brought to the file systems of
    their names and to the disk. Each move is then a single step. Before the first of several a journal is written, from
    which the next run in one of the directories brings them to an end if this one is cut off.

    Parameters
    ----------
    files : mapping of finished file to its final path
        A finished folder comes to its name as a whole, after all files; nothing may be there.
    folder : Path
        The folder of the run's temporary files.
    placed : callable, optional
        Is called at once when all files are in place, once more if an interrupt comes meanwhile; from then on an
        interrupt comes too late.
    tables : sequence of Path
        The names of tables that are split: pieces of an earlier, longer release go when the new ones come.
    timeout : float, optional
        Most seconds to wait for other runs that move files to the same directories.

    Raises
    ------
    OutputError
        If a file cannot be moved, or another run keeps this one waiting for too long; what stood at the final paths
        before is there again.
    """
    folders = {finished: final for finished, final in files.items() if finished.is_dir()}
    files = {finished: final for finished, final in files.items() if finished not in folders}
    places = {(os.path.realpath(final.parent), final.name) for final in files.values()}
    assert len(places) == len(files), "two files would come to one name"
    with ExitStack() as stack:
        staged = _stage_files(files, folder, stack, timeout)
        together = _Folders(folders, stack, timeout)
        with lock_directories((final.parent for final in (*staged, *folders.values())), timeout):
            moves = _plan_moves(staged, stack)
            # Not before: another run may just have placed a longer release.
            moves += _plan_removals(list_leftovers(tables, staged), moves)
            journals: list[Folder] = []
            try:
                if len(moves) > 1:
                    with _report_unwritable(folder):
                        journals = write_journals(moves)
                _do(moves)
                together.place()
                placed()
            except BaseException as error:
                # Also on an interrupt: half of an anatomy beside an older half would be worse than none.
                is_done = all(move.is_done() for move in moves) and together.are_placed
                if not (isinstance(error, KeyboardInterrupt) and is_done):
                    run_undisturbed(together.take_back)
                    run_undisturbed(lambda: _undo(moves))
                    raise
                placed()
            # The release is in place; what remains of the journals the next run settles.
            with suppress(OSError):
                remove_journals(journals)


class _Folders:
    """Finished folders, each beside its name: it gets there in one step."""

    def __init__(self, folders: Mapping[Path, Path], stack: ExitStack, timeout: float) -> None:
        self._staged: dict[Path, Path] = {}
        for finished, final in folders.items():
            with _report_unwritable(final):
                staged = stack.enter_context(Workspace(final.parent, timeout)).folder / "folder"
                shutil.move(finished, staged)
                for path in staged.rglob("*"):
                    if path.is_file():
                        _flush_to_disk(path)
                self._staged[staged] = final

    @property
    def are_placed(self) -> bool:
        return not any(staged.exists() for staged in self._staged)

    def place(self) -> None:
        for staged, final in self._staged.items():
            with _report_unwritable(final):
                # What is there is not replaced: a folder with files, a file or a link stops this step.
                staged.rename(final)

    def take_back(self) -> None:
        for staged, final in self._staged.items():
            if not staged.exists():
                with suppress(OSError):
                    final.rename(staged)


def _stage_files(files: Mapping[Path, Path], folder: Path, stack: ExitStack, timeout: float) -> dict[Path, Path]:
    """Bring each finished file into a folder from which one step leads to its final path."""
    near: dict[str, Path] = {os.path.realpath(folder.parent): folder}
    staged = {}
    for index, (finished, final) in enumerate(files.items()):
        with _report_unwritable(final):
            directory = os.path.realpath(final.parent)
            if directory not in near:
                near[directory] = stack.enter_context(Workspace(Path(directory), timeout)).folder
            staged[final] = near[directory] / f"new_{index}"
            _move_file(finished, staged[final])
    return staged


def _move_file(finished: Path, target: Path) -> None:
    """Move a finished file, by copying it where it has to go to another file system."""
    _flush_to_disk(finished)
    try:
        finished.replace(target)
        return
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
    # For this user alone until it is complete: others may have put another folder in the place of ours.
    descriptor = os.open(target, CREATE, 0o600)
    with finished.open("rb") as source, os.fdopen(descriptor, "wb") as copy:
        shutil.copyfileobj(source, copy, _AT_ONCE)
    shutil.copymode(finished, target)
    _flush_to_disk(target)


def _plan_moves(staged: Mapping[Path, Path], stack: ExitStack) -> list[Move]:
    """Plan the moves, between directories that are held open from now on."""
    opened: dict[str, tuple[Folder, Folder]] = {}
    moves = []
    for index, (final, path) in enumerate(staged.items()):
        with _report_unwritable(final):
            directory = os.path.realpath(final.parent)
            if directory not in opened:
                target = stack.enter_context(Folder.opened(Path(directory)))
                opened[directory] = stack.enter_context(Folder.opened(path.parent)), target
            moves.append(_plan_move(*opened[directory], path.name, final, f"earlier_{index}"))
    return moves


def _plan_move(near: Folder, target: Folder, staged: str, final: Path, kept: str) -> Move:
    """Plan a move, with a second name of the earlier file, or a copy where the file system has no second names."""
    if kind := find_obstacle(final):
        raise OutputError(f"{final} cannot be written: it is {kind}. Nothing was released.")
    earlier, new = mark_of(target, final.name), mark_of(near, staged)
    if earlier is not None:
        try:
            target.link(final.name, near, kept)
        except (OSError, NotImplementedError):
            shutil.copy2(final, near.path / kept, follow_symlinks=False)
    return Move(near, target, staged, final.name, kept, new, earlier)


def _plan_removals(paths: Sequence[Path], moves: Sequence[Move]) -> list[Move]:
    """Plan the removal of files that would lie beside new ones."""
    folders = {str(move.place.path): (move.near, move.place) for move in moves}
    removals = []
    for index, path in enumerate(paths):
        # A file that has just vanished need not go.
        with _report_unwritable(path), suppress(FileNotFoundError):
            near, target = folders[os.path.realpath(path.parent)]
            removals.append(_plan_move(near, target, f"none_{index}", path, f"leftover_{index}"))
    return [move for move in removals if move.earlier is not None]


def _do(moves: Sequence[Move]) -> None:
    for move in moves:
        with _report_unwritable(move.path):
            move.do()
    for folder in {move.place for move in moves}:
        with _report_unwritable(folder.path):
            folder.flush()


def _undo(moves: Sequence[Move]) -> None:
    """Restore the earlier files; the next run restores those that cannot be restored now."""
    with suppress(OSError):
        go_back(moves)
        remove_journals([move.near for move in moves])


@contextmanager
def _report_unwritable(path: Path) -> Iterator[None]:
    """Raise an error that names the file which cannot be written."""
    try:
        yield
    except OSError as error:
        raise make_write_error(error, path) from error


@contextmanager
def flush_in_background(paths: Iterable[Path]) -> Iterator[None]:
    """Flush finished files to the disk in the background, so that placing need not wait for it."""

    def flush() -> None:
        # Placing does it again, and says what is wrong.
        with suppress(OSError):
            for path in paths:
                _flush_to_disk(path)

    thread = threading.Thread(target=flush, daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def _flush_to_disk(path: Path) -> None:
    """Make sure that a finished file survives a power cut before its name points at it."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


# One file of text, such as a page or a hierarchy: written whole or not at all.


def require_free(path: Path, *, replaces: bool, keeps: Sequence[Path] = (), option: str = "-o") -> None:
    """Stop where a file cannot be written, before any work is done for it.

    Parameters
    ----------
    replaces : bool
        Whether a file of this name may be replaced.
    keeps : sequence of Path
        Files that are read, or folders of them, which never are.
    option : str
        The option that names the file.

    Raises
    ------
    UsageError
        If there is one, or what is there is no file.
    OutputError
        If there is no such folder.
    """
    another = choose_setting_name(f"another file, {option} FILE", python="another file")
    remedy = f"Name {another}."
    if (blocking := find_obstacle(path)) is not None:
        raise UsageError(f"{quote(str(path))} is {blocking}. {remedy}")
    for read in keeps:
        if os.path.realpath(path) == os.path.realpath(read):
            raise UsageError(f"{quote(str(path))} is read itself, and stays as it is. {remedy}")
        if read.is_dir() and read.resolve() in path.resolve().parents:
            problem = f"{quote(str(path))} would lie in the folder whose files are the table"
            raise UsageError(f"{problem}. Name a file somewhere else.")
    if os.path.lexists(path) and not replaces:
        replacing = choose_setting_name("Write --force to replace it, or name", python="Name")
        raise UsageError(f"{quote(str(path))} is there already. {replacing} {another}.")
    if not path.parent.is_dir():
        raise OutputError(f"There is no folder {quote(str(path.parent))}. Make it first, or name {another}.")


def find_page_content(kind: str) -> Content:
    """Return what is in a page: of a public one everybody may know it."""
    return "public page" if kind == "public" else "internal page"


def write_whole(path: Path, text: str, content: Content, *, replaces: bool) -> None:
    """Write a file under another name, and give it its own when it is complete.

    Parameters
    ----------
    content : str
        What is in it, which says who may read it.

    Raises
    ------
    UsageError
        If a file of this name has come meanwhile, and may not be replaced.
    OutputError
        If it cannot be written.
    """
    try:
        # In a folder of its own: what cannot be removed from it now the next run removes.
        with Workspace(path.parent) as workspace:
            unfinished = workspace.folder / "unfinished"
            descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, choose_file_mode(content))
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            if replaces:
                unfinished.replace(path)
            else:
                _give_name(unfinished, path)
    except FileExistsError:
        remedy = choose_setting_name("Write --force to replace it.", python="Name another file.")
        raise UsageError(f"{quote(str(path))} is there already. {remedy}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{quote(str(path))} cannot be written: {reason}.") from error


def _give_name(unfinished: Path, path: Path) -> None:
    """Give a finished file its name, unless something has it."""
    try:
        # A link fails where something is, which a test before could not promise.
        os.link(unfinished, path)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems know no links, such as those of memory sticks.
        if os.path.lexists(path):
            raise FileExistsError from None
        unfinished.rename(path)
