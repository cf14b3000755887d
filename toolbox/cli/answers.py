"""The output of a command: one JSON document, tables for people, or nothing."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from toolbox.cli.streams import print_out
from toolbox.errors import UsageError

_UNCUT: Final = 10_000
"""Characters of a line on a pipe, which no table needs."""


def require_no_contradiction(options: argparse.Namespace) -> None:
    """Stop where options ask for both less and more output.

    Raises
    ------
    UsageError
    """
    if options.quiet and options.verbose:
        raise UsageError("--quiet and --verbose contradict each other. Write one of them.")


def print_report(
    options: argparse.Namespace, document: Callable[[], dict[str, Any]], show: Callable[[Any], None]
) -> None:
    """Print a report on standard output, as the options ask.

    Parameters
    ----------
    document : callable
        Returns the JSON document.
    show : callable
        Prints the tables on a console of rich.
    """
    if options.json:
        print_document(document())
    elif not options.quiet:
        print_tables(show)


def print_document(document: dict[str, Any]) -> None:
    """Print a JSON document on standard output.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    print_out(json.dumps(document, indent=2))


def print_tables(show: Callable[[Any], None]) -> None:
    """Print tables on standard output."""
    from rich.console import Console

    if sys.stdout.isatty():
        with suppress(SystemExit):  # with which rich leaves where nobody reads any more
            show(Console(highlight=False))
        return
    # Without a terminal nobody sees where a line ends: a pipe or a file gets each row as one line.
    console = Console(highlight=False, width=None if "COLUMNS" in os.environ else _UNCUT)
    with console.capture() as printed:
        show(console)
    print_out("\n".join(line.rstrip() for line in printed.get().removesuffix("\n").split("\n")))
