"""Standard output and standard error, even if they are closed, full, or not read."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from toolbox.errors import OutputError


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

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    with _writing():
        print(text, flush=True)


def flush_out() -> None:
    """Flush standard output.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    with _writing():
        sys.stdout.flush()


@contextmanager
def _writing() -> Iterator[None]:
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
