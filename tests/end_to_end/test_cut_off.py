"""Cut off anywhere: the complete release or none, the input and an earlier release intact, nothing left over."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from helpers import children
from helpers.amounts import times
from helpers.running import run_in_process

from toolbox.store.disk.workspace import remove_dead

KILLS = times(2, slow=50)
RECORDS = times(5_000, slow=20_000)
CONFIG = """<config method='Mondrian' k='20' seed='1'>
  <input filename='in.csv' header='true'/><output filename='out/release.csv' format='anatomy'/>
  <qid><att name='age'/><att name='town' type='category'/></qid>
  <sens><att name='illness' type='category'/></sens>
</config>"""
TABLES = ("release_QIT.csv", "release_ST.csv")
REPORT = "report.json"
OLD = dict.fromkeys((*TABLES, REPORT, "rejects.txt"), b"an earlier release\n")


@dataclass(frozen=True)
class Desk:
    """An input, and what a run makes of it."""

    folder: Path
    released: dict[str, bytes]
    seconds: float

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def start(self, *options: str) -> subprocess.Popen[str]:
        """Start the command line, and wait until it hears signals."""
        process = children.start(command(*options), cwd=self.folder, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not hears_signals(process.pid):
            time.sleep(0.001)
        return process

    def run(self, *options: str) -> None:
        """Run to the end, in this process."""
        run_in_process(*words(*options), cwd=self.folder).succeeded()

    def put_earlier_release(self) -> None:
        for name, content in OLD.items():
            (self.out / name).write_bytes(content)

    def content(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.out.iterdir() if path.is_file()}

    def is_new(self) -> bool:
        """Tell whether all is new or all is old, and fail if it is neither."""
        content = self.content()
        if content == OLD:
            return False
        assert {name: content[name] for name in TABLES} == self.released
        assert (set(content), content["rejects.txt"]) == (set(OLD), b"1,2\n")
        digests = json.loads(content[REPORT])["sha256"]["release"]
        assert {Path(path).name: digest for path, digest in digests.items()} == {
            name: hashlib.sha256(self.released[name]).hexdigest() for name in TABLES
        }
        return True


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "toolbox", *words(*options)]


def words(*options: str) -> tuple[str, ...]:
    beside = ("--report", f"out/{REPORT}", "--rejects", "out/rejects.txt")
    return ("-config", "c.xml", "--threads", "1", "--quiet", *beside, *options)


def hears_signals(process: int) -> bool:
    """Tell whether a process has a handler for SIGTERM, which the interpreter itself has not."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return False
    caught = next((int(line.split()[1], 16) for line in lines if line.startswith("SigCgt:")), 0)
    return bool(caught >> (signal.SIGTERM - 1) & 1)


def temporary(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(".toolbox"))


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    if not Path("/proc/self/status").exists():
        pytest.skip("Only /proc tells from when on a process hears signals.")
    folder = tmp_path_factory.mktemp("cut")
    (folder / "out").mkdir()
    (folder / "c.xml").write_text(CONFIG)
    rng = random.Random(1)
    with (folder / "in.csv").open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("age", "town", "illness", "note"))
        for number in range(RECORDS):
            town, illness = f"town {rng.randrange(20)}", "abcdefgh"[rng.randrange(8)]
            rows.writerow((rng.randrange(50), town, illness, f"note {number}"))
        file.write("1,2\n")
    run_in_process(*words(), cwd=folder).succeeded()  # so that what is measured has been read once
    begin = time.perf_counter()
    children.run(command(), cwd=folder, check=True)
    seconds = time.perf_counter() - begin
    return Desk(folder, {name: (folder / "out" / name).read_bytes() for name in TABLES}, seconds)


@pytest.fixture
def clean(desk: Desk) -> Desk:
    desk.put_earlier_release()
    return desk


