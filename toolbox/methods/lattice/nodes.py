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

from toolbox.methods.arrays.types import Codes, Flags

Levels = tuple[int, ...]


class Lattice:
    """A lattice whose nodes are checked round by round.

    Parameters
    ----------
    heights : sequence of int
        The highest level of each quasi-identifier, its root.
    """

    def __init__(self, heights: Sequence[int]) -> None:
        self._shape = tuple(height + 1 for height in heights)
        self.satisfying: Flags = np.zeros(self._shape, dtype=bool)
        self.failing: Flags = np.zeros(self._shape, dtype=bool)

    def rounds(self) -> Iterator[list[Levels]]:
        """Yield the nodes that must be checked, round by round; between two rounds, call `mark` with the results.

        Nodes with fewer quasi-identifiers below their roots come first, and of these the lower ones. The nodes of a
        round are equally high, so that no result follows from another.
        """
        sizes = self._summed([np.arange(length) < length - 1 for length in self._shape])
        heights = self._summed([np.arange(length) for length in self._shape])
        rounds = (sizes * (int(heights.max()) + 1) + heights).ravel()
        order = np.argsort(rounds, kind="stable")
        for cells in np.split(order, np.flatnonzero(np.diff(rounds[order])) + 1):
            is_open = ~(self.satisfying.flat[cells] | self.failing.flat[cells])
            nodes = np.stack(np.unravel_index(cells[is_open], self._shape), axis=-1)
            if len(nodes):
                yield [tuple(levels) for levels in nodes.tolist()]

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
            self.satisfying[levels] = True
        for levels in failing:
            self.failing[levels] = True
        falling = np.flip(self.failing)
        for axis in range(len(self._shape)):
            np.logical_or.accumulate(self.satisfying, axis=axis, out=self.satisfying)
            np.logical_or.accumulate(falling, axis=axis, out=falling)

    def directly_above(self, levels: Levels) -> Iterator[Levels]:
        """Yield the nodes that have one quasi-identifier one level higher."""
        for position, (level, length) in enumerate(zip(levels, self._shape, strict=True)):
            if level + 1 < length:
                yield (*levels[:position], level + 1, *levels[position + 1 :])

    def minimal(self) -> list[Levels]:
        """List the satisfying nodes below which none satisfies."""
        above = np.zeros_like(self.satisfying)
        for axis in range(above.ndim):
            upper, lower = [slice(None)] * above.ndim, [slice(None)] * above.ndim
            upper[axis], lower[axis] = slice(1, None), slice(None, -1)
            above[tuple(upper)] |= self.satisfying[tuple(lower)]
        return [tuple(levels) for levels in np.argwhere(self.satisfying & ~above).tolist()]


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
