"""The last records, too few or too much alike to be a class: they join the classes that lose least by it."""

from __future__ import annotations

import numpy as np

from toolbox.methods.arrays.judging import Judge
from toolbox.methods.arrays.types import Numbers, Reals
from toolbox.methods.local_recoding.classes import Classes, classes_of
from toolbox.methods.local_recoding.columns import Rows
from toolbox.methods.local_recoding.hosts import Hosts


def all_placed(rows: Rows, of_row: Numbers, prices: list[Reals], judge: Judge | None) -> Classes:
    """Put the rows that are in no class into some class.

    Without a judge each goes where that is cheapest. With one all go together, with one class, then with two, four, ..
    of those that lose least, until they may be a class: at the latest with all of them.

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
