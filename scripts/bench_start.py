"""Compare the processor time of `toolbox --help` with that of Python doing nothing, in one run.

    python scripts/bench_start.py

The two programs alternate, so that a busy machine slows both down.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from statistics import median

from measure import CommandFailedError, compile_package, measure
from rich.console import Console
from rich.table import Table

COMMANDS = {
    "python -c pass": (sys.executable, "-c", "pass"),
    "toolbox --help": (sys.executable, "-m", "toolbox", "--help"),
}


def time_starts(runs: int) -> dict[str, float]:
    """Run each command so often, and return its median processor time in seconds."""
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    compile_package()
    for command in COMMANDS.values():
        measure(command)  # not counted: the first start reads the files from disk
    for _ in range(runs):
        for name, command in COMMANDS.items():
            seconds[name].append(measure(command).cpu_seconds)
    return {name: median(times) for name, times in seconds.items()}


def show(medians: dict[str, float]) -> None:
    baseline = medians["python -c pass"]
    table = Table("command", title="Starting up")
    table.add_column("CPU, ms", justify="right")
    table.add_column("beyond Python, ms", justify="right")
    for name, seconds in medians.items():
        table.add_row(name, f"{1000 * seconds:.1f}", f"{1000 * (seconds - baseline):.1f}")
    Console().print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Compare the start-up of the toolbox with that of Python itself.")
    parser.add_argument("--runs", type=int, default=20, metavar="N", help="runs of each command (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON document: median CPU seconds by command")
    options = parser.parse_args(arguments)
    if options.runs < 1:
        parser.error(f"--runs is {options.runs}; write 1 or more.")
    try:
        medians = time_starts(options.runs)
    except CommandFailedError as error:
        print(error, file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps({"runs": options.runs, "median_cpu_seconds": medians}, indent=2))
    else:
        show(medians)
    return 0


if __name__ == "__main__":
    sys.exit(main())
