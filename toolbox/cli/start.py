"""Where a process of the toolbox begins and ends; an interrupt is heard before anything else is imported."""

import os


def start() -> int:
    """Run the command line of this process and return its exit status."""
    try:
        # Nothing stands above this that takes time: what arrives before it finds Python's own handler.
        from toolbox.cli.interrupts import INTERRUPTED, Interrupts

        interrupts = Interrupts()
        try:
            interrupts.install()
            from toolbox.cli.main import main

            return main(placed=interrupts.placed, interrupted=interrupts.heard)
        except KeyboardInterrupt:
            _say_interrupted()
            return INTERRUPTED
        finally:
            interrupts.ignore()
            # Where an interrupt passed through code that is made from text, as in the making of a dataclass, the
            # interpreter would at its end forget the status and kill itself, unless other such code has come after it.
            exec("")
    except KeyboardInterrupt:
        _say_interrupted()
        return 130


def _say_interrupted() -> None:
    """Write without buffers: standard error may be closed or not yet open."""
    try:
        os.write(2, b"toolbox: interrupted; nothing was released.\n")
    except OSError:
        return
