"""Mondrian as the program of Marchand's report cuts: strict, with bounds that are tightened only where it has looked.

Its two ways that the toolbox does not share: an odd half of the records is rounded down for the median, and a dimension
that was never tried keeps the bounds of the last cut, wider than the values of the class.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


@dataclass
class Part:
    """Records that are still together."""

    rows: Whole
    low: Whole
    """What the release would show of each dimension: from here ..."""
    high: Whole
    """.. up to here."""


def boxes(values: Whole, k: int) -> tuple[Whole, Whole]:
    """Cut the records, and return the lowest and highest value that each of them shows.

    Parameters
    ----------
    values : array of int, records x dimensions
    k : int
        Both sides of a cut have as many records at least.
    """
    low, high = np.empty_like(values), np.empty_like(values)
    widths = np.maximum(np.ptp(values, axis=0), 1)
    waiting = [Part(np.arange(len(values)), values.min(axis=0), values.max(axis=0))]
    while waiting:
        part = waiting.pop()
        sides = _cut(values, part, k, widths)
        waiting += sides
        if not sides:
            low[part.rows], high[part.rows] = part.low, part.high
    return low, high


def _cut(values: Whole, part: Part, k: int, widths: Whole) -> list[Part]:
    """Cut at the first dimension, the widest first, where a cut is allowable; none if there is no such dimension."""
    for dimension in _widest_first(part, widths):
        column = values[part.rows, dimension]
        found, counts = np.unique(column, return_counts=True)
        part.low[dimension], part.high[dimension] = found[0], found[-1]
        half = len(column) // 2
        place = int(np.searchsorted(np.cumsum(counts), half))
        is_left = column <= found[place]
        if k <= is_left.sum() <= len(column) - k:
            return _sides(part, dimension, is_left, found[place], found[place + 1])
    return []


def _widest_first(part: Part, widths: Whole) -> Iterator[int]:
    """Yield each dimension once; what was tightened meanwhile counts."""
    left = set(range(len(widths)))
    while left:
        shares = (part.high - part.low) / widths
        widest = max(left, key=lambda dimension: (shares[dimension], -dimension))
        left.remove(widest)
        yield widest


def _sides(part: Part, dimension: int, is_left: NDArray[np.bool_], median: int, following: int) -> list[Part]:
    highest, lowest = part.high.copy(), part.low.copy()
    highest[dimension], lowest[dimension] = median, following
    return [
        Part(part.rows[is_left], part.low.copy(), highest),
        Part(part.rows[~is_left], lowest, part.high.copy()),
    ]
