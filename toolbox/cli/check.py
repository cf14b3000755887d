"""The command `check`: options in, one call, a report or an error out."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from toolbox.cli.answers import print_report, require_no_contradiction
from toolbox.cli.option_reader import OptionReader
from toolbox.cli.progress import progress
from toolbox.cli.questions import question_of, release_of
from toolbox.config import values
from toolbox.flows.check import check_release

UNSATISFIED = 3
"""The exit status where a required model does not hold."""


def check(options: argparse.Namespace) -> int:
    """Run ``check`` and return its exit status."""
    require_no_contradiction(options)
    question = question_of(options, "check")
    reader = OptionReader(options)
    population = reader.read("population", partial(values.path, folder=Path()))
    reader.require_none_wrong()
    release = release_of(question, options.release)
    with progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        report = check_release(question, release, population=population, harmonised=options.harmonised, watcher=watcher)
    print_report(options, report.document, report.show_on)
    return 0 if report.holds else UNSATISFIED
