"""Where intervals begin and end among ascending numbers, all intervals at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from toolbox.hierarchy.interval import Interval

Numbers: TypeAlias = NDArray[np.float64]
Ranks: TypeAlias = NDArray[np.int64]


def ranks(numbers: Numbers, intervals: Sequence[Interval]) -> tuple[Ranks, Ranks]:
    """Find the first and the last of ascending numbers in each interval; the last is before the first if there is none.

    Examples
    --------
    >>> first, last = ranks(np.array([17.0, 20.0, 25.0]), [Interval(17, 20), Interval(18, 19)])
    >>> first.tolist(), last.tolist()
    ([0, 1], [1, 0])
    """
    low, high = (np.array([getattr(interval, name) for interval in intervals], dtype=float) for name in ("low", "high"))
    closed = (
        np.array([getattr(interval, name) for interval in intervals], dtype=bool)
        for name in ("low_closed", "high_closed")
    )
    low_closed, high_closed = closed
    first = np.where(low_closed, np.searchsorted(numbers, low, "left"), np.searchsorted(numbers, low, "right"))
    after = np.where(high_closed, np.searchsorted(numbers, high, "right"), np.searchsorted(numbers, high, "left"))
    return first, after - 1
