"""The journal: the files to move, sealed and written before the first move, so that a later run can finish."""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from toolbox.messages import print_note
from toolbox.store.disk.directory_lock import LOCK_TIMEOUT, Machine, describe_machine, lock_directories, run_undisturbed
from toolbox.store.disk.folders import OTHERS_WRITE, Folder, is_own

# Moving files to their places, undoing the moves, and finding out how far they had come.

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

    def is_removed_again(self) -> bool:
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


def finish_moves(moves: Sequence[Move]) -> None:
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
    if any(move.is_removed_again() for move in waiting):
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


# The user's own key, in a folder that nobody else may write to: it tells our journals from forged ones.

_KEY_NAME: Final = "key"
_LENGTH: Final = 32
_OTHERS: Final = 0o077


def seal_content(content: bytes) -> str | None:
    """Return the seal of a content, which only this user can compute, in hexadecimal; None where no key can be kept.

    The key is made on first use, and is on the disk before anything is sealed with it.
    """
    key = _load_key(make=True)
    return None if key is None else _compute_seal(key, content)


def is_sealed(content: bytes, seal: str) -> bool:
    """Test whether this user has sealed a content."""
    key = _load_key(make=False)
    return key is not None and hmac.compare_digest(_compute_seal(key, content).encode(), seal.encode())


def derive_key(purpose: str) -> bytes | None:
    """Return the user's key for one purpose, from which the other keys do not follow; None as in `seal_content`."""
    key = _load_key(make=True)
    return None if key is None else hmac.digest(key, f"derived:{purpose}".encode(), "sha256")


def find_key_folder() -> Path | None:
    """Return the folder of the key, whether or not it exists; None where no home is known."""
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    if not state.is_absolute():
        try:
            state = Path.home() / ".local" / "state"
        except RuntimeError:
            return None
    return state / "toolbox"


def _compute_seal(key: bytes, content: bytes) -> str:
    return hmac.digest(key, content, "sha256").hex()


def _load_key(*, make: bool) -> bytes | None:
    path = find_key_folder()
    if path is None:
        return None
    with suppress(OSError):
        if make:
            _make_folder(path)
        with Folder.opened(path) as folder:
            status = folder.status()
            if not is_own(status) or status.st_mode & OTHERS_WRITE:
                return None
            if (key := _read_key(folder)) is None and make:
                _make(folder)
                key = _read_key(folder)
            return key
    return None


def _make_folder(path: Path) -> None:
    """Make the folder of the key, but not in the home of somebody else, which root may find in its environment."""
    missing = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    if missing and not is_own(path.stat()):
        raise PermissionError
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)


def _read_key(folder: Folder) -> bytes | None:
    """Read the key, if nobody else can have read or written it."""
    with suppress(OSError):
        key = folder.read(_KEY_NAME, _LENGTH)
        if len(key) == _LENGTH and not folder.status(_KEY_NAME).st_mode & _OTHERS:
            return key
    return None


def _make(folder: Folder) -> None:
    """Make the key in one step, so that two runs at once use the same key."""
    unfinished = f"{_KEY_NAME}.{secrets.token_hex(8)}"
    try:
        folder.write(unfinished, secrets.token_bytes(_LENGTH))
        try:
            folder.link(unfinished, folder, _KEY_NAME)
        except FileExistsError:
            pass  # another run was first
        except OSError:  # a file system without second names
            folder.move(unfinished, folder, _KEY_NAME)
        folder.flush()
    finally:
        run_undisturbed(lambda: _remove(folder, unfinished))


def _remove(folder: Folder, name: str) -> None:
    try:
        folder.remove(name)
    except FileNotFoundError:
        return
    except OSError as error:
        # No run looks for it: another one may be about to make its key under such a name.
        left = f"{folder.path / name} could not be removed ({error.strerror})."
        print_note(f"{left} Remove it by hand: it is a copy of your key.")


