"""A hierarchy as people see it: labels, what is below each, and the values at the bottom as they are written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolbox.hierarchy.branch import Branch, grow, label_paths
from toolbox.hierarchy.hierarchy import Hierarchy, Node
from toolbox.hierarchy.rows import Row
from toolbox.hierarchy.tree import leaf_places


@dataclass(frozen=True)
class Outline:
    """A label, with what is below it.

    Examples
    --------
    >>> fruit = outline_of_rows([Row(1, ("apple", "pome")), Row(2, ("pear", "pome")), Row(3, ("plum", "stone"))])
    >>> fruit.label, [child.label for child in fruit.children], fruit.all_values()
    ('*', ['pome', 'stone'], ['apple', 'pear', 'plum'])
    >>> list(fruit.paths())
    [('apple', 'pome', '*'), ('pear', 'pome', '*'), ('plum', 'stone', '*')]
    """

    label: str
    children: tuple[Outline, ...] = ()
    values: tuple[str, ...] = ()
    """Those directly below, as they are written; empty where intervals stand for numbers that nobody lists."""
    line: int = 0
    """Where it is first written, for messages; 0 if unknown."""

    def walk(self, depth: int = 0) -> Iterator[tuple[Outline, int]]:
        """Yield this label and all below it, parents before children, each with its depth."""
        yield self, depth
        for child in self.children:
            yield from child.walk(depth + 1)

    @property
    def height(self) -> int:
        """Number of levels above the values: 1 for a root alone."""
        return 1 + max(depth for _, depth in self.walk())

    @property
    def is_uniform(self) -> bool:
        """Whether all leaves lie at one depth."""
        return len({depth for outline, depth in self.walk() if not outline.children}) == 1

    def all_values(self) -> list[str]:
        """Return the values below, in the order of the tree."""
        return [value for outline, _ in self.walk() for value in outline.values]

    def levels(self) -> list[list[Outline]]:
        """Return the labels of each level, that of the narrowest first; a leaf that is less deep has a higher level."""
        found: list[list[Outline]] = [[] for _ in range(self.height)]
        for outline, depth in self.walk():
            found[len(found) - 1 - depth].append(outline)
        return found

    def paths(self) -> Iterator[tuple[str, ...]]:
        """Yield each value with its labels, the narrowest first, all equally long.

        Where a leaf is less deep than others, its label stands on the levels below it as well.
        """
        yield from self._paths((), self.height)

    def _paths(self, above: tuple[str, ...], height: int) -> Iterator[tuple[str, ...]]:
        labels = (self.label, *above)
        padded = (self.label,) * (height - len(labels)) + labels
        yield from ((value, *padded) for value in self.values)
        for child in self.children:
            yield from child._paths(labels, height)


def outline_of_rows(rows: Sequence[Row]) -> Outline:
    """Make the outline of consistent rows, of a value and its labels, the narrowest first."""

    def outlined(branch: Branch) -> Outline:
        children = tuple(map(outlined, branch.children.values()))
        lines = [child.line for child in children] + [rows[position].line for position in branch.values]
        return Outline(
            branch.label, children, tuple(rows[position].fields[0] for position in branch.values), min(lines)
        )

    return outlined(grow(label_paths(rows)))


def outline_of_tree(hierarchy: Hierarchy, ground: Sequence[tuple[str, float]]) -> tuple[Outline, list[str]]:
    """Make the outline of a tree of intervals.

    Parameters
    ----------
    hierarchy : Hierarchy
    ground : sequence of (str, float)
        Each value as it is written, and its number or the code of its category.

    Returns
    -------
    Outline
    list of str
        The values that lie in no leaf.
    """
    below: dict[int, list[str]] = {}
    outside = []
    for (text, _), place in zip(ground, leaf_places(hierarchy, [number for _, number in ground]), strict=True):
        if place is None:
            outside.append(text)
        else:
            below.setdefault(place, []).append(text)
    places = iter(range(sum(1 for _ in hierarchy.root.walk())))

    def outlined(node: Node) -> Outline:
        values = tuple(below.get(next(places), ()))
        return Outline(node.label, tuple(map(outlined, node.children)), values, node.line)

    return outlined(hierarchy.root), outside
