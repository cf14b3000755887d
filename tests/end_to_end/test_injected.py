"""Each call to the system fails or is interrupted in turn: all of the release or nothing, and nothing left behind."""

from __future__ import annotations

import csv
import io
import shutil
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from helpers import children
from helpers.amounts import some, times
from helpers.injected import ERRORS, INTERRUPT, KILLED, THROWN, Ended, Fault, Runner

from toolbox.store.disk.workspace import remove_dead

OLD = b"an earlier release\n"
RECORDS = [("x" if number % 2 else "y", str(number % 3), f"note {number}") for number in range(120)]
LINES = "a,b,c\n" + "".join(",".join(record) + "\n" for record in RECORDS)
CONFIG = """<config {root}><input filename='in.csv' header='true'/><output filename='out/{target}' {output}/>
<qid><att name='a' type='category'/><att name='b'/></qid><sens><att name='c' type='category'/></sens></config>"""
PLAN = """name = "s"
methods = ["Mondrian"]
metrics = ["NCP"]
[parameters]
k = [2]
[[data]]
table = "good.csv"
quasi_identifiers = ["a", "b"]
sensitive = ["c"]
"""
PEOPLE = "who,born,town\n" + "".join(f"p{number},{1950 + number % 7},{'GLW'[number % 3]}\n" for number in range(40))
VISITS = "who,ward\n" + "".join(f"p{number % 40},{'ABC'[number % 3]}\n" for number in range(90))
SCRIPT = (".err", ".calls", ".exposed", ".modules")
RESULTS = ("cells.jsonl", "results.csv", "results.parquet", "summary.csv", "correlations.csv", "experiment.html")


@dataclass(frozen=True)
class Form:
    """A command, and the files that it writes together."""

    words: str
    written: tuple[str, ...]
    root: str = "k='5'"
    output: str = ""
    is_one_set: bool = True
    """Whether a status other than 0 says that nothing was written."""
    tells_of_faults: bool = False
    """Whether status 3 says that its files tell what could not be done."""
    is_replaced: bool = True
    """Whether an earlier one may be there."""
    before: str = ""
    """What is run once before, for what the command reads."""


def _release(*names: str, more: str = "", root: str = "k='5'", output: str = "") -> Form:
    return Form(f"-config c.xml --quiet --threads 1 {more}", names, root, output)


_PEOPLE = (
    "anonymize people.csv --qi born,town --hierarchy born=intervals:3,9 --hierarchy town=suffix:1"
    " -method Datafly -k 3 --quiet --threads 1"
)

FORMS = {
    "csv": _release("o.csv"),
    "anatomy": _release("o_QIT.csv", "o_ST.csv", root="method='Anatomy' l='2'", output="format='anatomy'"),
    "xlsx": _release("o.xlsx"),
    "parquet": _release("o.parquet"),
    "sav": _release("o.sav"),
    "split": _release("o-00001.csv", "o-00002.csv", output="splitSize='1KB'"),
    "store": _release("o.csv", "db", more="--store out/db"),
    "rejects": _release("o.csv", "rejects", more="--rejects out/rejects"),
    "html": _release("o.csv", "o.html", "o.json", more="--html out/o.html --report out/o.json"),
    "packed": _release("o.csv.gz"),
    "dta": _release("o.dta"),
    "recoding": _release("o.csv", "r.json", more="--save-recoding out/r.json"),
    "children": Form(
        f"{_PEOPLE} --person who -output out/o.csv --undeclared drop --table visits=visits.csv:key=who"
        " --qi visits.ward --hierarchy visits.ward=suffix:1",
        ("o.csv", "o_visits.csv"),
    ),
    "apply": Form(
        "apply saved.json people.csv -output out/o.csv --report out/o.json --key own.key --quiet",
        ("o.csv", "o.json"),
        before=f"{_PEOPLE} --person who --undeclared pass --treat who=pseudonym --key own.key -output first.csv"
        " --save-recoding saved.json",
    ),
    "partitioned": Form(
        f"{_PEOPLE} --id who -output out/o.parquet --partition-by town", ("o.parquet",), is_replaced=False
    ),
    "key": Form("key new out/k.key --quiet", ("k.key",), is_replaced=False),
    "elsewhere": _release("o.csv", "o.json", more="--temp-dir far --report out/o.json"),
    "hierarchy": Form("hierarchy build good.csv intervals:2,4 --column b -o out/b.csv", ("b.csv",), is_one_set=False),
    "init": Form("init good.csv -o out/p.xml --yes --quiet --force", ("p.xml",), is_one_set=False),
    "experiment": Form(
        "experiment p.toml --output out --jobs 1 --quiet", RESULTS, is_one_set=False, tells_of_faults=True
    ),
}


