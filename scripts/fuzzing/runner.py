"""The run of a case: in this process, in a folder of its own, with a look at all that it leaves."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from types import FrameType
from typing import Any

from fuzzing.cases import Case
from fuzzing.judge import Judge
from toolbox.cli.main import main

_STATUSES = (0, 2, 3, 4, 130)
SECONDS = 40
"""Of the processor, which a command or a form may take."""
_KEY = Path(".local/state/toolbox/key")
"""All that the toolbox may make at home: the user's key, with which journals are sealed."""
_PYTHON = re.compile(r"Traceback|\.py[:\"]|Warning: |SELECT |duckdb\.|sqlalchemy")
"""What only a program that has lost its way would print."""


class TookTooLongError(BaseException):
    """A case was not over in time; no handler of errors may take it for one of its own."""


@dataclass(frozen=True)
class Said:
    """What one command line said."""

    status: int | None
    """None if an exception escaped."""
    out: str
    err: str


@dataclass
class Verdict:
    """What came of a case."""

    case: Case
    said: list[Said] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def status(self) -> int | None:
        return self.said[0].status


class Runner:
    """Runs cases, each in a folder that is removed behind it.

    Parameters
    ----------
    base : Path
        A folder for all of them, which nobody else uses.
    """

    def __init__(self, base: Path) -> None:
        self.folder = base / "case"
        self._aside = [base / "home", base / "tmp"]
        for folder in self._aside:
            folder.mkdir()
        os.environ.pop("XDG_STATE_HOME", None)
        os.environ["HOME"], tempfile.tempdir = map(str, self._aside)

    def run(self, case: Case) -> Verdict:
        """Run a case and judge what it did."""
        verdict = Verdict(case)
        with self.entered(case):
            self._commands(verdict, self.listed())
        return verdict

    def run_words(self, case: Case) -> Verdict:
        """Run what may say anything; a run that ends well may write what its words name, and never runs code."""
        verdict = self.run(case)
        if verdict.status == 0 or _writes_all_the_same(case.arguments[0], verdict.said[0]):
            verdict.faults = [fault for fault in verdict.faults if not _may_be(fault)]
        if case.cells:
            verdict.faults += _undone(case.cells, verdict.said[0])
        return verdict

    @contextmanager
    def entered(self, case: Case) -> Iterator[None]:
        """Make the folder of a case and be in it while the block runs; nothing of it is left."""
        self.folder.mkdir()
        for name in case.folders:
            (self.folder / name).mkdir()
        for name, data in case.files.items():
            (self.folder / name).write_bytes(data)
        earlier = Path.cwd()
        os.chdir(self.folder)
        try:
            yield
        finally:
            os.chdir(earlier)
            rmtree(self.folder)

    def listed(self) -> dict[str, bytes]:
        """Read all files of the case; a folder counts by its name."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes() if path.is_file() else b""
            for path in sorted(self.folder.rglob("*"))
        }

    def _commands(self, verdict: Verdict, before: dict[str, bytes]) -> None:
        case, faults = verdict.case, verdict.faults
        answer = self.call(case.arguments, verdict)
        released = self.released(verdict, answer)
        after = self.listed()
        faults += self.changes(before, after, released, case.declared if answer.status == 0 else frozenset())
        if answer.status not in (0, 3) and not case.wrongs and not _is_expected(answer):
            faults.append(f"a sound case ended with status {answer.status}")
        if answer.status != 0 or case.told is None or faults:
            return
        faults += Judge(case.told, self.folder, json.loads(answer.out)).faults()
        if case.is_repeated:
            self.call(case.arguments, verdict)
            again = self.listed()
            faults += [f"{name} differs in the second run" for name in released if again[name] != after[name]]
        if case.follow_up:
            follow_up = self.call(case.follow_up, verdict)
            if follow_up.status != 0:
                faults.append(f"{case.follow_up[0]} ended with status {follow_up.status} on a release of its own")
            faults += self.changes(after, self.listed(), (), case.declared)

    def call(self, arguments: Sequence[str], verdict: Verdict) -> Said:
        """Run one command line, and say what no command line may do."""
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
        status: int | None = None
        try:
            with redirect_stdout(out), redirect_stderr(err), limited(SECONDS):
                status = main(list(arguments))
        except TookTooLongError:
            verdict.faults.append(f"took more than {SECONDS} s")
        except BaseException:
            verdict.faults.append(f"an exception escaped:\n{traceback.format_exc()}")
        answer = Said(status, *(_text(stream) for stream in (out, err)))
        verdict.said.append(answer)
        if status is not None and status not in _STATUSES:
            verdict.faults.append(f"the exit status is {status}")
        if match := _PYTHON.search(answer.err):
            verdict.faults.append(f"standard error shows the inside of the program: {match[0]!r}")
        if status not in (None, 0) and "toolbox: " not in answer.err and not _says_it_itself(arguments[0], answer):
            verdict.faults.append(f"status {status} without a message")
        return answer

    def released(self, verdict: Verdict, answer: Said) -> tuple[str, ...]:
        """Read from the document which files were released."""
        if answer.status != 0:
            return ()
        try:
            document: dict[str, Any] = json.loads(answer.out)
        except ValueError:
            verdict.faults.append("standard output is not one JSON document")
            return ()
        return tuple(os.path.relpath(path, self.folder) for path in document.get("release", ()))

    def changes(
        self, before: dict[str, bytes], after: dict[str, bytes], released: Sequence[str], declared: frozenset[str]
    ) -> Iterator[str]:
        """Yield the files that were touched but not declared."""
        allowed = {*released, *declared}
        for name in sorted(before.keys() | after.keys()):
            if name not in allowed and before.get(name) != after.get(name):
                change = "removed" if name not in after else "changed" if name in before else "left behind"
                yield f"{name} was {change}"
        for name in released:
            if name not in after:
                yield f"{name} is not there"
        for folder in self._aside:
            for path in sorted(folder.rglob("*")):
                if path.relative_to(folder) not in (_KEY, *_KEY.parents):
                    yield f"{path.relative_to(folder.parent)} was left behind"
                    rmtree(path) if path.is_dir() else path.unlink()


def _says_it_itself(command: str, answer: Said) -> bool:
    """Return whether what a command printed says why it ended with its status."""
    return command == "check" or _is_failed_study(command, answer)


def _writes_all_the_same(command: str, answer: Said) -> bool:
    """Return whether a command wrote its page though what it judged does not satisfy what is required."""
    return (command == "report" and answer.status == 3) or _is_failed_study(command, answer)


def _is_failed_study(command: str, answer: Said) -> bool:
    """Return whether a study ended in which nothing could be done; its results say why."""
    return command == "experiment" and answer.status == 3 and '"failed": [' in answer.out


def _undone(cells: int, answer: Said) -> Iterator[str]:
    """Yield what is not done of a study that can be done."""
    if answer.status != 0:
        yield f"a study that can be done ended with status {answer.status}: {answer.err[:500]}"
        return
    try:
        document = json.loads(answer.out)
    except ValueError:
        yield "standard output is not one JSON document"
        return
    if document["cells"] != cells:
        yield f"a study of {cells} cells has {document['cells']}"
    yield from (f"a cell that can be done is not: {row}" for row in document["failed"])


def _may_be(fault: str) -> bool:
    """Return whether a fault is none for words that may name any file to write."""
    is_file = fault.endswith((" was left behind", " is not there")) and "imported" not in fault
    return is_file or fault == "standard output is not one JSON document"


def _is_expected(answer: Said) -> bool:
    """Return whether a sound case may be refused, because records lack a value."""
    return any(text in answer.err for text in ("onMissing", "--on-missing", "lack a declared value"))


def decoded(data: bytes) -> str:
    """Return bytes as text, whatever they are."""
    return data.decode("utf-8", "replace")


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return decoded(buffer.getvalue())


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Stop what takes too many seconds of the processor, however busy the machine is with other work."""

    def stop(signum: int, frame: FrameType | None) -> None:
        raise TookTooLongError

    earlier = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, earlier)
