"""The session of the open project, opened again when the project or a table changes; and what is at work in it."""

from __future__ import annotations

import asyncio
import glob
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toolbox import Project
from toolbox.app.children.protocol import CANCELLED, ChildProcess, Progress, WorkerGoneError, hide_foreign_words
from toolbox.app.project.variants import METRICS, describe_lattice
from toolbox.errors import CancelledError, ToolboxError, UsageError
from toolbox.hierarchies import builders
from toolbox.messages import mark, say

if TYPE_CHECKING:
    from toolbox import Config, Snapshot


# What a session is opened with: the table and its columns, whatever method and hierarchies the project has just now.
#
# So a hierarchy that is edited does not make the table be read again, and one that no run would take, or a method
# that lacks one, hides nobody's values from the screens that help to mend it. A run is told the hierarchies when it
# begins.

_TOLD_BY_RUN = ("file", "builder")
"""Where hierarchies come from that a run can be told; trees and periods of dates stay with the session."""
_NOWHERE = "no-release-of-a-session.csv"


def build_session_config(project: Project) -> Config:
    """Return the configuration of a session: of two projects that agree in it, one session is enough.

    Raises
    ------
    ToolboxError
        If the table cannot be read, or what is said of its columns is wrong.
    """
    bare = copy_without_output(project)
    for column in bare.columns():
        if column.role != "quasi-identifier":
            continue
        bare.set_levels(column.name)
        if column.hierarchy in ("none", *_TOLD_BY_RUN):
            words = project.hierarchy(column.name)
            bare.remove_hierarchy(column.name)
            # Without a hierarchy, which would say it, a column holds numbers unless its kind is declared.
            bare.set_kind(column.name, column.kind or _find_kind_of_builder(words) or column.looks)
    bare.set_method("Mondrian")
    bare.set_models([{"type": "k-anonymity", "k": 2}])
    # A session keeps no single rows: of persons with all of their rows only a release tells.
    bare.set_option("attacker", None)
    bare.set_option("suppress_by", None)
    # Another format of the release is no other table.
    bare.set_output(format=None)
    return replace(bare.config(), method="Mondrian", settings={}, suppression_threshold=None, seed=None)


def _find_kind_of_builder(hierarchy: object) -> str | None:
    """Return the kind that a builder tells: what it makes of the texts of numbers is no hierarchy of numbers."""
    builder = builders().get(hierarchy.partition(":")[0]) if isinstance(hierarchy, str) else None
    return "category" if builder is not None and builder.takes == "texts" else None


def copy_without_output(project: Project) -> Project:
    """Return a copy that writes nothing that anybody waits for: where a release goes may be wrong, or not said yet."""
    copied = project.copy()
    copied.set_output(filename=project.path.parent / _NOWHERE)
    return copied


def run_hierarchies(project: Project) -> dict[str, str | Sequence[tuple[str, ...]]]:
    """Return the hierarchies that a run is told: of each column its rows, or the words of its builder.

    Raises
    ------
    ToolboxError
        If a file is no hierarchy.
    """
    found = {column: project.hierarchy(column) for column in _list_hierarchy_columns(project)}
    return {column: hierarchy for column, hierarchy in found.items() if hierarchy is not None}


def run_levels(project: Project) -> dict[str, tuple[int, int | None]]:
    """Return the levels between which a run keeps columns."""
    return {one.name: one.levels for one in project.columns() if one.role == "quasi-identifier"}


def _list_hierarchy_columns(project: Project) -> list[str]:
    columns = project.columns()
    return [one.name for one in columns if one.role == "quasi-identifier" and one.hierarchy in _TOLD_BY_RUN]


# What changes when somebody writes to a table, or puts another one there.

Stamps = tuple[tuple[str, int, int, int], ...]
_NOT_DATA = (".", "_")
_MOST = 1000
"""Files that are looked at: a page waits for this."""


def list_all_stamps(project: Project) -> Stamps:
    """Return the stamps of all tables that a project is about: its own, and that of the population."""
    return list_file_stamps([*project.source, *([] if project.population is None else [project.population])])


