"""Measure the peak of resident memory on inputs that need most, beside the limit that each run was given.

    python scripts/bench_memory.py                          all cases: some minutes, and 3 GB of disk
    python scripts/bench_memory.py --case spellings fields  some of them
    python scripts/bench_memory.py --scale 0.001            a small share of each, to see that all is well

A run is fine if its peak stays within the limit and what Python, the libraries and the arrays of a method take beside
it, 600 MB, and it ends with a release or with a message that says what to do. Exit status: 0 if all are, else 1.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Event, Thread

from measure import read_back, reap
from memory_cases import CASES, Case
from rich.console import Console
from rich.table import Table

from toolbox.config.values import parse_memory

BESIDE_LIMIT = 600_000_000
"""Bytes that a process may take beside the limit of the engine: Python, libraries, the arrays of a method."""
_MOST = 6_000_000_000
"""Bytes of resident memory at which a run is killed, so that it does not take the machine down."""
_MOST_DATA = 8_000_000_000
_EVERY_SECONDS = 0.1
_REFUSALS = (2, 3, 4)
_UNITS = {"kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


@dataclass(frozen=True, kw_only=True)
class Result:
    """What one run took, and how it ended."""

    case: str
    records: int
    limit_bytes: int
    peak_bytes: int
    seconds: float
    cpu_seconds: float
    status: int
    message: str
    """What the run said where it made no release."""
    is_fine: bool
    """Whether the peak is within bounds, and the run ended with a release or with a message that names the remedy."""


class Guard:
    """Kills a process whose resident memory grows beyond what the machine can give."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._ended = Event()
        self._thread = Thread(target=self._watch, daemon=True)
        if sys.platform == "linux":
            resource.prlimit(process.pid, resource.RLIMIT_DATA, (_MOST_DATA, _MOST_DATA))
        self._thread.start()

    def end(self) -> None:
        """Stop watching."""
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        path = Path(f"/proc/{self._process.pid}/statm")
        while not self._ended.wait(_EVERY_SECONDS):
            try:
                pages = int(path.read_text().split()[1])
            except (OSError, IndexError):
                return
            if pages * os.sysconf("SC_PAGE_SIZE") > _MOST:
                os.kill(self._process.pid, signal.SIGKILL)
                return


def run(case: Case, folder: Path, timeout: int) -> Result:
    """Make the input of a case, run the toolbox on it, and measure the process."""
    config = case.write(folder)
    limit = parse_memory(case.memory_limit)
    command = [sys.executable, "-m", "toolbox", "-config", str(config), "--memory-limit", limit, "--quiet"]
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen([*command, *case.options], stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        guard = Guard(process)
        try:
            usage = reap(process, timeout)
        finally:
            guard.end()
        seconds = time.perf_counter() - start
        message = read_back(output).strip()
    status, peak = process.returncode, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    is_told = status == 0 or (status in _REFUSALS and case.remedy in message)
    return Result(
        case=case.name,
        records=case.records,
        limit_bytes=_bytes(limit),
        peak_bytes=peak,
        seconds=seconds,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        status=status,
        message=f"no result in {timeout:,} s" if seconds >= timeout else message,
        is_fine=is_told and peak <= _bytes(limit) + BESIDE_LIMIT,
    )


def _bytes(limit: str) -> int:
    unit = next(unit for unit in sorted(_UNITS, key=len, reverse=True) if limit.endswith(unit))
    return int(float(limit.removesuffix(unit)) * _UNITS[unit])


def show(results: Sequence[Result]) -> None:
    """Print the table, and below it what was said where there was no release."""
    table = Table(title="Peak of resident memory")
    table.add_column("case", no_wrap=True)
    for heading in ("records", "limit MB", "may take MB", "peak MB", "", "status", "wall s", "CPU s"):
        table.add_column(heading, justify="right")
    for result in results:
        megabytes = (
            f"{size / 1e6:,.0f}" for size in (result.limit_bytes, result.limit_bytes + BESIDE_LIMIT, result.peak_bytes)
        )
        seconds = (f"{result.seconds:,.1f}", f"{result.cpu_seconds:,.1f}")
        table.add_row(
            result.case,
            f"{result.records:,}",
            *megabytes,
            "fine" if result.is_fine else "NOT",
            str(result.status),
            *seconds,
        )
    console = Console()
    console.print(table)
    for result in results:
        if result.message:
            console.print(f"{result.case}: {result.message[-600:]}", markup=False, highlight=False, soft_wrap=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the cases that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [case.name for case in CASES]
    parser.add_argument("--case", nargs="+", choices=names, metavar="NAME", help=f"some of {', '.join(names)}")
    parser.add_argument("--memory-limit", type=parse_memory, metavar="SIZE", help="instead of the limit of each case")
    parser.add_argument("--scale", type=float, default=1.0, metavar="SHARE", help="share of the records of each case")
    parser.add_argument("--timeout", type=int, default=900, metavar="S", help="seconds until a run is killed")
    parser.add_argument("--folder", type=Path, metavar="FOLDER", help="where inputs and releases go while they last")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(arguments)
    results = []
    for case in (case for case in CASES if options.case is None or case.name in options.case):
        scaled = case.scaled(options.scale)
        if options.memory_limit:
            scaled = replace(scaled, memory_limit=options.memory_limit)
        with tempfile.TemporaryDirectory(prefix="bench-memory-", dir=options.folder) as folder:
            print(f"{case.name}: {case.description}", file=sys.stderr)
            results.append(run(scaled, Path(folder), options.timeout))
            taken, status = results[-1].peak_bytes / 1e6, results[-1].status
            print(f"  {taken:,.0f} MB, {results[-1].seconds:,.0f} s, status {status}", file=sys.stderr, flush=True)
    if options.json:
        print(json.dumps([asdict(result) for result in results], indent=2))
    else:
        show(results)
    return 0 if all(result.is_fine for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