# The list of files to move, written before the first move, so that a later run can finish the moves.
#
# A file is moved in one step, several are not. If a run is cut off between two moves, whoever finds its folder moves
# the rest; if that cannot be, everything goes back to what was there before.
#
# Whoever finds a journal does not trust it. Each lies in the folder of the run beside the files that it names, names
# none elsewhere, and is sealed with the user's key. It also tells which folders belong to the same set. All their
# journals are on the disk before the first file is moved, and the first is removed after the last move. So while one
# of them is missing nothing is half done, and nothing is moved unless all of them are there and agree.

_NAME: Final = "journal.json"
_LONGEST: Final = 100_000_000
"""More bytes than the journal of as many files as a release may have."""


class UntrustedError(Exception):
    """A journal that is not proved to be ours, or whose other folders cannot be looked at: nothing is touched."""


@dataclass(frozen=True)
class _Part:
    """A folder of a run and the directory in which it lies: their paths, and the inode numbers they must have."""

    directory: str
    device: int
    inode: int
    folder: str
    folder_inode: int

    def is_at(self, near: Folder, target: Folder, *, same_start: bool) -> bool:
        """Test whether these are the directories that are meant."""
        here, there = near.status(), target.status()
        # A system may number its devices anew each time it is started.
        is_same_device = here.st_dev == there.st_dev and (not same_start or there.st_dev == self.device)
        return is_same_device and (here.st_ino, there.st_ino) == (self.folder_inode, self.inode)


@dataclass(frozen=True)
class _Journal:
    """What one journal says."""

    transaction: str
    machine: Machine
    parts: tuple[_Part, ...]
    own: int
    """Which of the parts lies here."""
    moves: tuple[tuple[str, str, str, Mark | None, Mark | None], ...]
    """Name of the new file, its final name, the second name of the earlier one, and the marks of both."""

    def is_of_set(self, other: _Journal) -> bool:
        """Test whether both are of one set."""
        return (self.transaction, self.machine, self.parts) == (other.transaction, other.machine, other.parts)


def write_journals(moves: Sequence[Move]) -> list[Folder]:
    """Write a journal into each folder from which something is moved, safe from a power cut; return these folders."""
    places = {move.near: move.place for move in moves}
    parts = tuple(_make_part(near, target) for near, target in places.items())
    transaction, machine = secrets.token_hex(16), describe_machine()
    for own, (near, target) in enumerate(places.items()):
        named = tuple(
            (move.staged, move.final, move.kept, move.new, move.earlier) for move in moves if move.near == near
        )
        content = json.dumps(asdict(_Journal(transaction, machine, parts, own, named))).encode("ascii")
        with suppress(FileNotFoundError):
            near.remove(f"{_NAME}.unfinished")
        near.write(f"{_NAME}.unfinished", f"{seal_content(content) or ''}\n".encode() + content)
        near.move(f"{_NAME}.unfinished", near, _NAME)
        near.flush()
        target.flush()
    return list(places)


def remove_journals(folders: Sequence[Folder]) -> None:
    """Remove the journals: nothing remains to be done."""
    for folder in folders:
        with suppress(FileNotFoundError):
            folder.remove(_NAME)


def has_journal(folder: Path) -> bool:
    """Test whether a folder has a journal."""
    return os.path.lexists(folder / _NAME)


def complete_interrupted_moves(near: Folder, target: Folder, timeout: float = LOCK_TIMEOUT) -> None:
    """Complete the moves that the journal of a dead folder lists, if it has one.

    Parameters
    ----------
    near : Folder
        The dead folder.
    target : Folder
        The directory in which it lies.
    timeout : float, optional
        Most seconds to wait for a run that moves files there.

    Raises
    ------
    UntrustedError
        If the journal, or one that belongs to it, is not proved to be ours.
    OSError
        If neither all the new nor all the earlier files can be put in place now.
    """
    first = _read(near, target)
    if first is None:
        return
    directories = [Path(part.directory) for index, part in enumerate(first.parts) if index != first.own]
    with lock_directories([target.path, *directories], timeout), ExitStack() as stack:
        journal = _read(near, target)  # another run may have been first
        if journal is None:
            return
        folders, moves, is_complete = [near], _list_moves(journal, near, target), True
        for index, part in enumerate(journal.parts):
            if index != journal.own:
                there, beside = stack.enter_context(_open_part(part))
                other = None if beside is None else _read(beside, there)
                if beside is None or other is None:
                    is_complete = False
                    continue
                if other.own != index or not other.is_of_set(journal):
                    raise UntrustedError(f"the journal in {beside.path} does not belong to its own")
                folders.append(beside)
                moves += _list_moves(other, beside, there)
        if is_complete:
            finish_moves(moves)
        elif any(move.is_done() for move in moves) and any(move.is_to_do() for move in moves):
            raise UntrustedError("a folder that belongs to it has gone before its time")
        remove_journals(folders)


