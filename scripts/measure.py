"""Run a program as a child process and measure what it used: wall time, processor time and peak memory."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What one run used, and what it printed."""

    wall_seconds: float
    cpu_seconds: float
    """User and system time of all threads, and of the children that the program waited for."""
    peak_bytes: int
    """Largest resident set. At least that of the measuring process, which the child begins as a copy of."""
    stdout: str


class CommandFailedError(Exception):
    """A measured program ended with another status than 0."""

    def __init__(self, command: Sequence[str], status: int, stderr: str) -> None:
        super().__init__(tuple(command), status, stderr)

    def __str__(self) -> str:
        command, status, stderr = self.args
        return f"{shlex.join(command)}\nended with status {status}:\n{stderr.strip() or '(it printed no message)'}"


def measure(command: Sequence[str]) -> Measurement:
    """Run a program to its end.

    Parameters
    ----------
    command : sequence of str, length >= 1
        The program and its arguments; no shell reads them.

    Returns
    -------
    Measurement

    Raises
    ------
    CommandFailedError
        If its exit status is not 0; a signal is a negative status.
    """
    # Files, because a child that fills a pipe would wait for this process, which waits for it.
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr)
        try:
            # Popen.wait would reap the child without telling what it used.
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
        wall_seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise CommandFailedError(command, process.returncode, read_back(stderr))
        return Measurement(
            wall_seconds=wall_seconds,
            cpu_seconds=usage.ru_utime + usage.ru_stime,
            peak_bytes=usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
            stdout=read_back(stdout),
        )


def read_back(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
