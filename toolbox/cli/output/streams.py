"""Standard output and standard error, even if they are closed; one document, tables for people, or a failure."""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from toolbox.errors import ConfigurationError, OutputError, ToolboxError, UsageError, format_debug_hint
from toolbox.messages import SELDOM_NEEDED, print_note

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


# The output for an error, foreseen or not.


class FaultError(ToolboxError):
    """The toolbox itself failed; the message names the place in it, and not the error's text, which may quote cells."""

    exit_status = 3


@dataclass(frozen=True)
class Failures:
    """Says what is wrong.

    Parameters
    ----------
    as_json : bool
        Whether to print a document on standard output as well.
    debug : bool
        Whether to print the traceback, with the words of other libraries, which may quote cells.
    """

    as_json: bool
    debug: bool

    def tell(self, error: Exception) -> int:
        """Print what is wrong; return the exit status."""
        shown = _convert_error(error)
        self.trace(error)
        print_note(str(shown))
        if self.as_json:
            with suppress(OutputError):
                print_out(json.dumps({"error": _list_faults(shown)}, indent=2))
        return shown.exit_status

    def trace(self, error: Exception) -> None:
        """Print the traceback, if that is wanted."""
        if self.debug:
            print_note("".join(traceback.format_exception(error)))


def _list_faults(error: ToolboxError) -> dict[str, Any]:
    """List the faults of a configuration, of many of a kind the first, and say how many there are."""
    details = {"kind": type(error).__name__, "message": str(error), "status": error.exit_status}
    details |= {"setting": error.setting} if error.setting else {}
    if not isinstance(error, ConfigurationError):
        return {**details, "faults": [], "fault_count": 0}
    return {**details, "faults": [fault.document() for fault, _ in error.shown()], "fault_count": len(error.faults)}


def _convert_error(error: Exception) -> ToolboxError:
    match error:
        case ToolboxError():
            return error
        case MemoryError():
            return UsageError(
                "The machine has no more memory. Lower --memory-limit and --threads, or end other programs."
            )
        case OSError():
            from toolbox.store.disk.folders import make_file_error

            return make_file_error(error)
        case ModuleNotFoundError(name=str(name)) if name in SELDOM_NEEDED:
            return UsageError(f"This needs {name}, which is not installed. Write: pip install {name}.")
    package = Path(__file__).parents[2]
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(package)]
    where = f", {ours[-1].filename}, line {ours[-1].lineno}" if ours else ""
    step = "".join(f" {note}" for note in getattr(error, "__notes__", ()))
    return FaultError(
        f"This is a fault of the toolbox: {type(error).__name__}{where}.{step} Nothing was released. "
        f"{format_debug_hint()}"
    )
