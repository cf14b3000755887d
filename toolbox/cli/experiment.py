"""The command `experiment`: a plan in, one call, a report or an error out."""

from __future__ import annotations

import argparse
import os
from functools import partial
from pathlib import Path

from toolbox.cli.answers import print_report, require_no_contradiction
from toolbox.cli.option_reader import OptionReader
from toolbox.cli.progress import progress
from toolbox.config import values
from toolbox.errors import UnsatisfiableError, UsageError
from toolbox.experiments.plan_reader import read_plan
from toolbox.experiments.study import run_study


def experiment(options: argparse.Namespace) -> int:
    """Run ``experiment`` and return its exit status."""
    require_no_contradiction(options)
    reader = OptionReader(options)
    jobs = reader.read("jobs", partial(values.integer, minimum=1, maximum=512))
    folder = reader.read("output", partial(values.path, folder=Path()))
    limits = reader.limits()
    reader.require_none_wrong()
    if options.plan is None:
        raise UsageError("Nothing names the plan. Write toolbox experiment PLAN.toml; docs/experiments.md shows one.")
    plan = read_plan(options.plan, allow_code=options.allow_code)
    folder = folder or Path(f"{Path(options.plan).stem}-results")
    with progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        report = run_study(plan, folder, jobs=jobs or os.cpu_count() or 1, limits=limits, watcher=watcher)
    print_report(options, report.document, report.show_on)
    return 0 if report.is_done else UnsatisfiableError.exit_status
