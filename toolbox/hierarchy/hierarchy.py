"""The value generalisation hierarchy (VGH) of one quasi-identifier: a tree of intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toolbox.hierarchy.interval import Interval


@dataclass(frozen=True)
class Node:
    """A generalised value: the interval of values or category codes that it stands for.

    Categories are numbered in the order of their hierarchy, so that a set of categories below one
    node is an interval of codes.
    """

    interval: Interval
    label: str
    """What a release shows for it."""
    children: tuple[Node, ...] = ()
    line: int = 0
    """Where it is declared, for messages; 0 if unknown."""
    text: str = ""
    """The interval as its author wrote it; empty for a node of a hierarchy file."""

    def walk(self, depth: int = 0) -> Iterator[tuple[Node, int]]:
        """Yield this node and all below it, parents before children, each with its depth."""
        yield self, depth
        for child in self.children:
            yield from child.walk(depth + 1)


@dataclass(frozen=True)
class Hierarchy:
    """A tree of generalised values above the ground domain, which never appears in it.

    Level 0 is the value itself, level 1 the leaves of the tree, level `height` its root.

    Examples
    --------
    >>> young, old = Node(Interval(0, 50, high_closed=False), "[0:50)"), Node(Interval(50, 100), "[50:100]")
    >>> ages = Hierarchy(Node(Interval(0, 100), "[0:100]", (young, old)))
    >>> ages.height, ages.is_uniform, [label for label, level in ages.labels()]
    (2, True, ['[0:100]', '[0:50)', '[50:100]'])
    """

    root: Node

    @property
    def height(self) -> int:
        """Number of levels above the ground domain: 1 for a root alone."""
        return 1 + max(depth for _, depth in self.root.walk())

    @property
    def is_uniform(self) -> bool:
        """Whether all leaves lie at one depth, as full-domain generalisation needs it."""
        return len({depth for node, depth in self.root.walk() if not node.children}) == 1

    def nodes(self) -> Iterator[tuple[Node, int]]:
        """Yield each node with its level, parents before children."""
        height = self.height
        for node, depth in self.root.walk():
            yield node, height - depth

    def labels(self) -> Iterator[tuple[str, int]]:
        """Yield the label and the level of each node, parents before children."""
        for node, level in self.nodes():
            yield node.label, level
