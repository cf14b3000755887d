"""Check a large release with the toolbox and with pyCANON, and compare the processor time, in one run.

    python scripts/bench_check.py --records 3_000_000 --pycanon .venv-pycanon/bin/python

Ours is the whole command `toolbox check`: reading the file, and every privacy model. pyCANON is asked for k-anonymity,
l-diversity and t-closeness alone, on a table that is in memory already: the time to read it is not counted. The release
is census records (see generate_census) with their ages in fives.

Beside them stands `toolbox risk` with an attacker who matches everybody at once, and with one who holds an earlier
release; no other program measures that.

Make the interpreter with ``python -m venv .venv-pycanon && .venv-pycanon/bin/pip install 'pycanon>=1.0.3,<2'``, or run
the tests once, which does so.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import duckdb
from bench_inputs import CACHE, CENSUS, prepare
from generated_file import natural
from measure import CommandFailedError, measure
from rich.console import Console
from rich.table import Table

QUASI_IDENTIFIERS = "age,sex,race,marital-status,education,native-country,workclass,occupation,salary-class"
SENSITIVE = "diagnosis"
PYCANON = """
import json, sys, time
import pandas as pd
from pycanon import anonymity
began = time.process_time()
table, questions, sensitive = pd.read_csv(sys.argv[1]), sys.argv[2].split(","), [sys.argv[3]]
spent = {"reading": {"cpu_seconds": time.process_time() - began, "achieved": 0}}
for name, ask in {
    "k": lambda: anonymity.k_anonymity(table, questions),
    "l": lambda: anonymity.l_diversity(table, questions, sensitive),
    "t": lambda: anonymity.t_closeness(table, questions, sensitive),
}.items():
    began = time.process_time()
    found = ask()
    spent[name] = {"cpu_seconds": time.process_time() - began, "achieved": float(found)}
print(json.dumps(spent))
"""


def make_release(records: int, cache: Path) -> Path:
    """Generate census records, and generalise their ages."""
    path = cache / f"check_{records}.csv"
    if path.exists():
        return path
    cache.mkdir(parents=True, exist_ok=True)
    original, partial = prepare(CENSUS, cache, records), path.with_suffix(".part")
    age = "concat('[', age // 5 * 5, ':', age // 5 * 5 + 5, ')') AS age"
    duckdb.read_csv(str(original)).project(f"{age}, * EXCLUDE (age, person_id)").write_csv(str(partial), header=True)
    return partial.rename(path)


def count_classes(release: Path) -> int:
    return len(duckdb.read_csv(str(release)).select(*QUASI_IDENTIFIERS.split(",")).distinct())


def time_both(release: Path, pycanon: Path, timeout: int) -> dict[str, float]:
    """Run both programs; return the CPU seconds of each question."""
    names = ["--qi", QUASI_IDENTIFIERS, "--sensitive", SENSITIVE]
    ours = measure([sys.executable, "-m", "toolbox", "check", str(release), *names, "--json", "--threads", "2"])
    achieved = {model["name"]: model["achieved"] for model in reversed(json.loads(ours.stdout)["models"])}
    theirs = measure([str(pycanon), "-c", PYCANON, str(release), QUASI_IDENTIFIERS, SENSITIVE], timeout=timeout)
    spent = json.loads(theirs.stdout)
    if achieved["k-anonymity"] != spent["k"]["achieved"]:
        raise SystemExit(f"the two disagree: k is {achieved['k-anonymity']} and {spent['k']['achieved']}")
    return {
        "toolbox check, CPU": ours.cpu_seconds,
        "toolbox check, wall": ours.wall_seconds,
        **{f"pyCANON {name}, CPU": model["cpu_seconds"] for name, model in spent.items()},
    }


def time_attackers(release: Path, original: Path) -> dict[str, float]:
    """Measure what attackers learn who match everybody, and who hold an earlier release; return the CPU seconds."""
    names = [
        "--qi",
        QUASI_IDENTIFIERS,
        "--sensitive",
        SENSITIVE,
        "--original",
        str(original),
        "--json",
        "--threads",
        "2",
    ]
    ask = [sys.executable, "-m", "toolbox", "risk", str(release), *names]
    attacks = {"": [], " --matching": ["--matching"], " --earlier": ["--earlier", str(release)]}
    return {f"toolbox risk{name}, CPU": measure([*ask, *more]).cpu_seconds for name, more in attacks.items()}


def show(records: int, classes: int, seconds: dict[str, float]) -> None:
    table = Table("", title=f"{records:,} records, {classes:,} classes")
    table.add_column("seconds", justify="right")
    for name, value in seconds.items():
        table.add_row(name, f"{value:.2f}")
    asked = ("pyCANON k, CPU", "pyCANON l, CPU", "pyCANON t, CPU")
    theirs = sum(seconds[name] for name in asked)
    table.add_row("pyCANON k, l, t / toolbox check", f"{theirs / seconds['toolbox check, CPU']:.1f}")
    Console().print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Compare `toolbox check` with pyCANON on one release.")
    parser.add_argument("--records", type=natural, default=3_000_000, metavar="N", help="(default: 3,000,000)")
    parser.add_argument("--pycanon", type=Path, default=Path(".venv-pycanon/bin/python"), metavar="PYTHON")
    parser.add_argument("--timeout", type=natural, default=3600, metavar="S", help="of pyCANON (default: %(default)s)")
    parser.add_argument("--cache", type=Path, default=CACHE, metavar="FOLDER")
    options = parser.parse_args(arguments)
    if shutil.which(options.pycanon) is None:
        parser.error(f"{options.pycanon} is no interpreter. See the beginning of this file.")
    release = make_release(options.records, options.cache)
    try:
        seconds = time_both(release, options.pycanon, options.timeout)
        seconds |= time_attackers(release, prepare(CENSUS, options.cache, options.records))
    except CommandFailedError as error:
        print(error, file=sys.stderr)
        return 1
    show(options.records, count_classes(release), seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
