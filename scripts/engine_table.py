"""The tables of the benchmark of engines, for a terminal and for the section of a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

from bench_machine import BUSY
from engine_programs import HEAP
from engine_results import OVER_AGAIN, EngineRow, EngineRun, summarise

BEGIN, END = "<!-- measured: written by scripts/bench_engines.py, do not edit -->", "<!-- end of what is measured -->"
HEADINGS = (
    "records",
    "program",
    "wall s",
    "driver CPU s",
    "engine CPU s",
    "start",
    "driver MB",
    "engine MB",
    "CPU/copy",
)
STEPS = ("records", "program", "count or read", "search, mapping", "write", "recount", "finish")
TARGETS = ("records", "program", "target", "measured", "")
NOT_MEASURED = "not seen"
_SEARCH = ("Mondrian", "prove")
_READ = ("read", "look")
"""Of an embedded run the records are read, of a run on an engine their combinations."""


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table in Markdown; texts stand left, numbers right."""
    left = {"program", "target", "task", "note", ""}
    rule = "".join("---|" if heading in left else "--:|" for heading in headings)
    written = [f"| {' | '.join(row)} |" for row in (headings, *rows)]
    return "\n".join([written[0], f"|{rule}", *written[1:]]) + "\n"


def lines(rows: Sequence[EngineRow]) -> list[str]:
    """Write all tables for a terminal."""
    return [table(HEADINGS, [cells(row) for row in rows]), table(STEPS, steps(rows)), table(TARGETS, targets(rows))]


def cells(row: EngineRow) -> list[str]:
    """Write a row in the order of `HEADINGS`."""
    if row.failure is not None:
        return [f"{row.records:,}", row.program, "none", row.failure, *[""] * (len(HEADINGS) - 4)]
    known = row.engine_is_measured
    alone = row.engine_cpu == 0
    return [
        f"{row.records:,}",
        row.program,
        f"{row.wall_seconds:.1f}",
        f"{row.driver_cpu:.1f}",
        ("" if alone else f"{row.engine_cpu:.1f}") if known else NOT_MEASURED,
        f"{row.start_cpu:.1f}",
        f"{row.driver_peak / 1e6:,.0f}",
        ("" if alone else f"{row.engine_peak / 1e6:,.0f}") if known else NOT_MEASURED,
        "" if row.ratio is None else f"{row.ratio:.2f}",
    ]


def steps(rows: Sequence[EngineRow]) -> list[list[str]]:
    """Write the CPU seconds of both sides in each step, and what a record takes of the largest ones."""
    shown = [row for row in rows if row.failure is None and len(row.steps) > 2]
    return [
        [
            f"{row.records:,}",
            row.program,
            _step(row, "count") or _step(row, *_READ),
            _step(row, *(_READ if "count" in row.steps else ()), *_SEARCH),
            _step(row, "write"),
            _step(row, "recount"),
            _step(row, "checksum", "finish"),
        ]
        for row in shown
    ]


def _step(row: EngineRow, *names: str) -> str:
    if not any(name in row.steps for name in names):
        return ""
    seconds = row.cpu_of(*names)
    return f"{seconds:.1f} ({seconds / row.records * 1e6:.1f} us)"


def targets(rows: Sequence[EngineRow]) -> list[list[str]]:
    """Write what was to be reached, and whether it was."""
    found: list[list[str]] = []
    for row in rows:
        if row.failure is not None:
            continue
        for records, program, promise, value, limit, unit in _promises(row, rows):
            if (row.records, row.program) == (records, program) and value is not None:
                verdict = "reached" if value <= limit else "missed"
                found.append(
                    [f"{records:,}", program, f"{promise} at most {limit:g}{unit}", f"{value:.2f}{unit}", verdict]
                )
    return found


def _promises(row: EngineRow, rows: Sequence[EngineRow]) -> list[tuple[int, str, str, float | None, float, str]]:
    """List what a row is meant to reach: records, program, words, value, limit and unit."""
    smaller = [
        one.driver_peak
        for one in rows
        if f"{one.program}{OVER_AGAIN}" == row.program and one.failure is None and one.records < row.records
    ]
    growth = row.driver_peak / smaller[0] if smaller else None
    memory = row.driver_peak / 1e6
    return [
        (10_000_000, "embedded", "CPU", row.driver_cpu, 18.3, " s"),
        (10_000_000, "Spark local[2]", "CPU/copy, without the start,", row.ratio, 3.8, ""),
        (10_000_000, "Spark local[2]", "memory of the driver", memory, 500, " MB"),
        (1_000_000, "PostgreSQL", "CPU of the server", row.engine_cpu if row.engine_is_measured else None, 8, " s"),
        (1_000_000, "PostgreSQL", "CPU of the driver", row.driver_cpu, 5, " s"),
        (1_000_000, "PostgreSQL", "memory of the driver", memory, 400, " MB"),
        (row.records, row.program, "memory of the driver, to that of fewer records,", growth, 1.1, ""),
    ]


def section(runs: Sequence[EngineRun]) -> str:
    """Write the section of the page."""
    rows = summarise(runs)
    last = runs[-1]
    machine = "; ".join(f"{name} {value}" for name, value in last.environment.items())
    loads = [run.load_before for run in runs]
    busy = (
        f" Others worked on the machine (load {min(loads):.1f} to {max(loads):.1f} before the first runs): wall times "
        "are too long, and CPU times somewhat."
        if max(loads) > BUSY
        else ""
    )
    sizes = dict.fromkeys(
        (row.records, row.combinations, row.combination_bytes)
        for row in rows
        if row.combinations and not row.program.endswith(OVER_AGAIN)
    )
    combined = ", ".join(
        f"{records:,} records have {count:,} combinations ({size / count:.0f} bytes each in Arrow)"
        for records, count, size in sizes
    )
    rounds = max(row.runs for row in rows)
    what = (
        f"Mondrian, k = {last.k}, nine quasi-identifiers of the generated census, from Parquet and within PostgreSQL; "
        f"{'medians of ' + str(rounds) + ' rounds at most' if rounds > 1 else 'one round'}, in which all programs take "
        f"turns. {combined}. Java's heap is at most {HEAP}. {machine}.{busy}"
    )
    meaning = (
        "The *driver* is the Python process of the toolbox, the *engine* the Java machine or all processes of the "
        "server; *start* is what both need before the first step, and stands apart. *CPU/copy* compares what follows "
        "with the engine's own copy of the same records in the same round. Memory is resident memory, with pages that "
        "processes share counted once. The copy keeps all columns and the order; a release has neither. *The same "
        "records over and over* have the combinations of the smaller table: what the driver needs more is for records."
    )
    return "\n".join(
        [
            fill(what, 120),
            "",
            table(HEADINGS, [cells(row) for row in rows]),
            fill(meaning, 120),
            "",
            "CPU seconds of both by step, and microseconds a record:",
            "",
            table(STEPS, steps(rows)),
            "What was to be reached:",
            "",
            table(TARGETS, targets(rows)),
            "To repeat it: `scripts/bench_engines.py --sizes 1_000_000 10_000_000 --times 10 --report docs/engines.md`",
        ]
    )


def write_section(runs: Sequence[EngineRun], page: Path) -> None:
    """Put the section between its markers.

    Raises
    ------
    ValueError
        If the page has no markers.
    """
    text = page.read_text(encoding="utf-8")
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", flags=re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"{page} has no lines {BEGIN} and {END} between which the section could stand.")
    written = f"{BEGIN}\n\n{section(runs)}\n\n{END}"
    page.write_text(pattern.sub(lambda _: written, text), encoding="utf-8", newline="\n")
