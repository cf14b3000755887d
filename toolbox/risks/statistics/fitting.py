"""The multisets of values that fit the size, the interval, the mean and the variance of a class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolbox.risks.statistics.multisets import SEVERAL, Wanted, can_count, multisets
from toolbox.risks.statistics.windows import Grid, Told, Windows

Integers = NDArray[np.int64]

_MOST_SUMS, _MOST_SQUARES = 17, 129
"""Sums, and sums of squares for each, that are tried for a class whose figures are rounded."""
_FARTHEST = 2.0**60
"""Sums beyond this are of no class that is counted; figures that are false may tell some."""
_MOST_LISTED = 5_000_000
"""Sums of squares that are listed at once: the more classes, the fewer are tried for each."""


class Found(NamedTuple):
    """What fits each class; arrays of one length."""

    ways: NDArray[np.int64]
    """Multisets that fit each class: 0, 1, or 2 for more."""
    is_decided: NDArray[np.bool_]
    """Whether all were counted, or enough."""


def multisets_that_fit(grid: Grid, told: Told, room: Windows, *, with_ends: bool = False) -> Found:
    """Count the multisets that fit each class.

    Parameters
    ----------
    with_ends : bool
        Whether the smallest and the largest value of each window are known to be in the class.
    """
    width = room.high - room.low
    is_known = (width > 0) & with_ends
    free = told.size - np.where(is_known, 2, 0)
    can = can_count(free, np.maximum(width, 0)) & (width >= 0)
    ways, is_whole = np.zeros(len(free), np.int64), np.ones(len(free), bool)
    places = np.flatnonzero(can)
    wanted, of_class, is_whole[places] = _sums(grid, told, room, places)
    # The two ends are known, and their sum, and that of their pairs, is taken off.
    ends = np.where(is_known, width, 0)[of_class]
    asked = Wanted(
        size=free[of_class],
        width=width[of_class],
        total=wanted[0] - ends,
        pairs=wanted[1] - ends * (ends - 1) // 2,
    )
    counted = np.bincount(of_class, multisets(asked), len(free)).astype(np.int64)
    ways = np.minimum(counted, SEVERAL)
    return Found(ways, (can & (is_whole | (ways == SEVERAL))) | (width < 0))


def _sums(
    grid: Grid, told: Told, room: Windows, places: Integers
) -> tuple[tuple[Integers, Integers], Integers, NDArray[np.bool_]]:
    """List the sums, and the sums of pairs, that the figures of classes allow, counted from the low end of each.

    Returns
    -------
    sums and sums of pairs, the class of each, and for each place whether all that are allowed are listed
    """
    size = told.size[places]
    center = size * ((told.mean[places] - grid.start) / grid.step - room.low[places])
    away = np.abs(told.mean[places] - grid.start) / grid.step
    slack = size * told.mean_half / grid.step + 1e-6 + size * away * 1e-12
    first, count, has_all = _range(center - slack, center + slack, _MOST_SUMS)
    most = max(1, min(_MOST_SQUARES, _MOST_LISTED // max(1, int(count.sum()))))
    row = np.repeat(np.arange(len(places)), count)
    total = np.repeat(first, count) + _counting(count)
    spread = size[row] * (told.variance[places] / grid.step**2)[row]
    squares = spread + total.astype(np.float64) ** 2 / size[row]
    loose = size * told.variance_half[places] / grid.step**2 + 1e-6
    loose = loose + size * (told.variance[places] / grid.step**2 * 1e-10 + away**2 * 1e-14)
    loose = loose[row]
    lowest, amount, has_squares = _range((squares - loose - total) / 2, (squares + loose - total) / 2, most)
    pairs = np.repeat(lowest, amount) + _counting(amount)
    has_all &= np.bincount(row, ~has_squares, len(places)) == 0
    return (np.repeat(total, amount), pairs), places[np.repeat(row, amount)], has_all


def _range(
    low: NDArray[np.float64], high: NDArray[np.float64], most: int
) -> tuple[Integers, Integers, NDArray[np.bool_]]:
    """Return the first whole number of each range, how many there are, and whether these are all; else the middle."""
    first, last = (np.clip(end, -_FARTHEST, _FARTHEST).astype(np.int64) for end in (np.ceil(low), np.floor(high)))
    count = np.maximum(last - first + 1, 0)
    cut = np.maximum(count - most, 0)
    return first + cut // 2, count - cut, cut == 0


def _counting(amounts: Integers) -> Integers:
    """Count from 0 up to each amount, one after the other."""
    ends = np.cumsum(amounts)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - amounts, amounts)
