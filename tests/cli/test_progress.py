"""Progress: on terminals only."""

from __future__ import annotations

import io
import sys

import pytest

from toolbox.cli.progress import progress


class Terminal(io.StringIO):
    """A stream that calls itself a terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_is_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress(quiet=False) as tell:
        tell("read")
    assert sys.stderr.getvalue() != ""


@pytest.mark.parametrize(("stream", "quiet"), [(io.StringIO, False), (Terminal, True)])
def test_no_progress_elsewhere_or_where_quiet_is_asked_for(
    stream: type[io.StringIO], quiet: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", stream())
    with progress(quiet=quiet) as tell:
        tell("read")
    assert sys.stderr.getvalue() == ""
