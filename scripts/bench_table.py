"""The table of the benchmark: the medians of each program's runs, as rows for a terminal or a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from bench_inputs import INPUTS
from bench_results import COPY_NAME, Run
from rich import box
from rich.console import Console
from rich.table import Table

HEADINGS = (
    "records",
    "program",
    "wall s",
    "from .. to",
    "CPU s",
    "peak MB",
    "spilled MB",
    "wall/copy",
    "CPU/copy",
)


@dataclass(frozen=True, kw_only=True)
class Row:
    """The medians of one program's runs on one input of one size."""

    input: str
    records: int
    program: str
    name: str
    """As the table shows it: with the number of quasi-identifiers where it is not that of the input."""
    memory_limit: str
    runs: int
    wall_seconds: float
    wall_range: tuple[float, float]
    """The fastest and the slowest run: how far the median can be trusted."""
    cpu_seconds: float
    peak_bytes: float
    spilled_bytes: float
    """The largest of all runs."""
    wall_ratio: float
    """Median of each run's wall time as a multiple of that of the copy beside it."""
    cpu_ratio: float
    """The same of processor time, which a busy machine disturbs less."""
    timings: dict[str, float]
    """Seconds by step, as the program reports them itself; empty for the copy."""
    failure: str | None
    """Why there is no result; then the measured values mean nothing."""


def summarise(runs: Sequence[Run]) -> list[Row]:
    """Make a row of all runs of one program on one input of one size, in the order of inputs, sizes and appearance."""
    groups: dict[tuple[str, int, str, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.input, run.records, run.program, run.memory_limit), []).append(run)
    inputs = list(INPUTS)
    rows = [_row(group) for group in groups.values()]
    return sorted(rows, key=lambda row: (inputs.index(row.input), row.records, row.program != COPY_NAME))


def _row(runs: Sequence[Run]) -> Row:
    finished = [run for run in runs if run.failure is None]
    # Of a program that fails nothing is measured; zeros keep the arithmetic short and are not shown.
    measured = finished or runs
    first, walls = measured[0], [run.wall_seconds for run in measured]
    limited = first.program.lower() in INPUTS[first.input].fewer
    return Row(
        input=first.input,
        records=first.records,
        program=first.program,
        name=f"{first.program}, {first.quasi_identifiers} QIs" if limited else first.program,
        memory_limit=first.memory_limit,
        runs=len(finished),
        wall_seconds=median(walls),
        wall_range=(min(walls), max(walls)),
        cpu_seconds=median(run.cpu_seconds for run in measured),
        peak_bytes=median(run.peak_bytes for run in measured),
        spilled_bytes=max(run.spilled_bytes for run in measured),
        wall_ratio=median(run.wall_seconds / run.copy_wall_seconds for run in measured),
        cpu_ratio=median(run.cpu_seconds / run.copy_cpu_seconds for run in measured),
        timings={step: median(run.timings.get(step, 0.0) for run in measured) for step in first.timings},
        failure=None if finished else runs[-1].failure,
    )


def cells(row: Row) -> tuple[str, ...]:
    """Write a row in the order of `HEADINGS`."""
    if row.failure is not None:
        reason = row.failure.strip().splitlines()[-1]
        return (f"{row.records:,}", row.name, "none", reason, *[""] * (len(HEADINGS) - 4))
    return (
        f"{row.records:,}",
        row.name,
        f"{row.wall_seconds:.2f}",
        f"{row.wall_range[0]:.1f} .. {row.wall_range[1]:.1f}" if row.runs > 1 else "",
        f"{row.cpu_seconds:.2f}",
        f"{row.peak_bytes / 1e6:,.0f}",
        f"{row.spilled_bytes / 1e6:,.0f}",
        f"{row.wall_ratio:.2f}",
        f"{row.cpu_ratio:.2f}",
    )


def steps(row: Row) -> str:
    """Write where the time of a program went."""
    return ", ".join(f"{step} {seconds:.2f}" for step, seconds in row.timings.items() if step != "total")


def show(rows: Sequence[Row], title: str) -> None:
    """Print the table of each input, and below it the steps of each program."""
    console = Console()
    # A pipe counts as 80 columns, and a table that is cut off tells nothing.
    console.width = max(console.width, 110)
    for name in dict.fromkeys(row.input for row in rows):
        table = Table(title=f"{name}: {title}", box=box.SIMPLE)
        for heading in HEADINGS:
            table.add_column(heading, justify="left" if heading == "program" else "right", no_wrap=True)
        for row in rows:
            if row.input == name:
                table.add_row(*cells(row))
        console.print(table)
    for row in rows:
        if row.timings:
            console.print(f"{row.input}, {row.records:,}, {row.name}: {steps(row)}", highlight=False)
