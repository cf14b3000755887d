"""One open project: what can be undone, what was tried, and the processes that compute for it and for nothing else."""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolbox.app.addresses import parse_small_number
from toolbox.app.children.project_session import ProjectSession, Work, list_all_stamps
from toolbox.app.children.runs import Report, Runs
from toolbox.app.project.documents import UnreadableError, open_file_safely
from toolbox.app.project.files import Reach
from toolbox.app.project.past import FOLDER, Past, make_past_folder
from toolbox.app.project.variants import PreviewVariant, Variants
from toolbox.errors import UsageError
from toolbox.messages import mark, say

if TYPE_CHECKING:
    from toolbox import Project

_APPENDS = os.O_WRONLY | os.O_CREAT | os.O_APPEND
_UNREADABLE = mark("What could be undone was not readable, and was left out.")
_NOT_OURS = mark(
    "The folder %(folder)s beside the project cannot be made, is a link, or somebody else may write into it. So "
    "nothing of it was read, and what is done now will be forgotten at the end, unless it is saved. Delete it, and "
    "begin again."
)
_UNSAVED = mark("Changes that were not saved are there again. Undo takes them back.")


class OpenProject:
    """A project from when it is opened until another one is. Only the thread of the event loop uses it.

    Whoever has begun something with it goes on with it: what is found belongs to this project, also if another one was
    opened meanwhile.

    Parameters
    ----------
    project : Project
        As its files say; it becomes what it was when it was left, if nobody else has changed it since.
    reach : Reach
        The files that it may name.
    words : str
        What people call this: "Opened people.csv".
    """

    def __init__(self, project: Project, reach: Reach, words: str) -> None:
        self.project = project
        self.folder = project.path.parent
        self._reach = reach
        self._kept = make_past_folder(self.folder)
        """The folder of what is remembered; None: nothing is."""
        self._past = Past(None if self._kept is None else self._kept / "history", reach)
        self.variants = Variants(None if self._kept is None else self._kept / "variants.json")
        self.runs = Runs()
        """Releases, and what is said of them."""
        self.of_screens: dict[type, Any] = {}
        """What screens keep as long as it is open, by its type."""
        self._session = ProjectSession()
        self.forms = asyncio.Lock()
        """Lets one form be taken after the other; what a form does then takes its turn among all changes."""
        self._editing = asyncio.Lock()
        self._mark = secrets.token_hex(8)
        self._changes: list[str] = []
        """What was done to it since it is open, in words."""
        self._ours: set[int] = set()
        """Which of these complete what somebody has changed before."""
        self._tried = ""
        """The fingerprint of the project whose preview was begun last."""
        self._is_closed = False
        self.notice = self._restore_past(words)
        """What the first page says of how it was opened."""

    def _restore_past(self, words: str) -> str:
        """Take up what was kept beside the project; return what is to be said of that."""
        begun = self.project.snapshot()
        loads = (lambda: self._past.begin(self.project, words), self.variants.load, lambda: self.runs.open(self._kept))
        unreadable = [load for load in loads if not _is_readable(load)]
        if self._kept is None:
            return say(_NOT_OURS, folder=FOLDER)
        if unreadable:
            return _UNREADABLE
        return "" if self.project.snapshot() == begun or self.is_saved else _UNSAVED

    # The project

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Hold the lock of the project, so that changes follow each other.

        Raises
        ------
        UsageError
            If another project is open when the turn comes.
        """
        async with self._editing:
            self._require_open()
            yield

    def _require_open(self) -> None:
        if self._is_closed:
            raise UsageError(
                say("Another project was opened meanwhile, so nothing was done. Do it again if it is for this one.")
            )

    async def change(self, words: str, edit: Callable[[Project], object], *, is_ours: bool = False) -> None:
        """Change the project, so that it can be undone.

        Parameters
        ----------
        words : str
            What people call the change: "Role of age".
        edit : callable
            Changes the project that it is given. If it raises, the project is as it was.
        is_ours : bool
            Whether the application completes by it what somebody has changed before.

        Raises
        ------
        ToolboxError
            What `edit` raises.
        """
        async with self._alone():
            # A page that is shown meanwhile must not see half of the change.
            changed = self.project.copy()
            await asyncio.to_thread(edit, changed)
            await asyncio.to_thread(self._reach.require, changed)
            after = changed.snapshot()
            if after != self.project.snapshot():
                self.project.restore(after)
                self._past.add(words, after)
                self._ours |= {len(self._changes)} if is_ours else set()
                self._changes.append(words)

    async def save(self) -> Path:
        """Write the project to its folder, with its hierarchies; return the file of its configuration.

        Raises
        ------
        ToolboxError
            If it cannot be written.
        """
        async with self._alone():
            await asyncio.to_thread(self.project.save)
            return self.project.path

    async def undo(self) -> str | None:
        """Take back the last change; return its words."""
        async with self._alone():
            return self._record_step(mark("Undone: %(words)s"), self._past.undo(self.project))

    async def redo(self) -> str | None:
        """Make the last change that was taken back again; return its words."""
        async with self._alone():
            return self._record_step(mark("Done again: %(words)s"), self._past.redo(self.project))

    def _record_step(self, done: str, words: str | None) -> str | None:
        if words is not None:
            self._changes.append(say(done, words=words))
        return words

    @property
    def version(self) -> str:
        """Another one after each change, and each time that the project is opened."""
        return f"{self._mark}-{len(self._changes)}"

    def list_changes_since(self, version: str) -> list[str] | None:
        """Return what was done since a version, in words; None where that was of another project, or another time."""
        mark, _, number = version.rpartition("-")
        at = parse_small_number(number)
        return self._changes[at:] if mark == self._mark and at is not None else None

    def has_shown(self, version: str) -> bool:
        """Return whether a page of a version shows all changes but those by which we have completed others."""
        count, since = len(self._changes), self.list_changes_since(version) or []
        return version == self.version or (bool(since) and self._ours.issuperset(range(count - len(since), count)))

    @property
    def undoes(self) -> str | None:
        """Words of the change that `undo` takes back."""
        return self._past.undoes

    @property
    def redoes(self) -> str | None:
        """Words of the change that `redo` makes again."""
        return self._past.redoes

    @property
    def is_saved(self) -> bool:
        """Whether the files say what the project says."""
        return self.project.is_saved

    @property
    def k(self) -> int:
        """The smallest class that the project asks for; 5 where it does not say."""
        return next((int(model["k"]) for model in self.project.models if "k" in model), 5)

    @property
    def variant(self) -> PreviewVariant | None:
        """The last preview of what the project is; None if that was not tried."""
        return self.variants.find_made_by(self.fingerprint)

    @property
    def shown(self) -> PreviewVariant | None:
        """What screens show of the previews: what the project is; until that is tried, the last one."""
        return self.variant or self.variants.last

    @property
    def fingerprint(self) -> str:
        """What changes with everything that a release depends on: what the project says, and the files of its table."""
        return _compute_fingerprint(self.project)

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
        self._require_open()
        return await self._session.ask(self.project, method, arguments)

    async def compute(self, words: str, method: str, /, *, is_new: bool = False, **arguments: Any) -> Any:
        """Call a method of the session that may take long, as `ProjectSession.compute` says."""
        self._require_open()
        return await self._session.compute(self.project, words, method, arguments, is_new=is_new)

    async def preview(self, edit: Callable[[Project], object] = lambda _: None, *, is_whole: bool = False) -> None:
        """Begin a run of what the project says; it becomes a variant when it has ended. One that is at work ends.

        Parameters
        ----------
        edit : callable
            Changes the project that is tried. The one that is open stays as it is, until the variant is taken up.
        is_whole : bool
            Whether all records are run, however long that takes; else a sample where nearly all of them differ.

        Raises
        ------
        ToolboxError
            With all faults of the project; or what `edit` raises.
        """
        async with self._alone():
            tried = self.project.copy()
            edit(tried)
            self._reach.require(tried)
            facts = {"fingerprint": _compute_fingerprint(tried), "snapshot": asdict(tried.snapshot())}

            def keep(words: str, document: Mapping[str, Any], seconds: float) -> int:
                return self.variants.add(words=words, seconds=seconds, document=document, **facts).number

            self._tried = self.fingerprint
            await self._session.preview(tried, keep, is_whole=is_whole)

    async def cancel(self) -> None:
        """End what the session is doing; nothing of it is left."""
        await self._session.cancel()

    @property
    def work(self) -> Work | None:
        """Of the session: what is at work, or what was last."""
        return self._session.work

    @property
    def failed(self) -> Work | None:
        """The last work of the session, if it has failed; a preview only as long as the project is what was tried."""
        work = self.work
        if work is None or work.error is None or work.is_cancelled:
            return None
        return None if work.name == "run" and self._tried != self.fingerprint else work

    @property
    def is_unread(self) -> bool:
        """Whether the reading of the table was cancelled, and nobody has wanted it since."""
        return self._session.is_unread

    def read(self) -> None:
        """Forget the table; the next question reads it again."""
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
        async with self._alone():
            await asyncio.to_thread(self.project.save)
            into = (self.folder / self.project.output["filename"]).parent
            self.runs.release(self.project.path, report, self.fingerprint, into, self.project.key_file)

    @property
    def released_state(self) -> str:
        """How far the last step is."""
        if self.runs.released is None:
            return "to do"
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
                descriptor = open_file_safely(self._kept / "log", _APPENDS)
                with os.fdopen(descriptor, "a", encoding="utf-8") as stream:
                    stream.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {line}\n")

    async def close(self) -> None:
        """End all processes, when nobody changes the project any more; nothing of them is left."""
        async with self._editing:
            self._is_closed = True
            await self.runs.cancel()
            await self._session.close()


def _compute_fingerprint(project: Project) -> str:
    return hashlib.sha256(repr((project.snapshot(), list_all_stamps(project))).encode()).hexdigest()


def _is_readable(load: Callable[[], object]) -> bool:
    """Return whether nothing that was kept had to be left out."""
    try:
        load()
    except UnreadableError:
        return False
    return True
