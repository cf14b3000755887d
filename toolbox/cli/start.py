"""Where a process of the toolbox begins and ends; an interrupt is heard before anything else is imported."""

from __future__ import annotations

import sys

from toolbox.cli.interrupts import INTERRUPTED, Interrupts


def start() -> int:
    """Run the command line of this process and return its exit status."""
    interrupts = Interrupts()
    try:
        interrupts.install()
        from toolbox.cli.main import main

        return main(placed=interrupts.placed)
    except KeyboardInterrupt:
        print("toolbox: interrupted; nothing was released.", file=sys.stderr)
        return INTERRUPTED
    finally:
        interrupts.ignore()
