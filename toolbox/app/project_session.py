"""The session of the open project: opened when something is asked, and again when the project needs another one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from toolbox.app.session_config import run_hierarchies, run_levels, session_config, with_no_place
from toolbox.app.session_process import SessionProcess, WorkerGoneError
from toolbox.app.stamps import Stamps, stamps_of
from toolbox.app.variants import METRICS
from toolbox.app.work import BusyError, Work
from toolbox.errors import CancelledError, ToolboxError

if TYPE_CHECKING:
    from toolbox import Config, Project, Snapshot, Variant

_PATIENCE = 0.4
"""Seconds that a page waits for a work before it shows how far that is."""
_CANCELLED_WITHIN = 2.0
"""Seconds that a cancelled run has to end itself, before its process is ended."""
_MOST_HELD = 8
"""Variants whose records can be looked at; of others the figures are left."""


class _Wanted(NamedTuple):
    """What a session is opened with; where it differs, another one is opened."""

    config: Config
    stamps: Stamps
    """Of its tables: they may have been changed since."""


class UnreadError(ToolboxError):
    """Somebody has cancelled the reading of the table; it is read again when somebody wants it."""

    def __str__(self) -> str:
        return "The table is not read: that was cancelled."


class ProjectSession:
    """Asks a session in a process of its own, one call after the other."""

    def __init__(self) -> None:
        self.work: Work | None = None
        """What is at work, or what was last."""
        self._process = SessionProcess()
        self._opened: _Wanted | None = None
        """What the session was opened with."""
        self._bare: tuple[tuple[Snapshot, Stamps], Config] | None = None
        """What a session of a state of the project and its table is opened with."""
        self._held: dict[int, int] = {}
        """The numbers by which the session knows variants."""
        self._unwanted: _Wanted | None = None
        """What shall not be opened by itself again, since somebody has cancelled that."""
        self._calling = asyncio.Lock()
        self._in_turn: Work | None = None
        """What the process is at work for; what waits behind another call is not."""

    @property
    def is_unread(self) -> bool:
        """Whether the table waits until somebody wants it to be read."""
        return self._unwanted is not None

    def read(self) -> None:
        """Let the table be read again."""
        self._unwanted = None

    async def ask(self, project: Project, method: str, arguments: Mapping[str, Any]) -> Any:
        """Call a method of the session.

        Raises
        ------
        BusyError
            If the session is being opened, or a run is at work, and that takes long.
        ToolboxError
            What the method raises.
        """
        try:
            return await self._asked(project, method, arguments)
        except WorkerGoneError:
            return await self._asked(project, method, arguments)

    async def _asked(self, project: Project, method: str, arguments: Mapping[str, Any]) -> Any:
        while True:
            wanted = await self._be_ready(project)
            async with self._calling:
                # While this waited for its turn, the process may have ended, or another session been opened.
                if self._is_open(wanted):
                    return await self._process.call(method, arguments, _nobody)

    async def preview(self, project: Project, keep: Callable[[str, Variant, float], int]) -> None:
        """Begin a run of what a project says; one that is at work ends.

        Parameters
        ----------
        keep : callable
            Is given the words of the run, its variant, and its seconds; gives the variant a number.

        Raises
        ------
        ConfigurationError
            With all faults of the project.
        """
        if self.work is not None and self.work.name == "run":
            await self.cancel()
        # A copy, as the project may be changed while this goes on; and a preview writes nothing.
        project = with_no_place(project)
        config = await asyncio.to_thread(project.config)
        hierarchies = await asyncio.to_thread(run_hierarchies, project)
        wanted, words = await self._wanted(project), tried_words(config)
        of_columns = {"hierarchies": hierarchies, "levels": run_levels(project)}
        asked = {**_of_run(config), **of_columns, "metrics": METRICS, "keep": True}

        async def run(work: Work) -> None:
            if not self._is_open(wanted):
                await self._open(wanted, work)
            try:
                variant = await self._called("run", asked, work)
            except WorkerGoneError:
                # A process that has died before shows that only now; one that died of this run would do so again.
                if work.step:
                    raise
                await self._open(wanted, work)
                variant = await self._called("run", asked, work)
            await self._hold(keep(words, variant, work.seconds), variant.number)

        self._start(Work("run", f"Preview {words}"), run)

    def held(self, number: int) -> int | None:
        """Return the number by which the session knows a variant; None if it has forgotten its records."""
        return self._held.get(number) if self._process.is_alive else None

    async def _hold(self, number: int, held: int) -> None:
        """Note by which number the session knows a variant; of the first of too many it forgets the records."""
        self._held[number] = held
        while len(self._held) > _MOST_HELD:
            oldest = next(iter(self._held))
            with suppress(WorkerGoneError):  # it has forgotten everything
                await self._process.call("drop", {"variant": self._held.pop(oldest)}, _nobody)

    async def cancel(self) -> None:
        """End what is at work; nothing of it is left."""
        work = self.work
        if work is None or work.is_over or work.task is None:
            return
        work.is_cancelling = True
        if work is not self._in_turn:
            # The call before it is somebody else's, and goes on. The work hears it when its turn comes.
            await asyncio.wait([work.task], timeout=_CANCELLED_WITHIN)
            return
        if work.name == "run":
            self._process.cancel()
            await asyncio.wait([work.task], timeout=_CANCELLED_WITHIN)
        if not work.is_over:
            await self._process.end()
            await asyncio.wait([work.task])

    async def close(self) -> None:
        """End the process for good; nothing of it is left."""
        await self.cancel()
        await self._process.close()

    async def _be_ready(self, project: Project) -> _Wanted:
        """Wait until the session has what the project is, and nothing else is at work; return what it has."""
        while True:
            await self._wait_for_work()
            wanted = await self._wanted(project)
            if self.work is not None and not self.work.is_over:
                continue
            if self._is_open(wanted):
                return wanted
            if wanted == self._unwanted:
                raise UnreadError
            work = self._start(Work("open", f"Read {_named(wanted.config)}"), partial(self._open, wanted))
            await self._wait_for_work()
            if work.error is not None:
                raise work.error

    async def _wait_for_work(self) -> None:
        work = self.work
        if work is not None and work.task is not None and not work.is_over:
            await asyncio.wait([work.task], timeout=_PATIENCE)
            if not work.is_over:
                raise BusyError(work)

    async def _wanted(self, project: Project) -> _Wanted:
        known = project.snapshot(), stamps_of(project)
        if self._bare is None or self._bare[0] != known:
            self._bare = known, await asyncio.to_thread(session_config, project.copy())
        return _Wanted(self._bare[1], known[1])

    def _is_open(self, wanted: _Wanted) -> bool:
        return self._process.is_alive and wanted == self._opened

    async def _open(self, wanted: _Wanted, work: Work) -> None:
        try:
            work.require_wanted()
            self._opened = self._unwanted = None
            self._held.clear()
            await self._process.call("open", {"source": wanted.config, "records": True}, work.told)
        except CancelledError:
            self._unwanted = wanted
            raise
        self._opened = wanted

    async def _called(self, method: str, arguments: Mapping[str, Any], work: Work) -> Any:
        work.require_wanted()
        return await self._process.call(method, arguments, work.told)

    def _start(self, work: Work, doing: Callable[[Work], Coroutine[Any, Any, None]]) -> Work:
        """Start work in the background, after the call that runs now."""

        async def in_turn(work: Work) -> None:
            async with self._calling:
                self._in_turn = work
                try:
                    await doing(work)
                finally:
                    self._in_turn = None

        self.work = work
        work.begin(in_turn)
        return work


def tried_words(config: Config) -> str:
    """Return what people call a run: "Mondrian, k = 5"."""
    parameters = [pair for requirement in config.requirements for pair in requirement.parameters.items()]
    return ", ".join((config.method, *(f"{name} = {value}" for name, value in parameters)))


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


def _named(config: Config) -> str:
    return "the table" if config.input is None else config.input.path.name


def _nobody(_: object) -> None:
    """Ignore progress."""
