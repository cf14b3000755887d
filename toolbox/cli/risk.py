"""The command `risk`: options in, one call, a report or an error out."""

from __future__ import annotations

import argparse
from contextlib import suppress
from functools import partial
from pathlib import Path

from toolbox.cli.answers import print_report, require_no_contradiction
from toolbox.cli.option_reader import OptionReader
from toolbox.cli.progress import progress
from toolbox.cli.questions import original_of, question_of, release_of
from toolbox.config import values
from toolbox.config.inputs import input_files
from toolbox.config.model import Input
from toolbox.errors import InputError, UsageError
from toolbox.flows.matching import attack_of
from toolbox.flows.risk import assess_risk
from toolbox.risks.matching.figures import Attack

THRESHOLD = partial(values.share, with_one=True)
"""Reads the risk above which a record is at risk."""


def risk(options: argparse.Namespace) -> int:
    """Run ``risk`` and return its exit status."""
    require_no_contradiction(options)
    question = question_of(options, "risk")
    reader = OptionReader(options)
    k, threshold = reader.read("k", partial(values.integer, minimum=1)), reader.read("threshold", THRESHOLD)
    attack, above = attack_in(options, reader), reader.each("above", values.share)
    path = partial(values.path, folder=Path())
    population, plot, earlier = (reader.read(name, path) for name in ("population", "plot", "earlier"))
    reader.require_none_wrong()
    if plot is not None:
        from toolbox.report.pictures import require_plotting

        require_plotting(plot)
    original, release = original_of(question, options.original), release_of(question, options.release)
    with progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        report = assess_risk(
            question,
            release,
            # What was published long ago is judged without the records, where they are gone.
            original=original if is_there(original) else None,
            population=population,
            threshold=threshold,
            k=k,
            attack=attack,
            earlier=earlier,
            link=options.key,
            above=above,
            watcher=watcher,
        )
    if plot is not None:
        from toolbox.report.risk_plot import plot_risk

        plot_risk(report, plot)
    print_report(options, report.document, report.show_on)
    return 0


def attack_in(options: argparse.Namespace, reader: OptionReader) -> Attack | None:
    """Return the attacker who matches everybody at once, as the options describe one; None without one.

    Raises
    ------
    UsageError
    """
    known, insiders = reader.names("known"), reader.read("insiders", partial(values.share, with_zero=True))
    if options.known and not known:
        raise UsageError(
            "--known names no column. Name some, as in --known age,sex, or leave it out: then all are known."
        )
    return attack_of(options.matching, known, insiders)


def is_there(table: Path | Input | None) -> bool:
    """Return whether any file of an input exists; a file that the command line names must exist."""
    if not isinstance(table, Input):
        return table is not None
    with suppress(InputError):
        return any(path.exists() for path in input_files(table))
    return False