def list_file_stamps(sources: Iterable[Path]) -> Stamps:
    """Return the name, the size, the time and the inode of each file of a table; of its first thousand, if it has more.

    Parameters
    ----------
    sources : paths
        Files, folders and patterns, as `toolbox.Project.source`. What cannot be read has no stamp.
    """
    found = []
    for file in islice((file for source in sources for file in _find_source_files(source)), _MOST):
        try:
            status = file.stat()
        except OSError:
            continue
        found.append((str(file), status.st_size, status.st_mtime_ns, status.st_ino))
    return tuple(sorted(found))


def _find_source_files(source: Path) -> Iterator[Path]:
    # A name that cannot be one is a fault that whoever reads the table tells.
    with suppress(OSError, ValueError):
        if source.is_dir():
            yield from (path for path in source.rglob("*") if path.is_file() and not _is_hidden(path, source))
        elif source.exists():
            yield source
        else:
            yield from map(Path, glob.iglob(str(source), recursive=True))  # noqa: PTH207 - the pattern may be absolute


def _is_hidden(path: Path, folder: Path) -> bool:
    """Whether a file is no part of the table, such as the log of this application, which each page changes."""
    return any(name.startswith(_NOT_DATA) for name in path.relative_to(folder).parts)


# The session of the open project: opened when something is asked, and again when the project needs another one.

_PATIENCE = 0.4
"""Seconds that a page waits for a work before it shows how far that is."""
_CANCELLED_WITHIN = 2.0
"""Seconds that a cancelled run has to end itself, before its process is ended."""
_SAMPLE = 5_000
"""Records of which a preview is where nearly all differ: each method then takes at most about three seconds."""
_MOST_HELD = 8
"""Variants whose records can be looked at; of others the figures are left."""
_MOST_ANSWERS = 32
"""Answers that are kept of questions that take long."""
_OF_SESSION = ("open", "run", "compute")
"""Works of the session."""
_CAN_BE_CANCELLED = ("run", "compute")
"""Works that end themselves, so that the session goes on."""


_NO_PROFILES = mark(
    "A preview counts combinations, and all rows of a person together are judged on single rows. Keep it without a "
    "preview, and release in step 7; or try it with the attacker who knows single rows."
)

_NO_WHOLE_PERSONS = mark(
    "A preview counts combinations, and all rows of a person are suppressed on single rows. Keep it without a preview, "
    "and release in step 7; or try it with single rows."
)


class _Wanted(NamedTuple):
    """What a session is opened with; where it differs, another one is opened."""

    config: Config
    stamps: Stamps
    """Of its tables: they may have been changed since."""


class UnreadError(ToolboxError):
    """Somebody has cancelled the reading of the table; it is read again when somebody wants it."""

    def __str__(self) -> str:
        return say("The table is not read: that was cancelled.")


