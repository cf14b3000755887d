"""Compare runs on Spark and PostgreSQL with the embedded run, and with what each engine needs to copy the records.

    python scripts/bench_engines.py --sizes 1_000_000 --repeat 3
    python scripts/bench_engines.py --sizes 10_000_000 --engines spark --report docs/engines.md

Mondrian with k = 5 on the generated census. CPU time and memory of the driver (our process) and of the engine are
measured apart, by step. The programs take turns, each in a fresh process. Inputs and results stay in scripts/cache.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import engine_programs
from bench_inputs import CACHE
from bench_machine import environment, warn_if_busy
from bench_runs import UnexpectedOutputError, empty, read_timings
from engine_programs import HERE, Place, postgresql_place, spark_place
from engine_results import OVER_AGAIN, EngineRun, append, read, summarise
from engine_table import lines, targets, write_section
from generated_file import natural
from measure import CommandFailedError
from own_postgres import NoServerError, own_server, programs
from process_tree import Apart, can_watch, measure_apart

SIZES = (1_000_000,)
RESULTS = "engines.jsonl"
ENGINES = ("spark", "postgresql")


def why_not(engine: str, options: argparse.Namespace) -> str | None:
    """Return why an engine cannot run here, and what to install; None if it can."""
    if engine == "spark":
        if find_spec("pyspark") is None:
            return "PySpark is not installed: pip install 'pyspark[connect]>=4'"
        has_java = shutil.which("java") is not None or "JAVA_HOME" in os.environ
        if options.spark.startswith("local") and not has_java:
            return "there is no Java, which Spark needs: apt-get install openjdk-17-jre-headless"
        return None
    if find_spec("psycopg") is None:
        return "psycopg is not installed: pip install 'psycopg[binary]'"
    has_server = options.postgresql is not None or programs() is not None
    return None if has_server else "there is no server: apt-get install postgresql, or name one by --postgresql URL"


def places(options: argparse.Namespace, stack: ExitStack) -> list[Place]:
    """Return the engines that are asked for and can run; a server of our own lives as long as the stack."""
    found = [HERE]
    for engine in options.engines:
        if reason := why_not(engine, options):
            print(f"{engine} is left out: {reason}", file=sys.stderr)
        elif engine == "spark":
            found.append(spark_place(options.spark))
        elif options.postgresql is not None:
            found.append(postgresql_place(options.postgresql))
        else:
            server = stack.enter_context(own_server())
            found.append(postgresql_place(server.url, pid=server.pid, passwords=server.passwords))
    return found


def run_all(options: argparse.Namespace) -> list[EngineRun]:
    """Run everything in turn, and keep each result as it comes."""
    options.cache.mkdir(parents=True, exist_ok=True)
    surroundings = {**environment(options.cache), **_versions()}
    load = warn_if_busy()
    runs = []
    with ExitStack() as stack:
        chosen = places(options, stack)
        folder = Path(tempfile.mkdtemp(prefix="run-", dir=options.cache))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        for records in sorted(set(options.sizes)):
            source = engine_programs.parquet(options.cache, records)
            counted = engine_programs.combinations(source)
            for place in chosen:
                if place.engine == "PostgreSQL":
                    stack.callback(engine_programs.drop, place, engine_programs.PEOPLE)
                    engine_programs.load(place, source)
            for round_ in range(1, options.repeat + 1):
                for place in chosen:
                    for run in _of(place, source, records, folder, options):
                        done = run.within(round_, counted, surroundings, load)
                        append(options.cache / RESULTS, done)
                        runs.append(done)
    return runs


def _of(place: Place, source: Path, records: int, folder: Path, options: argparse.Namespace) -> Iterator[EngineRun]:
    """Yield the copy of an engine, and the runs on it."""
    copying = engine_programs.copy_command(place, source, folder, options.threads)
    copy = engine_programs.DUCKDB_COPY if place is HERE else place.copy
    yield _run(copy, place, copying, records, folder, options)
    running = engine_programs.run_command(place, source, folder, k=options.k, threads=options.threads)
    yield _run(place.engine, place, running, records, folder, options)
    if options.times > 1 and place.engine.startswith("Spark"):
        # As many combinations, and more records: what the driver then needs more is for records.
        with tempfile.TemporaryDirectory(dir=options.cache) as many:
            for number in range(options.times):
                os.link(source, Path(many) / f"{number}.parquet")
            running = engine_programs.run_command(place, Path(many), folder, k=options.k, threads=options.threads)
            yield _run(f"{place.engine}{OVER_AGAIN}", place, running, records * options.times, folder, options)


def _run(
    program: str, place: Place, command: Sequence[str], records: int, folder: Path, options: argparse.Namespace
) -> EngineRun:
    # Otherwise this program waits for the disk to take what the last one wrote.
    os.sync()
    print(f"running {program} on {records:,} records", file=sys.stderr)
    is_run = "-m" in command
    try:
        used = measure_apart(command, servers=place.servers, environment=place.environment, timeout=options.timeout)
        timings = read_timings(used.stdout, records) if is_run else {}
    except CommandFailedError as error:
        print(error, file=sys.stderr)
        return EngineRun(program=program, records=records, k=options.k, failure=error.reason.strip().splitlines()[-1])
    finally:
        if place.engine == "PostgreSQL":
            engine_programs.drop(place, engine_programs.RELEASE, engine_programs.COPY)
        empty(folder)
    return _measured(program, records, options, used, timings, is_known=place is HERE or place.is_measured)


def _measured(
    program: str,
    records: int,
    options: argparse.Namespace,
    used: Apart,
    timings: dict[str, float],
    *,
    is_known: bool,
) -> EngineRun:
    return EngineRun(
        program=program,
        records=records,
        k=options.k,
        threads=options.threads,
        wall_seconds=used.wall_seconds,
        driver_cpu=used.driver.cpu_seconds,
        engine_cpu=used.engine.cpu_seconds,
        driver_peak=used.driver.peak_bytes,
        engine_peak=used.engine.peak_bytes,
        steps={name: list(both) for name, both in used.steps.items()},
        timings=timings,
        engine_is_measured=is_known,
    )


def _versions() -> dict[str, str]:
    """Return the versions of the clients of the engines that are installed."""
    found = {}
    for name in ("pyspark", "psycopg"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare runs on engines with embedded ones and with mere copies.")
    add = parser.add_argument
    add("--sizes", type=natural, nargs="+", default=SIZES, metavar="N", help="numbers of records (default: a million)")
    add("--engines", nargs="*", choices=ENGINES, default=ENGINES, help="beside the embedded run (default: all)")
    add("--spark", default="local[2]", metavar="URL", help="where Spark runs (default: %(default)s)")
    add("--postgresql", metavar="URL", help="a server, without a password (default: one of our own)")
    add("--repeat", type=natural, default=1, metavar="N", help="rounds; medians are shown (default: 1)")
    add("--times", type=natural, default=1, metavar="N", help="also run Spark on the same records N times over")
    add("--k", type=natural, default=5, metavar="N", help="smallest class, in records (default: %(default)s)")
    add("--threads", type=natural, default=2, metavar="N", help="of the embedded engine (default: %(default)s)")
    add("--timeout", type=natural, default=3600, metavar="S", help="seconds after which there is no result")
    add("--cache", type=Path, default=CACHE, metavar="FOLDER", help="for inputs, outputs and results")
    add("--report", type=Path, metavar="FILE", help="write the section 'Measured' of a page, from all results")
    add("--no-runs", action="store_true", help="only write the section, from the results that there are")
    add("--json", action="store_true", help="print one JSON document instead of a table")
    options = parser.parse_args(arguments)
    for name in ("repeat", "k", "threads", "timeout", "times"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} is {getattr(options, name)}; write 1 or more.")
    if min(options.sizes) < 1:
        parser.error("--sizes has a 0; write 1 or more records.")
    if options.report and not options.report.is_file():
        parser.error(f"--report {options.report}: there is no such page.")
    if options.no_runs and not options.report:
        parser.error("--no-runs does nothing without --report; write --report FILE too.")
    options.cache = options.cache.resolve()
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse_arguments(arguments)
    if not can_watch():
        print("This machine does not tell what processes use: the benchmark needs /proc of Linux.", file=sys.stderr)
        return 1
    try:
        runs = [] if options.no_runs else run_all(options)
    except (CommandFailedError, UnexpectedOutputError, NoServerError) as error:
        print(error, file=sys.stderr)
        return 1
    rows = summarise(runs)
    if options.json:
        print(json.dumps({"results": [asdict(row) for row in rows], "targets": targets(rows)}, indent=2))
    else:
        print("\n".join(lines(rows)))
    if options.report:
        kept = read(options.cache / RESULTS)
        if not kept:
            print(f"{options.cache / RESULTS} has no result. Run without --no-runs.", file=sys.stderr)
            return 1
        write_section(kept, options.report)
    return int(any(row.failure is not None for row in rows))


if __name__ == "__main__":
    sys.exit(main())
