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
from itertools import permutations
from pathlib import Path
from shutil import rmtree
from types import FrameType
from typing import Any

from fuzzing.cases import Case
from fuzzing.draw import Draw
from fuzzing.faults import FORMS, Failing, counted, files_of, words_of
from fuzzing.judge import Judge
from fuzzing.months import (
    FEBRUARY,
    JANUARY,
    KEY,
    RECODING,
    REPORT,
    MonthJudge,
    damage_recoding,
    draw_months,
    load_secret,
)
from fuzzing.uploads import Form, draw_upload, sent
from toolbox.cli.main import main

_STATUSES = (0, 2, 3, 4, 130)
_ANSWERS = (200, 303, 400, 404)
"""The page with a message, the next page, and what is no form or no page."""
_TAKEN = 303
_OF_PROJECT = re.compile(r"root/table(-\d+)?-project(/\.toolbox-app(/.*)?)?")
_OF_TABLE = re.compile(r"root/table(-\d+)?-project/table\.[a-z0-9.]+")
_SECONDS = 20
_KEY = Path(".local/state/toolbox/key")
"""All that the toolbox may make at home: the user's key, with which journals are sealed."""
_PYTHON = re.compile(r"Traceback|\.py[:\"]|Warning: |SELECT |duckdb\.|sqlalchemy")
"""What only a program that has lost its way would print."""

