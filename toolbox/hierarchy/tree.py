"""A hierarchy as a tree with costs: the cost of each step from a value up to its generalisations."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toolbox.hierarchy.hierarchy import Hierarchy, Node
from toolbox.hierarchy.interval import Interval


class Step(NamedTuple):
    """The step from a value, or from one of its generalisations, to the next generalisation."""

    number: int
    """Which of the given values, from 0."""
    node: int
    """Where it starts: the place of the node in `Hierarchy.nodes`, or for the value itself a negative number."""
    cost: float
    """Levels over twice the height, so that the way up to the root and down again costs 1."""
    level: int
    """Of the node where it starts; 0 for the value itself."""


class _Leaf(NamedTuple):
    interval: Interval
    order: int
    path: tuple[tuple[int, float, int], ...]
    """The nodes from the leaf up, each with its cost and its level, without the root."""
    level: int


def steps(hierarchy: Hierarchy, values: Iterable[float | None]) -> Iterator[Step]:
    """List the steps of each value, a number or the code of a category, up to the root.

    Of leaves that share a boundary the first takes the value there. A value that lies in no leaf is directly below the
    root, as None is.

    Examples
    --------
    >>> low, high = Node(Interval(0, 1), "low"), Node(Interval(2, 3), "high")
    >>> for step in steps(Hierarchy(Node(Interval(0, 3), "*", (low, high))), [0, 3]):
    ...     print(*step)
    0 -1 0.25 0
    0 1 0.25 1
    1 -2 0.25 0
    1 2 0.25 1
    """
    height = hierarchy.height
    leaves = _Leaves.of(hierarchy)
    for index, value in enumerate(values):
        leaf = leaves.holding(value)
        yield Step(index, -1 - index, (height if leaf is None else leaf.level) / (2 * height), 0)
        for node, cost, level in leaf.path if leaf else ():
            yield Step(index, node, cost, level)


def leaf_places(hierarchy: Hierarchy, values: Iterable[float]) -> Iterator[int | None]:
    """Yield, for each value, the place in `Hierarchy.nodes` of the leaf that takes it; None where no leaf does.

    Examples
    --------
    >>> low, high = Node(Interval(0, 1), "low"), Node(Interval(2, 3), "high")
    >>> list(leaf_places(Hierarchy(Node(Interval(0, 3), "*", (low, high))), [0.5, 1.5, 3]))
    [1, None, 2]
    """
    leaves = _Leaves.of(hierarchy)
    for value in values:
        leaf = leaves.holding(value)
        yield None if leaf is None else leaf.order


class _Leaves(NamedTuple):
    leaves: list[_Leaf]
    lows: list[float]

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> _Leaves:
        found = _leaves(hierarchy.root, hierarchy.height)
        leaves = sorted(found, key=lambda leaf: (leaf.interval.low, leaf.interval.high))
        return cls(leaves, [leaf.interval.low for leaf in leaves])

    def holding(self, value: float | None) -> _Leaf | None:
        """Return the first leaf that holds a value; None where none does."""
        holding = []
        position = 0 if value is None else bisect_right(self.lows, value)
        while value is not None and position and self.leaves[position - 1].interval.high >= value:
            position -= 1
            if value in self.leaves[position].interval:
                holding.append(self.leaves[position])
        return min(holding, key=lambda candidate: candidate.order, default=None)


def _leaves(root: Node, height: int) -> Iterator[_Leaf]:
    """List the leaves with their steps to the root."""
    path: list[tuple[int, float, int]] = []
    for order, (node, depth) in enumerate(root.walk()):
        del path[max(depth - 1, 0) :]
        if depth:
            path.append((order, 1 / (2 * height), height - depth))
        if not node.children:
            yield _Leaf(node.interval, order, tuple(reversed(path)), height - depth)
