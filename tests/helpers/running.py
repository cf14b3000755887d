"""The command line as a test runs it: in this process, or as the program that users start."""

from __future__ import annotations

import json
import signal
import sys
from contextlib import chdir, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, TextIO

import pytest
from helpers import children

from toolbox.cli.main import main


@dataclass(frozen=True)
class Finished:
    """What is left of a run of the command line."""

    status: int
    stdout: str
    stderr: str

    @property
    def document(self) -> dict[str, Any]:
        """The JSON document of a run with ``--json``; it has no NaN and no Infinity, which JSON does not know."""
        return json.loads(self.stdout, parse_constant=pytest.fail)

    def succeeded(self) -> Finished:
        """Return itself, or fail with what the command line said."""
        assert self.status == 0, f"exit status {self.status}\n{self.stdout}\n{self.stderr}"
        return self


def run_in_process(
    *arguments: object, cwd: Path | None = None, terminal: TextIO | None = None, out: TextIO | None = None
) -> Finished:
    """Call the command line's entry point; what it prints is caught, the signal handlers stay as they were.

    Its standard error may be a terminal, and so may its standard output; then nothing is caught of that.
    """
    caught, err = StringIO(), StringIO()
    with chdir(cwd) if cwd else nullcontext(), redirect_stdout(out or caught), redirect_stderr(terminal or err):
        status = status_of(*arguments)
    return Finished(status, caught.getvalue(), err.getvalue())


def status_of(*arguments: object) -> int:
    """Call it where it prints to whatever stands in the places of the streams; return the exit status."""
    handler = signal.getsignal(signal.SIGTERM)
    try:
        return main([str(argument) for argument in arguments])
    finally:
        signal.signal(signal.SIGTERM, handler)


def run_as_program(*arguments: object, cwd: Path | None = None) -> Finished:
    """Start the toolbox as a process of its own."""
    command = [sys.executable, "-m", "toolbox", *(str(argument) for argument in arguments)]
    finished = children.run(command, cwd=cwd, capture_output=True, text=True, encoding="utf-8", check=False)
    return Finished(finished.returncode, finished.stdout, finished.stderr)
