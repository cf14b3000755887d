"""The page of the benchmark: docs/performance.md, with the plot beside it, from given results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

from bench_inputs import INPUTS
from bench_machine import BUSY
from bench_plot import plot
from bench_results import Run
from bench_table import HEADINGS, Row, cells, steps, summarise
from bench_targets import TARGET_HEADINGS, judged

OPENING = """\
# Performance

{answer}

![Wall time against the number of records, and as a multiple of the copy's]({plot})
"""
MEANING = """\
## What the figures mean

- **wall**, **CPU**: of the whole process, from its start to its end, reading, proof, writing and checksums included;
  CPU is user and system time of all threads. Of several runs the median, with the fastest and the slowest; where these
  are not shown, there was one.
- **peak**: the largest resident memory of the process. The engine's limit is below it: Python, the libraries and what
  lies in numpy arrays come on top.
- **spilled**: the most that the engine had on disk at once beside its output, polled every 0.2 s.
- **wall/copy**, **CPU/copy**: to the copy of the same file in the same round, with the same threads and memory limit.
  The programs take turns, each in a fresh process, with a file that is in the disk cache if memory holds it, after
  everything that was written before has reached the disk.
- Small inputs are mostly start-up: the copy imports DuckDB alone.
- A ratio of CPU is disturbed less by a busy machine than one of wall time.
{busy}"""
REPEAT = """\
## How to repeat it

In a checkout, set up for development as the README says:

```
.venv/bin/python scripts/bench_scale.py --full --resume --report docs/performance.md
```

The inputs are made once, in `scripts/cache` (`--cache` names another folder), from whole numbers, so that they are the
same everywhere. The largest takes 11 GB, its copy and each release as much again, one at a time; that there is room is
checked before anything is written, and outputs are deleted after each run. The results are kept as JSON lines in
`results.jsonl` there; `--resume` goes on where a run was cut off, as long as neither the code nor the machine has
changed. Single sizes: `--sizes 1_000_000 10_000_000 --methods Mondrian Datafly`, `--input hard`; see `--help`.
"""


def write_page(runs: Sequence[Run], path: Path) -> None:
    """Write the page and, beside it, the plot with the same name that ends in .svg.

    Parameters
    ----------
    runs : sequence of Run, length >= 1
        All made in one environment.
    path : Path
        The page; its folder exists.
    """
    picture = path.with_suffix(".svg")
    rows = summarise(runs)
    # A line is a method over several sizes; where an input has programs of its own, the table says all.
    plot([row for row in rows if not INPUTS[row.input].programs] or rows, picture)
    busy = max(run.load_before for run in runs)
    noticed = (
        f"- The machine was busy (load {busy:.1f}) before the first run: wall times are too long.\n"
        if busy > BUSY
        else ""
    )
    parts = [
        OPENING.format(plot=picture.name, answer=_answer(rows)),
        _machine(runs[-1].environment),
        *(_input(name, rows, runs[-1]) for name in dict.fromkeys(row.input for row in rows)),
        _targets(rows),
        MEANING.format(busy=noticed),
        REPEAT,
    ]
    path.write_text("\n".join(parts), encoding="utf-8", newline="\n")


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, left: Sequence[str] = ()) -> str:
    """Write a table in Markdown, numbers to the right except in the columns named.

    Examples
    --------
    >>> print(table(["program", "s"], [["copy", "1.0"]], left=["program"]), end="")
    | program | s |
    |---|--:|
    | copy | 1.0 |
    """
    rule = "".join("---|" if heading in left else "--:|" for heading in headings)
    lines = [" | ".join(cell.replace("|", "\\|") for cell in row) for row in (headings, *rows)]
    return "\n".join([f"| {lines[0]} |", f"|{rule}", *(f"| {line} |" for line in lines[1:])]) + "\n"


def _answer(rows: Sequence[Row]) -> str:
    """Say what the largest input takes beside its copy."""
    mine = [row for row in rows if row.input == rows[0].input and row.failure is None and row.timings]
    largest = max((row.records for row in mine), default=0)
    ratios = sorted(row.cpu_ratio for row in mine if row.records == largest)
    takes = (
        f"{largest:,} records take {ratios[0]:.1f} to {ratios[-1]:.1f} times the processor time that DuckDB needs"
        if ratios
        else "What anonymising costs, beside what DuckDB needs"
    )
    return fill(
        f"{takes} to read the same CSV file and write it again: no program that rewrites the file with this engine can "
        "undercut that copy. [Other programs](peers.md) stand on their own page. A command writes this one; do not "
        "edit it.",
        120,
    )


def _machine(environment: dict[str, str]) -> str:
    return "## The machine\n\n" + "".join(f"- {name}: {value}\n" for name, value in environment.items())


def _input(name: str, rows: Sequence[Row], last: Run) -> str:
    mine = [row for row in rows if row.input == name]
    sizes: dict[str, list[str]] = {}
    for row in mine:
        sizes.setdefault(row.memory_limit, []).append(f"{row.records:,}")
    limits = [f"{limit} for {' and '.join(dict.fromkeys(ones))} records" for limit, ones in sizes.items()]
    head = (
        f"Each record has {INPUTS[name].description}. k = {last.k}, for Anatomy l = {last.l}; {last.threads} threads; "
        f"memory limit of the engine {', '.join(limits) if len(limits) > 1 else mine[0].memory_limit}."
    )
    where = [row for row in mine if row.timings and row.failure is None]
    largest = max((row.records for row in where), default=0)
    spent = [[row.name, steps(row)] for row in where if row.records == largest]
    heading = f"\nSeconds by step at {largest:,} records:\n\n"
    below = heading + table(["program", "steps"], spent, left=["program", "steps"])
    start = f"## Input {name}\n\n{fill(head, 120)}\n\n"
    return start + table(HEADINGS, [cells(row) for row in mine], left=["program"]) + (below if spent else "")


def _targets(rows: Sequence[Row]) -> str:
    return "## Targets\n\n" + table(TARGET_HEADINGS, judged(rows), left=["input", "program"])