class Desk:
    """A folder with an input and earlier files of the same names."""

    def __init__(self, folder: Path, form: Form) -> None:
        self.folder, self._form = folder, form
        (folder / "in.csv").write_text(LINES + "one,too,many,values\n")
        (folder / "good.csv").write_text(LINES)
        (folder / "p.toml").write_text(PLAN)
        (folder / "people.csv").write_text(PEOPLE)
        (folder / "visits.csv").write_text(VISITS)
        target = "o" + "".join(Path(form.written[0]).suffixes)
        (folder / "c.xml").write_text(CONFIG.format(root=form.root, target=target, output=form.output))
        self.given = {path.name for path in folder.iterdir()} | {"tmp", "state", "far", "out"}
        self.sizes: dict[str, int] = {}

    def prepare(self) -> None:
        """Put an earlier release, and nothing else."""
        for name in ("out", "far", "tmp", "state"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
            (self.folder / name).mkdir()
        for name in self._form.written if self._form.is_replaced else ():
            (self.folder / "out" / name).write_bytes(b"" if name == "cells.jsonl" else OLD)

    def new(self) -> set[str]:
        """Return the names of the files that are new."""
        written = self._read()
        found = {name for name, content in written.items() if content not in (OLD, b"")}
        if not self.sizes:
            self.sizes = {name: len(written[name]) for name in found}
        return found

    def cut(self) -> list[str]:
        """List the new files that are shorter than those of a run without a fault."""
        written = self._read()
        return sorted(name for name in self.new() if len(written[name]) < 0.8 * self.sizes[name])

    def tells_of_faults(self) -> bool:
        """Test whether the results of a study say that nothing could be measured, and give a reason each time."""
        rows = list(csv.DictReader(io.StringIO((self.folder / "out" / "results.csv").read_text())))
        return bool(rows) and all(row["status"] == "failed" and row["reason"] for row in rows)

    def _read(self) -> dict[str, bytes]:
        return {name: self._content(self.folder / "out" / name) for name in self._form.written}

    @staticmethod
    def _content(path: Path) -> bytes:
        """Read a file, or all files of a folder; what is not there was there before no run."""
        if path.is_dir():
            return b"".join(each.read_bytes() for each in sorted(path.rglob("*")) if each.is_file())
        return path.read_bytes() if path.exists() else OLD

    def left(self) -> list[str]:
        """List what a run has left beside its files, hidden or not."""
        found = [path for path in self.folder.iterdir() if path.name not in {*self.given, *SCRIPT}]
        for name in ("out", "far", "tmp"):
            found += [path for path in (self.folder / name).iterdir() if path.name not in self._form.written]
        found += [path for path in self.folder.glob("state/*/*") if path.name != "key"]
        return sorted(str(path.relative_to(self.folder)) for path in found)


def faults_of(desk: Desk, form: Form, run: Ended, fault: Fault) -> list[str]:
    """Say what a run with a fault has done that it must not do."""
    found = []
    is_interrupt = fault.kind in (INTERRUPT, THROWN)
    new = desk.new()
    whole = new == set(form.written)
    is_told = form.tells_of_faults and run.status == 3 and desk.tells_of_faults() and "could be measured" in run.err
    if run.status not in ((0, 130) if is_interrupt else (0, 2, 4)) and not is_told:
        found.append(f"status {run.status}")
    # A page says which of its figures could not be measured, and so does the run.
    says_less = {"o.html"} if run.status == 0 and "could not be measured again" in run.err else set()
    if not is_told and (cut := [name for name in desk.cut() if name not in says_less]):
        found.append(f"{cut} are not whole")
    if "Traceback" in run.err:
        found.append("traceback")
    if run.status == 0 and not whole:
        found.append("status 0, and not released")
    if run.status != 0 and form.is_one_set and new:
        found.append("released, and no status 0" if whole else f"only {new} are new")
    left = desk.left()
    untold = [name for name in left if is_interrupt or Path(name).name not in run.err]
    if untold:
        found.append(f"left {untold}")
    return found


def next_run_faults(desk: Desk, form: Form, run: Ended) -> list[str]:
    """Say what is wrong after the run that comes next."""
    found = [] if run.status == 0 and desk.new() == set(form.written) else [f"next: status {run.status} {run.err}"]
    if left := [name for name in desk.left() if not name.startswith("state")]:
        found.append(f"next: left {left}")
    return found


def check(desk: Desk, runner: Runner, form: Form, fault: Fault) -> tuple[str | None, list[str]]:
    """Run with a fault; return the call that it met, and what is wrong afterwards."""
    desk.prepare()
    run = runner.run(form.words.split(), fault)
    call = run.hit(fault)
    found = faults_of(desk, form, run, fault)
    if fault.kind not in (INTERRUPT, THROWN) and desk.left():
        found += next_run_faults(desk, form, runner.run(form.words.split()))
    shown = [f"{fault.kind} {fault.moment} call {fault.number} ({call}): {each}" for each in found]
    return call, [*shown, run.err] if found else []


def is_reading(call: str) -> bool:
    """Test whether a call reads an input, or belongs to Python: nothing is there yet that could be left."""
    return call.startswith(("file.read", "open in.csv", "open c.xml", "open good.csv", "open p.toml", "open __"))


def faults_to_try(calls: Sequence[str], kinds: Sequence[str]) -> list[Fault]:
    """List a fault of each kind before and after each call; of the errors one in turn, where the system has such."""
    found = []
    for number, call in enumerate(calls, 1):
        for kind in () if is_reading(call) else kinds:
            named = ERRORS[number % len(ERRORS)] if kind == "error" else kind
            is_error, verb = kind == "error", call.split()[0]
            if not (is_error and verb.endswith("close")):
                found.append(Fault(number, named, "before"))
            if (not is_error or verb in WITH_EFFECT) and kind != KILLED:
                found.append(Fault(number, named, "after"))
    return found


WITH_EFFECT = ("open", "close", "file.close", "fsync", "unlink", "rename", "replace", "mkdir", "rmdir", "link")
"""Calls that may have an effect and fail all the same, as on network file systems."""
CHANGING = ("write", "file.write", "fsync", "mkdir", "rmdir", "unlink", "rename", "replace", "link")
"""Calls that change a file system: a run that is killed between two others leaves what one of these has left."""
KINDS = (INTERRUPT, THROWN, "error")


def started(folder: Path, form: Form, runner: Runner) -> tuple[Desk, tuple[str, ...]]:
    """Run once without a fault; return the desk, and the calls that every run makes."""
    desk = Desk(folder, form)
    desk.prepare()
    if form.before:
        for words in ("key new own.key --quiet", form.before):
            run = runner.run(words.split())
            assert run.status == 0, run.err
        desk.given |= {"own.key", "first.csv", "saved.json"}
    for _ in range(2):  # the first one imports what the others find
        desk.prepare()
        run = runner.run(form.words.split())
        assert (run.status, desk.new(), desk.left()) == (0, set(form.written), []), run.err
    return desk, run.calls


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Runner]]:
    """Start a process that has imported what runs need."""
    folder = tmp_path_factory.mktemp("injected")
    runner = Runner(folder)
    with children.letting_last():
        runner.__enter__()
    yield folder, runner
    runner.__exit__(None, None, None)


