"""The list of files to move, written before the first move, so that a later run can finish the moves.

A file is moved in one step, several are not. If a run is cut off between two moves, whoever finds its folder moves the
rest; if that cannot be, everything goes back to what was there before.

Whoever finds a journal does not trust it. Each lies in the folder of the run beside the files that it names, names none
elsewhere, and is sealed with the user's key. It also tells which folders belong to the same set. All their journals are
on the disk before the first file is moved, and the first is removed after the last move. So while one of them is
missing nothing is half done, and nothing is moved unless all of them are there and agree.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from toolbox.store.folders import OTHERS_WRITE, Folder, is_own
from toolbox.store.key import is_sealed, key_folder, sealed
from toolbox.store.machine import Machine, this_machine
from toolbox.store.moves import Mark, Move, bring_to_an_end
from toolbox.store.turns import LOCK_TIMEOUT, directories_locked

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

    def belongs_to(self, other: _Journal) -> bool:
        """Test whether both are of one set."""
        return (self.transaction, self.machine, self.parts) == (other.transaction, other.machine, other.parts)


def write_journals(moves: Sequence[Move]) -> list[Folder]:
    """Write a journal into each folder from which something is moved, safe from a power cut; return these folders."""
    places = {move.near: move.place for move in moves}
    parts = tuple(_part(near, target) for near, target in places.items())
    transaction, machine = secrets.token_hex(16), this_machine()
    for own, (near, target) in enumerate(places.items()):
        named = tuple(
            (move.staged, move.final, move.kept, move.new, move.earlier) for move in moves if move.near == near
        )
        content = json.dumps(asdict(_Journal(transaction, machine, parts, own, named))).encode("ascii")
        with suppress(FileNotFoundError):
            near.remove(f"{_NAME}.unfinished")
        near.write(f"{_NAME}.unfinished", f"{sealed(content) or ''}\n".encode() + content)
        near.move(f"{_NAME}.unfinished", near, _NAME)
        near.flush()
        target.flush()
    return list(places)


def forget_journals(folders: Sequence[Folder]) -> None:
    """Remove the journals: nothing remains to be done."""
    for folder in folders:
        with suppress(FileNotFoundError):
            folder.remove(_NAME)


def has_journal(folder: Path) -> bool:
    """Test whether a folder has a journal."""
    return os.path.lexists(folder / _NAME)


def settle(near: Folder, target: Folder, timeout: float = LOCK_TIMEOUT) -> None:
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
    with directories_locked([target.path, *directories], timeout), ExitStack() as stack:
        journal = _read(near, target)  # another run may have been first
        if journal is None:
            return
        folders, moves, is_complete = [near], _moves(journal, near, target), True
        for index, part in enumerate(journal.parts):
            if index != journal.own:
                there, beside = stack.enter_context(_opened(part))
                other = None if beside is None else _read(beside, there)
                if beside is None or other is None:
                    is_complete = False
                    continue
                if other.own != index or not other.belongs_to(journal):
                    raise UntrustedError(f"the journal in {beside.path} does not belong to its own")
                folders.append(beside)
                moves += _moves(other, beside, there)
        if is_complete:
            bring_to_an_end(moves)
        elif any(move.is_done() for move in moves) and any(move.is_to_do() for move in moves):
            raise UntrustedError("a folder that belongs to it has gone before its time")
        forget_journals(folders)


def _part(near: Folder, target: Folder) -> _Part:
    directory, folder = target.status(), near.status()
    return _Part(os.path.realpath(target.path), directory.st_dev, directory.st_ino, near.path.name, folder.st_ino)


def _moves(journal: _Journal, near: Folder, target: Folder) -> list[Move]:
    return [Move(near, target, *named) for named in journal.moves]


@contextmanager
def _opened(part: _Part) -> Iterator[tuple[Folder, Folder | None]]:
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
            f"its journal is not sealed with your key in {key_folder() or 'your home, which is unknown'}"
        )
    try:
        journal = _parsed(json.loads(content))
        own = journal.parts[journal.own]
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise UntrustedError("its journal is not of this version") from error
    machine = this_machine()
    is_this_machine = f"-{journal.machine}-" in near.path.name and journal.machine.may_be(machine)
    if own.folder != near.path.name or not is_this_machine:
        raise UntrustedError("its journal was written for another machine or folder")
    if not own.is_at(near, target, same_start=journal.machine.boot == machine.boot):
        raise UntrustedError("its journal was written for another folder")
    return journal


def _parsed(written: dict[str, Any]) -> _Journal:
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
