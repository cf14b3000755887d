"""The command `detect`: options in, one call, a report or an error out."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from toolbox.cli.answers import print_report, require_no_contradiction
from toolbox.cli.option_reader import READING, OptionReader
from toolbox.cli.progress import progress
from toolbox.config import values
from toolbox.config.model import Config
from toolbox.config.overrides import Overrides
from toolbox.errors import UsageError
from toolbox.flows.configuration import read_configuration
from toolbox.flows.detect import DEFAULT_MOST_COLUMNS, Wanted, detect_columns
from toolbox.report.detect import DEFAULT_TOP
from toolbox.report.detect_plot import plot_detection
from toolbox.report.pictures import require_plotting

_POLICIES = ("drop", "value")
"""What becomes of records that lack a value."""


def detect(options: argparse.Namespace) -> int:
    """Run ``detect`` and return its exit status."""
    require_no_contradiction(options)
    reader = OptionReader(options)
    at_least_one = partial(values.integer, minimum=1)
    most, top = reader.read("max_columns", at_least_one), reader.read("top", at_least_one)
    plot = reader.read("plot", partial(values.path, folder=Path()))
    if options.missing in _POLICIES:
        # What the option meant before there was --on-missing; as a mark it would be passed over without a word.
        raise UsageError(f"--missing names the text of a missing value. Write --on-missing {options.missing}.")
    on_missing = reader.read("on_missing", partial(values.word, known=_POLICIES))
    reading = reader.reading()
    limits, wanted = reader.limits(), Wanted(reader.names("columns"), reader.names("exclude"), options.all)
    reader.require_none_wrong()
    config = None if options.config is None else _config(options)
    data = _data(options.data, config)
    if plot is not None:
        require_plotting(plot)
    with progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        report = detect_columns(
            data,
            wanted,
            max_columns=most or DEFAULT_MOST_COLUMNS,
            missing_is_a_value=on_missing == "value",
            reading=reading,
            config=config,
            limits=limits if config is None else None,
            watcher=watcher,
        )
    if plot is not None:
        plot_detection(report, plot, top=top or DEFAULT_TOP)
    print_report(options, report.document, partial(report.show_on, top=top or DEFAULT_TOP))
    return 0


def _config(options: argparse.Namespace) -> Config:
    names = ("memory_limit", "threads", "temp_dir", *READING)
    overrides: dict[str, Any] = {name: getattr(options, name) for name in names}
    return read_configuration(Path(options.config), Overrides(**overrides), is_run=False)


def _data(name: str | None, config: Config | None) -> Path:
    """Return the table that is named, or else the input of the configuration."""
    if name is not None:
        return Path(name)
    if config is None or config.input is None:
        raise UsageError("Nothing names the table. Write toolbox detect DATA.")
    return config.input.path
