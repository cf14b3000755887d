"""The command `detect`: options in, one call, a report or an error out."""

from __future__ import annotations

import argparse
import json
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from toolbox.cli.progress import progress
from toolbox.cli.questions import Options
from toolbox.cli.streams import print_out
from toolbox.config import values
from toolbox.config.model import Config, Limits
from toolbox.errors import UsageError


def detect(options: argparse.Namespace) -> int:
    """Run ``detect`` and return its exit status."""
    if options.quiet and options.verbose:
        raise UsageError("--quiet and --verbose contradict each other. Write one of them.")
    from toolbox.flows.detect import DEFAULT_MOST_COLUMNS, Wanted, find_identifying
    from toolbox.report.console.detect import DEFAULT_TOP, print_detection
    from toolbox.report.detect_plot import plot_detection
    from toolbox.report.pictures import require_plotting

    read = Options(options)
    path = partial(values.path, folder=Path())
    at_least_one = partial(values.integer, minimum=1)
    most, top, plot = read.read("max_columns", at_least_one), read.read("top", at_least_one), read.read("plot", path)
    missing = read.read("missing", partial(values.word, known=("drop", "value")))
    separator, encoding = read.read("separator", values.separator), read.read("encoding", values.encoding)
    limits = Limits(
        memory=read.read("memory_limit", values.memory),
        threads=read.read("threads", partial(values.integer, minimum=1, maximum=512)),
        temp_dir=read.read("temp_dir", path),
    )
    read.require_none_wrong()
    config = None if options.config is None else _config(options)
    data = _data(options.data, config)
    if plot is not None:
        require_plotting(plot)
    with progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        report = find_identifying(
            data,
            Wanted(read.names("columns"), read.names("exclude")),
            max_columns=most or DEFAULT_MOST_COLUMNS,
            missing_is_a_value=missing == "value",
            separator=separator,
            encoding=encoding,
            config=config,
            limits=limits if config is None else None,
            watcher=watcher,
        )
    if plot is not None:
        plot_detection(report, plot, top=top or DEFAULT_TOP)
    if options.json:
        print_out(json.dumps(report.document(), indent=2))
    elif not options.quiet:
        with suppress(SystemExit):  # with which rich leaves where nobody reads any more
            print_detection(report, top=top or DEFAULT_TOP)
    return 0


def _config(options: argparse.Namespace) -> Config:
    from toolbox.config.overrides import Overrides
    from toolbox.config.reader import read_config
    from toolbox.methods.registry import method_facts
    from toolbox.privacy.requirements import model_facts

    given: dict[str, Any] = {name: getattr(options, name) for name in ("memory_limit", "threads", "temp_dir")}
    overrides = Overrides(**given, separator=options.separator, encoding=options.encoding)
    path = Path(options.config)
    return read_config(path, overrides=overrides, methods=method_facts(), models=model_facts(), is_run=False)


def _data(given: str | None, config: Config | None) -> Path:
    """Take the table that is named, or else the input of the configuration."""
    if given is not None:
        return Path(given)
    if config is None or config.input is None:
        raise UsageError("Nothing names the table. Write toolbox detect DATA.")
    return config.input.path
