"""Run the toolbox on cases that seeds decide, and judge each release without it.

    python scripts/fuzz.py --fuzz 1000              cases 0 to 999
    python scripts/fuzz.py --seed 5000 --seconds 60 as many as a minute has room for
    python scripts/fuzz.py --only 1234 --keep case  one case, with its files

The exit status is 1 if a case had a fault. Started as root it goes on as another user: what is hostile may not reach
the system's own files.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import Any

from fuzzing.cases import draw_case
from fuzzing.faults import FailingRuns
from fuzzing.months import run_months
from fuzzing.plans import draw_plan
from fuzzing.runner import Runner, Verdict
from fuzzing.surveys import run_survey
from fuzzing.unprivileged import give_up_root
from fuzzing.uploads import run_upload, warm_up
from fuzzing.words import draw_option


def main(arguments: list[str] | None = None) -> int:
    """Run the cases; return 1 if one of them had a fault."""
    options = _options().parse_args(arguments)
    if options.keep is not None:
        options.keep = options.keep.absolute()
        options.keep.mkdir(parents=True, exist_ok=True)
    if options.family == "uploads":
        warm_up()
    give_up_root(options.keep)
    # What is imported by now stays; cases leave little behind, so that a rare look at it is enough.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    base = Path(tempfile.mkdtemp(prefix="fuzz-"))
    try:
        return _run(options, base)
    finally:
        rmtree(base, ignore_errors=True)


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Run the toolbox on random cases and judge each release without it.")
    parser.add_argument("--fuzz", type=int, metavar="N", help="how many cases (default: 200, or what --seconds allows)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="the first one (default: 0)")
    parser.add_argument(
        "--family",
        choices=("releases", "options", "plans", "uploads", "faults", "months", "surveys"),
        default="releases",
        help="releases of random tables, odd options, plans or uploads, a failing file system, persons' months, or "
        "surveys with weights (default: releases)",
    )
    parser.add_argument("--only", type=int, metavar="SEED", help="this case alone")
    parser.add_argument("--seconds", type=float, metavar="T", help="begin no case after this time")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the files of every case that has a fault")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def _run(options: argparse.Namespace, base: Path) -> int:
    runner, started = Runner(base), time.monotonic()
    failing = FailingRuns(runner)
    families: dict[str, Callable[[int], Verdict]] = {
        "releases": lambda seed: runner.run(draw_case(seed)),
        "options": lambda seed: runner.run_words(draw_option(seed)),
        "plans": lambda seed: runner.run_words(draw_plan(seed)),
        "uploads": partial(run_upload, runner),
        "faults": failing.run,
        "months": partial(run_months, runner),
        "surveys": partial(run_survey, runner),
    }
    run = families[options.family]
    first = options.seed if options.only is None else options.only
    count = 1 if options.only is not None else options.fuzz
    if count is None:
        count = 200 if options.seconds is None else sys.maxsize
    statuses: Counter[str] = Counter()
    failures = []
    for seed in range(first, first + count):
        if options.seconds is not None and time.monotonic() - started > options.seconds:
            break
        verdict = run(seed)
        statuses[str(verdict.status)] += 1
        if options.only is not None and not options.json:
            _tell(verdict)
        if verdict.faults:
            failures.append({"seed": seed, "faults": verdict.faults})
            if not options.json:
                print(f"seed {seed}: " + "\n  ".join(verdict.faults), flush=True)
            if options.keep is not None:
                _keep(verdict, options.keep / str(seed))
    summary = {"cases": sum(statuses.values()), "first_seed": first, "statuses": dict(statuses)}
    if options.family == "faults":
        summary["struck"] = failing.struck
    summary["seconds"] = round(time.monotonic() - started, 1)
    print(json.dumps({**summary, "failures": failures}, indent=2) if options.json else _line(summary, len(failures)))
    return 1 if failures else 0


def _line(summary: dict[str, Any], failures: int) -> str:
    ends = ", ".join(f"{count} with status {status}" for status, count in sorted(summary["statuses"].items()))
    struck = f"; in {summary['struck']} the call was reached" if "struck" in summary else ""
    return f"{summary['cases']} cases in {summary['seconds']} s: {ends}{struck}; {failures} with faults"


def _tell(verdict: Verdict) -> None:
    case = verdict.case
    print(f"toolbox {' '.join(map(repr, case.arguments))}\nwrong: {', '.join(case.wrongs) or 'nothing'}")
    for answer in verdict.said:
        print(f"status {answer.status}\n{answer.out}\n{answer.err}")


def _keep(verdict: Verdict, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name, data in verdict.case.files.items():
        (folder / name).write_bytes(data)
    answers = [f"status {answer.status}\n{answer.out}\n{answer.err}" for answer in verdict.said]
    case = verdict.case
    told = [f"arguments {case.arguments}", f"then {case.follow_up}", f"wrong {case.wrongs}", *verdict.faults, *answers]
    (folder / "told.txt").write_text("\n".join(told), encoding="utf-8", errors="replace")


if __name__ == "__main__":
    sys.exit(main())
