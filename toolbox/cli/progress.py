"""Progress of long work, on standard error: bars on a terminal, lines elsewhere if they are asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from toolbox.steps import Watcher


@contextmanager
def progress(*, quiet: bool, verbose: bool = False, as_json: bool = False) -> Iterator[Watcher]:
    """Yield a watcher that shows the steps of a run while the block runs."""
    if as_json:
        from toolbox.cli.lines import JsonLines

        with JsonLines(sys.stderr) as lines:
            yield lines
    elif not quiet and _can_move():
        from toolbox.cli.bars import Bars

        with Bars(keep=verbose) as bars:
            yield bars
    elif verbose:
        from toolbox.cli.lines import Lines

        with Lines(sys.stderr) as lines:
            yield lines
    else:
        yield Watcher()


def _can_move() -> bool:
    """Return whether standard error is a terminal whose cursor can move."""
    return sys.stderr.isatty() and os.environ.get("TERM", "") not in ("dumb", "unknown", "")