@pytest.fixture
def folder(warm: tuple[Path, Runner]) -> Path:
    """Return the folder in which the process works, without what an earlier test has left."""
    for path in warm[0].iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name not in SCRIPT:
            path.unlink()
    return warm[0]


@pytest.fixture
def runner(warm: tuple[Path, Runner]) -> Runner:
    return warm[1]


LOCKED = ("open .toolbox-lock", "flock ", "unlink .toolbox-lock")
"""The calls at the lock of a folder, of which each left it behind once."""


@pytest.mark.slow
def test_a_fault_at_the_lock_of_the_folder_leaves_nothing(folder: Path, runner: Runner) -> None:
    form = FORMS["csv"]
    desk, calls = started(folder, form, runner)
    numbers = [number for number, call in enumerate(calls, 1) if call in LOCKED]
    faults = [fault for fault in faults_to_try(calls, KINDS) if fault.number in numbers[-3:]]
    assert [calls[number - 1] for number in numbers[-3:]] == list(LOCKED)
    # By default one of four: a signal and an error after it is opened, interrupts after it is taken and before it goes.
    for fault in some(faults, every=4, start=1):
        assert check(desk, runner, form, fault)[1] == []


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["anatomy", "hierarchy"])
def test_some_faults_leave_all_or_nothing(name: str, folder: Path, runner: Runner) -> None:
    form = FORMS[name]
    desk, calls = started(folder, form, runner)
    faults = faults_to_try(calls, KINDS)
    count = times(4, slow=len(faults))
    for place in range(count):
        # From the end, where the files are placed and all else is removed, to the beginning.
        assert check(desk, runner, form, faults[-1 - place * len(faults) // (2 * count)])[1] == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FORMS)
def test_every_fault_leaves_all_or_nothing(name: str, kind: str, folder: Path, runner: Runner) -> None:
    form = FORMS[name]
    desk, calls = started(folder, form, runner)
    found = [wrong for fault in faults_to_try(calls, [kind]) if (wrong := check(desk, runner, form, fault)[1])]
    assert found == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if form.is_one_set and name != "key"])
def test_killed_at_any_call_the_next_run_finds_all_of_the_release_or_nothing(
    name: str, folder: Path, runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = FORMS[name]
    # Whoever brings it to an end has the key with which its journal is sealed.
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    desk, calls = started(folder, form, runner)
    found = []
    for fault in faults_to_try(calls, [KILLED]):
        if calls[fault.number - 1].split()[0] not in CHANGING:
            continue
        desk.prepare()
        run = runner.run(form.words.split(), fault)
        assert run.status in (0, -signal.SIGKILL)
        if desk.new() not in (set(), set(form.written)):
            # Killed between two moves: whoever comes next brings it to an end.
            remove_dead(folder / "out")
        whole = desk.new() in (set(), set(form.written)) and not desk.cut()
        is_next = bool(desk.left()) and (form.is_replaced or not desk.new())
        again = runner.run(form.words.split()) if is_next else None
        after = [] if again is None else next_run_faults(desk, form, again)
        found += [f"{fault.number} {run.hit(fault)}: {sorted(desk.new())} {after}"] if not whole or after else []
    assert found == []