def _make_part(near: Folder, target: Folder) -> _Part:
    directory, folder = target.status(), near.status()
    return _Part(os.path.realpath(target.path), directory.st_dev, directory.st_ino, near.path.name, folder.st_ino)


def _list_moves(journal: _Journal, near: Folder, target: Folder) -> list[Move]:
    return [Move(near, target, *named) for named in journal.moves]


@contextmanager
def _open_part(part: _Part) -> Iterator[tuple[Folder, Folder | None]]:
    """Open a directory that belongs to the set, and the folder of the run in it unless that has gone."""
    with ExitStack() as stack:
        try:
            target = stack.enter_context(Folder.opened(Path(part.directory)))
            is_there = target.status().st_ino == part.inode
        except OSError:
            is_there = False
        if not is_there:
            raise UntrustedError(f"it also wrote into {part.directory}, which is not there any more")
        near = None
        with suppress(FileNotFoundError):
            try:
                near = stack.enter_context(Folder.opened(Path(part.folder), within=target))
            except FileNotFoundError:
                raise
            except OSError as error:
                raise UntrustedError(f"{target.path / part.folder} is no folder of yours") from error
        yield target, near


def _read(near: Folder, target: Folder) -> _Journal | None:
    """Read the journal of a folder; None if it has none."""
    try:
        seal, _, content = near.read(_NAME, _LONGEST).partition(b"\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UntrustedError("its journal is no file of yours") from error
    status = near.status()
    if not is_own(status) or status.st_mode & OTHERS_WRITE:
        raise UntrustedError(f"others may write to {near.path}")
    if not is_sealed(content, seal.decode("ascii", "replace")):
        raise UntrustedError(
            f"its journal is not sealed with your key in {find_key_folder() or 'your home, which is unknown'}"
        )
    try:
        journal = _parse_journal(json.loads(content))
        own = journal.parts[journal.own]
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise UntrustedError("its journal is not of this version") from error
    machine = describe_machine()
    is_this_machine = f"-{journal.machine}-" in near.path.name and journal.machine.may_be(machine)
    if own.folder != near.path.name or not is_this_machine:
        raise UntrustedError("its journal was written for another machine or folder")
    if not own.is_at(near, target, same_start=journal.machine.boot == machine.boot):
        raise UntrustedError("its journal was written for another folder")
    return journal


def _parse_journal(written: dict[str, Any]) -> _Journal:
    """Parse the text of a journal. It is no journal if a name in it leads elsewhere."""
    moves = []
    for staged, final, kept, new, earlier in written["moves"]:
        if not all(_is_name(name) for name in (staged, final, kept)):
            raise ValueError
        moves.append((staged, final, kept, _mark(new), _mark(earlier)))
    parts = tuple(_Part(**part) for part in written["parts"])
    if not all(_is_name(part.folder) for part in parts):
        raise ValueError
    return _Journal(written["transaction"], Machine(**written["machine"]), parts, written["own"], tuple(moves))


def _mark(written: list[int] | None) -> Mark | None:
    if written is None:
        return None
    size, time = written
    return int(size), int(time)


def _is_name(text: object) -> bool:
    """Test whether a text is the name of a file directly in a folder."""
    return isinstance(text, str) and text not in ("", ".", "..") and not {os.sep, os.altsep, "\0"} & set(text)
