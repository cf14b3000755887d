"""What a user should know at once, whatever becomes of the run, on standard error."""

from __future__ import annotations

import sys
from contextlib import suppress

from toolbox.errors import without_password


def tell(text: str) -> None:
    """Print a text on standard error, its control characters written out; if that cannot be, go on."""
    # A name from a file could otherwise move the cursor, or answer for the user.
    text = without_password(text)
    shown = "".join(letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1] for letter in text)
    if sys.stderr is not None:  # a program without a console has none
        with suppress(OSError, ValueError):
            print(f"toolbox: {shown}", file=sys.stderr, flush=True)
