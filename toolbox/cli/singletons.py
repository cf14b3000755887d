"""The command `singletons`: options in, one call, a report or an error out."""

from __future__ import annotations

import argparse
import json
from contextlib import suppress
from functools import partial
from pathlib import Path

from toolbox.cli.progress import progress
from toolbox.cli.questions import Options, question_of
from toolbox.cli.streams import print_out
from toolbox.config import values
from toolbox.errors import UsageError
from toolbox.flows.question import Question


def singletons(options: argparse.Namespace) -> int:
    """Run ``singletons`` and return its exit status."""
    if options.quiet and options.verbose:
        raise UsageError("--quiet and --verbose contradict each other. Write one of them.")
    from toolbox.flows.singletons import compare_variants
    from toolbox.report.console.singletons import DEFAULT_TOP, print_singletons

    read = Options(options)
    k = read.read("k", partial(values.integer, minimum=2))
    top = read.read("top", partial(values.integer, minimum=1))
    scope = read.read("scope", partial(values.word, known=("local", "global", "both")))
    rules = read.pairs("rule", lambda text: [one.strip() for one in text.split(",")])
    read.require_none_wrong()
    question = question_of(options, "singletons")
    data = _data(question, options.data)
    with progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        report = compare_variants(question, data, k=k, scope=scope or "both", rules=rules, watcher=watcher)
    if options.json:
        print_out(json.dumps(report.document(), indent=2))
    elif not options.quiet:
        with suppress(SystemExit):  # with which rich leaves where nobody reads any more
            print_singletons(report, top=top or DEFAULT_TOP)
    return 0


def _data(question: Question, given: str | None) -> Path:
    """Take the table that is named, or else the input of the configuration."""
    if given is not None:
        return Path(given)
    if question.by_name or question.config.input is None:
        raise UsageError("Nothing names the table. Write toolbox singletons DATA ..")
    return question.config.input.path
