"""The commands that judge a release: options in, one call, a report or an error out."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from toolbox.cli.progress import progress
from toolbox.cli.questions import Options, question_of
from toolbox.cli.streams import print_out
from toolbox.config import values
from toolbox.config.inputs import input_files
from toolbox.config.model import Input
from toolbox.errors import InputError, UsageError
from toolbox.flows.question import Question

UNSATISFIED = 3


def judge(command: str, options: argparse.Namespace) -> int:
    """Run ``check``, ``measure`` or ``risk`` and return its exit status."""
    if options.quiet and options.verbose:
        raise UsageError("--quiet and --verbose contradict each other. Write one of them.")
    question = question_of(options, command)
    commands: dict[str, Callable[..., Any]] = {"check": _check, "measure": _measure, "risk": _risk}
    with progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        report = commands[command](question, options, watcher)
    if options.json:
        print_out(json.dumps(report.document(), indent=2))
    elif not options.quiet:
        from toolbox.report.console.judgement import print_report

        with suppress(SystemExit):  # with which rich leaves where nobody reads any more
            print_report(report)
    return UNSATISFIED if command == "check" and not report.holds else 0


def _check(question: Question, options: argparse.Namespace, watcher: Any) -> Any:
    from toolbox.flows.check import assess_privacy

    read = Options(options)
    population = read.read("population", partial(values.path, folder=Path()))
    read.require_none_wrong()
    release = _release(question, options.release)
    return assess_privacy(question, release, population=population, harmonised=options.harmonised, watcher=watcher)


def _measure(question: Question, options: argparse.Namespace, watcher: Any) -> Any:
    from toolbox.flows.measure import assess_loss

    read = Options(options)
    k = read.read("k", values.whole)
    read.require_none_wrong()
    if options.original is not None and options.release is None:
        raise UsageError("measure compares two tables. Write toolbox measure ORIGINAL RELEASE ..")
    original = _original(question, options.original)
    if original is None:
        raise UsageError("Nothing names the original records. Write toolbox measure ORIGINAL RELEASE ..")
    release = _release(question, options.release)
    return assess_loss(question, original, release, label=options.label, k=k, watcher=watcher)


def _risk(question: Question, options: argparse.Namespace, watcher: Any) -> Any:
    from toolbox.flows.risk import assess_risk

    read = Options(options)
    k, threshold = read.read("k", values.whole), read.read("threshold", values.real)
    path = partial(values.path, folder=Path())
    population, plot = read.read("population", path), read.read("plot", path)
    read.require_none_wrong()
    if plot is not None:
        from toolbox.report.pictures import require_plotting

        require_plotting(plot)
    original = _original(question, options.original)
    report = assess_risk(
        question,
        _release(question, options.release),
        # What was published long ago is judged without the records, where they are gone.
        original=original if _is_there(original) else None,
        population=population,
        threshold=threshold,
        k=k,
        watcher=watcher,
    )
    if plot is not None:
        from toolbox.report.risk_plot import plot_risk

        plot_risk(report, plot)
    return report


def _release(question: Question, given: str | None) -> Path | Input:
    """Take the release that is named, or else the output of the configuration."""
    release = Path(given) if given else question.release
    if release is None:
        raise UsageError("Nothing names the release. Write the name of its file behind the command.")
    return release


def _original(question: Question, given: str | None) -> Path | Input | None:
    """Take the records that are named, or else the input of the configuration."""
    return Path(given) if given else question.original


def _is_there(given: Path | Input | None) -> bool:
    """Tell whether there is any file of an input; one that is named must be there."""
    if not isinstance(given, Input):
        return given is not None
    with suppress(InputError):
        return any(path.exists() for path in input_files(given))
    return False
