"""Classes whose values follow from the statistics of genValsDist: only one multiset has these statistics."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from toolbox.release.class_values import ClassValues
from toolbox.release.solved import Solved

_TRIED = 300_000
"""Most multisets that are tried for classes of one size and width; larger ones nearly always have several."""
_TRIED_IN_ALL = 20_000_000


def solved(column: str, values: ClassValues) -> Solved:
    """Count the classes of which only one multiset of values fits what is released."""
    free = values.records - 2 if values.shows_ends else values.records
    ends = values.width if values.shows_ends else np.zeros_like(values.width)
    total, squares = values.total - ends, values.squares - ends * ends
    looked_at = unique = tried = 0
    kinds, which = np.unique(np.stack([free, values.width], axis=1), axis=0, return_inverse=True)
    for index, (count, width) in enumerate(kinds.tolist()):
        here = which.ravel() == index
        several = comb(width + count, count) if count > 0 and width > 0 else 1
        tried += several if several <= _TRIED else 0
        if several > _TRIED or tried > _TRIED_IN_ALL:
            continue
        looked_at += int(here.sum())
        if several > 1:
            unique += int((_ways(count, width, total[here], squares[here]) == 1).sum())
    return Solved(column, len(values.records), looked_at, unique)


def _ways(count: int, width: int, total: NDArray[np.int64], squares: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the multisets of `count` numbers from 0 to `width` with each sum and sum of squares."""
    sums, of_squares, last = (np.zeros(1, np.int64) for _ in range(3))
    for _ in range(count):
        pieces = [(last <= value, value) for value in range(width + 1)]
        sums, of_squares, last = (
            np.concatenate([sums[fits] + value for fits, value in pieces]),
            np.concatenate([of_squares[fits] + value * value for fits, value in pieces]),
            np.concatenate([np.full(int(fits.sum()), value) for fits, value in pieces]),
        )
    base = count * width * width + 1
    codes, ways = np.unique(sums * base + of_squares, return_counts=True)
    places = np.minimum(np.searchsorted(codes, total * base + squares), len(codes) - 1)
    counts: NDArray[np.int64] = ways[places]
    return counts
