"""The people of a population whom classes cover: all who have the classes' intervals at the classes' levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolbox.methods.arrays.combinations import combinations_of
from toolbox.methods.arrays.types import Numbers, Whole
from toolbox.store.tables import Tables

Keys = NDArray[np.uint64]

_MOST_KEPT = 8_000_000
"""Most rows of nodes that are kept to be looked up again."""


class _Node(NamedTuple):
    """The people at one node."""

    keys: Keys
    """Of the combinations that they have there, ascending."""
    people: Numbers
    """Who have each."""


@dataclass
class People:
    """The combinations of a population.

    Parameters
    ----------
    values : list of arrays
        For each quasi-identifier, the rank of the value in each combination.
    sizes : array
        People of each.
    """

    values: list[Whole]
    sizes: Numbers
    keys: list[list[Keys]]
    """For each quasi-identifier and level, the number of the interval of each value: drawn at random, so that the sums
    of those of two combinations are the same only where all intervals are."""
    _nodes: dict[tuple[int, ...], _Node] = field(default_factory=dict)
    _kept: int = 0

    @property
    def count(self) -> int:
        """Number of people."""
        return int(self.sizes.sum())

    def covered(self, levels: Numbers, values: Sequence[Whole]) -> Numbers:
        """Count the people whom classes cover.

        Parameters
        ----------
        levels : array
            The level of each quasi-identifier (axis 0) in each class (axis 1).
        values : sequence of arrays
            For each quasi-identifier, the value of one member of each class.
        """
        covered = np.zeros(levels.shape[1], np.int64)
        nodes, of_class = np.unique(levels, axis=1, return_inverse=True)
        order = np.argsort(of_class.ravel(), kind="stable")
        ends = np.cumsum(np.bincount(of_class.ravel(), minlength=nodes.shape[1]))
        for index, classes in enumerate(np.split(order, ends[:-1])):
            levels_of_node = tuple(nodes[:, index].tolist())
            node = self._at(levels_of_node)
            wanted = self._summed(levels_of_node, [value[classes] for value in values])
            place = np.minimum(np.searchsorted(node.keys, wanted), len(node.keys) - 1)
            covered[classes] = np.where(node.keys[place] == wanted, node.people[place], 0)
        return covered

    def _at(self, levels: tuple[int, ...]) -> _Node:
        if levels not in self._nodes:
            keys, places = np.unique(self._summed(levels, self.values), return_inverse=True)
            people = np.bincount(places, self.sizes, len(keys)).astype(np.int64)
            if self._kept + len(keys) > _MOST_KEPT:
                self._nodes.clear()
                self._kept = 0
            self._nodes[levels] = _Node(keys, people)
            self._kept += len(keys)
        return self._nodes[levels]

    def _summed(self, levels: Sequence[int], values: Sequence[Whole]) -> Keys:
        total = np.zeros(len(values[0]), np.uint64)
        for key, level, value in zip(self.keys, levels, values, strict=True):
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
