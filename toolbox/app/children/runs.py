"""Releases, and what is said of them: commands that run in processes of their own."""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from toolbox.app.children.project_session import BusyError, Work
from toolbox.app.children.protocol import Progress, start_process
from toolbox.app.project.documents import (
    OF_ATTACKER,
    OF_METRIC,
    OF_MODEL,
    FinishedRelease,
    UnreadableError,
    has_shape,
    read_document,
    write_document,
)
from toolbox.errors import CancelledError, OutputError, ToolboxError, quote
from toolbox.messages import find_language, say

_RELEASED, _JUDGED = "released.json", "judged.json"
_OF_CHECK = {
    **{"records": int, "records_suppressed": int, "classes": int, "smallest_class": (int, None)},
    **{"holds": (bool, None), "models": [OF_MODEL]},
}
_OF_RISK = {
    "threshold": float,
    "prosecutor": (None, OF_ATTACKER),
    "uniqueness": {"records": int},
    "consistency": (None, {"lowest": (int, None), "below_k": int, "k": int}),
}
_OF_BOUND = {"value": float, "released": (float, None), "beyond": str}
_OF_JUDGED = {"name": str, "check": _OF_CHECK, "measure": {"metrics": [OF_METRIC]}, "risk": _OF_RISK}
_BOUND = ("--bound", "ncp", "--bound-seconds", "20")
"""Asks `measure` to prove what any release must lose of the detail that previews show, in some seconds."""
_ENDS_WITHIN = 10.0
"""Seconds in which a process removes what it has left, before it is killed."""
_LONGEST_LINE = 1 << 20
_INTERRUPTED = 130


@dataclass(frozen=True)
class FileJudgements:
    """What `check`, `measure` and `risk` say of a file."""

    name: str
    """Of the file."""
    check: Mapping[str, Any]
    measure: Mapping[str, Any]
    risk: Mapping[str, Any]


class Report(NamedTuple):
    """A page for people that is wanted beside a release."""

    path: Path
    kind: str
    """``internal`` or ``public``."""


class Runs:
    """The last release of a project, the last judgement, and the command that is at work."""

    def __init__(self) -> None:
        self.work: Work | None = None
        """What is at work, or what was last."""
        self.released: FinishedRelease | None = None
        self.judged: FileJudgements | None = None
        self.asked: Path | None = None
        """The file that was to be judged last, since the last release."""
        self._folder: Path | None = None
        self._command = _ChildCommand()

    def open(self, folder: Path | None) -> None:
        """Take up what was remembered in a folder, when nothing is at work; None: nothing is remembered.

        Raises
        ------
        UnreadableError
            If something is not what was remembered; the rest is taken up.
        """
        self._folder, self.work, self.asked, self.released, self.judged = folder, None, None, None, None
        if folder is None:
            return
        try:
            self.released = FinishedRelease.read(folder / _RELEASED)
        finally:
            judged = read_document(folder / _JUDGED, _OF_JUDGED)
            if judged is not None and not has_shape(judged["measure"].get("bounds", []), [_OF_BOUND]):
                raise UnreadableError(str(folder / _JUDGED))
            self.judged = None if judged is None else FileJudgements(**{name: judged[name] for name in _OF_JUDGED})

    def release(
        self, project: Path, report: Report | None, fingerprint: str, into: Path | None = None, key: Path | None = None
    ) -> None:
        """Begin a release of a project that is saved, with a report beside it if one is wanted.

        The folder into which it goes is made, unless nothing is released.

        Parameters
        ----------
        key : Path, optional
            The key file, which the project does not name.

        Raises
        ------
        BusyError
            If a command is at work.
        """
        folder, language = self._folder, find_language()

        async def released(work: Work) -> None:
            work.require_wanted()
            page = [] if report is None else ["--html", str(report.path), "--report-kind", report.kind]
            page += [] if report is None else ["--report-language", language]
            keyed = [] if key is None else ["--key", str(key)]
            if key is not None and report is not None:  # by it another release has the same pseudonyms
                keyed += ["--report", str(report.path.with_suffix(".json"))]
            words = ["-config", project.name, "--progress-json", *page, *keyed]
            with _make_temporary_folder(into or project.parent):
                document = await self._command.run(words, project.parent, work.told)
            self.released = FinishedRelease(
                fingerprint, document, str(project.parent), str(report.path) if report else ""
            )
            if folder is not None:
                self.released.write(folder / _RELEASED)

        self._begin(Work("release", say("Release")), released)
        self.asked = None

    def judge(self, project: Path, release: Path, original: Path | None, *, with_bound: bool = False) -> None:
        """Begin to say what a file protects and costs, by the columns of a project that is saved.

        Parameters
        ----------
        with_bound : bool
            Whether it is also proved what any release of the original records must lose.

        Raises
        ------
        BusyError
            If a command is at work.
        """
        folder = self._folder

        async def judged(work: Work) -> None:
            async def said(command: str, *words: str) -> dict[str, Any]:
                work.require_wanted()
                work.step = command
                return await self._command.run([command, *words, "-config", project.name], project.parent, work.told)

            known = [] if original is None else ["--original", str(original)]
            check = await said("check", str(release))
            risk = await said("risk", str(release), *known)
            least = _BOUND if with_bound else ()
            measure = (
                {"metrics": []} if original is None else await said("measure", str(original), str(release), *least)
            )
            self.judged = FileJudgements(release.name, check, measure, risk)
            if folder is not None:
                write_document(folder / _JUDGED, asdict(self.judged))

        self._begin(Work("judge", say("Judge %(name)s", name=release.name)), judged)
        # What is said of another file is no answer while this one is at work, nor where it cannot be judged.
        self.asked, self.judged = release, None

    async def cancel(self) -> None:
        """End what is at work; nothing of it is left."""
        if self.work is not None and not self.work.is_over:
            self.work.is_cancelling = True
            await self._command.cancel()
            if self.work.task is not None:
                await self.work.task

    def _begin(self, work: Work, doing: Any) -> None:
        if self.work is not None and not self.work.is_over:
            raise BusyError(self.work)
        self.work = work
        work.begin(doing)


