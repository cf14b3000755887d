"""Notices for the user at once: on standard error, even if the run fails; in Python as a warning."""

from __future__ import annotations

import sys
import warnings
from contextlib import suppress

from toolbox.errors import without_password


def tell(text: str) -> None:
    """Print a text on standard error, with control characters escaped; ignore it if that fails."""
    # A name from a file could otherwise move the cursor, or answer for the user.
    text = without_password(text)
    shown = "".join(letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1] for letter in text)
    if sys.stderr is not None:  # a program without a console has none
        with suppress(OSError, ValueError):
            print(f"toolbox: {shown}", file=sys.stderr, flush=True)


def warn(text: str) -> None:
    """Warn a program that calls us, at the line that does."""
    frame, depth = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "toolbox":
        frame, depth = frame.f_back, depth + 1
    warnings.warn(text, UserWarning, stacklevel=depth)
