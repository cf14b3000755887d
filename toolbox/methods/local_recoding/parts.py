"""Parts of a release formed again: all classes below a node drawn at random, kept where they lose less than before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toolbox.methods.arrays.types import Numbers, Reals
from toolbox.methods.local_recoding.by_price import Queue, sweep_by_price
from toolbox.methods.local_recoding.classes import Classes, classes_of
from toolbox.methods.local_recoding.nodes import Nodes
from toolbox.methods.local_recoding.rows import Rows
from toolbox.methods.local_recoding.sweep import Keys, some_left

_SPREAD = 0.1
"""How far the prices are moved that decide the order: the standard deviation, as a share."""
_OPTIMISM = 0.5
_LESS = 1e-9
"""The share of a loss that is no difference."""


@dataclass(frozen=True)
class Parts:
    """What is needed to form classes again."""

    rows: Rows
    keys: list[list[Keys]]
    nodes: Nodes
    least: int
    best: Nodes
    """The levels of each row where it would be in a class if it had first choice; see `best_nodes`."""
    generator: np.random.Generator

    def formed_again(self, classes: Classes, prices: list[Reals], most: int) -> tuple[Numbers | None, int]:
        """Form the classes below a random node again, at prices that are moved a little.

        What is in one class at that node is a part; each keeps its new classes if they lose less by the true prices.

        Parameters
        ----------
        prices : list of arrays
            What a record of each value (axis 1) pays at each level (axis 0) of each quasi-identifier.
        most : int
            See `sweep_by_price`.

        Returns
        -------
        of_row : array, optional
            The number of the class of each row; None if no part loses less.
        work : int
        """
        above = self._drawn()
        below_it = np.flatnonzero((classes.levels > above[:, None]).sum(axis=0) == 0)
        within = np.isin(classes.of_row, below_it)
        moved = [price * self.generator.normal(1, _SPREAD, (len(price), 1)) for price in prices]
        if not within.any():
            return None, 0
        places, below = np.flatnonzero(within), self.nodes[(self.nodes <= above).all(axis=1)]
        # The node itself may be one that is not visited; there, every part is a class.
        below = np.vstack([below, above.astype(below.dtype)])
        queue = Queue(some_left(self.rows, self.keys, places), below, self.least, moved, self.best, _OPTIMISM)
        swept = sweep_by_price(queue, most)[places]
        part = self._part_of(places, above)
        # Whoever is left goes with the last class of the part.
        last = np.full(int(part.max()) + 1, -1)
        np.maximum.at(last, part, swept)
        rows = self.rows.some(places)
        again = classes_of(rows, np.where(swept < 0, last[part], swept))
        paid = (_paid(rows, levels, prices) for levels in (again.of_rows, classes.of_rows[:, places]))
        new, old = (np.bincount(part, each) for each in paid)
        better = (new < old * (1 - _LESS))[part]
        if not better.any():
            return None, queue.work
        of_row = classes.of_row.copy()
        of_row[places[better]] = classes.count + again.of_row[better]
        return of_row, queue.work

    def _drawn(self) -> Numbers:
        """Draw a node: some quasi-identifiers at a level below their roots, all others there."""
        heights = np.array([column.height for column in self.rows.columns])
        some = self.generator.permutation(len(heights))[: self.generator.integers(1, len(heights) + 1)]
        heights[some] = self.generator.integers(0, heights[some])
        return heights

    def _part_of(self, places: Numbers, above: Numbers) -> Numbers:
        """Return the part of each of some rows: those that agree at a node are one."""
        keys = np.zeros(len(places), np.uint64)
        for key, level, value in zip(self.keys, above, self.rows.values, strict=True):
            keys += key[level][value[places]]
        part: Numbers = np.unique(keys, return_inverse=True)[1]
        return part


def _paid(rows: Rows, levels: Numbers, prices: list[Reals]) -> Reals:
    """Return what the records of each row pay."""
    paid = np.zeros(len(rows.sizes))
    for price, level, value in zip(prices, levels, rows.values, strict=True):
        paid += price[level, value]
    return paid * rows.sizes