class NextTable:
    """Next month's table beside what last month's was made with: what is new there, and its release."""

    def __init__(self) -> None:
        self.work: Work | None = None
        """What is at work, or what was last."""
        self.named: Path | None = None
        """The recoding that was saved, or a project."""
        self.table: Path | None = None
        self.found: Mapping[str, Any] | None = None
        """What `toolbox recoding preview` says."""
        self.released: FinishedRelease | None = None
        self.said: Mapping[str, str] = MappingProxyType({})
        """What was filled in for a release of this table, whatever has become of it."""
        self._command = _ChildCommand()

    @property
    def recoding(self) -> Path | None:
        """The file of the recoding; that of a project is beside it."""
        if self.named is None or self.named.suffix.lower() != ".xml":
            return self.named
        return self.named.with_name(f"{self.named.stem}-recoding.json")

    def look(self, named: Path, table: Path) -> None:
        """Begin to look at a table; of a project the recoding is made anew, and kept beside it.

        Raises
        ------
        BusyError
            If a command is at work.
        """
        self._require_idle()
        if (named, table) != (self.named, self.table):
            self.said = MappingProxyType({})
        self.named, self.table, self.found, self.released = named, table, None, None
        kept = [] if self.recoding in (named, None) else ["--save-recoding", str(self.recoding)]

        async def looked(work: Work) -> None:
            work.require_wanted()
            words = ["recoding", "preview", str(named), str(table), *kept]
            self.found = await self._command.run(words, table.parent, work.told)

        self._begin(Work("look", say("Look at %(name)s", name=table.name)), looked)

    def release(
        self,
        file: Path,
        small_classes: str,
        undeclared: str,
        earlier: Sequence[Path] = (),
        *,
        persons: str = "",
        repairs: bool = False,
        key: Path | None = None,
        same_domain: Path | None = None,
    ) -> None:
        """Begin the release of the table that was looked at, with a report beside it.

        Parameters
        ----------
        earlier : sequence of Path
            Releases whose readers get this one, too.
        persons : str
            The column that tells persons apart in all of them, if the recoding names none.
        repairs : bool
            Whether values become wider where people would be among too few in all of them together.
        key : Path, optional
            The key file of pseudonyms and shifts: then a report for programs is written, too, by which the next release
            can have the same ones.
        same_domain : Path, optional
            Such a report of an earlier release, whose pseudonyms and shifts this one has.

        Raises
        ------
        BusyError
            If a command is at work.
        """
        self._require_idle()
        recoding, table = self.recoding, self.table
        assert recoding is not None and table is not None, "it was looked at"
        page = file.with_suffix(".html")
        words = ["apply", str(recoding), str(table), "-output", str(file), "--small-classes", small_classes]
        words += ["--with", *map(str, earlier)] if earlier else []
        words += ["--earlier-key", persons] if earlier and persons else []
        words += ["--earlier-repair"] if earlier and repairs else []
        words += [] if key is None else ["--key", str(key), "--report", str(file.with_suffix(".json"))]
        words += [] if same_domain is None else ["--same-domain-as", str(same_domain)]
        words += ["--undeclared", undeclared, "--html", str(page), "--report-kind", "internal", "--progress-json"]
        words += ["--report-language", find_language()]

        async def released(work: Work) -> None:
            work.require_wanted()
            with _make_temporary_folder(file.parent):
                document = await self._command.run(words, table.parent, work.told)
            self.released = FinishedRelease("", document, str(table.parent), str(page))

        self._begin(Work("release", say("Release %(name)s", name=file.name)), released)

    async def cancel(self) -> None:
        """End what is at work; nothing of it is left."""
        if self.work is not None and not self.work.is_over:
            self.work.is_cancelling = True
            await self._command.cancel()
            if self.work.task is not None:
                await self.work.task

    def _require_idle(self) -> None:
        if self.work is not None and not self.work.is_over:
            raise BusyError(self.work)

    def _begin(self, work: Work, doing: Callable[[Work], Coroutine[Any, Any, None]]) -> None:
        self.work = work
        work.begin(doing)


