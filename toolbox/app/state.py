"""The workplace: the open project, what can be undone, what was tried, and the processes that compute for it."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolbox import Project
from toolbox.app.documents import UnreadableError, opened
from toolbox.app.files import project_folder
from toolbox.app.history import Entry, History
from toolbox.app.keeping import FOLDER, kept_folder
from toolbox.app.looks import Looks
from toolbox.app.project_session import ProjectSession
from toolbox.app.reach import Reach
from toolbox.app.runs import Report, Runs
from toolbox.app.stamps import stamps
from toolbox.app.variants import KeptVariant, Variants
from toolbox.app.work import Work
from toolbox.errors import ToolboxError, UsageError

if TYPE_CHECKING:
    from toolbox import Variant

_APPENDS = os.O_WRONLY | os.O_CREAT | os.O_APPEND
_UNREADABLE = "What could be undone was not readable, and was left out."
_NOT_OURS = (
    f"The folder {FOLDER} beside the project cannot be made, is a link, or somebody else may write into it. So nothing "
    "of it was read, and what is done now will be forgotten at the end, unless it is saved. Delete it, and begin again."
)


class Workplace:
    """What one start of the application has open. Only the thread of the event loop uses it.

    Parameters
    ----------
    root : path
        Files are looked for below it, and nowhere else.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._reach = Reach(root)
        self.project: Project | None = None
        self.folder: Path | None = None
        """Of the project."""
        self.variants = Variants()
        self.notice = ""
        """What the next page says at its top, once."""
        self.touched = time.monotonic()
        """When somebody last asked for something."""
        self.is_ending = False
        self._kept: Path | None = None
        """The folder of what is remembered; None: nothing is."""
        self._history = History(None, asdict, dict)
        self.looks = Looks()
        """What was found out of tables before any session."""
        self.runs = Runs()
        """Releases, and what is said of them."""
        self._session = ProjectSession()
        self._editing = asyncio.Lock()

    # The project

    async def open(self, source: Path, *, is_of_owner: bool = False) -> None:
        """Open a configuration, or make a project of a table, in a folder beside it.

        Parameters
        ----------
        source : path
        is_of_owner : bool
            Whether the command line names it: then the files that a configuration names may be anywhere.

        Raises
        ------
        ToolboxError
            If it cannot be read; whatever was open stays.
        """
        if source.suffix.lower() == ".xml":
            if is_of_owner:
                self._reach.grant(Project.open(source).named_files())
            await self.open_project(source)
        else:
            await self.open_file(source, project_folder(self.root, source))

    async def open_project(self, xml: Path) -> None:
        """Open a configuration, with what was undone and tried there.

        Raises
        ------
        ToolboxError
            If it cannot be read; whatever was open stays.
        """
        project = await asyncio.to_thread(Project.open, xml)
        await self._begin(project, f"Opened {xml.name}")
        if not self.is_saved and not self.notice:
            self.notice = "Changes that were not saved are there again. Undo takes them back."

    async def open_file(self, data: Path, folder: Path) -> None:
        """Make a project of a table, in a folder; or go on with the one that is there.

        Raises
        ------
        ToolboxError
            If it cannot be read; whatever was open stays.
        """
        if (folder / "project.xml").exists():
            await self.open_project(folder / "project.xml")
            return
        await self._begin(await asyncio.to_thread(Project.of_file, data, folder), f"Opened {data.name}")

    async def _begin(self, project: Project, words: str) -> None:
        self._reach.require(project)
        async with self._editing:
            # What is at work belongs to the project that was open: it neither goes on unseen nor becomes part of this.
            await self.runs.cancel()
            await self._session.cancel()
            self._take_up(project, words)

    def _take_up(self, project: Project, words: str) -> None:
        kept = kept_folder(project.path.parent)
        begun = project.snapshot()
        history = _history(None if kept is None else kept / "history", project)
        # A configuration that was changed elsewhere has another history.
        readable = _taken_up(history.load)
        if readable and history.knows(begun.xml) and self._fault_of(project, history.now) is None:
            project.restore(history.now)
        else:
            history.clear()
            history.add(words, begun)
        self.project, self.folder, self._history = project, project.path.parent, history
        self.variants = Variants(None if kept is None else kept / "variants.json")
        readable &= _taken_up(self.variants.load) & _taken_up(lambda: self.runs.open(kept))
        self._kept, self.notice = kept, _NOT_OURS if kept is None else self.notice if readable else _UNREADABLE
        self._session.forget()

    def _fault_of(self, project: Project, snapshot: Any) -> ToolboxError | None:
        """Return why a project cannot be what a snapshot says: it is no configuration, or names a file out of reach."""
        restored = project.copy()
        try:
            restored.restore(snapshot)
            self._reach.require(restored)
        except ToolboxError as error:
            return error
        return None

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[Project]:
        """Give the project to one after the other, so that nobody changes it between.

        Raises
        ------
        UsageError
            If none is open, or another one when the turn comes.
        """
        project = self.opened()
        async with self._editing:
            if project is not self.project:
                raise UsageError(
                    "Another project was opened meanwhile, so nothing was done. Do it again if it is for this one."
                )
            yield project

    async def change(self, words: str, edit: Callable[[Project], object]) -> None:
        """Change the project, so that it can be undone.

        Parameters
        ----------
        words : str
            What people call the change: "Role of age".
        edit : callable
            Changes the project that it is given. If it raises, the project is as it was.

        Raises
        ------
        ToolboxError
            What `edit` raises.
        """
        async with self._alone() as project:
            # A page that is shown meanwhile must not see half of the change.
            changed = project.copy()
            await asyncio.to_thread(edit, changed)
            await asyncio.to_thread(self._reach.require, changed)
            after = changed.snapshot()
            if after != project.snapshot():
                project.restore(after)
                self._history.add(words, after)

    async def save(self) -> Path:
        """Write the project to its folder, with its hierarchies; return the file of its configuration.

        Raises
        ------
        ToolboxError
            If it cannot be written.
        """
        async with self._alone() as project:
            await asyncio.to_thread(project.save)
            return project.path

    @property
    def is_saved(self) -> bool:
        """Whether the files say what the project says."""
        return self.project is not None and self.project.is_saved

    @property
    def k(self) -> int:
        """The smallest class that the project asks for; 5 where it does not say."""
        return next((int(model["k"]) for model in self.opened().models if "k" in model), 5)

    @staticmethod
    def restore(project: Project, variant: KeptVariant) -> None:
        """Make a project what it was when it made a variant."""
        project.restore(type(project.snapshot())(**variant.snapshot))

    @property
    def undoes(self) -> str | None:
        """Words of the change that `undo` takes back."""
        return self._history.undoes

    @property
    def redoes(self) -> str | None:
        """Words of the change that `redo` makes again."""
        return self._history.redoes

    async def undo(self) -> str | None:
        """Take back the last change; return its words."""
        async with self._alone() as project:
            return self._stepped(project, self._history.undo, self._history.redo)

    async def redo(self) -> str | None:
        """Make the last change that was taken back again; return its words."""
        async with self._alone() as project:
            return self._stepped(project, self._history.redo, self._history.undo)

    def _stepped(self, project: Project, step: Callable[[], Entry | None], back: Callable[[], object]) -> str | None:
        """Go to another state of the history, unless that names a file that is out of reach; return its words."""
        entry = step()
        if entry is None:
            return None
        if fault := self._fault_of(project, self._history.now):
            back()
            raise fault
        project.restore(self._history.now)
        return entry.words

    def opened(self) -> Project:
        """Return the project.

        Raises
        ------
        UsageError
            If none is open.
        """
        if self.project is None:
            raise UsageError("No project is open. Begin with step 1, Data.")
        return self.project

    @property
    def fingerprint(self) -> str:
        """What changes with everything that a release depends on: what the project says, and the files of its table."""
        if self.project is None:
            return ""
        said = self.project.snapshot(), stamps(self.project.source)
        return hashlib.sha256(repr(said).encode()).hexdigest()

    # The session

    async def ask(self, method: str, /, **arguments: Any) -> Any:
        """Call a method of the session; the session is opened first if the project needs it.

        Raises
        ------
        BusyError
            If the session is being opened, or a run is at work, and that takes long.
        ToolboxError
            What the method raises.
        """
        return await self._session.ask(self.opened(), method, arguments)

    async def preview(self) -> None:
        """Begin a run of what the project says; it becomes a variant when it has ended. One that is at work ends.

        Raises
        ------
        ConfigurationError
            With all faults of the project.
        """
        async with self._alone() as project:
            variants, fingerprint, snapshot = self.variants, self.fingerprint, asdict(project.snapshot())

            def keep(words: str, variant: Variant, seconds: float) -> int:
                facts = {"fingerprint": fingerprint, "snapshot": snapshot, "document": variant.document()}
                return variants.add(words=words, seconds=seconds, **facts).number

            await self._session.preview(project, keep)

    async def cancel(self) -> None:
        """End what the session is doing; nothing of it is left."""
        await self._session.cancel()

    @property
    def work(self) -> Work | None:
        """Of the session: what is at work, or what was last."""
        return self._session.work

    @property
    def is_unread(self) -> bool:
        """Whether the reading of the table was cancelled, and nobody has wanted it since."""
        return self._session.is_unread

    def read(self) -> None:
        """Let the table be read again, when something is asked."""
        self._session.read()

    def held(self, number: int) -> int | None:
        """Return the number by which the session knows a variant; None if it has forgotten its records."""
        return self._session.held(number)

    # Releases

    async def release(self, report: Report | None) -> None:
        """Save the project, and begin a release of it.

        Parameters
        ----------
        report : Report, optional
            The page for people that is wanted beside it.

        Raises
        ------
        ToolboxError
            If the project cannot be saved, or a run is at work.
        """
        async with self._alone() as project:
            await asyncio.to_thread(project.save)
            into = (project.path.parent / project.output["filename"]).parent
            self.runs.release(project.path, report, self.fingerprint, into)

    @property
    def released_state(self) -> str:
        """How far the last step is."""
        if self.runs.released is None:
            return "missing"
        return "ready" if self.runs.released.fingerprint == self.fingerprint else "out of date"

    @property
    def works(self) -> list[Work]:
        """What is at work."""
        return [work for work in (self.work, self.runs.work) if work is not None and not work.is_over]

    def work_of(self, slot: str) -> Work | None:
        """Return what the session or the command does, or did last."""
        return self.work if slot == "session" else self.runs.work

    # The end

    def log(self, line: str) -> None:
        """Write a line into the log beside the project, for whoever owns it alone; if that cannot be, go on."""
        if self._kept is not None:
            with suppress(OSError):
                descriptor = opened(self._kept / "log", _APPENDS)
                with os.fdopen(descriptor, "a", encoding="utf-8") as stream:
                    stream.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {line}\n")

    async def close(self) -> None:
        """End all processes; nothing of them is left."""
        await self.runs.cancel()
        await self._session.close()
        await self.looks.close()


def _history(folder: Path | None, project: Project) -> History:
    def of_document(document: Mapping[str, Any]) -> Any:
        snapshot = type(project.snapshot())(**document)
        try:
            project.copy().restore(snapshot)
        except ToolboxError:
            raise UnreadableError(FOLDER) from None
        return snapshot

    return History(folder, asdict, of_document)


def _taken_up(load: Callable[[], object]) -> bool:
    """Return whether nothing that was kept had to be left out."""
    try:
        load()
    except UnreadableError:
        return False
    return True
