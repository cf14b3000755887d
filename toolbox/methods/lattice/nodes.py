"""The generalisation lattices of all subsets of the quasi-identifiers, and what is known of their nodes.

A node gives each quasi-identifier of its subset a level. The nodes of a subset are the cells of an array with one axis
for each of its quasi-identifiers, so that both prunings of Incognito are a few operations on whole arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.bool_]
Levels = tuple[int, ...]
Subset = tuple[int, ...]
"""Places of quasi-identifiers, ascending."""


class SubsetLattice:
    """The lattice of one subset: which nodes are candidates, and which are known to satisfy the models.

    Parameters
    ----------
    subset : tuple of int
    candidates : array of bool, one axis for each quasi-identifier of the subset, one cell for each of its levels
        Nodes that no smaller subset rules out.
    """

    def __init__(self, subset: Subset, candidates: Cells) -> None:
        self.subset = subset
        self._open = candidates.copy()
        self.satisfying: Cells = np.zeros(candidates.shape, dtype=bool)
        self._heights: NDArray[Any] = np.indices(candidates.shape).sum(axis=0)

    @property
    def height(self) -> int:
        """Height of the top node."""
        return sum(size - 1 for size in self.satisfying.shape)

    def roots(self) -> list[Levels]:
        """List the candidates below which there is no candidate."""
        return _minimal(self._open)

    def to_check(self, height: int) -> list[Levels]:
        """List the candidates of a height that neither a check nor a node below them has decided."""
        return _nodes(self._open & ~self.satisfying & (self._heights == height))

    def mark(self, satisfying: Iterable[Levels], failing: Iterable[Levels]) -> None:
        """Note checked nodes. What generalises a satisfying one satisfies the models too (generalisation property)."""
        for levels in failing:
            self._open[levels] = False
        for levels in satisfying:
            self.satisfying[levels] = True
        for axis in range(self.satisfying.ndim):
            self.satisfying = np.logical_or.accumulate(self.satisfying, axis=axis)

    def minimal(self) -> list[Levels]:
        """List the satisfying nodes below which none satisfies."""
        return _minimal(self.satisfying)


def _nodes(cells: Cells) -> list[Levels]:
    return [tuple(map(int, levels)) for levels in np.argwhere(cells)]


def _minimal(cells: Cells) -> list[Levels]:
    """List the nodes of a set that are one step above no other node of it."""
    above = np.zeros_like(cells)
    for axis in range(cells.ndim):
        upper, lower = [slice(None)] * cells.ndim, [slice(None)] * cells.ndim
        upper[axis], lower[axis] = slice(1, None), slice(None, -1)
        above[tuple(upper)] |= cells[tuple(lower)]
    return _nodes(cells & ~above)


def subsets_of_size(count: int, size: int) -> list[Subset]:
    """List all subsets of a size among so many quasi-identifiers."""
    return list(combinations(range(count), size))


def lattice_over(subset: Subset, heights: Sequence[int], satisfying: dict[Subset, Cells]) -> SubsetLattice:
    """Make the lattice of a subset out of those of its subsets with one quasi-identifier less.

    A node is a candidate if it satisfies the models without each of its quasi-identifiers (subset property).

    Parameters
    ----------
    heights : sequence of int
        The highest level of each quasi-identifier.
    satisfying : mapping of subset to array of bool
        The satisfying nodes of the smaller subsets.
    """
    shape = tuple(heights[place] + 1 for place in subset)
    candidates: Cells = np.ones(shape, dtype=bool)
    if len(subset) > 1:
        for axis, place in enumerate(subset):
            without = tuple(other for other in subset if other != place)
            candidates &= np.expand_dims(satisfying[without], axis)
    return SubsetLattice(subset, candidates)


def breadth_first_rank(levels: Levels) -> tuple[int, ...]:
    """Order nodes as a breadth-first walk from the bottom meets them, increments from the first attribute to the last.

    The walk meets lower nodes first, and of equally high ones those that are larger in the first attribute in which
    they differ.

    Examples
    --------
    >>> sorted([(0, 2), (1, 1), (2, 0), (0, 1)], key=breadth_first_rank)
    [(0, 1), (2, 0), (1, 1), (0, 2)]
    """
    return (sum(levels), *(-level for level in levels))
