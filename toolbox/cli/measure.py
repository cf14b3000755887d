"""The command `measure`: options in, one call, a report or an error out."""

from __future__ import annotations

import argparse
from functools import partial

from toolbox.cli.answers import print_report, require_no_contradiction
from toolbox.cli.option_reader import OptionReader
from toolbox.cli.progress import progress
from toolbox.cli.questions import original_of, question_of, release_of
from toolbox.config import values
from toolbox.errors import UsageError
from toolbox.flows.measure import measure_release


def measure(options: argparse.Namespace) -> int:
    """Run ``measure`` and return its exit status."""
    require_no_contradiction(options)
    question = question_of(options, "measure")
    reader = OptionReader(options)
    k = reader.read("k", partial(values.integer, minimum=1))
    reader.require_none_wrong()
    if options.original is not None and options.release is None:
        raise UsageError("measure compares two tables. Write toolbox measure ORIGINAL RELEASE ..")
    original = original_of(question, options.original)
    if original is None:
        raise UsageError("Nothing names the original records. Write toolbox measure ORIGINAL RELEASE ..")
    release = release_of(question, options.release)
    with progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        report = measure_release(question, original, release, label=options.label, k=k, watcher=watcher)
    print_report(options, report.document, report.show_on)
    return 0
