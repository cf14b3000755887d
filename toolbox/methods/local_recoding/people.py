"""The people of a population whom classes cover: all who have the classes' intervals at the classes' levels.

Those who have the very combinations of a class's records are a part of them, which costs nothing to count. Only where
these are too few all others are looked at, and of a large population only for some seconds: after that the part counts,
by which a class may be held to cover fewer people than it does, and never more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from toolbox.methods.arrays.combinations import combinations_of
from toolbox.methods.arrays.types import Numbers, Whole
from toolbox.store.tables import Tables

Keys = NDArray[np.uint64]

_MOST_WORK = 200_000_000
"""Combinations of people that are looked at, in all: about four seconds."""
_PARTS = 3
"""Into how many sums a key is split, each of which serves many classes."""
_MOST_KEPT = 60_000_000
"""Most numbers in the sums that are kept."""


@dataclass
class People:
    """The combinations of a population.

    Parameters
    ----------
    values : list of arrays
        For each quasi-identifier, the rank of the value in each combination.
    sizes : array
        People of each.
    keys : list of lists of arrays
        For each quasi-identifier and level, the number of the interval of each value: drawn at random, so that the sums
        of those of two combinations are the same only where all intervals are.
    """

    values: list[Whole]
    sizes: Numbers
    keys: list[list[Keys]]
    work: int = 0
    """What was looked at already."""
    _sums: dict[tuple[int, ...], Keys] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """Number of people."""
        return int(self.sizes.sum())

    def covered(self, levels: Numbers, values: Sequence[Whole], at_least: Numbers, *, exactly: bool) -> Numbers:
        """Count the people whom classes cover.

        Parameters
        ----------
        levels : array
            The level of each quasi-identifier (axis 0) in each class (axis 1).
        values : sequence of arrays
            For each quasi-identifier, the value of one member of each class.
        at_least : array
            People of whom it is known that a class covers them.
        exactly : bool
            Whether all are counted, however long that takes.
        """
        covered = at_least.copy()
        nodes, of_class = np.unique(levels, axis=1, return_inverse=True)
        order = np.argsort(of_class.ravel(), kind="stable")
        ends = np.cumsum(np.bincount(of_class.ravel(), minlength=nodes.shape[1]))
        for index, classes in enumerate(np.split(order, ends[:-1])):
            if self.work > _MOST_WORK and not exactly:
                break
            node = nodes[:, index].tolist()
            covered[classes] = self._at(node, self._summed(node, [value[classes] for value in values]))
        return covered

    def _at(self, levels: Sequence[int], wanted: Keys) -> Numbers:
        """Count the people who have each of some keys at a node."""
        self.work += len(self.sizes)
        known, places = np.unique(wanted, return_inverse=True)
        own = self._own(levels)
        place = np.minimum(np.searchsorted(known, own), len(known) - 1)
        is_known = known[place] == own
        counted = np.bincount(place[is_known], self.sizes[is_known], len(known)).astype(np.int64)
        found: Numbers = counted[places]
        return found

    def _own(self, levels: Sequence[int]) -> Keys:
        """Return the key of each combination at a node, as the sum of parts that are kept."""
        total = np.zeros(len(self.sizes), np.uint64)
        width = -(-len(levels) // _PARTS)
        for start in range(0, len(levels), width):
            part = (start, *levels[start : start + width])
            if part not in self._sums:
                if len(self._sums) * len(self.sizes) > _MOST_KEPT:
                    self._sums.clear()
                columns = slice(start, start + width)
                self._sums[part] = self._summed(levels[columns], self.values[columns], self.keys[columns])
            total += self._sums[part]
        return total

    def _summed(self, levels: Sequence[int], values: Sequence[Whole], keys: Sequence[list[Keys]] | None = None) -> Keys:
        total = np.zeros(len(values[0]), np.uint64)
        for key, level, value in zip(keys or self.keys, levels, values, strict=True):
            total += key[level][value]
        return total


def people_of(tables: Tables, codes: Sequence[Sequence[Whole]]) -> People | None:
    """Fetch the combinations of the population; None where there is none.

    Parameters
    ----------
    codes : sequence of sequences of arrays
        For each quasi-identifier and level, the interval of each value.
    """
    if tables.population is None:
        return None
    _, sizes, values = combinations_of(tables, tables.population)
    generator = np.random.default_rng(1)
    keys = []
    for column in codes:
        numbers = generator.integers(0, 2**64, 1 + max(int(code.max()) for code in column), np.uint64)
        keys.append([numbers[code] for code in column])
    return People(values, sizes.astype(np.int64, copy=False), keys)
