"""Saying again and again how far the search is: whoever cancels a run does so when it says something."""

from __future__ import annotations

import time
from collections.abc import Callable

_EVERY = 0.1
"""Seconds between two words."""


class Pulse:
    """Says what was said last once more, if that is some time ago.

    Parameters
    ----------
    report : callable
        Is told how far the search is.
    """

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._words = ""
        self._next = 0.0

    def say(self, words: str) -> None:
        """Report how far the search is."""
        self._words, self._next = words, time.monotonic() + _EVERY
        self._report(words)

    def beat(self) -> None:
        """Report again if it is time; the search calls this at each visited node."""
        if time.monotonic() >= self._next:
            self.say(self._words)
