"""The classes of lattice nodes, rolled up from those of lower nodes that were counted before.

The class of a combination at a node is one number: the codes of its generalised values in a mixed radix. Equal numbers
are brought together by sorting whole numbers, which numpy does with vector instructions, or by counting where there are
few. So a node of ten thousand combinations takes less time than a statement takes to plan.

Neighbouring columns of few values are looked at together, as one column of all their pairs or triples: so a node of
nine columns is three additions. Of the nodes counted before, the one with fewest classes that lies below is rolled up.

References
----------
LeFevre, DeWitt and Ramakrishnan (2005). Incognito: efficient full-domain k-anonymity. doi:10.1145/1066157.1066164
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolbox.methods.arrays import grouping
from toolbox.methods.arrays.grouping import with_room
from toolbox.methods.arrays.runs import is_first
from toolbox.methods.arrays.types import Codes, Numbers
from toolbox.methods.lattice.frequency_sets import Column, Frequencies, Histogram
from toolbox.methods.lattice.nodes import Levels

_TOGETHER = 8192
"""Most values that a group of columns may have together."""
_REMEMBERED = 400
"""Most nodes whose classes are kept to be rolled up."""
_SHOWN = 1.5
"""Combinations that are looked at, for each class that a node may have, to show that it has more."""
_LEAST_ROWS = 4_000_000
"""Rows of such classes that are kept in any case; more, if the combinations are many."""


class NodeClasses(NamedTuple):
    """The classes of a node."""

    values: tuple[Codes, ...]
    """For each group of columns, the value of one member of each class."""
    sizes: Numbers
    """The records of each class."""
    numbers: Numbers
    """Ascending; classes of the node come in the same order, with and without their sensitive values."""


class Group:
    """Neighbouring columns whose values are numbered together."""

    def __init__(self, columns: Sequence[Column], positions: Sequence[int]) -> None:
        self.positions = tuple(positions)
        self._columns = columns
        self._known: dict[Levels, tuple[Numbers, int]] = {}
        self.size = 1
        for column in columns:
            self.size *= len(column.generalised[0])

    @cached_property
    def parts(self) -> tuple[Numbers, ...]:
        """For each column, its value in every value of the group."""
        rest, parts = np.arange(self.size), []
        for column in reversed(self._columns):
            rest, part = np.divmod(rest, len(column.generalised[0]))
            parts.append(part)
        return tuple(reversed(parts))

    def values(self) -> Codes:
        """Return the value of the group in each combination."""
        total = np.zeros(len(self._columns[0].values), np.int64)
        for column in self._columns:
            total = total * len(column.generalised[0]) + column.values
        return total.astype(np.int32)

    def codes(self, levels: Levels) -> tuple[Numbers, int]:
        """Return, for each value of the group, its number at a node, and how many numbers there may be."""
        own = tuple(levels[position] for position in self.positions)
        if own not in self._known:
            numbers, span = np.zeros(self.size, np.int64), 1
            for column, part, level in zip(self._columns, self.parts, own, strict=True):
                codes = column.generalised[level]
                count = int(codes.max()) + 1
                numbers, span = numbers * count + codes[part], span * count
            self._known[own] = numbers, span
        return self._known[own]


class Counter:
    """Counts the classes of nodes of one table."""

    def __init__(self, frequencies: Frequencies) -> None:
        self.groups = _grouped(frequencies.columns)
        values = [group.values() for group in self.groups]
        self.own = 1
        if frequencies.sensitive is not None:
            self.own = int(frequencies.sensitive.max()) + 1
            values.append(frequencies.sensitive.astype(np.int32))
        records = frequencies.records.astype(np.int64, copy=False)
        self._base = NodeClasses(tuple(values), records, np.arange(len(records)))
        self._history = _History(len(frequencies.columns), max(_LEAST_ROWS, 4 * len(records)))

    def classes(self, levels: Levels) -> NodeClasses:
        """Count the records of each class of a node; with a sensitive attribute, of each of its values there."""
        below = self._below(levels)
        numbers, span = self._numbered(below.values, levels)
        if self.own > 1:
            numbers, span = with_room(numbers, span, self.own)
            numbers, span = numbers * self.own + below.values[-1], span * self.own
        distinct, sizes, members = _totals(numbers, span, below.sizes)
        counted = NodeClasses(tuple(values[members] for values in below.values), sizes, distinct)
        self._history.keep(levels, counted, len(below.sizes))
        return counted

    def shows_more(self, levels: Levels, most: int) -> bool:
        """Return whether a few of the combinations are enough to show that a node has more than `most` classes.

        Where this is false, the node may still have more.
        """
        values = self._below(levels).values
        step = int(len(values[0]) / (_SHOWN * max(1, most)))
        if step < 2 or prod(group.codes(levels)[1] for group in self.groups) <= most:
            return False
        numbers, _ = self._numbered([column[::step] for column in values], levels)
        numbers.sort()
        return int(np.count_nonzero(is_first(numbers))) > most

    def _below(self, levels: Levels) -> NodeClasses:
        """Return what a node is rolled up from."""
        return self._history.best_below(levels) or self._base

    def _numbered(self, below: Sequence[Codes], levels: Levels) -> tuple[Numbers, int]:
        """Return the number of the class of each row at a node, and a bound above all of these numbers."""
        numbers, span = np.zeros(len(below[0]), np.int64), 1
        for group, values in zip(self.groups, below, strict=False):
            codes, count = group.codes(levels)
            if count > 1:
                numbers, span = with_room(numbers, span, count)
                if span == 1:
                    numbers = codes[values]
                else:
                    numbers *= count
                    numbers += codes[values]
                span *= count
        return numbers, span

    def histogram(self, levels: Levels) -> Histogram:
        """Count the records of each class by sensitive value; classes are numbered in the order of their sizes."""
        counted = self.classes(levels)
        classes = np.cumsum(is_first(counted.numbers // self.own), dtype=np.int64) - 1
        return Histogram(classes, counted.values[-1].astype(np.int64), counted.sizes)


class _History:
    """The classes of the nodes that were counted last."""

    def __init__(self, columns: int, most_rows: int) -> None:
        self._levels = np.full((_REMEMBERED, columns), 127, np.int16)
        self._rows = np.zeros(_REMEMBERED, np.int64)
        self._classes: list[NodeClasses | None] = [None] * _REMEMBERED
        self._next, self._total, self._most = 0, 0, most_rows

    def best_below(self, levels: Levels) -> NodeClasses | None:
        """Return the classes of the lower node, or the node itself, that has fewest."""
        below = np.flatnonzero((self._levels <= np.array(levels, np.int16)).all(axis=1))
        return self._classes[below[self._rows[below].argmin()]] if len(below) else None

    def keep(self, levels: Levels, classes: NodeClasses, made_of: int) -> None:
        """Keep classes, unless there are hardly fewer than what they were rolled up from."""
        rows = len(classes.sizes)
        if 5 * rows > 4 * made_of or rows > self._most:
            return
        self._forget(self._next)
        oldest = self._next
        while self._total + rows > self._most:
            oldest = (oldest + 1) % _REMEMBERED
            self._forget(oldest)
        self._levels[self._next], self._rows[self._next] = levels, rows
        self._classes[self._next] = classes
        self._total += rows
        self._next = (self._next + 1) % _REMEMBERED

    def _forget(self, place: int) -> None:
        self._total -= int(self._rows[place])
        self._levels[place], self._rows[place], self._classes[place] = 127, 0, None


def _grouped(columns: Sequence[Column]) -> list[Group]:
    groups: list[list[int]] = []
    size = _TOGETHER + 1
    for position, column in enumerate(columns):
        count = len(column.generalised[0])
        if size * count > _TOGETHER:
            groups.append([])
            size = 1
        groups[-1].append(position)
        size *= count
    return [Group([columns[position] for position in group], group) for group in groups]


def _totals(numbers: Numbers, span: int, records: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Find the distinct numbers, ascending, the sum of the records of each, and one place of each."""
    count = len(numbers)
    if span <= 2 * count:
        sums = np.bincount(numbers, weights=records, minlength=span)
        member = np.zeros(span, np.int64)
        member[numbers] = np.arange(count)
        distinct = np.flatnonzero(sums)
        return distinct, sums[distinct].astype(np.int64), member[distinct]
    bits = count.bit_length()
    if span << bits <= grouping.LARGEST:
        # Sorting values is several times as fast as sorting places, so the places travel in the lower bits.
        packed = numbers << bits
        packed |= np.arange(count)
        packed.sort()
        order = packed & ((1 << bits) - 1)
        numbers = packed >> bits
    else:
        order = np.argsort(numbers)
        numbers = numbers[order]
    starts: NDArray[np.int64] = np.flatnonzero(is_first(numbers))
    return numbers[starts], np.add.reduceat(records[order], starts), order[starts]
