"""Processes that tests start: they hear every signal, and none outlives its test, whatever becomes of the test.

`run` and `start` take what `subprocess.run` and `subprocess.Popen` take. What they start is killed, with all that it has
started itself, when its test ends, when its time is up, and on Linux also when this process is killed.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock, Timer
from typing import Any

LIMIT = 300
"""Seconds after which a process is killed."""
_PARENT_DEATH_SIGNAL, _CHILD_SUBREAPER = 1, 36
_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None
_started: dict[subprocess.Popen[Any], Timer] = {}
_lasting: set[int] = set()
_starting = Lock()
"""Held while a process starts: one that is to last is not known as such before, and another thread may end all others."""

Command = str | Sequence[object]


def prepare() -> None:
    """Let the children of this process begin as those of a shell at a terminal do, however it was started itself."""
    # A signal that is ignored here, as it is in the background or under `nohup`, would be ignored by each child. One
    # that is handled has its usual meaning for them.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _survive)
    # With it each child would compile the whole package.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if _prctl is not None:
        # What a child leaves behind becomes a child of this process, and can be ended with the others.
        _prctl(_CHILD_SUBREAPER, 1)


def start(command: Command, *, limit: float = LIMIT, lasting: bool = False, **options: Any) -> subprocess.Popen[Any]:
    """Start a process.

    Parameters
    ----------
    command : str or sequence
        The parts of a sequence may be anything that can be written as text.
    limit : float
        Seconds after which it is killed.
    lasting : bool
        Whether it lives on when its test ends, for other tests, and only ends with this process.
    options
        As those of `subprocess.Popen`.
    """
    given = command if isinstance(command, str) else [str(part) for part in command]
    with _starting:
        process = subprocess.Popen(given, start_new_session=True, preexec_fn=_tie_to(os.getpid()), **options)  # noqa: PLW1509
        if lasting:
            _lasting.add(process.pid)
    timer = Timer(limit, _end, [process])
    if not lasting:
        timer.daemon = True
        timer.start()
        _started[process] = timer
    return process


def run(
    command: Command, *, check: bool = False, capture_output: bool = False, timeout: float | None = None, **options: Any
) -> Any:
    """Start a process and wait for its end, as `subprocess.run` does."""
    if capture_output:
        options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with start(command, **options) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException:
            _end(process)
            raise
        finally:
            if timer := _started.pop(process, None):
                timer.cancel()
    finished = subprocess.CompletedProcess(process.args, process.returncode, out, err)
    if check:
        finished.check_returncode()
    return finished


def let_last(number: int) -> None:
    """Let a process live on that something else has started for several tests; it has to end with this one by itself."""
    _lasting.add(number)


@contextmanager
def letting_last() -> Iterator[None]:
    """Let all processes live on that something else starts in the block."""
    before = set(_children(os.getpid()))
    yield
    for number in set(_children(os.getpid())) - before:
        let_last(number)


def end_all() -> None:
    """Kill whatever this process has started and has not ended yet, but for what is to last."""
    while _started:
        process, timer = _started.popitem()
        timer.cancel()
        _end(process)
        process.wait()
    with _starting:
        while left := set(_children(os.getpid())) - _lasting:
            for number in left:
                _kill(number)
                with suppress(ChildProcessError):
                    os.waitpid(number, 0)


def _survive(*_: object) -> None:
    """Handle a signal by doing nothing."""


def _tie_to(parent: int) -> Callable[[], None] | None:
    """Return what a child calls before it becomes another program, so that it dies with this process."""
    prctl = _prctl
    if prctl is None:
        return None

    def tie() -> None:
        prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return tie


def _end(process: subprocess.Popen[Any]) -> None:
    if process.poll() is None:
        _kill(process.pid)


def _kill(number: int) -> None:
    for process in (*list_descendants(number), number):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)


def list_descendants(number: int) -> Iterator[int]:
    """List the processes that a process has started, and those that these have started."""
    for child in _children(number):
        yield child
        yield from list_descendants(child)


def _children(number: int) -> list[int]:
    """List the children of a process; none where the system does not tell."""
    found: list[int] = []
    for listed in Path(f"/proc/{number}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, listed.read_text().split())
    return found
