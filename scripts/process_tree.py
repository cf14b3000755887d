"""What the processes of a run use, those of the driver and those of its engine apart, as Linux tells while they run."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread
from typing import IO, Literal

from measure import CommandFailedError, TookTooLongError, read_back, reap

PROC = Path("/proc")
EVERY_SECONDS = 0.1
JAVA = "java"
START = "start"
"""What the time before the first step is called."""
SECONDS_TO_LEAVE = 15
Side = Literal["driver", "engine"]
_BEGINS = re.compile(r"^\[ *[\d.:]+(?: s)?\] ([\w-]+) begins$")


@dataclass(frozen=True, kw_only=True)
class Used:
    """What one side of a run used."""

    cpu_seconds: float
    peak_bytes: int
    """Resident memory of all its processes; pages that they share count once."""


@dataclass(frozen=True, kw_only=True)
class Apart:
    """What a run used, and what it printed."""

    wall_seconds: float
    driver: Used
    engine: Used
    steps: dict[str, tuple[float, float]]
    """CPU seconds of driver and engine by step; the first is `START`."""
    stdout: str


@dataclass
class _Seen:
    """The processes of one side."""

    ticks: dict[int, int] = field(default_factory=dict)
    """By process, as it was last seen: those that have ended stay."""
    peak_bytes: int = 0


class TreeWatch:
    """Polls the processes below one, and those of servers, until it is left.

    Java below the process is its engine, all else its driver.

    Parameters
    ----------
    root : int
        The process of the driver.
    servers : sequence of int
        Processes of engines that were there before; with all below them they are the engine.
    """

    def __init__(self, root: int, servers: Sequence[int] = ()) -> None:
        self._root, self._servers = root, servers
        self._sides: dict[Side, _Seen] = {"driver": _Seen(), "engine": _Seen()}
        self._before = sum(map(_server_ticks, servers))
        self._of_servers = self._before
        self._looks: list[tuple[float, float, float]] = []
        self._left = Event()
        self._thread = Thread(target=self._watch, daemon=True)

    def __enter__(self) -> TreeWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.set()
        self._thread.join()
        self._look()

    def used(self, side: Side) -> Used:
        """Return what a side used until now."""
        return Used(cpu_seconds=self._cpu_seconds(side), peak_bytes=self._sides[side].peak_bytes)

    def at(self, moment: float) -> tuple[float, float]:
        """Return the CPU seconds that driver and engine had used at a moment of `time.perf_counter`."""
        later = [look for look in self._looks if look[0] >= moment]
        return (later[0] if later else self._looks[-1])[1:] if self._looks else (0.0, 0.0)

    def wait_for_java(self) -> None:
        """Wait until the Java that the driver has started is gone: what it does last counts, too."""
        until = time.monotonic() + SECONDS_TO_LEAVE
        while any(map(_is_alive, self._sides["engine"].ticks)) and time.monotonic() < until:
            time.sleep(EVERY_SECONDS / 2)

    def _watch(self) -> None:
        while not self._left.wait(EVERY_SECONDS):
            self._look()

    def _look(self) -> None:
        memory: dict[Side, list[tuple[int, int, int]]] = {"driver": [], "engine": []}
        # Java outlives the process that started it, and is no child of it then.
        for pid in dict.fromkeys([*_tree(self._root), *self._sides["engine"].ticks]):
            with suppress(OSError, ValueError):
                is_java = _name(pid) == JAVA
                side: Side = "engine" if is_java else "driver"
                for seen in self._sides.values():
                    seen.ticks.pop(pid, None)
                self._sides[side].ticks[pid] = sum(_times(pid)[: 4 if is_java else 2])
                memory[side].append(_memory(pid))
        for server in self._servers:
            for pid in _tree(server):
                with suppress(OSError, ValueError):
                    memory["engine"].append(_memory(pid))
        self._of_servers = max(self._of_servers, sum(map(_server_ticks, self._servers)))
        for name, found in memory.items():
            self._sides[name].peak_bytes = max(self._sides[name].peak_bytes, _together(found))
        self._looks.append((time.perf_counter(), self._cpu_seconds("driver"), self._cpu_seconds("engine")))

    def _cpu_seconds(self, side: Side) -> float:
        ticks = sum(self._sides[side].ticks.values())
        ticks += self._of_servers - self._before if side == "engine" else 0
        return ticks / os.sysconf("SC_CLK_TCK")


def measure_apart(
    command: Sequence[str],
    *,
    servers: Sequence[int] = (),
    environment: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> Apart:
    """Run a program that says on standard error which step begins, as ``[ 1.0 s] count begins``.

    Parameters
    ----------
    command : sequence of str
    servers : sequence of int
        Processes of engines that run already.
    environment : mapping of str to str, optional
        Variables beside those of this process.
    timeout : float, optional
        Seconds after which it is killed.

    Raises
    ------
    CommandFailedError
        If its exit status is not 0, or its time was up.
    """
    begins: list[tuple[float, str]] = []
    words: list[str] = []
    start = time.perf_counter()
    with tempfile.TemporaryFile() as stdout:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
        )
        assert process.stderr is not None
        reader = Thread(target=_listen, args=(process.stderr, begins, words), daemon=True)
        reader.start()
        with TreeWatch(process.pid, servers) as watch:
            reap(process, timeout)
            wall_seconds = time.perf_counter() - start
            watch.wait_for_java()
        reader.join(SECONDS_TO_LEAVE)
        if timeout is not None and process.returncode == -signal.SIGKILL and wall_seconds >= timeout:
            raise TookTooLongError(command, timeout)
        if process.returncode != 0:
            raise CommandFailedError(command, process.returncode, "".join(words))
        printed = read_back(stdout)
    return Apart(
        wall_seconds=wall_seconds,
        driver=watch.used("driver"),
        engine=watch.used("engine"),
        steps=_by_step(watch, begins),
        stdout=printed,
    )


def can_watch() -> bool:
    """Return whether the system tells what processes use."""
    return sys.platform == "linux" and (PROC / "self" / "task").exists()


def parent(pid: int) -> int:
    """Return the process that has started another."""
    return int(_fields(pid)[1])


def _listen(stream: IO[bytes], begins: list[tuple[float, str]], words: list[str]) -> None:
    for line in stream:
        text = line.decode(errors="replace")
        words.append(text)
        if found := _BEGINS.match(text.rstrip()):
            begins.append((time.perf_counter(), found[1]))


def _by_step(watch: TreeWatch, begins: Sequence[tuple[float, str]]) -> dict[str, tuple[float, float]]:
    moments = [(0.0, 0.0), *(watch.at(moment) for moment, _ in begins)]
    moments.append((watch.used("driver").cpu_seconds, watch.used("engine").cpu_seconds))
    names = [START, *(name for _, name in begins)]
    spent = [(after[0] - before[0], after[1] - before[1]) for before, after in pairwise(moments)]
    return dict(zip(names, spent, strict=True))


def _tree(pid: int) -> list[int]:
    """List a process and all below it; Java starts none that matter, and has a hundred threads to ask."""
    found, waiting = [], [pid]
    while waiting:
        one = waiting.pop()
        found.append(one)
        with suppress(OSError):
            for children in () if _name(one) == JAVA else (PROC / str(one) / "task").glob("*/children"):
                waiting += map(int, children.read_text().split())
    return found


def _server_ticks(pid: int) -> int:
    """Return the CPU of a server: that of its processes, and of those that it has seen ending."""
    ticks = 0
    for one in reversed(_tree(pid)):
        with suppress(OSError, ValueError):
            ticks += sum(_times(one)[: 4 if one == pid else 2])
    return ticks


def _is_alive(pid: int) -> bool:
    """Return whether a process still works: one that nobody has waited for stays in the list."""
    try:
        return _fields(pid)[0] not in "ZX"
    except OSError:
        return False


def _fields(pid: int) -> list[str]:
    return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()


def _times(pid: int) -> list[int]:
    """Return user and system time of a process, and of those below it that have ended, in ticks."""
    return [int(text) for text in _fields(pid)[11:15]]


def _name(pid: int) -> str:
    return (PROC / str(pid) / "comm").read_text().strip()


def _memory(pid: int) -> tuple[int, int, int]:
    """Return what is resident of a process, in bytes: its own, of files, and shared."""
    lines = (PROC / str(pid) / "status").read_text().splitlines()
    sizes = {line.partition(":")[0]: line.split()[1] for line in lines if line.startswith("Rss")}
    own, files, shared = (int(sizes.get(f"Rss{kind}", 0)) * 1024 for kind in ("Anon", "File", "Shmem"))
    return own, files, shared


def _together(processes: Sequence[tuple[int, int, int]]) -> int:
    if not processes:
        return 0
    own, files, shared = zip(*processes, strict=True)
    total: int = sum(own) + max(files) + max(shared)
    return total
