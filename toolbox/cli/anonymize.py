"""The command `anonymize`, which is run where no command is named: options in, a release and its summary out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from toolbox.cli.answers import print_document, require_no_contradiction
from toolbox.cli.commands import DEFAULT_CONFIG
from toolbox.cli.options import METHOD_SETTINGS
from toolbox.cli.progress import progress
from toolbox.config.overrides import Overrides
from toolbox.errors import OutputError, UsageError
from toolbox.flows import anonymize as flow
from toolbox.flows.configuration import read_configuration
from toolbox.messages import tell
from toolbox.report.summary import Summary


def anonymize(options: argparse.Namespace, placed: Callable[[], None]) -> int:
    """Run ``anonymize`` and return its exit status.

    Parameters
    ----------
    placed : callable
        Is called at once when the release is in place.
    """
    names = [name for name in Overrides.__dataclass_fields__ if name != "settings"]
    overrides = Overrides(settings=_settings(options), **{name: _as_text(getattr(options, name)) for name in names})
    require_no_contradiction(options)
    # A method by other people may print; standard output is for our document alone.
    with redirect_stdout(sys.stderr), progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        config = read_configuration(Path(options.config or DEFAULT_CONFIG), overrides)
        summary = flow.run(config, watcher=watcher, placed=placed).summary
    try:
        _print_summary(options, summary)
    except (Exception, SystemExit) as error:
        # The release stands, so the status is 0; rich leaves where nobody reads standard error any more.
        reason = error if isinstance(error, (OSError, OutputError, SystemExit)) else type(error).__name__
        tell(f"the release is complete, but its summary could not be printed. {reason}")
    return 0


def _print_summary(options: argparse.Namespace, summary: Summary) -> None:
    """Print the document on standard output, or the tables on standard error."""
    if options.json:
        print_document(summary.document())
    elif not options.quiet:
        from rich.console import Console

        summary.show_on(Console(stderr=True, highlight=False))


def _as_text(value: Any) -> Any:
    """Return what a switch says in the words of the configuration; other options as they are."""
    if isinstance(value, bool):
        return "true" if value else None
    return value


def _settings(options: argparse.Namespace) -> dict[str, str]:
    """Collect the settings of the method: those with an option of their own, and ``--set NAME=VALUE``."""
    settings = {name: getattr(options, name) for name in METHOD_SETTINGS if getattr(options, name) is not None}
    for pair in options.set or ():
        name, equals, value = pair.partition("=")
        if not (equals and name):
            raise UsageError(f"--set is {pair!r}. Write --set NAME=VALUE, such as --set dimension=distinct.")
        settings[name] = value
    return settings