class ProjectSession:
    """Asks a session in a process of its own, one call after the other."""

    def __init__(self) -> None:
        self.work: Work | None = None
        """What is at work, or what was last."""
        self._process = ChildProcess("session")
        self._opened: _Wanted | None = None
        """What the session was opened with."""
        self._bare: tuple[tuple[Snapshot, Stamps], Config] | None = None
        """What a session of a state of the project and its table is opened with."""
        self._held: dict[int, int] = {}
        """The numbers by which the session knows variants."""
        self._answers: dict[tuple[str, str], Any] = {}
        """What was computed since the session is open, by method and arguments; or why it was not."""
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
            wanted = await self._wait_until_ready(project)
            async with self._calling:
                # While this waited for its turn, the process may have ended, or another session been opened.
                if self._is_open(wanted):
                    return await self._process.call(method, arguments)

    async def compute(
        self, project: Project, words: str, method: str, arguments: Mapping[str, Any], *, is_new: bool = False
    ) -> Any:
        """Call a method that may take long: pages show how far it is, and it is asked once as long as nothing changes.

        Parameters
        ----------
        words : str
            What people call the work.
        is_new : bool
            Whether it begins again after somebody has cancelled it.

        Raises
        ------
        BusyError
            If it takes longer than a page waits, or something else is at work.
        ToolboxError
            What the method raises; `CancelledError` if somebody has cancelled it.
        """
        wanted = await self._wait_until_ready(project)
        key = method, repr(sorted(arguments.items()))
        if is_new and isinstance(self._answers.get(key), CancelledError):
            del self._answers[key]
        if key not in self._answers:
            self._start(Work("compute", words), partial(self._answer, wanted, key, method, arguments))
            await self._wait_for_work()
        answer = self._answers.get(key, WorkerGoneError())
        if isinstance(answer, ToolboxError):
            raise answer
        return answer

    async def _answer(
        self, wanted: _Wanted, key: tuple[str, str], method: str, arguments: Mapping[str, Any], work: Work
    ) -> None:
        """Keep the answer to a question, or why there is none; a process that has ended may be asked again."""
        if not self._is_open(wanted):
            raise WorkerGoneError
        try:
            answer = await self._call_session(method, arguments, work)
        except WorkerGoneError:
            raise
        except ToolboxError as error:
            self._keep_answer(key, error)
            raise
        self._keep_answer(key, answer)

    def _keep_answer(self, key: tuple[str, str], answer: Any) -> None:
        while len(self._answers) >= _MOST_ANSWERS:
            self._answers.pop(next(iter(self._answers)))
        self._answers[key] = answer

    async def preview(
        self, project: Project, keep: Callable[[str, Mapping[str, Any], float], int], *, is_whole: bool = False
    ) -> None:
        """Begin a run of what a project says; one that is at work ends.

        Parameters
        ----------
        keep : callable
            Is given the words of the run, the document of its variant, and its seconds; gives the variant a number.
        is_whole : bool
            Whether all records are run, however long that takes; else a sample where nearly all of them differ.

        Raises
        ------
        ConfigurationError
            With all faults of the project.
        """
        if self.work is not None and self.work.name == "run":
            await self.cancel()
        # A copy, as the project may be changed while this goes on; and a preview writes nothing.
        project = copy_without_output(project)
        config = await asyncio.to_thread(project.config)
        if config.attacker == "profile":
            raise UsageError(_NO_PROFILES)
        if project.option("suppress_by") == "person":
            raise UsageError(_NO_WHOLE_PERSONS)
        hierarchies = await asyncio.to_thread(run_hierarchies, project)
        wanted, words = await self._find_wanted_session(project), format_run_name(config)
        of_columns = {"hierarchies": hierarchies, "levels": run_levels(project)}
        asked = {**_list_run_inputs(config), **of_columns, "metrics": METRICS, "keep": True, "nodes": True}
        asked["sample"] = None if is_whole else _SAMPLE

        async def run(work: Work) -> None:
            if not self._is_open(wanted):
                await self._open(wanted, work)
            try:
                variant = await self._call_session("run", asked, work)
            except WorkerGoneError:
                # A process that has died before shows that only now; one that died of this run would do so again.
                if work.step:
                    raise
                await self._open(wanted, work)
                variant = await self._call_session("run", asked, work)
            remains = await self._call_session("describe_remains", {"variant": variant.number}, work)
            columns = [column.document() for column in remains]
            document = {**variant.document(), "columns": columns, "lattice": describe_lattice(variant)}
            of = words if variant.sampled_from is None else say("%(words)s, a sample", words=words)
            await self._hold(keep(of, document, work.seconds), variant.number)

        self._start(Work("run", say("Preview %(words)s", words=words)), run)

    def held(self, number: int) -> int | None:
        """Return the number by which the session knows a variant; None if it has forgotten its records."""
        return self._held.get(number) if self._process.is_alive else None

    async def _hold(self, number: int, held: int) -> None:
        """Note by which number the session knows a variant; of the first of too many it forgets the records."""
        self._held[number] = held
        while len(self._held) > _MOST_HELD:
            oldest = next(iter(self._held))
            with suppress(WorkerGoneError):  # it has forgotten everything
                await self._process.call("drop", {"variant": self._held.pop(oldest)})

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
        if work.name in _CAN_BE_CANCELLED:
            self._process.cancel()
            await asyncio.wait([work.task], timeout=_CANCELLED_WITHIN)
        if not work.is_over:
            await self._process.end()
            await asyncio.wait([work.task])

    async def close(self) -> None:
        """End the process for good; nothing of it is left."""
        await self.cancel()
        await self._process.close()

    async def _wait_until_ready(self, project: Project) -> _Wanted:
        """Wait until the session has what the project is, and nothing else is at work; return what it has."""
        while True:
            await self._wait_for_work()
            wanted = await self._find_wanted_session(project)
            if self.work is not None and not self.work.is_over:
                continue
            if self._is_open(wanted):
                return wanted
            if wanted == self._unwanted:
                raise UnreadError
            work = self._start(
                Work("open", say("Read %(name)s", name=_find_table_name(wanted.config))), partial(self._open, wanted)
            )
            await self._wait_for_work()
            if work.error is not None:
                raise work.error

    async def _wait_for_work(self) -> None:
        work = self.work
        if work is not None and work.task is not None and not work.is_over:
            await asyncio.wait([work.task], timeout=_PATIENCE)
            if not work.is_over:
                raise BusyError(work)

    async def _find_wanted_session(self, project: Project) -> _Wanted:
        known = project.snapshot(), list_all_stamps(project)
        if self._bare is None or self._bare[0] != known:
            self._bare = known, await asyncio.to_thread(build_session_config, project.copy())
        return _Wanted(self._bare[1], known[1])

    def _is_open(self, wanted: _Wanted) -> bool:
        return self._process.is_alive and wanted == self._opened

    async def _open(self, wanted: _Wanted, work: Work) -> None:
        try:
            work.require_wanted()
            self._opened = self._unwanted = None
            self._held.clear()
            self._answers.clear()
            await self._process.call("open", {"source": wanted.config, "records": True}, work.told)
        except CancelledError:
            self._unwanted = wanted
            raise
        self._opened = wanted

    async def _call_session(self, method: str, arguments: Mapping[str, Any], work: Work) -> Any:
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


