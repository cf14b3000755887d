"""What an open project was before, and will be again: its history, of states that it can still have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolbox import Snapshot
from toolbox.app.documents import UnreadableError
from toolbox.app.history import Entry, History
from toolbox.app.keeping import FOLDER
from toolbox.app.reach import Reach
from toolbox.errors import ToolboxError

if TYPE_CHECKING:
    from toolbox import Project


class Past:
    """The history of a project; see `toolbox.app.history`.

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

        begun = project.snapshot()
        history = self._history = History(self._folder, asdict, of_document)
        is_known = False
        try:
            is_known = history.load() and history.knows(begun.xml) and self._fault_of(project, history.now) is None
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
        return self._stepped(project, self._history.undo, self._history.redo)

    def redo(self, project: Project) -> str | None:
        """Make the last change that was taken back again; return its words.

        Raises
        ------
        ToolboxError
            If the state after it names a file that is out of reach; nothing is changed.
        """
        return self._stepped(project, self._history.redo, self._history.undo)

    @property
    def undoes(self) -> str | None:
        """Words of the change that `undo` takes back."""
        return self._history.undoes

    @property
    def redoes(self) -> str | None:
        """Words of the change that `redo` makes again."""
        return self._history.redoes

    def _stepped(self, project: Project, step: Callable[[], Entry | None], back: Callable[[], object]) -> str | None:
        entry = step()
        if entry is None:
            return None
        if fault := self._fault_of(project, self._history.now):
            back()
            raise fault
        project.restore(self._history.now)
        return entry.words

    def _fault_of(self, project: Project, snapshot: Snapshot) -> ToolboxError | None:
        """Return why a project cannot be what a snapshot says: it is no configuration, or names a file out of reach."""
        restored = project.copy()
        try:
            restored.restore(snapshot)
            self._reach.require(restored)
        except ToolboxError as error:
            return error
        return None
