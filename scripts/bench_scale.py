"""Anonymise a large census, and compare the time with that of merely copying the file, in one run.

    python scripts/bench_scale.py --records 10_000_000 --method Mondrian --method Datafly

The copy is DuckDB reading the CSV file and writing it again: what no program that rewrites the file
with this engine can undercut. The two alternate, each in a fresh process. Inputs stay in scripts/cache
(empty it after a change of the generator); outputs go beside them and are deleted.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from measure import CommandFailedError, Measurement, measure
from rich import box
from rich.console import Console
from rich.table import Table

SCRIPTS = Path(__file__).resolve().parent
CACHE = SCRIPTS / "cache"
CONFIG = SCRIPTS.parent / "configs" / "census_datafly.xml"
"""Hierarchies for all nine quasi-identifiers, so that it serves every method; the rest is set by options."""

COPY_NAME = "DuckDB copy"
COPY = """
import sys, duckdb
source, target, threads, memory_limit = sys.argv[1:]
connection = duckdb.connect(config={"threads": threads, "memory_limit": memory_limit})
connection.execute("SET VARIABLE source = ?", [source])
connection.execute("SET VARIABLE target = ?", [target])
connection.execute("COPY (FROM read_csv(getvariable('source'))) TO (getvariable('target')) (FORMAT csv, HEADER)")
"""


@dataclass(frozen=True, kw_only=True)
class Result:
    """The medians of one program's runs."""

    name: str
    wall_seconds: float
    cpu_seconds: float
    peak_bytes: float
    wall_range: tuple[float, float]
    """The fastest and the slowest run: how far the median can be trusted."""
    wall_ratio: float
    """Wall time as a multiple of the copy's."""
    cpu_ratio: float
    """The same of processor time, which a busy machine disturbs less."""
    timings: dict[str, float]
    """Seconds by step, as the program reports them itself; empty for the copy."""


def warn_if_busy() -> float:
    """Return how many programs want a processor before ours start, and say so if they will disturb them."""
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"the machine is busy (load {load:.1f}): wall times will be too long", file=sys.stderr)
    return load


class UnexpectedOutputError(Exception):
    """The toolbox ended well, but what it printed is not what a finished run prints."""


def prepare_input(records: int) -> Path:
    """Make the input unless it is in the cache, and read it once so that no program meets a cold disk."""
    CACHE.mkdir(exist_ok=True)
    path = CACHE / f"census_{records}.csv"
    if not path.exists():
        print(f"making {path}", file=sys.stderr)
        # A process of its own: a child's peak memory is at least its parent's, so this one must stay small.
        measure(
            [
                sys.executable,
                str(SCRIPTS / "generate_census.py"),
                f"--records={records}",
                "--seed=1",
                f"--output={path}",
            ]
        )
    with path.open("rb") as file:
        while file.read(1 << 20):
            pass
    return path


def commands(options: argparse.Namespace, source: Path, folder: Path) -> dict[str, list[str]]:
    """Return the copy and then each method, by the name that the results show."""
    copy = [
        sys.executable,
        "-c",
        COPY,
        str(source),
        str(folder / "copy.csv"),
        str(options.threads),
        options.memory_limit,
    ]
    toolbox = [sys.executable, "-m", "toolbox", "-config", str(CONFIG), "-input", str(source), "-k", str(options.k)]
    limits = ["--threads", str(options.threads), "--memory-limit", options.memory_limit, "--json"]
    return {COPY_NAME: copy} | {
        method: [*toolbox, "-method", method, "-output", str(folder / f"{method}.csv"), *limits]
        for method in options.methods
    }


def run_all(options: argparse.Namespace, source: Path, folder: Path) -> list[Result]:
    """Run everything, alternating, as often as asked, each on a disk that has nothing left to write."""
    todo = commands(options, source, folder)
    runs: dict[str, list[Measurement]] = {name: [] for name in todo}
    for _ in range(options.repeat):
        for name, command in todo.items():
            # Otherwise the next program waits for the disk to take a gigabyte that this one wrote.
            os.sync()
            print(f"running {name}", file=sys.stderr)
            runs[name].append(measure(command))
            if not options.keep:
                empty(folder)
    copy = runs[COPY_NAME]
    return [summarise(name, measured, copy, options.records) for name, measured in runs.items()]


