"""The workplace: the open project, what can be undone, what was tried, and the processes that compute for it."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolbox import Project
from toolbox.app.history import History
from toolbox.app.looks import Looks
from toolbox.app.runs import Runs
from toolbox.app.session_config import run_hierarchies, session_config
from toolbox.app.session_process import SessionProcess, WorkerGoneError
from toolbox.app.variants import METRICS, KeptVariant, Variants
from toolbox.app.work import BusyError, Work
from toolbox.errors import UsageError

if TYPE_CHECKING:
    from toolbox import Config, Snapshot

FOLDER = ".toolbox-app"
"""Beside the project: what can be undone, what was tried, and the log."""
_PATIENCE = 0.4
"""Seconds that a page waits for a work before it shows how far that is."""
_MOST_HELD = 8
"""Variants whose records can be looked at; of others the figures are left."""
_CANCELLED_WITHIN = 2.0
"""Seconds that a cancelled run has to end itself, before its process is ended."""


class Workplace:
    """What one start of the application has open. Only the thread of the event loop uses it.

    Parameters
    ----------
    root : path
        Files are looked for below it, and nowhere else.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.project: Project | None = None
        self.folder: Path | None = None
        """Of the project."""
        self.variants = Variants()
        self.work: Work | None = None
        """Of the session: what is at work, or what was last."""
        self.notice = ""
        """What the next page says at its top, once."""
        self.touched = time.monotonic()
        """When somebody last asked for something."""
        self.is_ending = False
        self._history = History(None, asdict, dict)
        self.looks = Looks()
        """What was found out of tables before any session."""
        self.runs = Runs()
        """Releases, and what is said of them."""
        self._session = SessionProcess()
        self._opened: Config | None = None
        """What the session was opened with."""
        self._bare: tuple[Snapshot, Config] | None = None
        """What a session of a state of the project is opened with."""
        self._held: dict[int, int] = {}
        """The numbers by which the session knows variants."""
        self._calling = asyncio.Lock()
        self._editing = asyncio.Lock()

    # The project

    async def open(self, source: Path) -> None:
        """Open a configuration, or make a project of a table, in a folder beside it.

        Raises
        ------
        ToolboxError
            If it cannot be read; whatever was open stays.
        """
        if source.suffix.lower() == ".xml":
            await self.open_project(source)
        else:
            await self.open_file(source, self.root / f"{source.stem}-project")

    async def open_project(self, xml: Path) -> None:
        """Open a configuration, with what was undone and tried there.

        Raises
        ------
        ToolboxError
            If it cannot be read; whatever was open stays.
        """
        project = await asyncio.to_thread(Project.open, xml)
        self._begin(project, f"Opened {xml.name}")
        if not self.is_saved:
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
        self._begin(await asyncio.to_thread(Project.of_file, data, folder), f"Opened {data.name}")

    def _begin(self, project: Project, words: str) -> None:
        kept = project.path.parent / FOLDER
        kept.mkdir(mode=0o700, parents=True, exist_ok=True)
        begun = project.snapshot()
        history = _history(kept / "history", type(begun))
        # A configuration that was changed elsewhere has another history.
        if history.load() and history.knows(begun.xml):
            project.restore(history.now)
        else:
            history.clear()
            history.add(words, begun)
        self.project, self.folder, self._history = project, kept.parent, history
        self.variants = Variants(kept / "variants.json")
        self.variants.load()
        self.runs.open(kept)
        self.work = None

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
        project = self.opened()
        async with self._editing:
            before = project.snapshot()
            try:
                await asyncio.to_thread(edit, project)
            except BaseException:
                project.restore(before)
                raise
            after = project.snapshot()
            if after != before:
                self._history.add(words, after)

    def save(self) -> Path:
        """Write the project to its folder, with its hierarchies; return the file of its configuration.

        Raises
        ------
        ToolboxError
            If it cannot be written.
        """
        project = self.opened()
        project.save()
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

    def undo(self) -> str | None:
        """Take back the last change; return its words."""
        entry = self._history.undo()
        if entry is not None:
            self.opened().restore(self._history.now)
        return None if entry is None else entry.words

    def redo(self) -> str | None:
        """Make the last change that was taken back again; return its words."""
        entry = self._history.redo()
        if entry is not None:
            self.opened().restore(self._history.now)
        return None if entry is None else entry.words

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
        """What changes with everything that a release depends on."""
        return "" if self.project is None else hashlib.sha256(repr(self.project.snapshot()).encode()).hexdigest()

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
        try:
            return await self._asked(method, arguments)
        except WorkerGoneError:
            return await self._asked(method, arguments)

    async def _asked(self, method: str, arguments: Mapping[str, Any]) -> Any:
        await self._be_ready()
        async with self._calling:
            return await self._session.call(method, arguments, _nobody)

    async def preview(self) -> None:
        """Begin a run of what the project says; it becomes a variant when it has ended. One that is at work ends.

        Raises
        ------
        ConfigurationError
            With all faults of the project.
        """
        if self.work is not None and self.work.name == "run":
            await self.cancel()
        config = await asyncio.to_thread(self.opened().config)
        hierarchies = await asyncio.to_thread(run_hierarchies, self.opened())
        wanted, asked = await self._wanted(), {**_of_run(config), "hierarchies": hierarchies}
        words = tried_words(config)
        facts = {"words": words, "fingerprint": self.fingerprint, "snapshot": asdict(self.opened().snapshot())}

        async def run(work: Work) -> None:
            if not self._is_open(wanted):
                await self._open(wanted, work)
            variant = await self._session.call("run", {"metrics": METRICS, "keep": True, **asked}, work.told)
            kept = self.variants.add(**facts, document=variant.document(), seconds=work.seconds)
            await self._keep(kept.number, variant.number)

        self._start(Work("run", f"Preview {words}"), run)

    async def cancel(self) -> None:
        """End what the session is doing; nothing of it is left."""
        work = self.work
        if work is None or work.is_over or work.task is None:
            return
        work.is_cancelling = True
        if work.name == "run":
            self._session.cancel()
            await asyncio.wait([work.task], timeout=_CANCELLED_WITHIN)
        if not work.is_over:
            await self._session.end()
            await asyncio.wait([work.task])

    async def _wait_for_work(self) -> None:
        work = self.work
        if work is not None and work.task is not None and not work.is_over:
            await asyncio.wait([work.task], timeout=_PATIENCE)
            if not work.is_over:
                raise BusyError(work)

    async def _be_ready(self) -> None:
        """Wait until the session has what the project is, and nothing else is at work."""
        while True:
            await self._wait_for_work()
            wanted = await self._wanted()
            if self.work is not None and not self.work.is_over:
                continue
            if self._is_open(wanted):
                return
            work = self._start(Work("open", f"Read {_named(wanted)}"), partial(self._open, wanted))
            await self._wait_for_work()
            if work.error is not None:
                raise work.error

    async def _wanted(self) -> Config:
        snapshot = self.opened().snapshot()
        if self._bare is None or self._bare[0] != snapshot:
            self._bare = snapshot, await asyncio.to_thread(session_config, self.opened())
        return self._bare[1]

    def _is_open(self, wanted: Config) -> bool:
        return self._session.is_alive and wanted == self._opened

    async def _keep(self, number: int, held: int) -> None:
        """Note by which number the session knows a variant; of the first of too many it forgets the records."""
        self._held[number] = held
        while len(self._held) > _MOST_HELD:
            oldest = next(iter(self._held))
            await self._session.call("drop", {"variant": self._held.pop(oldest)}, _nobody)

    def held(self, number: int) -> int | None:
        """Return the number by which the session knows a variant; None if it has forgotten its records."""
        return self._held.get(number) if self._session.is_alive else None

    async def _open(self, wanted: Config, work: Work) -> None:
        self._opened = None
        self._held.clear()
        await self._session.call("open", {"source": wanted, "records": True}, work.told)
        self._opened = wanted

    def _start(self, work: Work, doing: Callable[[Work], Coroutine[Any, Any, None]]) -> Work:
        """Let a work of the session go on while pages are answered, behind the call that is at work."""

        async def in_turn(work: Work) -> None:
            async with self._calling:
                await doing(work)

        self.work = work
        work.begin(in_turn)
        return work

    # Releases

    async def release(self, options: Sequence[str]) -> None:
        """Save the project, and begin a release of it.

        Parameters
        ----------
        options : sequence of str
            Of the command, besides the configuration.

        Raises
        ------
        ToolboxError
            If the project cannot be saved, or a run is at work.
        """
        path = self.save()
        self.runs.release(path, options, self.fingerprint)

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

    async def close(self) -> None:
        """End all processes; nothing of them is left."""
        await self.runs.cancel()
        await self.cancel()
        await self._session.end()


def _nobody(_: object) -> None:
    """Tell nobody."""


def _named(config: Config) -> str:
    return "the table" if config.input is None else config.input.path.name


def _of_run(config: Config) -> dict[str, Any]:
    """Return what a run depends on, besides the session; see `session_worker`."""
    limit = config.suppression_threshold
    return {
        **config.settings,
        "method": config.method,
        "requirements": config.requirements,
        "suppression_threshold": limit if limit is None or isinstance(limit, int) else f"{limit.amount}%",
        "seed": config.seed,
    }


def tried_words(config: Config) -> str:
    """Return what people call a run: "Mondrian, k = 5"."""
    parameters = [pair for requirement in config.requirements for pair in requirement.parameters.items()]
    return ", ".join((config.method, *(f"{name} = {value}" for name, value in parameters)))


def _history(folder: Path, snapshot: type[Any]) -> History:
    return History(folder, asdict, lambda document: snapshot(**document))
