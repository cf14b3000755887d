"""The command `compare`: options in, one call, a report or an error out."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from toolbox.cli.commands.judges import parse_hierarchy
from toolbox.cli.options.reader import OptionReader, collect_overrides
from toolbox.cli.output.progress import show_progress
from toolbox.cli.output.streams import print_report, require_no_contradiction
from toolbox.config import values
from toolbox.config.model import Config
from toolbox.errors import UnsatisfiableError, UsageError
from toolbox.flows.arguments.anonymize import AnonymizeArguments, ColumnArguments
from toolbox.flows.arguments.checks import AS_SAID
from toolbox.flows.arguments.configuration import read_configuration
from toolbox.flows.arguments.tables import is_configuration
from toolbox.flows.explore.compare import (
    ComparedQuestion,
    ComparedRequirements,
    choose_compared_metrics,
    compare_methods,
    find_compared_methods,
)
from toolbox.messages import name_command_options
from toolbox.report.plots import plot_comparison, require_plotting

_COLUMNS = ("qi", "sensitive", "person", "hierarchy", "kind", "weight")


def compare(options: argparse.Namespace) -> int:
    """Run ``compare`` and return its exit status."""
    require_no_contradiction(options)
    reader = OptionReader(options)
    question = _read_question(reader)
    plot = reader.read("plot", partial(values.parse_path, folder=Path()))
    limits = reader.limits()
    columns = _read_columns(reader)
    reading = reader.reading()
    reader.require_none_wrong()
    source = _find_source(options)
    # A configuration has the limits of the options by now, and is read as they say.
    opened = AnonymizeArguments.of_nothing(columns, "compare", limits=None if isinstance(source, Config) else limits)
    if plot is not None:
        require_plotting(plot)
    reading = AS_SAID if isinstance(source, Config) else reading
    by_options = name_command_options(not isinstance(source, Config))
    with by_options, show_progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        report = compare_methods(source, opened, question, reading, watcher=watcher)
    if plot is not None and report.done:
        plot_comparison(report, plot)
    print_report(options, report.document, report.show_on)
    return 0 if report.done else UnsatisfiableError.exit_status


def _read_question(reader: OptionReader) -> ComparedQuestion:
    at_least_one = partial(values.parse_integer, minimum=1)
    requirements = ComparedRequirements(
        k=_each(reader, "k", at_least_one),
        l=_each(reader, "l", values.parse_positive_real),
        t=_each(reader, "t", values.parse_proper_fraction),
    )
    methods, metrics = reader.names("methods"), reader.names("metrics")
    # Looked up here, so that all that is wrong is told at once.
    for method in methods:
        reader.check(partial(find_compared_methods, [method]))
    reader.check(partial(choose_compared_metrics, metrics, reader.read("by", str.strip)))
    question = ComparedQuestion(
        requirements=requirements,
        methods=methods,
        metrics=metrics,
        by=reader.read("by", str.strip),
        suppression_threshold=reader.read("supp_threshold", partial(values.parse_integer, minimum=0)),
        threshold=reader.read("threshold", partial(values.parse_share, with_one=True)),
        bound=reader.names("bound"),
        bound_seconds=reader.read("bound_seconds", values.parse_seconds),
    )
    reader.check(question.choose_bound)
    return question


def _each(reader: OptionReader, name: str, parse: Callable[[str], Any]) -> tuple[Any, ...]:
    """Read values between commas."""
    listed: list[Any] | None = reader.read(name, lambda text: [parse(part) for part in text.split(",")])
    return tuple(dict.fromkeys(listed or ()))


def _read_columns(reader: OptionReader) -> ColumnArguments:
    return ColumnArguments(
        quasi_identifiers=reader.names("qi"),
        sensitive=reader.names("sensitive"),
        hierarchies=reader.pairs("hierarchy", parse_hierarchy),
        kinds=reader.pairs("kind", values.parse_kind),
        weights=reader.pairs("weight", values.parse_positive_real),
        person=reader.names("person"),
    )


def _find_source(options: argparse.Namespace) -> Config | Path:
    """Return the configuration that is named, with the limits of the options, or the table.

    Raises
    ------
    UsageError
        If both or neither are named, or a table without its quasi-identifiers.
    """
    name, config = options.source, options.config
    if name is not None and config is not None:
        raise UsageError(f"Both {name!r} and -config {config!r} are named. Write one of them.")
    said = [option for option in _COLUMNS if getattr(options, option)]
    if name is None and config is None:
        raise UsageError("Nothing names the table. Write toolbox compare CONFIG, or toolbox compare DATA --qi NAMES.")
    path = Path(name if config is None else config)
    if config is None and not _is_configuration(path, is_described=bool(options.qi)):
        return path
    if said:
        raise UsageError(f"A configuration says everything itself, so --{said[0]} cannot be combined with it.")
    return read_configuration(path, collect_overrides(options), is_run=False)


def _is_configuration(path: Path, *, is_described: bool) -> bool:
    try:
        return is_configuration(path, is_described=is_described)
    except UsageError:
        if is_described:
            raise
        remedy = "--qi age,zip,sex, or name a configuration, which is XML"
        raise UsageError(f"{path} is a table. Say which columns an attacker may know: {remedy}.") from None