def format_run_name(config: Config) -> str:
    """Return what people call a run: "Mondrian, k = 5"."""
    parameters = [pair for requirement in config.requirements for pair in requirement.parameters.items()]
    return ", ".join((config.method, *(f"{name} = {value}" for name, value in parameters)))


def _list_run_inputs(config: Config) -> dict[str, Any]:
    """Return what a run depends on, besides the session; see `worker`."""
    limit = config.suppression_threshold
    return {
        **config.settings,
        "method": config.method,
        "requirements": config.requirements,
        "suppression_threshold": limit if limit is None or isinstance(limit, int) else f"{limit.amount}%",
        "seed": config.seed,
    }


def _find_table_name(config: Config) -> str:
    return say("the table") if config.input is None else config.input.path.name


@dataclass(eq=False)
class Work:
    """One work of a child process that may take long."""

    name: str
    """What it is: ``open`` or ``run`` of the session; ``release`` or ``judge``, in a process of their own."""
    words: str
    """What people call it: "Read people.csv"."""
    started: float = field(default_factory=time.monotonic)
    step: str = ""
    share: float | None = None
    """How much of the step is done, between 0 and 1; None if nobody knows."""
    error: ToolboxError | None = None
    """Why it has failed, or that it was cancelled."""
    is_cancelling: bool = False
    task: asyncio.Task[Any] | None = None
    _seconds: float | None = None

    @property
    def slot(self) -> str:
        """Who does it: the session, or a command."""
        return "session" if self.name in _OF_SESSION else "command"

    def begin(self, doing: Callable[[Work], Coroutine[Any, Any, None]]) -> None:
        """Let it go on while pages are answered."""

        async def go_on() -> None:
            try:
                await doing(self)
            except Exception as error:
                self.end(hide_foreign_words(error))
            else:
                self.end()

        self.task = asyncio.create_task(go_on())

    @property
    def seconds(self) -> float:
        """How long it has been at work."""
        return time.monotonic() - self.started if self._seconds is None else self._seconds

    @property
    def is_over(self) -> bool:
        """Whether it has ended, in whichever way."""
        return self._seconds is not None

    @property
    def is_cancelled(self) -> bool:
        """Whether it has ended because somebody wanted it."""
        return isinstance(self.error, CancelledError)

    def require_wanted(self) -> None:
        """Stop before the next step if somebody has cancelled the work; whoever was between two steps hears it here."""
        if self.is_cancelling:
            raise CancelledError(CANCELLED)

    def told(self, progress: Progress) -> None:
        """Take in how far it is."""
        self.step = f"{progress.step}: {progress.words}" if progress.words else progress.step
        self.share = progress.share

    def end(self, error: ToolboxError | None = None) -> None:
        """Stop its clock."""
        self._seconds, self.error = self.seconds, error


class BusyError(ToolboxError):
    """What was asked has to wait for a work that takes long: the page then shows how far that is."""

    def __init__(self, work: Work) -> None:
        super().__init__(work)
        self.work = work

    def __str__(self) -> str:
        return say("%(work)s is still at work.", work=self.work.words)
