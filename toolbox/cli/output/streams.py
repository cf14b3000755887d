"""Standard output and standard error, even if they are closed; one document, tables for people, or nothing."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from toolbox.errors import OutputError, UsageError

# Standard output and standard error, even if they are closed, full, or not read.


def open_closed_streams() -> None:
    """Open each standard stream that is closed on the null device.

    Otherwise a file that is opened later would get its number, and all that is printed.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            with suppress(OSError):
                # The lowest free number, which is this one.
                os.open(os.devnull, os.O_RDWR)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 - for good


def print_out(text: str) -> None:
    """Print on standard output at once; a reader that has stopped reading, such as `head`, is no error.

    What the output has no letters for, such as the odd bytes of a file's name, is escaped.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    with _catch_write_errors():
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)


def flush_out() -> None:
    """Flush standard output.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    with _catch_write_errors():
        sys.stdout.flush()


@contextmanager
def _catch_write_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        _give_up_output()
        if not isinstance(error, BrokenPipeError):
            raise OutputError(f"Standard output cannot be written: {error.strerror}.") from error


def _give_up_output() -> None:
    """Redirect standard output to the null device, so that the interpreter does not fail when it flushes."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


# The output of a command: one JSON document, tables for people, or nothing.

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
