"""The command `singletons`: options in, one call, a report or an error out."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from toolbox.cli.answers import print_report, require_no_contradiction
from toolbox.cli.option_reader import OptionReader
from toolbox.cli.progress import progress
from toolbox.cli.questions import question_of
from toolbox.config import values
from toolbox.errors import UsageError
from toolbox.flows.question import Question
from toolbox.flows.singletons import compare_variants
from toolbox.report.singletons import DEFAULT_TOP


def singletons(options: argparse.Namespace) -> int:
    """Run ``singletons`` and return its exit status."""
    require_no_contradiction(options)
    reader = OptionReader(options)
    k = reader.read("k", partial(values.integer, minimum=2))
    top = reader.read("top", partial(values.integer, minimum=1))
    scope = reader.read("scope", partial(values.word, known=("local", "global", "both")))
    rules = reader.pairs("rule", lambda text: [name.strip() for name in text.split(",")])
    reader.require_none_wrong()
    question = question_of(options, "singletons")
    data = _data(question, options.data)
    with progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        report = compare_variants(question, data, k=k, scope=scope or "both", rules=rules, watcher=watcher)
    print_report(options, report.document, partial(report.show_on, top=top or DEFAULT_TOP))
    return 0


def _data(question: Question, name: str | None) -> Path:
    """Return the table that is named, or else the input of the configuration."""
    if name is not None:
        return Path(name)
    if question.by_name or question.config.input is None:
        raise UsageError("Nothing names the table. Write toolbox singletons DATA ..")
    return question.config.input.path
