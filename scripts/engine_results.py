"""The results of the benchmark of engines: a JSON line per run, and the medians of several."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from statistics import median

from engine_programs import DUCKDB_COPY, EMBEDDED
from process_tree import START

OVER_AGAIN = ", the same records over and over"
"""What is added to the name of a program whose input is a smaller one several times."""


@dataclass(frozen=True, kw_only=True)
class EngineRun:
    """One run of one program."""

    program: str
    records: int
    k: int
    threads: int = 0
    round: int = 0
    wall_seconds: float = 0.0
    driver_cpu: float = 0.0
    engine_cpu: float = 0.0
    driver_peak: int = 0
    engine_peak: int = 0
    steps: dict[str, list[float]] = field(default_factory=dict)
    """CPU seconds of driver and engine by step."""
    timings: dict[str, float] = field(default_factory=dict)
    """Wall seconds by step, as the program reports them itself; empty for a copy."""
    engine_is_measured: bool = True
    combinations: int = 0
    combination_bytes: int = 0
    """Of all combinations, as a table of Arrow."""
    environment: dict[str, str] = field(default_factory=dict)
    load_before: float = 0.0
    failure: str | None = None

    def within(self, round_: int, counted: tuple[int, int], environment: dict[str, str], load: float) -> EngineRun:
        """Return the run with what it shares with others of its round."""
        rows, size = counted
        return replace(
            self,
            round=round_,
            combinations=rows,
            combination_bytes=size,
            environment=environment,
            load_before=load,
        )


@dataclass(frozen=True, kw_only=True)
class EngineRow:
    """The medians of one program's runs on one size."""

    program: str
    records: int
    runs: int
    wall_seconds: float
    driver_cpu: float
    engine_cpu: float
    driver_peak: float
    engine_peak: float
    start_cpu: float
    """Of both, before the first step: Python and the Java machine begin."""
    steps: dict[str, list[float]]
    ratio: float | None
    """Median of what both used after the start, as a multiple of that of the copy in the same round."""
    engine_is_measured: bool
    combinations: int
    combination_bytes: int
    failure: str | None

    def cpu_of(self, *names: str) -> float:
        """Return the CPU seconds of both sides in some steps."""
        return sum(sum(self.steps.get(name, ())) for name in names)


def append(path: Path, run: EngineRun) -> None:
    """Add a line, on the disk before the next run begins."""
    with path.open("ab") as file:
        file.write(json.dumps(asdict(run)).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def read(path: Path) -> list[EngineRun]:
    """Read the results that were made as the last one was; a line that is none is passed over."""
    runs = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            document = json.loads(line)
            runs.append(EngineRun(**{each.name: document[each.name] for each in fields(EngineRun)}))
        except (ValueError, KeyError, TypeError):
            print(f"{path}: a line that is no result is passed over", file=sys.stderr)
    if not runs:
        return []
    last = runs[-1]
    alike = [run for run in runs if (run.environment, run.k) == (last.environment, last.k)]
    return list({(run.program, run.records, run.round): run for run in alike}.values())


def summarise(runs: Sequence[EngineRun]) -> list[EngineRow]:
    """Make a row of all runs of one program on one size, by size and in their order."""
    groups: dict[tuple[int, str], list[EngineRun]] = {}
    for run in runs:
        groups.setdefault((run.records, run.program), []).append(run)
    copies = {(run.records, run.round, run.program): run for run in runs if run.failure is None}
    return [_row(group, copies) for _, group in sorted(groups.items(), key=lambda item: item[0][0])]


def copy_of(program: str) -> str:
    """Return what the copy beside a program is called; there is none where the input is another one."""
    return DUCKDB_COPY if program == EMBEDDED else f"{program} copy"


def after_start(run: EngineRun) -> float:
    """Return the CPU seconds of both sides without those before the first step."""
    return run.driver_cpu + run.engine_cpu - sum(run.steps.get(START, ()))


def _row(runs: Sequence[EngineRun], copies: Mapping[tuple[int, int, str], EngineRun]) -> EngineRow:
    finished = [run for run in runs if run.failure is None]
    # Of a program that fails nothing is measured; zeros keep the arithmetic short and are not shown.
    measured = finished or runs
    first = measured[0]
    pairs = [(run, copies.get((run.records, run.round, copy_of(run.program)))) for run in finished]
    ratios = [after_start(run) / after_start(copy) for run, copy in pairs if copy and after_start(copy)]
    names = list(first.steps)
    return EngineRow(
        program=first.program,
        records=first.records,
        runs=len(finished),
        wall_seconds=median(run.wall_seconds for run in measured),
        driver_cpu=median(run.driver_cpu for run in measured),
        engine_cpu=median(run.engine_cpu for run in measured),
        driver_peak=median(run.driver_peak for run in measured),
        engine_peak=median(run.engine_peak for run in measured),
        start_cpu=median(sum(run.steps.get(START, ())) for run in measured),
        steps={
            name: [median(run.steps.get(name, [0, 0])[side] for run in measured) for side in (0, 1)] for name in names
        },
        ratio=median(ratios) if ratios and first.engine_is_measured else None,
        engine_is_measured=first.engine_is_measured,
        combinations=first.combinations,
        combination_bytes=first.combination_bytes,
        failure=None if finished else runs[-1].failure,
    )