def empty(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


def summarise(name: str, runs: Sequence[Measurement], copy: Sequence[Measurement], records: int) -> Result:
    walls, cpu_seconds = [run.wall_seconds for run in runs], median(run.cpu_seconds for run in runs)
    timings = [] if name == COPY_NAME else [read_timings(run.stdout, records) for run in runs]
    steps = list(timings[0]) if timings else []
    return Result(
        name=name,
        wall_seconds=median(walls),
        cpu_seconds=cpu_seconds,
        peak_bytes=median(run.peak_bytes for run in runs),
        wall_range=(min(walls), max(walls)),
        wall_ratio=median(walls) / median(run.wall_seconds for run in copy),
        cpu_ratio=cpu_seconds / median(run.cpu_seconds for run in copy),
        timings={step: median(run.get(step, 0.0) for run in timings) for step in steps},
    )


def read_timings(stdout: str, records: int) -> dict[str, float]:
    """Read the steps out of the toolbox's JSON document; a run that lost records is no benchmark."""
    try:
        document = json.loads(stdout)
        found, timings = document["records_read"], dict(document["timings"])
    except (ValueError, KeyError, TypeError) as error:
        raise UnexpectedOutputError(
            f"toolbox --json printed no document with records_read and timings: {error!r}"
        ) from None
    if found != records:
        raise UnexpectedOutputError(f"toolbox read {found} records, but the input has {records}")
    return timings


def show(results: Sequence[Result], title: str) -> None:
    """Print the programs, and then the steps of each that has any."""
    programs = Table("program", title=title, box=box.SIMPLE)
    for heading in ("wall s", "from .. to", "CPU s", "peak MB", "wall/copy", "CPU/copy"):
        programs.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        programs.add_row(
            result.name,
            f"{result.wall_seconds:.2f}",
            f"{result.wall_range[0]:.1f} .. {result.wall_range[1]:.1f}",
            f"{result.cpu_seconds:.2f}",
            f"{result.peak_bytes / 1e6:.0f}",
            f"{result.wall_ratio:.2f}",
            f"{result.cpu_ratio:.2f}",
        )
    console = Console()
    console.print(programs)
    for result in results:
        if result.timings:
            steps = Table(f"step of {result.name}", box=box.SIMPLE)
            steps.add_column("s", justify="right")
            for step, seconds in result.timings.items():
                steps.add_row(step, f"{seconds:.3f}")
            console.print(steps)


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare anonymising a large census with merely copying its file.")
    add = parser.add_argument
    add("--records", type=int, default=10_000_000, metavar="N", help="size of the input (default: %(default)s)")
    add("--repeat", type=int, default=1, metavar="N", help="runs of each program; medians are shown (default: 1)")
    add("--method", action="append", dest="methods", metavar="NAME", help="may be given again (default: Mondrian)")
    add("--k", type=int, default=5, metavar="N", help="smallest class, in records (default: %(default)s)")
    add("--memory-limit", default="2GB", metavar="SIZE", help="of the engine, also for the copy (default: %(default)s)")
    add("--threads", type=int, default=2, metavar="N", help="of the engine, also for the copy (default: %(default)s)")
    add("--json", action="store_true", help="print one JSON document instead of tables")
    add("--keep", action="store_true", help="keep the outputs, and say where")
    options = parser.parse_args(arguments)
    for name in ("records", "repeat", "k", "threads"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} is {getattr(options, name)}; write 1 or more.")
    options.methods = list(dict.fromkeys(options.methods or ["Mondrian"]))
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse_arguments(arguments)
    try:
        load = warn_if_busy()
        source = prepare_input(options.records)
        folder = Path(tempfile.mkdtemp(prefix="run-", dir=CACHE))
        with ExitStack() as afterwards:
            if options.keep:
                print(f"outputs stay in {folder}", file=sys.stderr)
            else:
                afterwards.callback(shutil.rmtree, folder)
            results = run_all(options, source, folder)
    except (CommandFailedError, UnexpectedOutputError) as error:
        print(error, file=sys.stderr)
        return 1
    if options.json:
        print(
            json.dumps(
                {**vars(options), "load_before": load, "results": [asdict(result) for result in results]}, indent=2
            )
        )
    else:
        show(
            results, f"{options.records:,} records, k = {options.k}, {options.threads} threads, {options.memory_limit}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
