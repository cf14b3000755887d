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
        # Where an interrupt passed through code that is made from text, as in the making of a dataclass, the
        # interpreter would at its end forget the status and kill itself, unless other such code has come after it.
        exec("")
