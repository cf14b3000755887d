"""The randomness of one case, which its seed decides, with a note of all that was made wrong on purpose."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
_SHARE_OF_SOUND = 0.5


class Draw:
    """Draws from a seed.

    Parameters
    ----------
    seed : int
        The same seed draws the same case with any version of Python that we support.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._may_be_wrong = not self.chance(_SHARE_OF_SOUND)
        self.wrongs: list[str] = []
        """What is wrong with the case; empty if the toolbox has no reason to refuse it."""

    def chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def wrong(self, what: str, probability: float) -> bool:
        """Decide whether to make something wrong, and note it; never in a case that is to be sound."""
        decided = self.chance(probability) and self._may_be_wrong
        if decided:
            self.wrongs.append(what)
        return decided

    def whole(self, low: int, high: int) -> int:
        """Draw a whole number from ``low`` to ``high``, both included."""
        return self._random.randint(low, high)

    def choice(self, options: Sequence[T]) -> T:
        return self._random.choice(options)

    def some(self, options: Sequence[T], count: int) -> list[T]:
        """Draw different elements, at most as many as there are."""
        return self._random.sample(list(options), min(count, len(options)))

    def shuffled(self, options: Sequence[T]) -> list[T]:
        return self.some(options, len(options))
