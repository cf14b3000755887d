"""What is wrong is refused: with a message that helps, the right status, and a folder as it was before.

The wrong inputs are listed in helpers/wrong_configurations.py, helpers/wrong_data.py and helpers/wrong_privacy.py.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers import children
from helpers.hostile import OLDER, configuration, files, run_apart, run_here, write
from helpers.wrong import GOOD, INPUT, INTERRUPTED, MAPPED, USAGE, Wrong, prepare
from helpers.wrong_configurations import COMMAND_LINES, CONFIGURATIONS
from helpers.wrong_data import DATA
from helpers.wrong_privacy import PRIVACY

EVERY = CONFIGURATIONS + COMMAND_LINES + PRIVACY + DATA


@pytest.mark.slow
@pytest.mark.parametrize("case", EVERY, ids=lambda case: case.rule)
def test_what_is_wrong_is_said_and_nothing_is_released(
    case: Wrong, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = prepare(case, tmp_path)
    before = files(tmp_path)
    monkeypatch.chdir(tmp_path)
    run = run_here(arguments, capsys)
    assert run.status == case.status, run.err
    assert run.err.startswith("toolbox: ")
    assert [text for text in case.says if text not in run.err] == [], run.err
    assert [text for text in case.hides if text in run.err] == [], run.err
    assert run.out == ""
    assert files(tmp_path) == before


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "case", [EVERY[-1], CONFIGURATIONS[0], COMMAND_LINES[2], DATA[0], DATA[5]], ids=lambda case: case.rule
)
def test_a_process_of_its_own_ends_with_the_same_status_and_without_a_traceback(case: Wrong, tmp_path: Path) -> None:
    arguments = prepare(case, tmp_path)
    before = files(tmp_path)
    run = run_apart(arguments, tmp_path)
    assert run.status == case.status
    assert "Traceback" not in run.err
    assert [text for text in case.says if text not in run.err] == []
    assert run.out == ""
    assert files(tmp_path) == before


def test_too_many_threads_are_refused_before_the_engine_starts_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = Wrong("threads", (), arguments=("--threads", "999999999999"))
    arguments = prepare(case, tmp_path)
    before = files(tmp_path)
    run = run_here(arguments, capsys)
    assert (run.status, "Traceback" in run.err) == (USAGE, False)
    assert "--threads '999999999999'" in run.err
    assert files(tmp_path) == before


def test_every_fault_of_a_configuration_is_told_in_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "in.csv", GOOD)
    text = configuration(
        "<att index='0'><vgh value='[9:1]'/></att>\n<att/>", root="k='0' t='2'", given="header='maybe'"
    )
    run = run_here(["-config", write(tmp_path / "c.xml", text)], capsys)
    assert "5 faults" in run.err
    for found in ("k='0'", "t='2'", "header='maybe'", "'[9:1]'", "names no column"):
        assert found in run.err


def test_every_fault_of_the_data_is_told_in_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "in.csv", "a,b\n1,x\nx,2\n3,y\n")
    text = configuration("<att name='a' type='number'/><att name='b' type='number'/>")
    run = run_here(["-config", write(tmp_path / "c.xml", text)], capsys)
    assert "column a: pattern 'a' (line 3)" in run.err
    assert "column b: pattern 'a' (lines 2, 4)" in run.err


@pytest.mark.parametrize("long", ["a quasi-identifier's value", "a header"])
def test_a_message_stays_short_where_a_cell_is_long(
    long: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = {"a quasi-identifier's value": f"a,b\nred,1\n{'x' * 100_000},2\n", "a header": f"c,{'x' * 100_000}\n1,2\n"}
    write(tmp_path / "in.csv", data[long])
    run = run_here(["-config", write(tmp_path / "c.xml", configuration(f"<att name='a'>{MAPPED}</att>"))], capsys)
    assert run.status in (USAGE, INPUT)
    assert len(run.err) < 2_000


def test_an_error_as_json_is_one_document_with_its_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "c.xml", configuration(root="k='0'"))
    write(tmp_path / "in.csv", GOOD)
    run = run_here(["-config", path, "--json"], capsys)
    error = run.document["error"]
    assert (run.status, error["status"], error["kind"]) == (2, 2, "ConfigurationError")
    assert [(fault["line"], fault["found"]) for fault in error["faults"]] == [(1, "k='0' is too small.")]


# By default test_cut_off.py interrupts runs of fewer records.
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["INT", "TERM"])
@pytest.mark.parametrize("step", ["at once", "in the middle"])
def test_an_interrupted_run_ends_with_130_and_leaves_nothing(
    kind: str, step: str, census: Path, tmp_path: Path
) -> None:
    columns = "".join(f"<att name='{name}' type='category'/>" for name in ("race", "education", "native-country"))
    text = configuration(f"<att name='age'/>{columns}", source=str(census), root="k='5'")
    write(tmp_path / "c.xml", text)
    write(tmp_path / "out.csv", OLDER)
    before = files(tmp_path)
    command = [sys.executable, "-m", "toolbox", "-config", str(tmp_path / "c.xml"), "--threads", "1"]
    with children.start(command, stderr=subprocess.PIPE, text=True) as process:
        _wait_for_temporary_folder(tmp_path, process)
        time.sleep(0 if step == "at once" else 0.4)
        process.send_signal(getattr(signal, f"SIG{kind}"))
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in errors) == (INTERRUPTED, False), errors
    assert "interrupted; nothing was released" in errors
    assert files(tmp_path) == before


def _wait_for_temporary_folder(folder: Path, process: subprocess.Popen[str]) -> None:
    """Wait until the run has begun to work, which its folder beside the output shows."""
    while process.poll() is None and not any(folder.glob(".toolbox-*")):
        time.sleep(0.005)


@pytest.fixture(scope="module")
def census(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Generate enough records that a run takes seconds."""
    script = Path(__file__).parents[2] / "scripts" / "generate_census.py"
    path = tmp_path_factory.mktemp("census") / "in.csv"
    command = [sys.executable, str(script), "--records", "600000", "--seed", "1", "--output", str(path)]
    children.run(command, check=True, capture_output=True)
    return path
