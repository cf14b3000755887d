"""A sweep over groups instead of nodes: whichever group of the remaining records costs least becomes a class next."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from toolbox.methods.arrays.types import Numbers, Reals
from toolbox.methods.local_recoding.nodes import Nodes, paid_at
from toolbox.methods.local_recoding.rows import Rows
from toolbox.methods.local_recoding.sweep import Groups, Keys, Left, everybody

_BEST_COUNTS = 0.75
"""The part of what the records of a group would pay at best that is taken off its price."""
_ALIKE = 0.002
"""The share of the price of the roots that is no difference between two groups."""
_EXACT = 1e-9
"""The share of it to which prices are rounded, so that the order in which they are added up does not matter."""
_NODE, _MEMBER = 4000, 12
"""The work of a visit to a node, and of a row in a group: so many rows that are only looked at take as long."""


def best_nodes(rows: Rows, keys: list[list[Keys]], nodes: Nodes, paid: Reals, least: int) -> Nodes:
    """Find, for each row, the node at which it would be in a class if it had first choice: the cheapest with a group.

    Parameters
    ----------
    paid : array
        What a record pays at each node on average.

    Returns
    -------
    array
        The levels of each row (axis 0) in each quasi-identifier (axis 1).
    """
    left, found = everybody(rows, keys), np.repeat(nodes[-1:], len(rows.sizes), axis=0)
    waits = np.ones(len(rows.sizes), np.bool_)
    for node in nodes[np.argsort(paid, kind="stable")]:
        groups = left.groups(tuple(node.tolist()), least, waits)
        if groups is not None:
            found[groups.members[waits[groups.members]]] = node
            waits[groups.members] = False
            if not waits.any():
                break
    return found


class Priced(NamedTuple):
    """The groups of a node."""

    node: int
    """Its number."""
    groups: Groups
    prices: Reals
    """What a record of each group pays on average, less what it would pay at best."""


class Queue:
    """Nodes by the price of the cheapest group that they may have, as far as that is known.

    What a record pays at best is mostly taken off: who has nothing better is not kept waiting by who has. A node is
    looked at when the price of its cheapest group is the lowest that is known. Of one that was never looked at, the
    average of all records says what to expect of it.

    Parameters
    ----------
    left : Left
        The rows of which classes are formed.
    prices : list of arrays
        What a record of each value (axis 1) pays at each level (axis 0) of each quasi-identifier.
    best : array
        The levels of each row where it would be in a class if it had first choice; see `best_nodes`.
    optimism : float
        At which share of the average price of a node its first group is expected, 0 to 1: the lower, the earlier each
        node is looked at, the better the order, and the longer it takes.
    """

    def __init__(
        self,
        left: Left,
        nodes: Nodes,
        least: int,
        prices: list[Reals],
        best: Nodes,
        optimism: float,
    ) -> None:
        self.left, self.least, self.work = left, least, 0
        self._nodes, self._values, self._prices = nodes.tolist(), left.rows.values, prices
        self._off = np.zeros(len(left.rows.sizes))
        for price, value, level in zip(prices, self._values, best.T, strict=True):
            self._off += _BEST_COUNTS * price[level, value]
        paid = paid_at(nodes, left.averages(prices))
        self._highest = float(paid.max()) or 1.0
        expected = optimism * paid - self._off[left.places] @ left.sizes / left.records
        self._heap = list(zip(expected.tolist(), range(len(nodes)), strict=True))
        heapify(self._heap)

    def __bool__(self) -> bool:
        """Return whether there may be groups that are not looked at."""
        return bool(self._heap and self.left.records >= self.least)

    @property
    def cheap(self) -> float:
        """The price that no other node is expected to undercut."""
        return self._heap[0][0] + _ALIKE * self._highest if self._heap else np.inf

    def push(self, price: float, node: int) -> None:
        """Put a node back, with the price of the cheapest group that is left there."""
        heappush(self._heap, (price, node))

    def pop(self) -> Priced | None:
        """Take the first node out, with its groups; None if it has none."""
        _, number = heappop(self._heap)
        node = self._nodes[number]
        self.work += len(self.left.places) + _NODE
        groups = self.left.groups(tuple(node), self.least)
        if groups is None:
            return None
        members, sizes = groups.members, self.left.rows.sizes[groups.members]
        self.work += _MEMBER * len(members)
        each = zip(self._prices, self._values, node, strict=True)
        paid = sum((price[level][value[members]] for price, value, level in each), start=-self._off[members])
        averaged = np.bincount(groups.of_member, paid * sizes) / np.bincount(groups.of_member, sizes)
        exact = _EXACT * self._highest
        return Priced(number, groups, np.rint(averaged / exact) * exact)


def sweep_by_price(queue: Queue, most: int) -> Numbers:
    """Form one class after the other, the cheapest first.

    Parameters
    ----------
    most : int
        After so much work, each node that is looked at gives all groups that it has, so that the sweep soon ends.

    Returns
    -------
    array
        The number of the class of each row, -1 for those that are left.
    """
    of_row, count = np.full(len(queue.left.rows.sizes), -1), 0
    while queue:
        found = queue.pop()
        if found is None:
            continue
        cheap = found.prices <= (queue.cheap if queue.work < most else np.inf)
        if cheap.any():
            formed = found.groups.some(cheap)
            of_row[formed.members] = count + formed.of_member
            count += formed.count
            queue.left.leave(formed)
        if not cheap.all():
            queue.push(float(found.prices[~cheap].min()), found.node)
    return of_row
