"""Where a process of the toolbox begins and ends; an interrupt is heard before anything else is imported."""

import os

_NEW_OBJECTS = 100_000
"""How many there are before Python looks for cycles among them. Its usual 700 cost a tenth of a small run."""


def start() -> int:
    """Run the command line of this process and return its exit status."""
    try:
        # Nothing stands above this that takes time: what arrives before it finds Python's own handler.
        import gc

        from toolbox.cli.interrupts import INTERRUPTED, Interrupts

        interrupts = Interrupts()
        try:
            interrupts.install()
            gc.set_threshold(_NEW_OBJECTS, 20, 20)
            from toolbox.cli.main import main

            return main(placed=interrupts.placed, interrupted=interrupts.has_arrived)
        except KeyboardInterrupt:
            _say_interrupted()
            return INTERRUPTED
        finally:
            interrupts.ignore()
            # At its end the interpreter would look for cycles among all objects once more: another tenth.
            gc.freeze()
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
