"""Mondrian as the program of Marchand's report cuts, and what must change for the cuts of the toolbox."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


@dataclass(frozen=True)
class Rule:
    """The ways in which programs differ; by default those of the report."""

    is_tight: bool = False
    """Whether a dimension is as wide as the records lie in it. In the report's program it is as wide as the cuts have
    left it, until that dimension is tried; so it takes another one for the widest. What is released is tight either
    way, as a class that cannot be cut has been tried in all dimensions."""
    rounds_up: bool = False
    """Whether half of an odd number of records is rounded up, for the median."""
    falls_back: bool = False
    """Whether a cut below the median is tried where that at the median fails."""


@dataclass
class Part:
    """Records that are still together."""

    rows: Whole
    low: Whole
    """What the release would show of each dimension: from here ..."""
    high: Whole
    """.. up to here."""


def boxes(values: Whole, k: int, rule: Rule) -> tuple[Whole, Whole]:
    """Cut the records, and return the lowest and highest value that each of them shows.

    Parameters
    ----------
    values : array of int, records x dimensions
    k : int
        Both sides of a cut have as many records at least.
    rule : Rule
    """
    low, high = np.empty_like(values), np.empty_like(values)
    widths = np.maximum(np.ptp(values, axis=0), 1)
    waiting = [Part(np.arange(len(values)), values.min(axis=0), values.max(axis=0))]
    while waiting:
        part = waiting.pop()
        if rule.is_tight:
            part.low, part.high = values[part.rows].min(axis=0), values[part.rows].max(axis=0)
        sides = _cut(values, part, k, rule, widths)
        waiting += sides
        if not sides:
            low[part.rows], high[part.rows] = part.low, part.high
    return low, high


def _cut(values: Whole, part: Part, k: int, rule: Rule, widths: Whole) -> list[Part]:
    """Cut at the first dimension, the widest first, where a cut is allowable; none if there is no such dimension."""
    for dimension in _widest_first(part, widths):
        column = values[part.rows, dimension]
        found, counts = np.unique(column, return_counts=True)
        part.low[dimension], part.high[dimension] = found[0], found[-1]
        up_to = np.cumsum(counts)
        median = int(np.searchsorted(up_to, (len(column) + rule.rounds_up) // 2))
        for place in (median, median - 1) if rule.falls_back and median else (median,):
            if k <= up_to[place] <= len(column) - k:
                return _sides(part, dimension, column <= found[place], found[place], found[place + 1])
    return []


def _widest_first(part: Part, widths: Whole) -> Iterator[int]:
    """Yield each dimension once; what was tightened meanwhile counts."""
    left = set(range(len(widths)))
    while left:
        shares = (part.high - part.low) / widths
        widest = max(left, key=lambda dimension: (shares[dimension], -dimension))
        left.remove(widest)
        yield widest


def _sides(part: Part, dimension: int, is_left: NDArray[np.bool_], last: int, following: int) -> list[Part]:
    highest, lowest = part.high.copy(), part.low.copy()
    highest[dimension], lowest[dimension] = last, following
    return [
        Part(part.rows[is_left], part.low.copy(), highest),
        Part(part.rows[~is_left], lowest, part.high.copy()),
    ]
