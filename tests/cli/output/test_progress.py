"""Progress: bars on terminals, lines elsewhere where they are asked for, else nothing."""

from __future__ import annotations

import io
import sys

import pytest

from toolbox.cli.output.progress import show_progress
from toolbox.steps import Steps


class Terminal(io.StringIO):
    """A stream that calls itself a terminal."""

    def isatty(self) -> bool:
        return True


def shown(
    stream: io.StringIO,
    monkeypatch: pytest.MonkeyPatch,
    *,
    quiet: bool = False,
    verbose: bool = False,
    term: str = "xterm",
) -> str:
    """Show one step and return what was written."""
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr(sys, "stderr", stream)
    with show_progress(quiet=quiet, verbose=verbose) as watcher, Steps(watcher).step("prove"):
        pass
    return stream.getvalue()


@pytest.mark.parametrize("verbose", [False, True])
def test_a_terminal_shows_bars(verbose: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(Terminal(), monkeypatch, verbose=verbose)
    assert "\x1b[?25l" in text
    assert "prove begins" not in text


def test_a_terminal_that_cannot_go_back_shows_nothing_unless_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(Terminal(), monkeypatch, term="dumb") == ""
    assert "prove begins" in shown(Terminal(), monkeypatch, term="dumb", verbose=True)


def test_elsewhere_there_are_lines_where_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(io.StringIO(), monkeypatch, verbose=True)
    assert "prove begins" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(("stream", "quiet"), [(io.StringIO, False), (io.StringIO, True), (Terminal, True)])
def test_no_progress_elsewhere_or_where_quiet_is_asked_for(
    stream: type[io.StringIO], quiet: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shown(stream(), monkeypatch, quiet=quiet) == ""
