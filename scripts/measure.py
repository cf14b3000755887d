"""Run a program as a child process and measure what it used: time, processor time, peak memory, and disk to spill."""

from __future__ import annotations

import compileall
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from resource import struct_rusage
from threading import Timer
from typing import IO

from spill import SpillWatch


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What one run used, and what it printed."""

    wall_seconds: float
    cpu_seconds: float
    """User and system time of all threads, and of the children that the program waited for."""
    peak_bytes: int
    """Largest resident set. At least that of the measuring process, which the child begins as a copy of."""
    spilled_bytes: int
    """Most that the engine had on disk at once beside its output; 0 if nobody watched."""
    stdout: str


def compile_package() -> None:
    """Compile the toolbox, as pip does with what it installs.

    Where Python may not write what it has compiled (``PYTHONDONTWRITEBYTECODE``), each run would compile anew all that
    it imports.
    """
    compileall.compile_dir(Path(__file__).resolve().parents[1] / "toolbox", quiet=1)


class CommandFailedError(Exception):
    """A measured program ended with another status than 0."""

    def __init__(self, command: Sequence[str], status: int, stderr: str) -> None:
        super().__init__(tuple(command), status, stderr)

    def __str__(self) -> str:
        return f"{shlex.join(self.args[0])}\nended with {self.reason}"

    @property
    def status(self) -> int:
        """The exit status, or the negative number of the signal that ended it."""
        status: int = self.args[1]
        return status

    @property
    def reason(self) -> str:
        """What happened, without the command."""
        _, status, stderr = self.args
        return f"status {status}:\n{stderr.strip() or '(it printed no message)'}"


class TookTooLongError(CommandFailedError):
    """A measured program was killed because its time was up."""

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        super().__init__(command, -signal.SIGKILL, f"no result in {seconds:,} s")

    @property
    def reason(self) -> str:
        reason: str = self.args[2]
        return reason


def measure(command: Sequence[str], *, spill_folder: Path | None = None, timeout: float | None = None) -> Measurement:
    """Run a program to its end.

    Parameters
    ----------
    command : sequence of str, length >= 1
        The program and its arguments; no shell reads them.
    spill_folder : Path, optional
        Folder in which the temporary folders of the program are watched.
    timeout : float, optional
        Seconds after which the program is killed.

    Returns
    -------
    Measurement

    Raises
    ------
    CommandFailedError
        If its exit status is not 0; a signal is a negative status.
    TookTooLongError
        If its time was up.
    """
    # Files, because a child that fills a pipe would wait for this process, which waits for it.
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        with SpillWatch(spill_folder) as watch:
            start = time.perf_counter()
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr)
            usage = reap(process, timeout)
            wall_seconds = time.perf_counter() - start
        if timeout is not None and process.returncode == -signal.SIGKILL and wall_seconds >= timeout:
            raise TookTooLongError(command, timeout)
        if process.returncode != 0:
            raise CommandFailedError(command, process.returncode, read_back(stderr))
        return Measurement(
            wall_seconds=wall_seconds,
            cpu_seconds=usage.ru_utime + usage.ru_stime,
            peak_bytes=usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
            spilled_bytes=watch.peak_bytes,
            stdout=read_back(stdout),
        )


def reap(process: subprocess.Popen[bytes], timeout: float | None) -> struct_rusage:
    """Wait for a child, kill it when its time is up or when we are interrupted, and return what it used."""
    # Not process.kill, which would reap a child that has just ended, and with it what it used.
    killer = Timer(timeout or 0, os.kill, (process.pid, signal.SIGKILL))
    try:
        if timeout is not None:
            killer.start()
        # Popen.wait would reap the child without telling what it used.
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:
        process.kill()
        process.wait()
        raise
    finally:
        killer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage


def read_back(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
