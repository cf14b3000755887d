"""The generalisation lattice, and what is known of its nodes.

A node gives each quasi-identifier a level. One at its root tells nothing apart: the node has the classes that the other
quasi-identifiers make alone. So the lattices of all subsets of the quasi-identifiers are parts of this one, and the
subset property of Incognito is its generalisation property: a node without some of its quasi-identifiers is the node
above it that has these at their roots.

The nodes are the cells of an array with one axis for each quasi-identifier, so that both prunings are a few operations
on whole arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from toolbox.methods.arrays.types import Codes, Flags, Numbers, Reals

Levels = tuple[int, ...]


class Lattice:
    """A lattice whose nodes are checked round by round.

    Parameters
    ----------
    heights : sequence of int
        The highest level of each quasi-identifier, its root where nothing else is declared.
    lowest : sequence of int, optional
        Its lowest level; 0 where nothing else is declared.
    """

    def __init__(self, heights: Sequence[int], lowest: Sequence[int] | None = None) -> None:
        self.lowest: Levels = tuple(0 for _ in heights) if lowest is None else tuple(lowest)
        self.highest: Levels = tuple(heights)
        self._shape = tuple(high - low + 1 for high, low in zip(self.highest, self.lowest, strict=True))
        self.satisfying: Flags = np.zeros(self._shape, dtype=bool)
        self.failing: Flags = np.zeros(self._shape, dtype=bool)

    def rounds(self) -> Iterator[list[Levels]]:
        """Yield the nodes that must be checked, round by round; between two rounds, call `mark` with the results.

        Nodes with fewer quasi-identifiers below their roots come first, and of these the lower ones. The nodes of a
        round are equally high, so that no result follows from another.
        """
        sizes = self._summed([np.arange(length) < length - 1 for length in self._shape])
        heights = self.heights()
        rounds = (sizes * (int(heights.max()) + 1) + heights).ravel()
        order = np.argsort(rounds, kind="stable")
        for cells in np.split(order, np.flatnonzero(np.diff(rounds[order])) + 1):
            is_open = ~(self.satisfying.flat[cells] | self.failing.flat[cells])
            if len(nodes := self.levels_of(cells[is_open])):
                yield nodes

    @property
    def size(self) -> int:
        """Number of nodes."""
        return self.satisfying.size

    @property
    def open(self) -> Flags:
        """The nodes of which nothing is known."""
        return ~(self.satisfying | self.failing)

    def heights(self) -> Codes:
        """Return how far up each node is."""
        return self._summed([np.arange(length) for length in self._shape])

    def levels_of(self, cells: Numbers) -> list[Levels]:
        """Return the levels of nodes that are given by their places in the array."""
        nodes = np.stack(np.unravel_index(cells, self._shape), axis=-1) + np.array(self.lowest)
        return [tuple(levels) for levels in nodes.tolist()]

    def place(self, levels: Levels) -> Levels:
        """Return the place of a node in the array."""
        return tuple(level - low for level, low in zip(levels, self.lowest, strict=True))

    def summed(self, by_level: Sequence[Reals]) -> Reals:
        """Return, for every node, the sum of a number for each quasi-identifier and all of its levels."""
        total = np.zeros(())
        for numbers, low, high in zip(by_level, self.lowest, self.highest, strict=True):
            total = total[..., np.newaxis] + numbers[low : high + 1]
        return total

    def _summed(self, axes: Sequence[NDArray[np.generic]]) -> Codes:
        """Return, for every node, the sum of one number for each quasi-identifier at its level."""
        total = np.zeros((), dtype=np.int32)
        for numbers in axes:
            total = total[..., np.newaxis] + numbers.astype(np.int32)
        return total

    def mark(self, satisfying: Iterable[Levels], failing: Iterable[Levels]) -> None:
        """Note checked nodes.

        A node above a satisfying one satisfies the models too, and a node below a failing one fails.
        """
        for levels in satisfying:
            self.satisfying[self.place(levels)] = True
        for levels in failing:
            self.failing[self.place(levels)] = True
        falling = np.flip(self.failing)
        for axis in range(len(self._shape)):
            np.logical_or.accumulate(self.satisfying, axis=axis, out=self.satisfying)
            np.logical_or.accumulate(falling, axis=axis, out=falling)

    def mark_satisfying(self, levels: Levels, *, everything_above: bool = True) -> None:
        """Note one node that satisfies the models, and unless they are not monotone all above it."""
        place = self.place(levels)
        self.satisfying[tuple(slice(each, None) for each in place) if everything_above else place] = True

    def mark_failing(self, levels: Levels, *, everything_below: bool = True) -> None:
        """Note one node that fails, and if that follows, all below it."""
        place = self.place(levels)
        self.failing[tuple(slice(None, each + 1) for each in place) if everything_below else place] = True

    def directly_above(self, levels: Levels) -> Iterator[Levels]:
        """Yield the nodes that have one quasi-identifier one level higher."""
        for position, (level, high) in enumerate(zip(levels, self.highest, strict=True)):
            if level < high:
                yield (*levels[:position], level + 1, *levels[position + 1 :])

    def covered(self) -> Flags:
        """Mark the nodes that satisfy the models or are above one that does."""
        covered = self.satisfying.copy()
        for axis in range(covered.ndim):
            np.logical_or.accumulate(covered, axis=axis, out=covered)
        return covered

    def minimal(self) -> list[Levels]:
        """List the satisfying nodes below which none satisfies."""
        covered, above = self.covered(), np.zeros_like(self.satisfying)
        for axis in range(above.ndim):
            upper, lower = [slice(None)] * above.ndim, [slice(None)] * above.ndim
            upper[axis], lower[axis] = slice(1, None), slice(None, -1)
            above[tuple(upper)] |= covered[tuple(lower)]
        return self.levels_of(np.flatnonzero(self.satisfying & ~above))


def breadth_first_rank(levels: Levels) -> tuple[int, ...]:
    """Return the rank of a node in a breadth-first walk from the bottom, the first attribute incremented first.

    The walk meets lower nodes first, and of equally high ones those that are larger in the first attribute in which
    they differ.

    Examples
    --------
    >>> sorted([(0, 2), (1, 1), (2, 0), (0, 1)], key=breadth_first_rank)
    [(0, 1), (2, 0), (1, 1), (0, 2)]
    """
    return (sum(levels), *(-level for level in levels))
