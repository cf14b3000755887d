"""A hierarchy as people see it, as a tree of labels, and as a tree with costs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from toolbox.errors import Fault
from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node
from toolbox.hierarchy.rows import Row

# The labels of a hierarchy file as a tree, before its values become numbers or codes.

ROOT_LABEL = "*"
_FEWEST_RECORDS = 20


@dataclass
class Branch:
    """A label, with the labels below it in the order in which the file first names them."""

    label: str
    children: dict[str, Branch] = field(default_factory=dict)
    values: list[int] = field(default_factory=list)
    """Positions of the rows that stand directly below, which only a leaf has."""

    def walk(self) -> Iterator[Branch]:
        """Yield this branch and all below it, parents before children."""
        yield self
        for child in self.children.values():
            yield from child.walk()

    def list_all_values(self) -> list[int]:
        """Return the positions of all rows below, in the order of the tree."""
        return [value for branch in self.walk() for value in branch.values]


def label_paths(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """Return the labels of each row, the widest first; a common root is added where the file has none."""
    has_root = len(rows[0].fields) > 1 and len({row.fields[-1] for row in rows}) == 1
    top = () if has_root else (ROOT_LABEL,)
    return [(*top, *reversed(row.fields[1:])) for row in rows]


def find_tree_faults(rows: Sequence[Row]) -> list[Fault]:
    """Return a fault for each value that occurs twice and each label that has two parents.

    Where most rows have such a label, these are the records of a table, which no message may quote: one fault stands
    for all labels.
    """
    twice, parents = find_repeated_values(rows), find_second_parents(rows)
    contradictory = len({fault.line for fault in parents})
    if len(rows) < _FEWEST_RECORDS or 2 * contradictory < len(rows):
        return [*twice, *parents]
    problem = f"{contradictory:,} of {len(rows):,} rows contradict rows above. This seems to be a table of records."
    return [Fault(0, problem, "Write the path of a hierarchy file, which has one row for each value."), *twice]


def find_repeated_values(rows: Sequence[Row]) -> list[Fault]:
    """Return a fault for each value that occurs twice."""
    faults = []
    first_rows: dict[str, Row] = {}
    for row in rows:
        first = first_rows.setdefault(row.fields[0], row)
        if first is not row:
            faults.append(Fault(row.line, f"The value occurs in line {first.line} already.", "Keep one of the rows."))
    return faults


def find_second_parents(rows: Sequence[Row]) -> list[Fault]:
    """Return a fault for each label that has two parents."""
    faults = []
    first_rows: dict[tuple[int, str], Row] = {}
    fine: set[tuple[str, ...]] = set()
    for row in rows:
        labels = row.fields[1:]
        if labels in fine:  # most rows of a large file have the labels of the row before them
            continue
        strays = _find_row_parents(row, first_rows)
        faults += strays
        if not strays:
            fine.add(labels)
    return faults


def _find_row_parents(row: Row, first_rows: dict[tuple[int, str], Row]) -> list[Fault]:
    """Return a fault for each label of the row that has another parent in the first row with this label."""
    faults = []
    for column, text in enumerate(row.fields[1:], start=1):
        first = first_rows.setdefault((column, text), row)
        if row.fields[column + 1 : column + 2] != first.fields[column + 1 : column + 2]:
            problem = (
                f"Lines {first.line} and {row.line} agree in column {column + 1} ({text!r}), "
                f"but not in column {column + 2} ({first.fields[column + 1]!r}, {row.fields[column + 1]!r})."
            )
            faults.append(Fault(row.line, problem, "Give a label one parent only, or two labels different names."))
    return faults


def build_branch_tree(paths: Sequence[tuple[str, ...]]) -> Branch:
    """Make the tree of consistent paths, which begin with the same label."""
    root = Branch(paths[0][0])
    leaves: dict[tuple[str, ...], Branch] = {}
    for position, path in enumerate(paths):
        leaf = leaves.get(path)
        if leaf is None:
            leaf = leaves[path] = _ensure_leaf(root, path)
        leaf.values.append(position)
    return root


def _ensure_leaf(root: Branch, path: tuple[str, ...]) -> Branch:
    """Find the node at the end of a path, or make it."""
    branch = root
    for label in path[1:]:
        if label not in branch.children:
            branch.children[label] = Branch(label)
        branch = branch.children[label]
    return branch


# A hierarchy as a tree with costs: the cost of each step from a value up to its generalisations.


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


def list_hierarchy_steps(hierarchy: Hierarchy, values: Iterable[float | None]) -> Iterator[Step]:
    """List the steps of each value, a number or the code of a category, up to the root.

    Of leaves that share a boundary the first takes the value there. A value that lies in no leaf is directly below the
    root, as None is.

    Examples
    --------
    >>> low, high = Node(Interval(0, 1), "low"), Node(Interval(2, 3), "high")
    >>> for step in list_hierarchy_steps(Hierarchy(Node(Interval(0, 3), "*", (low, high))), [0, 3]):
    ...     print(*step)
    0 -1 0.25 0
    0 1 0.25 1
    1 -2 0.25 0
    1 2 0.25 1
    """
    height = hierarchy.height
    leaves = _Leaves.of(hierarchy)
    for index, value in enumerate(values):
        leaf = leaves.find_holding_leaf(value)
        yield Step(index, -1 - index, (height if leaf is None else leaf.level) / (2 * height), 0)
        for node, cost, level in leaf.path if leaf else ():
            yield Step(index, node, cost, level)


def find_leaf_places(hierarchy: Hierarchy, values: Iterable[float]) -> Iterator[int | None]:
    """Yield, for each value, the place in `Hierarchy.nodes` of the leaf that takes it; None where no leaf does.

    Examples
    --------
    >>> low, high = Node(Interval(0, 1), "low"), Node(Interval(2, 3), "high")
    >>> list(find_leaf_places(Hierarchy(Node(Interval(0, 3), "*", (low, high))), [0.5, 1.5, 3]))
    [1, None, 2]
    """
    leaves = _Leaves.of(hierarchy)
    for value in values:
        leaf = leaves.find_holding_leaf(value)
        yield None if leaf is None else leaf.order


class _Leaves(NamedTuple):
    leaves: list[_Leaf]
    lows: list[float]

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> _Leaves:
        found = _list_leaves(hierarchy.root, hierarchy.height)
        leaves = sorted(found, key=lambda leaf: (leaf.interval.low, leaf.interval.high))
        return cls(leaves, [leaf.interval.low for leaf in leaves])

    def find_holding_leaf(self, value: float | None) -> _Leaf | None:
        """Return the first leaf that holds a value; None where none does."""
        holding = []
        position = 0 if value is None else bisect_right(self.lows, value)
        while value is not None and position and self.leaves[position - 1].interval.high >= value:
            position -= 1
            if value in self.leaves[position].interval:
                holding.append(self.leaves[position])
        return min(holding, key=lambda candidate: candidate.order, default=None)


def _list_leaves(root: Node, height: int) -> Iterator[_Leaf]:
    """List the leaves with their steps to the root."""
    path: list[tuple[int, float, int]] = []
    for order, (node, depth) in enumerate(root.walk()):
        del path[max(depth - 1, 0) :]
        if depth:
            path.append((order, 1 / (2 * height), height - depth))
        if not node.children:
            yield _Leaf(node.interval, order, tuple(reversed(path)), height - depth)


# A hierarchy as people see it: labels, what is below each, and the values at the bottom as they are written.


@dataclass(frozen=True)
class Outline:
    """A label, with what is below it.

    Examples
    --------
    >>> fruit = build_row_outline([Row(1, ("apple", "pome")), Row(2, ("pear", "pome")), Row(3, ("plum", "stone"))])
    >>> fruit.label, [child.label for child in fruit.children], fruit.list_all_values()
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

    def list_all_values(self) -> list[str]:
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


def build_row_outline(rows: Sequence[Row]) -> Outline:
    """Make the outline of consistent rows, of a value and its labels, the narrowest first."""

    def outlined(branch: Branch) -> Outline:
        children = tuple(map(outlined, branch.children.values()))
        lines = [child.line for child in children] + [rows[position].line for position in branch.values]
        return Outline(
            branch.label, children, tuple(rows[position].fields[0] for position in branch.values), min(lines)
        )

    return outlined(build_branch_tree(label_paths(rows)))


def build_tree_outline(hierarchy: Hierarchy, ground: Sequence[tuple[str, float]]) -> tuple[Outline, list[str]]:
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
    for (text, _), place in zip(ground, find_leaf_places(hierarchy, [number for _, number in ground]), strict=True):
        if place is None:
            outside.append(text)
        else:
            below.setdefault(place, []).append(text)
    places = iter(range(sum(1 for _ in hierarchy.root.walk())))

    def outlined(node: Node) -> Outline:
        values = tuple(below.get(next(places), ()))
        return Outline(node.label, tuple(map(outlined, node.children)), values, node.line)

    return outlined(hierarchy.root), outside
