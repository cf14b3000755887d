"""What the methods are meant to reach, and whether they do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench_results import COPY_NAME
from bench_table import Row

TARGET_HEADINGS = ("input", "records", "program", "target", "measured", "")


@dataclass(frozen=True)
class Target:
    """What a method is meant to reach on one input of one size."""

    input: str
    records: int
    methods: tuple[str, ...]
    """Empty: every method that ran."""
    promise: str
    limit: float
    value: Callable[[Row, Sequence[Row]], float | None]
    """From the method's row and all rows; None if another row is missing for it."""


def _growth(row: Row, rows: Sequence[Row]) -> float | None:
    tenth = [run for run in rows if (run.input, run.program) == (row.input, row.program)]
    tenth = [run for run in tenth if run.records * 10 == row.records and run.failure is None]
    return row.wall_seconds / tenth[0].wall_seconds if tenth else None


def _wall(row: Row, rows: Sequence[Row]) -> float:
    return row.wall_ratio


def _cpu(row: Row, rows: Sequence[Row]) -> float:
    return row.cpu_ratio


_RECODING = ("Mondrian", "Datafly", "Incognito_k")
TARGETS = (
    Target("census", 10_000_000, _RECODING, "wall/copy", 1.5, _wall),
    Target("census", 10_000_000, _RECODING, "CPU/copy", 1.5, _cpu),
    Target("census", 10_000_000, ("Anatomy",), "wall/copy", 2.2, _wall),
    Target("census", 10_000_000, ("Anatomy",), "CPU/copy", 2.2, _cpu),
    Target("census", 100_000_000, (), "wall / that of 10,000,000", 10.5, _growth),
    Target("hard", 3_000_000, ("Mondrian", "Incognito_k"), "wall/copy", 6, _wall),
    Target("hard", 3_000_000, ("Datafly",), "wall/copy", 4, _wall),
)


def judged(rows: Sequence[Row]) -> list[list[str]]:
    """Write a line for each target and method, in the order of `TARGET_HEADINGS`."""
    return [line for target in TARGETS for line in _reached(target, rows)]


def _reached(target: Target, rows: Sequence[Row]) -> list[list[str]]:
    """Write a line per method: what was measured, and whether that is enough."""
    mine = [row for row in rows if (row.input, row.records) == (target.input, target.records)]
    mine = [row for row in mine if row.program != COPY_NAME and (not target.methods or row.program in target.methods)]
    start = [target.input, f"{target.records:,}"]
    promise = f"{target.promise} at most {target.limit:g}"
    lines = []
    for row in mine:
        value = None if row.failure is not None else target.value(row, rows)
        measured = "not measured" if value is None else f"{value:.2f}"
        verdict = "" if value is None else "reached" if value <= target.limit else "missed"
        if row.failure is not None:
            measured, verdict = "no result", "missed"
        lines.append([*start, row.name, promise, measured, verdict])
    missing = [name for name in target.methods if name not in {row.program for row in mine}]
    if not target.methods and not mine:
        missing = ["every method"]
    return lines + [[*start, name, promise, "not measured", ""] for name in missing]
