"""Anonymise large tables, and compare the time with that of merely copying the file, in one run.

    python scripts/bench_scale.py --sizes 100_000 1_000_000 --methods Mondrian Datafly
    python scripts/bench_scale.py --full --resume --report docs/performance.md

The copy is DuckDB reading the CSV file and writing it again: what no program that rewrites the file
with this engine can undercut. The programs alternate, each in a fresh process. Inputs stay in scripts/cache
(empty it after a change of a generator), and so do the results, as JSON lines; outputs are deleted.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from types import FrameType

from bench_inputs import CACHE, CENSUS, INPUTS, Input, NoRoomError, check_room
from bench_machine import environment, warn_if_busy
from bench_results import Run, append_result, comparable, read_results
from bench_runs import Case, Settings, UnexpectedOutputError
from bench_table import show, summarise
from generated_file import natural
from measure import CommandFailedError, compile_package

METHODS = ("Mondrian", "Datafly", "Incognito_k", "Anatomy")
SIZES = (10_000, 100_000, 1_000_000)
RESULTS = "results.jsonl"
FOLDER_PREFIX = "run-"
INTERRUPTED = 130


def cases(options: argparse.Namespace) -> list[tuple[Input, int]]:
    """List the inputs and sizes that are asked for, the small ones first: what is wrong shows early."""
    names = options.inputs or (list(INPUTS) if options.full else [CENSUS.name])
    chosen = [
        (INPUTS[name], records)
        for name in dict.fromkeys(names)
        for records in dict.fromkeys(options.sizes or (INPUTS[name].sizes if options.full else SIZES))
    ]
    return sorted(chosen, key=lambda case: case[1])


def run_all(options: argparse.Namespace) -> list[Run]:
    """Run what is asked for and not done, keep each result as it comes, and return all that belong to the request."""
    options.cache.mkdir(parents=True, exist_ok=True)
    for left in sorted(options.cache.glob(f"{FOLDER_PREFIX}*")):
        print(f"{left} is left of a run that was killed, if none is running now. Delete it.", file=sys.stderr)
    chosen = cases(options)
    check_room(options.cache, chosen)
    results = options.cache / RESULTS
    before = read_results(results) if options.resume else []
    settings = Settings(
        methods=options.methods,
        k=options.k,
        l=options.l,
        threads=options.threads,
        memory_limit=options.memory_limit,
        timeout=options.timeout,
    )
    compile_package()
    surroundings, load = environment(options.cache), warn_if_busy()
    runs: list[Run] = []
    with ExitStack() as afterwards:
        folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX, dir=options.cache))
        if options.keep:
            print(f"outputs stay in {folder}", file=sys.stderr)
        else:
            afterwards.callback(shutil.rmtree, folder, ignore_errors=True)
        for source, records in chosen:
            case = Case(
                input=source,
                records=records,
                cache=options.cache,
                settings=settings,
                environment=surroundings,
                load_before=load,
            )
            runs += [run for run in before if case.asks_for(run, options.repeat)]
            for run in case.runs(options.repeat, before, folder, keep=options.keep):
                append_result(results, run)
                runs.append(run)
    return list({run.key: run for run in runs}.values())


def report(options: argparse.Namespace) -> int:
    """Write the page from all results that were made as the last one was."""
    # Here, because a child's peak memory is at least that of the process which measures it.
    from bench_page import write_page

    runs = comparable(read_results(options.cache / RESULTS))
    if not runs:
        print(f"{options.cache / RESULTS} has no result. Run without --no-runs.", file=sys.stderr)
        return 1
    write_page(runs, options.report)
    print(f"{len(runs)} runs in {options.report}", file=sys.stderr)
    return 0


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare anonymising large tables with merely copying their files.")
    add = parser.add_argument
    add("--input", action="append", dest="inputs", choices=list(INPUTS), help="may be repeated (default: census)")
    add("--sizes", type=natural, nargs="+", metavar="N", help="numbers of records (default: 10,000 to a million)")
    add("--methods", nargs="+", metavar="NAME", default=METHODS, help=f"(default: {' '.join(METHODS)})")
    add("--full", action="store_true", help="all inputs in all their sizes, to 100 million records")
    add("--repeat", type=natural, default=1, metavar="N", help="runs of each program; medians are shown (default: 1)")
    add("--k", type=natural, default=5, metavar="N", help="smallest class, in records (default: %(default)s)")
    add("--l", type=natural, default=3, metavar="N", help="records in a group of Anatomy (default: %(default)s)")
    add(
        "--threads",
        type=natural,
        default=2,
        metavar="N",
        help="of engine and copy (default: %(default)s)",
    )
    add("--memory-limit", metavar="SIZE", help="of engine and copy (default: 2GB; 4GB beyond 10 million)")
    add("--timeout", type=natural, default=3600, metavar="S", help="seconds after which a method has no result")
    add("--cache", type=Path, default=CACHE, metavar="FOLDER", help="for inputs, outputs and results")
    add("--resume", action="store_true", help="leave out what the results have, made by this code on this machine")
    add("--report", type=Path, metavar="FILE", help="also write the page, with a plot beside it")
    add("--no-runs", action="store_true", help="only write the page, from the results that there are")
    add("--json", action="store_true", help="print one JSON document instead of tables")
    add("--keep", action="store_true", help="keep the outputs, and say where")
    options = parser.parse_args(arguments)
    for name in ("repeat", "k", "l", "threads", "timeout"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} is {getattr(options, name)}; write 1 or more.")
    if min(options.sizes or [1]) < 1:
        parser.error("--sizes has a 0; write 1 or more records.")
    if options.report and not options.report.parent.is_dir():
        parser.error(f"--report {options.report}: there is no folder {options.report.parent}. Make it first.")
    if options.no_runs and not options.report:
        parser.error("--no-runs does nothing without --report; write --report FILE too.")
    options.methods = tuple(dict.fromkeys(options.methods))
    options.cache = options.cache.resolve()
    return options


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse_arguments(arguments)
    # Like Ctrl-C, so that gigabytes of outputs do not stay behind.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        runs = [] if options.no_runs else run_all(options)
    except (CommandFailedError, UnexpectedOutputError, NoRoomError) as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename}: {error.strerror}. Name another folder with --cache.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted. What has finished is kept: the same command with --resume goes on.", file=sys.stderr)
        return INTERRUPTED
    rows = summarise(runs)
    if options.json:
        settings = {name: str(value) if isinstance(value, Path) else value for name, value in vars(options).items()}
        print(json.dumps({**settings, "results": [asdict(row) for row in rows]}, indent=2))
    elif rows:
        show(rows, f"k = {options.k}, l = {options.l}, {options.threads} threads")
    failed = any(row.failure is not None for row in rows)
    return (report(options) if options.report else 0) or int(failed)


if __name__ == "__main__":
    sys.exit(main())