def test_runs_that_are_cut_off_at_random_moments_leave_all_or_nothing(clean: Desk) -> None:
    desk, rng = clean, random.Random(2)
    given = (desk.folder / "in.csv").read_bytes()
    # Few runs are cut off by default; SIGINT has tests of its own.
    kinds = [signal.SIGTERM, signal.SIGKILL, signal.SIGINT]
    ends = []
    for number in range(KILLS):
        desk.put_earlier_release()
        # Every part of the run has its turn, and the last ones come after its end.
        moment = (number + rng.random()) / KILLS * desk.seconds
        kind = kinds[number % 3]
        process = desk.start()
        with process:
            time.sleep(moment)
            process.send_signal(kind)
            _, errors = process.communicate()
        if kind == signal.SIGKILL:
            remove_dead(desk.out)  # as the next run does first
        is_new = desk.is_new()
        at = f"{kind.name} after {moment:.3f} of {desk.seconds:.3f} s: {errors}"
        assert temporary(desk.out) == [], at
        assert "Traceback" not in errors, at
        if kind != signal.SIGKILL:
            assert process.returncode == (0 if is_new else 130), at
        assert (desk.folder / "in.csv").read_bytes() == given
        ends.append(is_new)
    assert False in ends
    desk.run()
    assert (desk.is_new(), temporary(desk.out)) == (True, [])


@pytest.mark.sampled(1)
@pytest.mark.parametrize("place", ["in another folder", "beside the release"])
def test_what_a_killed_run_leaves_goes_with_the_next_run(place: str, clean: Desk, tmp_path: Path) -> None:
    elsewhere = place == "in another folder"
    options = ("--temp-dir", str(tmp_path)) if elsewhere else ()
    folder = tmp_path if elsewhere else clean.out
    with clean.start(*options) as process:
        while not (left := temporary(folder)):
            time.sleep(0.001)
        assert not elsewhere or temporary(clean.out) == []
        process.kill()
    assert temporary(folder) == left
    clean.run(*options)
    assert (clean.is_new(), temporary(tmp_path), temporary(clean.out)) == (True, [], [])


@pytest.mark.sampled(1)
@pytest.mark.parametrize("count", [2, 3])
def test_further_interrupts_do_no_harm(count: int, clean: Desk) -> None:
    with clean.start() as process:
        while not temporary(clean.out):
            time.sleep(0.001)
        for _ in range(count):
            process.send_signal(signal.SIGINT)
            time.sleep(0.002)
        _, errors = process.communicate()
    assert (process.returncode, "Traceback" in errors) == (130, False), errors
    remove_dead(clean.out)
    assert (clean.is_new(), temporary(clean.out)) == (False, [])


@pytest.mark.slow
def test_two_runs_into_one_output_do_not_mix(clean: Desk) -> None:
    given = {"20": clean.released}
    clean.run("-k", "50")
    given["50"] = {name: (clean.out / name).read_bytes() for name in TABLES}
    assert given["20"] != given["50"]
    runs = [children.start(command("-k", k), cwd=clean.folder) for k in ("20", "50") * times(1, slow=2)]
    assert {run.wait() for run in runs} == {0}
    content = clean.content()
    assert {name: content[name] for name in TABLES} in given.values()
    digests = json.loads(content[REPORT])["sha256"]["release"]
    assert sorted(digests.values()) == sorted(hashlib.sha256(content[name]).hexdigest() for name in TABLES)
    assert temporary(clean.out) == []


def test_an_output_folder_that_may_not_be_written_is_named(clean: Desk) -> None:
    clean.out.chmod(0o500)
    try:
        if os.access(clean.out, os.W_OK):
            pytest.skip("Root may write anywhere.")
        run = children.run(command(), cwd=clean.folder, capture_output=True, text=True, check=False)
    finally:
        clean.out.chmod(0o700)
    assert (run.returncode, "Traceback" in run.stderr) == (2, False)
    assert "no folder for temporary files can be made here (Permission denied)" in run.stderr
    assert not clean.is_new()