_CAP = "Choose a cap"
"""A cap that few are beyond is refused: how many are, the data says."""


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
        self._folder = base / "case"
        self._aside = [base / "home", base / "tmp"]
        for folder in self._aside:
            folder.mkdir()
        self._counts: dict[str, dict[str, int]] = {}
        self.struck = 0
        """In how many runs the call that was to fail was reached."""
        os.environ.pop("XDG_STATE_HOME", None)
        os.environ["HOME"], tempfile.tempdir = map(str, self._aside)

    def run(self, case: Case) -> Verdict:
        """Run a case and judge what it did."""
        verdict = Verdict(case)
        self._prepare(case)
        before, earlier = _listing(self._folder), Path.cwd()
        os.chdir(self._folder)
        try:
            self._commands(verdict, before)
        finally:
            os.chdir(earlier)
            rmtree(self._folder)
        return verdict

    def run_words(self, case: Case) -> Verdict:
        """Run what may say anything; a run that ends well may write what its words name, and never runs code."""
        verdict = self.run(case)
        if verdict.status == 0 or _is_failed_study(case.arguments[0], verdict.said[0]):
            verdict.faults = [fault for fault in verdict.faults if not _may_be(fault)]
        if case.cells:
            verdict.faults += _undone(case.cells, verdict.said[0])
        return verdict

    def run_failing(self, seed: int) -> Verdict:
        """Release twice, the second time with a call that fails, and a third time without."""
        draw = Draw(seed)
        form = draw.choice(sorted(FORMS))
        if form not in self._counts:
            self._counts[form] = self._counted(form)
        failing = Failing.drawn(draw, self._counts[form])
        case = Case(seed, files_of(form), ("out",), words_of(form), (form, str(failing)))
        verdict = Verdict(case)
        self._prepare(case)
        earlier = Path.cwd()
        os.chdir(self._folder)
        try:
            if self._call(case.arguments, verdict).status != 0:
                verdict.faults.append("the first run does not succeed")
            old = _listing(self._folder)
            with failing.injected():
                answer = self._call(case.arguments, verdict)
            new = _listing(self._folder)
            self.struck += failing.happened
            if answer.status != 0:
                changed = sorted(name for name in old if new.get(name) != old[name])
                verdict.faults += [f"{name} was changed, with status {answer.status}" for name in changed]
            left = sorted(new.keys() - old.keys())
            # What cannot be removed is left for the next run.
            if failing.call not in ("unlink", "rmdir"):
                verdict.faults += [f"{name} was left behind, with status {answer.status}" for name in left]
            if self._call(case.arguments, verdict).status != 0:
                verdict.faults.append("the next run does not succeed")
            verdict.faults += [f"{name} is still there" for name in sorted(_listing(self._folder).keys() - old.keys())]
            verdict.said = [answer]
        finally:
            os.chdir(earlier)
            rmtree(self._folder)
        return verdict

    def _counted(self, form: str) -> dict[str, int]:
        """Release twice without a fault, and count the calls of the second run, which replaces the release."""
        case = Case(0, files_of(form), ("out",), words_of(form), ())
        self._prepare(case)
        earlier = Path.cwd()
        os.chdir(self._folder)
        try:
            self._call(case.arguments, Verdict(case))
            with counted() as counts:
                self._call(case.arguments, Verdict(case))
            return {call: failing.count for call, failing in counts.items() if failing.count}
        finally:
            os.chdir(earlier)
            rmtree(self._folder)

    def run_months(self, seed: int) -> Verdict:
        """Release the first month of some persons, save how, and apply it to the second, perhaps damaged."""
        months = draw_months(seed)
        verdict = Verdict(Case(seed, months.files, (), months.release, months.wrongs))
        self._prepare(verdict.case)
        earlier = Path.cwd()
        os.chdir(self._folder)
        try:
            self._call(("key", "new", KEY, "--quiet"), verdict)
            verdict.said.clear()
            judge, secret = MonthJudge(months, self._folder), load_secret(self._folder)
            if self._run_month(verdict, months.release, JANUARY, judge) and not verdict.faults:
                if months.is_damaged:
                    path = self._folder / RECODING
                    path.write_bytes(damage_recoding(seed, path.read_bytes()))
                may_fail = months.is_damaged or months.may_overlap
                is_done = self._run_month(verdict, months.apply, FEBRUARY, None if may_fail else judge)
                verdict.faults += judge.find_tokens_that_differ() if is_done and not may_fail else ()
            told = [*(answer.out + answer.err for answer in verdict.said), *map(_decoded, self._others_than_key())]
            verdict.faults += (
                ["the key stands elsewhere than in its file"] if any(secret in text for text in told) else []
            )
        finally:
            os.chdir(earlier)
            rmtree(self._folder)
        return verdict

    def _run_month(
        self, verdict: Verdict, words: Sequence[str], month: tuple[str, str], judge: MonthJudge | None
    ) -> bool:
        """Run the command line of a month and judge its release, if there is a judge; return whether there is one."""
        before = _listing(self._folder)
        answer = self._call(words, verdict)
        declared = frozenset({RECODING, REPORT}) if answer.status == 0 else frozenset()
        released = self._released(verdict, answer)
        verdict.faults += self._changes(before, _listing(self._folder), released, declared)
        may_end = verdict.case.wrongs or judge is None or _CAP in answer.err
        if answer.status not in (0, 3) and not may_end:
            verdict.faults.append(f"a sound case ended with status {answer.status}")
        if answer.status == 0 and judge is not None:
            verdict.faults += judge.find_faults(month, json.loads(answer.out))
        return answer.status == 0

    def _others_than_key(self) -> Iterator[bytes]:
        return (data for name, data in _listing(self._folder).items() if name != KEY)

    def run_upload(self, seed: int) -> Verdict:
        """Send forms to the application: each file is taken whole or refused, into the root and nowhere else."""
        draw, forms, address = draw_upload(seed)
        kinds = (text.encode() for form in forms for text in (form.kind, str(form.headers)))
        files = {f"body{number}": form.body for number, form in enumerate(forms)} | {"kinds": b"\n".join(kinds)}
        verdict = Verdict(Case(seed, files, ("root",), (address,), tuple(draw.wrongs)))
        self._prepare(verdict.case)
        root = self._folder / "root"
        if draw.chance(0.2):
            (root / "table-project").mkdir()
            (root / "table-project" / "table.csv").write_text("of somebody else")
        before = _listing(self._folder)
        try:
            with _limited(_SECONDS):
                answers = sent(root, forms, address)
            verdict.said = [Said(answer.status, answer.text, "") for answer in answers]
            for form, answer in zip(forms, answers, strict=True):
                verdict.faults += [f"an error that nobody foresaw: {error!r}" for error in answer.escaped]
                if answer.status not in _ANSWERS and not (answer.status is None and form.vanishes_after is not None):
                    verdict.faults.append(f"the answer is {answer.status}")
                if answer.status != _TAKEN and form.content is not None and address == "/data/upload":
                    verdict.faults.append(f"a sound form got the answer {answer.status}")
            taken = [form for form, answer in zip(forms, answers, strict=True) if answer.status == _TAKEN]
            verdict.faults += _stored(before, _listing(self._folder), taken)
            verdict.faults += self._changes({}, {}, (), frozenset())
        except TookTooLongError:
            verdict.faults.append(f"took more than {_SECONDS} s")
        except BaseException:
            verdict.faults.append(f"an exception escaped:\n{traceback.format_exc()}")
        finally:
            rmtree(self._folder)
        verdict.said = verdict.said or [Said(None, "", "")]
        return verdict

    def _prepare(self, case: Case) -> None:
        self._folder.mkdir()
        for name in case.folders:
            (self._folder / name).mkdir()
        for name, data in case.files.items():
            (self._folder / name).write_bytes(data)

    def _commands(self, verdict: Verdict, before: dict[str, bytes]) -> None:
        case, faults = verdict.case, verdict.faults
        answer = self._call(case.arguments, verdict)
        released = self._released(verdict, answer)
        after = _listing(self._folder)
        faults += self._changes(before, after, released, case.declared if answer.status == 0 else frozenset())
        if answer.status not in (0, 3) and not case.wrongs and not _is_expected(answer):
            faults.append(f"a sound case ended with status {answer.status}")
        if answer.status != 0 or case.told is None or faults:
            return
        faults += Judge(case.told, self._folder, json.loads(answer.out)).faults()
        if case.is_repeated:
            self._call(case.arguments, verdict)
            again = _listing(self._folder)
            faults += [f"{name} differs in the second run" for name in released if again[name] != after[name]]
        if case.follow_up:
            follow_up = self._call(case.follow_up, verdict)
            if follow_up.status != 0:
                faults.append(f"{case.follow_up[0]} ended with status {follow_up.status} on a release of its own")
            faults += self._changes(after, _listing(self._folder), (), case.declared)

    def _call(self, arguments: Sequence[str], verdict: Verdict) -> Said:
        """Run one command line, and say what no command line may do."""
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
        status: int | None = None
        try:
            with redirect_stdout(out), redirect_stderr(err), _limited(_SECONDS):
                status = main(list(arguments))
        except TookTooLongError:
            verdict.faults.append(f"took more than {_SECONDS} s")
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

    def _released(self, verdict: Verdict, answer: Said) -> tuple[str, ...]:
        """Read from the document which files were released."""
        if answer.status != 0:
            return ()
        try:
            document: dict[str, Any] = json.loads(answer.out)
        except ValueError:
            verdict.faults.append("standard output is not one JSON document")
            return ()
        return tuple(os.path.relpath(path, self._folder) for path in document.get("release", ()))

    def _changes(
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


def _stored(before: dict[str, bytes], after: dict[str, bytes], taken: list[Form]) -> Iterator[str]:
    """Yield what is wrong with the files that forms left behind."""
    yield from (f"{name} was changed" for name in before if after.get(name) != before[name])
    new = [name for name in after.keys() - before.keys() if not _OF_PROJECT.fullmatch(name)]
    tables = [after[name] for name in new if _OF_TABLE.fullmatch(name)]
    yield from (f"{name!r} was left behind" for name in sorted(new) if not _OF_TABLE.fullmatch(name))
    if len(tables) != len(taken):
        yield f"{len(taken)} files were taken, and {len(tables)} are there"
    # Of two at once each must be there.
    elif not any(all(map(Form.may_be_taken, taken, order)) for order in permutations(tables)):
        yield "what was stored is not the one file that was sent"


def _says_it_itself(command: str, answer: Said) -> bool:
    """Return whether what a command printed says why it ended with its status."""
    return command == "check" or _is_failed_study(command, answer)


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


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return _decoded(buffer.getvalue())


def _listing(folder: Path) -> dict[str, bytes]:
    """Read all files below a folder; a folder counts by its name."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
    }


@contextmanager
def _limited(seconds: int) -> Iterator[None]:
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
