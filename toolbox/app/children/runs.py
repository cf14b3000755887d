"""Releases, and what is said of them: commands that run in processes of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from toolbox.app.children.command import ChildCommand
from toolbox.app.children.work import BusyError, Work
from toolbox.app.project.documents import (
    OF_ATTACKER,
    OF_METRIC,
    OF_MODEL,
    FinishedRelease,
    read_document,
    write_document,
)
from toolbox.app.project.files import make_temporary_folder

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
_OF_JUDGED = {"name": str, "check": _OF_CHECK, "measure": {"metrics": [OF_METRIC]}, "risk": _OF_RISK}


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
        self._command = ChildCommand()

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
            self.judged = None if judged is None else FileJudgements(**{name: judged[name] for name in _OF_JUDGED})

    def release(self, project: Path, report: Report | None, fingerprint: str, into: Path | None = None) -> None:
        """Begin a release of a project that is saved, with a report beside it if one is wanted.

        The folder into which it goes is made, unless nothing is released.

        Raises
        ------
        BusyError
            If a command is at work.
        """
        folder = self._folder

        async def released(work: Work) -> None:
            work.require_wanted()
            page = [] if report is None else ["--html", str(report.path), "--report-kind", report.kind]
            words = ["-config", project.name, "--progress-json", *page]
            with make_temporary_folder(into or project.parent):
                document = await self._command.run(words, project.parent, work.told)
            self.released = FinishedRelease(
                fingerprint, document, str(project.parent), str(report.path) if report else ""
            )
            if folder is not None:
                self.released.write(folder / _RELEASED)

        self._begin(Work("release", "Release"), released)
        self.asked = None

    def judge(self, project: Path, release: Path, original: Path | None) -> None:
        """Begin to say what a file protects and costs, by the columns of a project that is saved.

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
            measure = {"metrics": []} if original is None else await said("measure", str(original), str(release))
            self.judged = FileJudgements(release.name, check, measure, risk)
            if folder is not None:
                write_document(folder / _JUDGED, asdict(self.judged))

        self._begin(Work("judge", f"Judge {release.name}"), judged)
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
