"""Interrupts: the first ends the run, a second is told to wait, a third leaves at once."""

from __future__ import annotations

import errno
import os
import signal
import sys
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolbox.cli.interrupts import INTERRUPTED, Interrupts
from toolbox.cli.main import main
from toolbox.store.engine.store import Store

HANDLED = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


class LeftError(Exception):
    """The process would have ended here."""


@pytest.fixture(autouse=True)
def no_exit(monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(status: int) -> None:
        raise LeftError(status)

    monkeypatch.setattr(os, "_exit", leave)


@pytest.fixture
def handlers() -> Iterator[None]:
    """Give the signals their usual meaning, and their old one back."""
    before = {number: signal.getsignal(number) for number in HANDLED}
    hook = sys.unraisablehook
    for number in HANDLED:
        signal.signal(number, signal.SIG_DFL)
    yield
    sys.unraisablehook = hook
    for number, handler in before.items():
        signal.signal(number, handler)


def test_before_the_release_is_in_place_a_third_leaves_as_interrupted(capfd: pytest.CaptureFixture[str]) -> None:
    interrupts = Interrupts()
    with pytest.raises(KeyboardInterrupt):
        interrupts(signal.SIGINT, None)
    assert capfd.readouterr().err == ""
    interrupts(signal.SIGTERM, None)
    assert capfd.readouterr().err == "toolbox: removing temporary files; once more leaves at once.\n"
    with pytest.raises(LeftError, match=r"^130$"):
        interrupts(signal.SIGINT, None)
    assert capfd.readouterr().err == (
        "toolbox: left at once; the next run in the same folder removes the temporary files.\n"
    )


def test_once_the_release_is_in_place_an_interrupt_comes_too_late(capfd: pytest.CaptureFixture[str]) -> None:
    interrupts = Interrupts()
    interrupts.placed()
    for _ in range(2):
        interrupts(signal.SIGINT, None)
        assert capfd.readouterr().err == (
            "toolbox: the release is complete; about to end. Three interrupts leave at once.\n"
        )
    with pytest.raises(LeftError, match=r"^0$"):
        interrupts(signal.SIGINT, None)


def test_it_handles_all_three_signals_until_it_ignores_them(handlers: None) -> None:
    interrupts = Interrupts()
    interrupts.install()
    assert [signal.getsignal(number) for number in HANDLED] == [interrupts] * 3
    interrupts.ignore()
    assert [signal.getsignal(number) for number in HANDLED] == [signal.SIG_IGN] * 3


def test_a_signal_that_is_ignored_stays_ignored(handlers: None) -> None:
    """As under `nohup`."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    interrupts = Interrupts()
    interrupts.install()
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    assert signal.getsignal(signal.SIGTERM) is interrupts


def test_an_interrupt_in_the_callback_of_a_dying_object_is_heard_a_moment_later(
    handlers: None, capfd: pytest.CaptureFixture[str]
) -> None:
    """Python reports what is raised there, and goes on as if nothing had happened."""

    class Thing:
        pass

    Interrupts().install()
    thing = Thing()
    watched = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGTERM))
    with pytest.raises(KeyboardInterrupt):
        del thing
        time.sleep(30)
    assert watched() is None
    assert capfd.readouterr().err == ""


def test_other_errors_of_dying_objects_are_reported_as_ever(handlers: None, capfd: pytest.CaptureFixture[str]) -> None:
    class Thing:
        def __del__(self) -> None:
            raise ValueError("of its own")

    Interrupts().install()
    Thing()
    assert "of its own" in capfd.readouterr().err


def test_an_error_that_a_library_raises_in_the_place_of_an_interrupt_is_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(_: object) -> int:
        raise RuntimeError("something went wrong")

    monkeypatch.setattr("toolbox.cli.commands.others.methods", fails)
    assert main(["methods"], interrupted=lambda: True) == INTERRUPTED
    assert capsys.readouterr().err == "toolbox: interrupted; nothing was released.\n"
    assert main(["methods"]) == 3
    assert "RuntimeError" in capsys.readouterr().err


def test_an_interrupted_study_says_that_it_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("toolbox.cli.commands.others.experiment", interrupted)
    assert main(["experiment", "study.toml"]) == INTERRUPTED
    said = "toolbox: interrupted; what was measured so far is kept, and the same command goes on from there.\n"
    assert capsys.readouterr().err == said


def test_an_interrupt_is_heard_until_the_release_is_in_place() -> None:
    interrupts = Interrupts()
    assert not interrupts.has_arrived()
    with pytest.raises(KeyboardInterrupt):
        interrupts(signal.SIGTERM, None)
    assert interrupts.has_arrived()
    interrupts.placed()
    assert not interrupts.has_arrived()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.EIO, "Input/output error")])
def test_once_the_release_is_in_place_the_status_is_0_whatever_comes(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An interrupt that no handler of ours has met, and a disk that fails when all is moved."""

    others = ("--undeclared", "pass")

    class Failing(Store):
        def __exit__(self, *ended: object) -> None:
            super().__exit__(None, None, None)
            raise error

    (tmp_path / "in.csv").write_text("a,b\nx,1\nx,2\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("toolbox.flows.release.anonymize.Store", Failing)
    assert main(["anonymize", "in.csv", "--qi", "a", "-k", "2", "-output", "out.csv", *others, "--quiet"]) == 0
    assert "toolbox: the release is complete, but what follows it was cut off: " in capsys.readouterr().err
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 3
