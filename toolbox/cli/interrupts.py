"""Ctrl-C and its kin: the first ends the run in an orderly way, a second is told to wait, a third leaves at once."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

INTERRUPTED = 130
_LEAVES_AT_ONCE = 3
_SOON = 0.01
"""Seconds until an interrupt that nobody could hear is repeated."""


class Interrupts:
    """The handler of SIGINT, SIGTERM and SIGHUP.

    Once the release is in place an interrupt comes too late: what is left, temporary files and a summary, is brought
    to its end, so that the exit status tells the truth.
    """

    def __init__(self) -> None:
        self.too_late = False
        self._count = 0
        self._numbers: list[int] = []

    def has_arrived(self) -> bool:
        """Return whether an interrupt has arrived in time, even if it was lost on its way."""
        return self._count > 0 and not self.too_late

    def install(self) -> None:
        """Handle the signals of this process."""
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            # Whoever started the process with `nohup` wants it to go on.
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self)
                self._numbers.append(number)
        sys.unraisablehook = self.repeat_swallowed

    def repeat_swallowed(self, unraisable: UnraisableHookArgs) -> None:
        """Repeat an interrupt that Python has swallowed, because it arrived in the callback of a dying object."""
        if not isinstance(unraisable.exc_value, KeyboardInterrupt):
            sys.__unraisablehook__(unraisable)
            return
        from threading import Timer

        self._count -= 1
        again = Timer(_SOON, _interrupt)
        again.daemon = True
        again.start()

    def ignore(self) -> None:
        """Ignore signals from now on: nothing may disturb the end of the process."""
        for number in self._numbers:
            signal.signal(number, signal.SIG_IGN)

    def placed(self) -> None:
        """Note that the release is in place."""
        self.too_late = True

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle one signal."""
        self._count += 1
        if self._count >= _LEAVES_AT_ONCE:
            _say("toolbox: left at once; the next run in the same folder removes the temporary files.")
            os._exit(0 if self.too_late else INTERRUPTED)
        if self.too_late:
            _say("toolbox: the release is complete; about to end. Three interrupts leave at once.")
        elif self._count > 1:
            _say("toolbox: removing temporary files; once more leaves at once.")
        else:
            raise KeyboardInterrupt


def _interrupt() -> None:
    """Interrupt the main thread, also where it waits."""
    from _thread import interrupt_main
    from threading import main_thread

    if hasattr(signal, "pthread_kill") and (main := main_thread().ident) is not None:
        signal.pthread_kill(main, signal.SIGINT)
    else:
        interrupt_main(signal.SIGINT)


def _say(text: str) -> None:
    """Write a line without buffers, which a handler must not touch."""
    with suppress(OSError, ValueError, AttributeError):
        os.write(sys.stderr.fileno(), f"{text}\n".encode())
