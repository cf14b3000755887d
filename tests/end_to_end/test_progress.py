"""Progress as a person at a terminal sees it, and as a program that reads the streams does."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from helpers import children, running
from helpers.hostile import configuration, files, write
from helpers.running import run_as_program, run_in_process

HIDE, SHOW = b"\x1b[?25l", b"\x1b[?25h"
RECORDS = 400
SENSITIVE = "verysecret"
CELLS = ("youngster", "oldster", SENSITIVE)
STEPS = ["read, count", "read, keep", "look", "Mondrian", "prove", "write", "checksum", "finish"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp_path = tmp_path_factory.mktemp("progress")
    rows = "".join(f"{CELLS[number % 2]},{number},{SENSITIVE}\n" for number in range(RECORDS))
    write(tmp_path / "in.csv", "a,b,c\n" + rows)
    sens = "<att name='c' type='category'/>"
    write(tmp_path / "c.xml", configuration("<att name='a' type='category'/><att name='b'/>", sens=sens))
    return tmp_path


@dataclass(frozen=True)
class Finished:
    """What a run on a terminal has written to it, and into the pipe of standard output."""

    status: int
    terminal: bytes
    out: str


def start(folder: Path, *arguments: str) -> tuple[subprocess.Popen[bytes], int]:
    """Start a process with standard error on a terminal and standard output in a pipe."""
    controller, terminal = pty.openpty()
    process = children.start(
        [sys.executable, "-m", "toolbox", "-config", "c.xml", *arguments],
        cwd=folder,
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "80"},
    )
    os.close(terminal)
    return process, controller


def read_all(controller: int) -> bytes:
    """Read what is written to a terminal until the last one who holds it has left."""
    written = b""
    try:
        while piece := os.read(controller, 1 << 16):
            written += piece
    except OSError:
        # So Linux says that nobody is there any more.
        pass
    os.close(controller)
    return written


@cache
def on_terminal(folder: Path, *arguments: str, both: bool = False, **environment: str) -> Finished:
    """Run to the end in this process, once for all tests, with standard error or both streams on a terminal."""
    controller, terminal = pty.openpty()
    with ThreadPoolExecutor(1) as pool, pytest.MonkeyPatch.context() as patched:
        reading = pool.submit(read_all, controller)
        for name, value in {"TERM": "xterm-256color", "COLUMNS": "80", **environment}.items():
            patched.setenv(name, value)
        with os.fdopen(terminal, "w") as seen:
            out = seen if both else None
            done = run_in_process("-config", "c.xml", *arguments, cwd=folder, terminal=seen, out=out)
        return Finished(done.status, reading.result(), done.stdout)


@cache
def in_pipes(folder: Path, *arguments: str) -> running.Finished:
    """Run to the end as a process, once for all tests."""
    return run_as_program("-config", "c.xml", *arguments, cwd=folder)


@pytest.mark.slow
def test_json_is_one_document_on_standard_output_beside_the_bars(folder: Path) -> None:
    run = on_terminal(folder, "--json", "--verbose")
    assert run.status == 0
    assert json.loads(run.out)["records_read"] == RECORDS
    assert HIDE in run.terminal
    assert run.terminal.rindex(SHOW) > run.terminal.rindex(HIDE)


@pytest.mark.slow
def test_json_is_one_document_on_standard_output_beside_pipes(folder: Path) -> None:
    told = in_pipes(folder, "--json", "--verbose")
    assert (told.document["records_read"], bool(told.stderr)) == (RECORDS, True)


@pytest.mark.slow
def test_verbose_tells_in_pipes_when_each_step_begins_and_ends(folder: Path) -> None:
    lines = in_pipes(folder, "--json", "--verbose").stderr.splitlines()
    told = [re.fullmatch(r"\[ *[\d.]+ s\] (.*)", line)[1] for line in lines]
    assert [line.removesuffix(" begins") for line in told if line.endswith(" begins")] == ["read", *STEPS[1:]]
    ended = [line.partition(":")[0] for line in told if re.search(r"(?<!so far)$", line) and ":" in line]
    assert [step for step in ended if step in STEPS] == STEPS
    assert sum(f": {RECORDS} records, " in line for line in told) == 5


@pytest.mark.slow
def test_nothing_is_told_in_pipes_without_being_asked(folder: Path) -> None:
    run = run_in_process("-config", "c.xml", cwd=folder)
    # The summary is all that is written.
    assert (run.stdout.split()[0], run.stdout.splitlines()[-1], run.stderr) == ("method", "released out.csv", "")
    assert run_in_process("-config", "c.xml", "--json", cwd=folder).stderr == ""


def test_verbose_leaves_the_finished_steps_on_the_terminal(folder: Path) -> None:
    text = on_terminal(folder, "--json", "--verbose").terminal.decode()
    last_drawing = text[text.rindex("read, count") :]
    assert all(step in last_drawing for step in STEPS)
    assert re.search(r"Mondrian: [\d,]+ cuts", text)


@pytest.mark.slow
def test_without_verbose_the_bars_make_room_for_the_summary(folder: Path) -> None:
    text = on_terminal(folder, both=True).terminal.decode()
    erased = text.rindex("\x1b[2K")
    assert "released" in text[erased:]
    assert "read, count" not in text[erased:]


@pytest.mark.slow
def test_without_verbose_the_bars_are_gone_when_the_summary_goes_elsewhere(folder: Path) -> None:
    run = on_terminal(folder)
    assert run.out.splitlines()[-1] == "released out.csv"
    assert not re.search(r"\w", run.terminal.decode().rpartition("\x1b[2K")[2])


@pytest.mark.slow
def test_quiet_writes_nothing_to_a_terminal(folder: Path) -> None:
    run = on_terminal(folder, "--quiet")
    assert (run.status, run.terminal, run.out) == (0, b"", "")


@pytest.mark.slow
def test_no_colour_where_none_is_wanted(folder: Path) -> None:
    colour = rb"\x1b\[[\d;]*3\d"
    assert re.search(colour, on_terminal(folder, "--json", "--verbose", NO_COLOR="1", COLUMNS="20").terminal) is None
    assert re.search(colour, on_terminal(folder, "--json", "--verbose").terminal) is not None


@pytest.mark.slow
def test_a_narrow_terminal_is_no_reason_to_fail(folder: Path) -> None:
    assert on_terminal(folder, "--json", "--verbose", NO_COLOR="1", COLUMNS="20").status == 0


def test_after_an_error_the_cursor_is_there_and_the_message_is_last(folder: Path) -> None:
    run = on_terminal(folder, "-k", str(RECORDS + 1))
    assert run.status == 3
    _, message = run.terminal.rsplit(SHOW, 1)
    assert HIDE not in message
    assert b"toolbox: The table has 400 records" in message


@pytest.mark.slow
def test_nothing_that_is_told_quotes_a_cell(folder: Path) -> None:
    told = on_terminal(folder, "--json", "--verbose").terminal.decode() + in_pipes(folder, "--json", "--verbose").stderr
    assert not [cell for cell in CELLS if cell in told]


def test_quiet_and_verbose_contradict_each_other(folder: Path) -> None:
    run = run_in_process("-config", "c.xml", "--quiet", "--verbose", cwd=folder)
    assert (run.status, run.stdout) == (2, "")
    assert run.stderr == "toolbox: --quiet and --verbose contradict each other. Write one of them.\n"


ENDLESS = """
from toolbox import Anonymizer
from sqlalchemy import func, select

class Endless(Anonymizer):
    name = "Endless"

    def anonymize(self, tables):
        tables.report("going on")
        many = func.range(10**6)
        one, other = (select(func.unnest(many).label("n")).subquery() for _ in range(2))
        tables.store.create("endless", select(func.count()).where(one.c.n * 7 % 11 > other.c.n * 3 % 5))
"""


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_an_interrupt_stops_a_running_statement_and_leaves_a_clean_terminal(
    folder: Path, number: signal.Signals
) -> None:
    write(folder / "endless.py", ENDLESS)
    before = set(files(folder))
    process, controller = start(folder, "-method", "endless:Endless")
    try:
        seen = b""
        while b"going on" not in seen:
            seen += os.read(controller, 1 << 16)
        # The statement begins when the words have been said.
        time.sleep(0.3)
        process.send_signal(number)
        rest = read_all(controller)
        process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    _, message = rest.rsplit(SHOW, 1)
    assert HIDE not in message
    assert message.endswith(b"toolbox: interrupted; nothing was released.\r\n")
    assert set(files(folder)) == before
