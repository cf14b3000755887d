"""A run whose folder another run holds says so at once, can be interrupted, and ends in time with nothing released."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.hostile import OLDER, configuration, run_here, write


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Path]:
    """Return a folder with a configuration, an input and an older release, whose lock another run holds."""
    write(tmp_path / "in.csv", "a,b\nx,1\nx,2\n")
    write(tmp_path / "c.xml", configuration())
    write(tmp_path / "out.csv", OLDER)
    descriptor = os.open(tmp_path / ".toolbox-lock", os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    yield tmp_path
    os.close(descriptor)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_after_the_time_that_the_user_gives_nothing_is_released(held: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = names(held)
    run = run_here(["-config", held / "c.xml", "--quiet", "--lock-timeout", "0.1"], capsys)
    assert (run.status, names(held)) == (2, before)
    assert (held / "out.csv").read_text() == OLDER
    waiting, ended = run.err.splitlines()
    assert waiting == (
        f"toolbox: waiting for another run (process {os.getpid()}) to release into {held}, 0.1 seconds at most."
    )
    assert ended.startswith(f"toolbox: {held / '.toolbox-lock'} is held by another run (process {os.getpid()}); ")
    assert ended.endswith("Nothing was released.")


@pytest.mark.slow
def test_whoever_waits_can_be_interrupted(held: Path) -> None:
    before = names(held)
    command = [sys.executable, "-m", "toolbox", "-config", str(held / "c.xml"), "--quiet"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "30 seconds at most" in process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "toolbox: interrupted; nothing was released.\n")
    assert (names(held), (held / "out.csv").read_text()) == (before, OLDER)


def test_a_pipe_in_the_place_of_the_lock_is_told_before_any_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The input is not even there."""
    write(tmp_path / "c.xml", configuration())
    os.mkfifo(tmp_path / ".toolbox-lock")
    run = run_here(["-config", tmp_path / "c.xml"], capsys)
    assert run.status == 2
    assert f"{tmp_path / '.toolbox-lock'} is a named pipe, where runs lock the folder" in run.err
