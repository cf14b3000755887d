"""The last records, too few or too similar to be a class: they join the classes that lose least by it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from toolbox.methods.arrays.judging import Judge
from toolbox.methods.arrays.types import Numbers, Reals
from toolbox.methods.local_recoding.classes import Classes, classes_of
from toolbox.methods.local_recoding.rows import Rows


@dataclass(frozen=True)
class Hosts:
    """Classes that other rows may join; all members are then generalised together."""

    rows: Rows
    classes: Classes
    prices: list[Reals]
    """What a record of each value (axis 1) pays at each level (axis 0) of each quasi-identifier."""

    @cached_property
    def _first(self) -> Numbers:
        """The first row of each class."""
        return self.classes.first

    @cached_property
    def _paid(self) -> list[Reals]:
        """What the members of each class (axis 1) pay at each level (axis 0) of each quasi-identifier."""
        sizes, of_row, count = self.rows.sizes, self.classes.of_row, self.classes.count
        return [
            np.array([np.bincount(of_row, paid[value] * sizes, count) for paid in price])
            for value, price in zip(self.rows.values, self.prices, strict=True)
        ]

    def costs(self, joining: Rows) -> Reals:
        """Return the cost of adding rows to each class: the loss of its members plus that of the joining rows."""
        total, classes = np.zeros(self.classes.count), np.arange(self.classes.count)
        for index, column in enumerate(self.rows.columns):
            level, paid, new = self.classes.levels[index], self._paid[index], joining.values[index]
            first = self.rows.values[index][self._first]
            together = level.copy()
            for step, code in enumerate(column.codes):
                shown = code[new]
                apart = (code[first] != shown[0]) | (shown != shown[0]).any()
                together[apart] = np.maximum(together[apart], step + 1)
            own = self.prices[index][:, new] @ joining.sizes
            total += paid[together, classes] - paid[level, classes] + own[together]
        return total


def all_placed(rows: Rows, of_row: Numbers, prices: list[Reals], judge: Judge | None) -> Classes:
    """Return classes of all rows: those that are in no class yet join one.

    Without a judge each row joins the class where that is cheapest. With a judge all rows join together: one class,
    then two, four, .. of those that lose least, until these may be one class; at the latest all of them.

    Parameters
    ----------
    of_row : array
        The class of each row, -1 for none.
    """
    left, inside = np.flatnonzero(of_row < 0), np.flatnonzero(of_row >= 0)
    if not len(left):
        return classes_of(rows, of_row)
    if not len(inside):
        return classes_of(rows, np.zeros_like(of_row))
    formed, placed = rows.some(inside), of_row.copy()
    hosts = Hosts(formed, classes_of(formed, of_row[inside]), prices)
    placed[inside] = hosts.classes.of_row
    if judge is None:
        for row in left:
            placed[row] = hosts.costs(rows.some(np.array([row]))).argmin()
        return classes_of(rows, placed)
    order, several = np.argsort(hosts.costs(rows.some(left)), kind="stable"), 1
    while True:
        members = np.flatnonzero(np.isin(placed, order[:several]) | (placed < 0))
        if several >= len(order) or not rows.refused(judge, members, np.zeros_like(members)).any():
            placed[members] = order[0]
            return classes_of(rows, placed)
        several *= 2
