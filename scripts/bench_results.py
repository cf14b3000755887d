"""The results of the benchmark, one JSON line per run, so that a long one that is cut off can go on."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

COPY_NAME = "DuckDB copy"


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of one program, as a line of the file of results keeps it."""

    input: str
    records: int
    program: str
    round: int
    """Counts from 1; the programs take turns, once in each round."""
    quasi_identifiers: int
    """How many are generalised; 0 for the copy."""
    k: int
    l: int  # noqa: E741
    threads: int
    memory_limit: str
    environment: dict[str, str]
    load_before: float
    """How many programs wanted a processor before the first run began."""
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    spilled_bytes: int = 0
    copy_wall_seconds: float = 0.0
    """Of the copy of the same file, in the same round of the same call."""
    copy_cpu_seconds: float = 0.0
    timings: dict[str, float] = field(default_factory=dict)
    """Seconds by step, as the program reports them itself; empty for the copy."""
    failure: str | None = None
    """Why there is no result; then the measured values mean nothing."""

    @property
    def key(self) -> tuple[object, ...]:
        """Two runs with one key measure the same thing."""
        settings = (self.k, self.l, self.threads, self.memory_limit, *sorted(self.environment.items()))
        return (self.input, self.records, self.program, self.round, *settings)


def read_results(path: Path) -> list[Run]:
    """Read all lines; one that a crash cut short, or another version wrote, is passed over."""
    runs = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            document = json.loads(line)
            runs.append(Run(**{setting.name: document[setting.name] for setting in fields(Run)}))
        except (ValueError, KeyError, TypeError):
            print(f"{path}: a line that is no result is passed over", file=sys.stderr)
    return runs


def append_result(path: Path, run: Run) -> None:
    """Add a line, on the disk before the next run begins; after a line that was cut short, on one of its own."""
    with path.open("a+b") as file:
        if file.tell() and (file.seek(-1, os.SEEK_END), file.read(1))[1] != b"\n":
            file.write(b"\n")
        file.write(json.dumps(asdict(run)).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def comparable(runs: Sequence[Run]) -> list[Run]:
    """Choose those runs that were made as the last one was, and of several of one thing the last."""
    if not runs:
        return []
    last = runs[-1]
    alike = [
        run
        for run in runs
        if (run.environment, run.k, run.l, run.threads) == (last.environment, last.k, last.l, last.threads)
    ]
    return list({run.key: run for run in alike}.values())
