"""How much cutting partitions at their medians gains by a loss metric: the rule that looks one cut ahead.

All columns become narrower by a cut, so that each of them is looked at on both sides of each of them. The rows of each
partition are put in the order of each column once. Then the values of a side are the runs of equal values that have a
row on it, and no other sort is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from toolbox.methods.arrays.runs import is_first, starts_of, totals
from toolbox.methods.arrays.types import Codes, Flags, Numbers, Reals, Whole
from toolbox.methods.mondrian.partitions import Partitions
from toolbox.methods.mondrian.prices import Price

_SEEN = 256
"""Rows of a partition that are looked at, as a rule: more of them seldom choose another column."""
_BLOCK = 2**16
"""Rows that are dealt with at once; the fastest memory holds them."""
_BITS = 62
"""How many bits a whole number holds beside its sign, less one to spare."""


class Ordered(NamedTuple):
    """The rows of all partitions in the order of one column, and their runs of equal values."""

    rows: Numbers
    """Row numbers, partition by partition."""
    starts: Numbers
    """The first of each run."""
    values: Whole
    """The rank of each run."""
    parts: Numbers
    """The first run of each partition."""

    @property
    def lengths(self) -> Numbers:
        """Rows of each run."""
        return np.diff(self.starts, append=len(self.rows))

    def counts(self, marked: Flags) -> Numbers:
        """Count the rows of each run that are marked."""
        until = np.zeros(len(marked) + 1, np.int64)
        np.cumsum(marked[self.rows], out=until[1:])
        counts: Numbers = until[self.starts + self.lengths] - until[self.starts]
        return counts


@dataclass(frozen=True)
class Gains:
    """Measures what cutting each partition (axis 1) in each dimension (axis 0) takes off the cost of its cells.

    Partitions of many rows are measured by some of them.
    """

    prices: Sequence[tuple[Price, float]]
    """What a cell of each column costs, and by how much it counts."""
    least: int
    """Fewest records of a side."""

    def __call__(self, parts: Partitions, lowest: Codes, highest: Codes) -> Reals:
        gains = np.zeros(lowest.shape)
        is_large = parts.records >= 2 * self.least
        if is_large.any():
            gains[:, is_large] = self._gains(parts.some(is_large))
        return gains

    def _gains(self, parts: Partitions) -> Reals:
        if parts.count > 1 and len(parts.sizes) > _BLOCK:
            return np.concatenate([self._gains(block) for block in parts.halves()], axis=1)
        seen = parts.sampled(_SEEN)
        # The same share of the records that are seen must be on each side.
        least = self.least * seen.records / parts.records
        each = [ordered(column, seen.starts) for column in seen.columns]
        gains = np.empty((len(each), seen.count))
        everything = np.ones(len(seen.sizes), np.bool_)
        before = self._costs(seen, each, everything)
        for dimension, column in enumerate(each):
            left, is_allowable = _cut(seen, column, least)
            after = self._costs(seen, each, left) + self._costs(seen, each, ~left)
            gains[dimension] = np.where(is_allowable, np.maximum(before - after, 0), 0)
        return gains

    def _costs(self, parts: Partitions, each: Sequence[Ordered], marked: Flags) -> Reals:
        """Add up what the cells of the marked rows of each partition cost, if they are classes."""
        costs = np.zeros(parts.count)
        for column, (price, share) in zip(each, self.prices, strict=True):
            costs += share * price.of(column.values, column.counts(marked) > 0, column.parts)
        return costs * totals(np.where(marked, parts.sizes, 0), parts.starts)


def ordered(column: Whole, starts: Numbers) -> Ordered:
    """Put the rows of each partition in the order of a column.

    Partition, rank and row are packed into one whole number where there is room, because numpy sorts these several
    times as fast as it finds an order.
    """
    count, rows = len(column), np.arange(len(column))
    part = np.repeat(np.arange(len(starts)), np.diff(starts, append=count))
    room, bits = count.bit_length(), int(column.max()).bit_length()
    if len(starts).bit_length() + bits + room <= _BITS:
        keys = part << (bits + room)
        keys |= column.astype(np.int64) << room
        keys |= rows
        keys.sort()
        order = keys & ((1 << room) - 1)
    else:
        order = np.lexsort((column, part))
    values = column[order]
    first = is_first(values)
    first[starts] = True
    runs = np.flatnonzero(first)
    return Ordered(order, runs, values[runs], np.searchsorted(runs, starts))


def _cut(parts: Partitions, column: Ordered, least: Reals) -> tuple[Flags, Flags]:
    """Cut each partition at its median in one column: up to it, or where that is not allowable, below it.

    Returns
    -------
    left : array of bool
        Which rows are on the left side.
    is_allowable : array of bool
        Which partitions have enough records on both sides.
    """
    records = parts.records
    until = np.cumsum(parts.sizes[column.rows])[column.starts + column.lengths - 1]
    before = starts_of(records)
    median = np.searchsorted(until, before + (records + 1) // 2)
    up_to = until[median] - before
    is_below = (records - up_to < least) & (median > column.parts)
    last = median - is_below
    lefts = np.where(is_below, until[last] - before, up_to)
    runs = np.diff(column.parts, append=len(column.starts))
    goes_left = np.arange(len(column.starts)) <= np.repeat(last, runs)
    left = np.empty(len(column.rows), np.bool_)
    left[column.rows] = np.repeat(goes_left, column.lengths)
    return left, (lefts >= least) & (records - lefts >= least)