class CommandError(ToolboxError):
    """A command has failed, in its own words: one sentence or more for each fault."""

    def __str__(self) -> str:
        return " ".join(self.args)


class _ChildCommand:
    """Runs one command after the other, and ends the one that is at work.

    A release is made by ``toolbox -config``, as on a command line, and not by what was previewed: it reads the records
    itself, and proves what it writes.
    """

    def __init__(self) -> None:
        self._process: Process | None = None
        self._is_stopped = False

    async def run(self, words: Sequence[str], folder: Path, told: Callable[[Progress], None]) -> dict[str, Any]:
        """Run a command in a folder; return the document that it prints.

        Raises
        ------
        CommandError
            If it fails; `CancelledError` if it was stopped. In both cases nothing was written.
        """
        self._is_stopped = False
        process = self._process = await start_process(
            *("toolbox", *words, "--json"), cwd=folder, stdin=DEVNULL, stderr=PIPE, limit=_LONGEST_LINE
        )
        assert process.stdout is not None and process.stderr is not None
        if self._is_stopped:
            process.terminate()
        answer, _ = await asyncio.gather(process.stdout.read(), _tell(process.stderr, told))
        status = await process.wait()
        if status and (self._is_stopped or status == _INTERRUPTED):
            raise CancelledError(say("Cancelled. Nothing was written."))
        document = _parse_document(answer)
        if status and "error" in document:
            raise CommandError(*_list_error_sentences(document["error"]), setting=document["error"].get("setting", ""))
        if not document:
            raise CommandError(
                say("The process has ended without a word: it was killed, or the machine has no more memory.")
            )
        return document

    async def cancel(self) -> None:
        """End the command that is at work; it removes what it has left."""
        # Also where the process only begins to be one.
        self._is_stopped = True
        process = self._process
        if process is None or process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), _ENDS_WITHIN)
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


async def _tell(lines: asyncio.StreamReader, told: Callable[[Progress], None]) -> None:
    """Pass on how far a command is; what else it says is in its document."""
    while line := await lines.readline():
        with suppress(ValueError, KeyError, TypeError):
            said = json.loads(line)
            told(Progress(0, str(said["step"]), str(said["words"]), said["share"]))


def _list_error_sentences(error: Mapping[str, Any]) -> list[str]:
    """Return what a command says of its error; of a configuration each fault, which may be one of another file."""
    faults = error.get("faults", [])
    more = error.get("fault_count", 0) - len(faults)
    said = [*_list_fault_sentences(faults), *([say("And %(count)s more.", count=more)] if more > 0 else [])]
    return said or [str(error["message"])]


def _list_fault_sentences(faults: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a sentence for each fault, and one for the missing columns of each table: each alone lists all it has."""
    lacks: dict[tuple[str, str], list[str]] = {}
    for missing in (fault["missing"] for fault in faults if "missing" in fault):
        lacks.setdefault((missing["table"], missing["known"]), []).append(quote(missing["column"]))
    together: dict[str, None] = {}
    for fault in faults:
        sentence = _format_fault(fault)
        if "missing" in fault:
            table, known = fault["missing"]["table"], fault["missing"]["known"]
            if len(columns := lacks[table, known]) > 1:
                sentence = f"{table} lacks the columns {', '.join(columns)}. {known}"
        together[sentence] = None
    return list(together)


def _format_fault(fault: Mapping[str, Any]) -> str:
    where = f"{fault['file']}, line {fault['line']}: " if fault["file"] else ""
    return where + f"{fault['found']} {fault['remedy']}".strip()


def _parse_document(answer: bytes) -> dict[str, Any]:
    with suppress(ValueError):
        found = json.loads(answer)
        if isinstance(found, dict):
            return found
    return {}


@contextmanager
def _make_temporary_folder(folder: Path) -> Iterator[None]:
    """Make a folder and its parents while the block runs; remove those that are still empty at the end.

    Raises
    ------
    OutputError
        If it cannot be made.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{folder} cannot be made: {error.strerror}. Name another folder.") from None
        yield
    finally:
        with suppress(OSError):  # of the first that holds something
            for each in missing:
                each.rmdir()
