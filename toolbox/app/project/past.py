"""What an open project was before, and will be again: its history, kept beside it, also after a restart."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from stat import S_ISDIR, S_ISREG, S_IWGRP, S_IWOTH
from typing import TYPE_CHECKING, Any

from toolbox import Snapshot
from toolbox.app.project.documents import OF_SNAPSHOT, UnreadableError, read_document, write_document
from toolbox.app.project.files import Reach
from toolbox.errors import ToolboxError

if TYPE_CHECKING:
    from toolbox import Project


# What was done to a project, so that it can be undone, also after a restart.

MOST = 200
"""Changes that are remembered."""
_POSITION = "position.json"
_OF_POSITION = {"first": int, "at": int, "count": int}
_OF_ENTRY = {"words": str, "snapshot": OF_SNAPSHOT}


@dataclass(frozen=True)
class HistoryEntry:
    """A state of the project, and the words of the change that led to it."""

    words: str
    snapshot: Any


class History:
    """States of a project, one behind the other, and which one it has.

    Parameters
    ----------
    folder : path, optional
        Where they are kept, for whoever owns it alone; None: only in memory.
    to_document, of_document : callable
        Make a document of JSON of a snapshot, and the other way.
    """

    def __init__(
        self,
        folder: Path | None,
        to_document: Callable[[Any], Mapping[str, Any]],
        of_document: Callable[[Mapping[str, Any]], Any],
    ) -> None:
        self._folder = folder
        self._to_document = to_document
        self._of_document = of_document
        self._entries: list[HistoryEntry] = []
        self._first = 0
        """Number of the first entry that is still there."""
        self._at = -1

    @property
    def now(self) -> Any:
        """The snapshot that the project has, or None if nothing is known yet."""
        return self._entries[self._at].snapshot if self._entries else None

    @property
    def undoes(self) -> str | None:
        """Words of the change that Undo takes back."""
        return self._entries[self._at].words if self._at > 0 else None

    @property
    def redoes(self) -> str | None:
        """Words of the change that Redo makes again."""
        return self._entries[self._at + 1].words if self._at + 1 < len(self._entries) else None

    def knows(self, is_now: Callable[[Any], bool]) -> bool:
        """Whether the project once had a state that is the one of now."""
        return any(is_now(entry.snapshot) for entry in self._entries)

    def clear(self) -> None:
        """Forget everything."""
        for number in range(len(self._entries)):
            self._remove(self._first + number)
        self._entries, self._first, self._at = [], 0, -1

    def add(self, words: str, snapshot: Any) -> None:
        """Remember a state; what was undone before is forgotten."""
        for number in range(self._at + 1, len(self._entries)):
            self._remove(self._first + number)
        self._entries = [*self._entries[: self._at + 1], HistoryEntry(words, snapshot)]
        while len(self._entries) > MOST:
            self._remove(self._first)
            del self._entries[0]
            self._first += 1
        self._at = len(self._entries) - 1
        document = {"words": words, "snapshot": self._to_document(snapshot)}
        self._write(f"{self._first + self._at}.json", document)
        self._note()

    def undo(self) -> HistoryEntry | None:
        """Go one state back; the entry is that of the change that was undone."""
        if self._at <= 0:
            return None
        undone = self._entries[self._at]
        self._at -= 1
        self._note()
        return undone

    def redo(self) -> HistoryEntry | None:
        """Go one state forward; the entry is that of the change that was made again."""
        if self._at + 1 >= len(self._entries):
            return None
        self._at += 1
        self._note()
        return self._entries[self._at]

    def load(self) -> bool:
        """Take up what was kept; False if there is nothing.

        Raises
        ------
        UnreadableError
            If it is not what was kept.
        """
        position = None if self._folder is None else read_document(self._folder / _POSITION, _OF_POSITION)
        if position is None:
            return False
        first, at, count = (position[name] for name in _OF_POSITION)
        if not (first >= 0 and 0 <= at < count <= MOST):
            raise UnreadableError(_POSITION)
        entries = [self._read(number) for number in range(first, first + count)]
        self._entries, self._first, self._at = entries, first, at
        return True

    def _read(self, number: int) -> HistoryEntry:
        assert self._folder is not None
        document = read_document(self._folder / f"{number}.json", _OF_ENTRY)
        if document is None:
            raise UnreadableError(f"{number}.json")
        return HistoryEntry(
            document["words"], self._of_document({name: document["snapshot"][name] for name in OF_SNAPSHOT})
        )

    def _note(self) -> None:
        self._write(_POSITION, {"first": self._first, "at": self._at, "count": len(self._entries)})

    def _write(self, name: str, document: Mapping[str, Any]) -> None:
        if self._folder is not None:
            write_document(self._folder / name, document)

    def _remove(self, number: int) -> None:
        if self._folder is not None:
            with suppress(OSError):
                (self._folder / f"{number}.json").unlink()


# The folder beside a project that the application keeps: what can be undone, what was tried, and the log.

FOLDER = ".toolbox-app"


def make_past_folder(project_folder: Path) -> Path | None:
    """Return the folder, which is made if there is none; None if somebody else could have written what it holds.

    A link is nobody's: what is behind it may be anybody's file.
    """
    folder = project_folder / FOLDER
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_ours(folder):
            return folder
    return None


def _is_ours(folder: Path) -> bool:
    """Return whether a folder and all that is in it belong to us alone, and are files and folders."""
    if not S_ISDIR(folder.lstat().st_mode):
        return False
    for path in (folder, *folder.rglob("*")):
        status = path.lstat()
        if not (S_ISDIR(status.st_mode) or S_ISREG(status.st_mode)):
            return False
        # Windows has no such owners, and modes that say nothing of others.
        if os.name == "posix" and (status.st_uid != os.geteuid() or status.st_mode & (S_IWGRP | S_IWOTH)):
            return False
    return True


# What an open project was before, and will be again: its history, of states that it can still have.


class Past:
    """The history of a project; see `toolbox.app.project.past`.

    Parameters
    ----------
    folder : path, optional
        Where it is kept; None: only in memory.
    reach : Reach
        No state that names other files comes back.
    """

    def __init__(self, folder: Path | None, reach: Reach) -> None:
        self._folder = folder
        self._reach = reach
        self._history = History(None, asdict, dict)

    def begin(self, project: Project, words: str) -> None:
        """Make a project what it was when it was left; one that was changed elsewhere has another history.

        Raises
        ------
        UnreadableError
            If what was kept is not readable: then this is the first state.
        """

        def of_document(document: Mapping[str, Any]) -> Any:
            snapshot = Snapshot(**document)
            try:
                project.copy().restore(snapshot)
            except ToolboxError:
                raise UnreadableError(FOLDER) from None
            return snapshot

        begun, folder = project.snapshot(), project.path.parent

        def is_begun(snapshot: Snapshot) -> bool:
            # Somebody may have corrected a hierarchy in its file.
            texts = snapshot.hierarchies.items()
            return snapshot.xml == begun.xml and all(_holds(folder / name, text) for name, text in texts)

        history = self._history = History(self._folder, asdict, of_document)
        is_known = False
        try:
            is_known = (
                history.load() and history.knows(is_begun) and self._find_snapshot_fault(project, history.now) is None
            )
        finally:
            if is_known:
                project.restore(history.now)
            else:
                history.clear()
                history.add(words, begun)

    def add(self, words: str, snapshot: Snapshot) -> None:
        """Remember a state, and the words of the change that has led to it."""
        self._history.add(words, snapshot)

    def undo(self, project: Project) -> str | None:
        """Take back the last change; return its words.

        Raises
        ------
        ToolboxError
            If the state before names a file that is out of reach; nothing is changed.
        """
        return self._record_step(project, self._history.undo, self._history.redo)

    def redo(self, project: Project) -> str | None:
        """Make the last change that was taken back again; return its words.

        Raises
        ------
        ToolboxError
            If the state after it names a file that is out of reach; nothing is changed.
        """
        return self._record_step(project, self._history.redo, self._history.undo)

    @property
    def undoes(self) -> str | None:
        """Words of the change that `undo` takes back."""
        return self._history.undoes

    @property
    def redoes(self) -> str | None:
        """Words of the change that `redo` makes again."""
        return self._history.redoes

    def _record_step(
        self, project: Project, step: Callable[[], HistoryEntry | None], back: Callable[[], object]
    ) -> str | None:
        entry = step()
        if entry is None:
            return None
        if fault := self._find_snapshot_fault(project, self._history.now):
            back()
            raise fault
        project.restore(self._history.now)
        return entry.words

    def _find_snapshot_fault(self, project: Project, snapshot: Snapshot) -> ToolboxError | None:
        """Return why a project cannot be what a snapshot says: it is no configuration, or names a file out of reach."""
        restored = project.copy()
        try:
            restored.restore(snapshot)
            self._reach.require(restored)
        except ToolboxError as error:
            return error
        return None


def _holds(path: Path, text: str) -> bool:
    with suppress(OSError):
        return path.read_bytes() == text.encode()
    return False
