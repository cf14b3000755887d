"""What a user should know at once, whatever becomes of the run, on standard error."""

from __future__ import annotations

import sys
from contextlib import suppress


def tell(text: str) -> None:
    """Print a line on standard error; if that cannot be, go on."""
    if sys.stderr is not None:  # a program without a console has none
        with suppress(OSError, ValueError):
            print(f"toolbox: {text}", file=sys.stderr, flush=True)
