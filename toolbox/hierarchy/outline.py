"""A hierarchy as people see it, as a tree of labels, and as a tree with costs."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from toolbox.errors import Fault, UsageError, quote
from toolbox.hierarchy.hierarchy import ROOT, Hierarchy, Interval, Node
from toolbox.hierarchy.rows import Row, is_header, raise_faults, read_rows, require_table
from toolbox.messages import choose_setting_name, mark, say

# The labels of a hierarchy file as a tree, before its values become numbers or codes.

_FEWEST_RECORDS = 20
_NUMBER: Final = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_LEADING_ZERO: Final = re.compile(r"[+-]?0[0-9]")
_FORMS = (
    "Write {value: its generalisation}, {value: [its generalisations, the narrowest first]}, or nest dicts from the "
    "root down to lists of values: {'Austria': {'Styria': ['Graz', 'Leoben']}}."
)


@dataclass
class _Branch:
    """A label, with the labels below it in the order in which the file first names them."""

    label: str
    children: dict[str, _Branch] = field(default_factory=dict)
    values: list[int] = field(default_factory=list)
    """Positions of the rows that stand directly below, which only a leaf has."""

    def walk(self) -> Iterator[_Branch]:
        """Yield this branch and all below it, parents before children."""
        yield self
        for child in self.children.values():
            yield from child.walk()

    def list_all_values(self) -> list[int]:
        """Return the positions of all rows below, in the order of the tree."""
        return [value for branch in self.walk() for value in branch.values]


def _label_paths(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """Return the labels of each row, the widest first; a common root is added where the file has none."""
    has_root = len(rows[0].fields) > 1 and len({row.fields[-1] for row in rows}) == 1
    top = () if has_root else (ROOT,)
    return [(*top, *reversed(row.fields[1:])) for row in rows]


def _find_tree_faults(rows: Sequence[Row]) -> list[Fault]:
    """Return a fault for each value that occurs twice and each label that has two parents.

    Where most rows have such a label, these are the records of a table, which no message may quote: one fault stands
    for all labels.
    """
    twice, parents = find_repeated_values(rows), find_second_parents(rows)
    contradictory = len({fault.line for fault in parents})
    if len(rows) < _FEWEST_RECORDS or 2 * contradictory < len(rows):
        return [*twice, *parents]
    problem = say(
        "%(contradictory)s of %(rows)s rows contradict rows above. This seems to be a table of records.",
        contradictory=contradictory,
        rows=len(rows),
    )
    return [Fault(0, problem, say("Write the path of a hierarchy file, which has one row for each value.")), *twice]


def find_repeated_values(rows: Sequence[Row]) -> list[Fault]:
    """Return a fault for each value that occurs twice."""
    faults = []
    first_rows: dict[str, Row] = {}
    for row in rows:
        first = first_rows.setdefault(row.fields[0], row)
        if first is not row:
            problem = say("The value occurs in line %(line)s already.", line=str(first.line))
            faults.append(Fault(row.line, problem, say("Keep one of the rows.")))
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
            problem = say(
                "Lines %(first)s and %(line)s agree in column %(column)s (%(label)s), but not in column %(next)s "
                "(%(one)s, %(other)s).",
                **{"first": str(first.line), "line": str(row.line), "column": column + 1, "label": repr(text)},
                **{"next": column + 2, "one": repr(first.fields[column + 1]), "other": repr(row.fields[column + 1])},
            )
            remedy = say("Give a label one parent only, or two labels different names.")
            faults.append(Fault(row.line, problem, remedy))
    return faults


def _build_branch_tree(paths: Sequence[tuple[str, ...]]) -> _Branch:
    """Make the tree of consistent paths, which begin with the same label."""
    root = _Branch(paths[0][0])
    leaves: dict[tuple[str, ...], _Branch] = {}
    for position, path in enumerate(paths):
        leaf = leaves.get(path)
        if leaf is None:
            leaf = leaves[path] = _ensure_leaf(root, path)
        leaf.values.append(position)
    return root


def _ensure_leaf(root: _Branch, path: tuple[str, ...]) -> _Branch:
    """Find the node at the end of a path, or make it."""
    branch = root
    for label in path[1:]:
        if label not in branch.children:
            branch.children[label] = _Branch(label)
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

    def outlined(branch: _Branch) -> Outline:
        children = tuple(map(outlined, branch.children.values()))
        lines = [child.line for child in children] + [rows[position].line for position in branch.values]
        return Outline(
            branch.label, children, tuple(rows[position].fields[0] for position in branch.values), min(lines)
        )

    return outlined(_build_branch_tree(_label_paths(rows)))


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


@dataclass(frozen=True, kw_only=True)
class FileHierarchy:
    """A hierarchy with the values that its file lists: numbers, or categories with their codes."""

    hierarchy: Hierarchy
    listed: tuple[float, ...] | None = None
    """The numbers, ascending; None for categories."""
    categories: Mapping[str, int] | None = None
    """The code of each category, numbered from 0 in the order of the tree; None for numbers."""
    note: str | None = None
    """What its author should know of how it was read."""

    @property
    def kind(self) -> Literal["number", "category"]:
        """What the values are."""
        return "category" if self.listed is None else "number"


def read_hierarchy_file(
    path: Path,
    kind: Literal["number", "category"] | None = None,
    *,
    header: bool | None = None,
    name: str | None = None,
) -> FileHierarchy:
    """Read a hierarchy from a CSV file.

    Parameters
    ----------
    path : Path
        A row per value: the value, then its label on each level, the last of which is the root; a
        root ``*`` is added if the last labels differ. UTF-8; separated by semicolons, commas or tabs.
    kind : {"number", "category"}, optional
        What the values are. Without it, they are numbers if all of them look so, none is written
        with leading zeros as codes are, no two are equal, and each label covers neighbours only.
    header : bool, optional
        Whether the first line names the levels. Without it, see `toolbox.hierarchy.rows.is_header`.
    name : str, optional
        Of the column, with which a header may begin.

    Returns
    -------
    FileHierarchy

    Raises
    ------
    ConfigurationError
        With all faults of the file, by line.
    """
    rows = read_rows(path)
    skips_first = is_header(rows, str(path), name) if header is None else header
    if not skips_first:
        return make_row_hierarchy(rows, str(path), kind)
    values = require_table(rows[1:], str(path))
    note = f"{path}, line {rows[0].line} is taken for a header, and left out." if header is None else None
    return replace(make_row_hierarchy(values, str(path), kind), note=note)


def read_hierarchy_rows(
    rows: Iterable[Sequence[object]], source: str, kind: Literal["number", "category"] | None = None
) -> FileHierarchy:
    """Read a hierarchy from rows in memory, as `read_hierarchy_file` reads them from a file.

    Parameters
    ----------
    rows : iterable of sequences
        A value, then its label on each level. Anything but text is written as text.
    source : str
        What messages call the rows; they count them from 1, as lines.
    kind : {"number", "category"}, optional

    Returns
    -------
    FileHierarchy

    Raises
    ------
    ConfigurationError
        With all faults of the rows.

    Examples
    --------
    >>> fruit = read_hierarchy_rows([("apple", "pome", "*"), ("pear", "pome", "*"), ("plum", "stone", "*")], "fruit")
    >>> dict(fruit.categories), fruit.hierarchy.height
    ({'apple': 0, 'pear': 1, 'plum': 2}, 2)
    """
    texts = [Row(line, tuple(str(value) for value in row)) for line, row in enumerate(rows, start=1)]
    return make_row_hierarchy(require_table(texts, source), source, kind)


def make_row_hierarchy(rows: Sequence[Row], source: str, kind: Literal["number", "category"] | None) -> FileHierarchy:
    """Make a hierarchy of rows that are checked, as `read_hierarchy_file` does.

    Raises
    ------
    ConfigurationError
        With all faults of the rows.
    """
    raise_faults(source, _find_tree_faults(rows))
    tree = _build_branch_tree(_label_paths(rows))
    if kind == "category":
        return _make_category_hierarchy(tree, rows)
    faults = _explain_not_numbers(rows, tree)
    if kind == "number":
        raise_faults(source, faults)
    if faults or (kind is None and any(_LEADING_ZERO.match(row.fields[0].strip()) for row in rows)):
        return _make_category_hierarchy(tree, rows)
    return _make_number_hierarchy(tree, [float(row.fields[0]) for row in rows])


def explain_categories(rows: Sequence[Row]) -> list[Fault]:
    """Return why values that all look like numbers are taken as categories; empty if they are not.

    Parameters
    ----------
    rows : sequence of Row
        At least one, which are consistent.
    """
    if not all(_NUMBER.fullmatch(row.fields[0].strip()) for row in rows):
        return []
    if coded := [row for row in rows if _LEADING_ZERO.match(row.fields[0].strip())]:
        return [Fault(coded[0].line, say("The value begins with a zero, as codes do."), "")]
    return _explain_not_numbers(rows, _build_branch_tree(_label_paths(rows)))


def _explain_not_numbers(rows: Sequence[Row], tree: _Branch) -> list[Fault]:
    """Return why the values cannot be taken as numbers; empty if they can."""
    faults = []
    for row in rows:
        if not _NUMBER.fullmatch(row.fields[0].strip()) or not math.isfinite(float(row.fields[0])):
            problem = say("The value %(value)s is not a number.", value=repr(row.fields[0]))
            remedy = say("Correct it, or write %(setting)s.", setting=_format_category_setting())
            faults.append(Fault(row.line, problem, remedy))
    if faults:
        return faults
    first_rows: dict[float, Row] = {}
    for row in rows:
        first = first_rows.setdefault(float(row.fields[0]), row)
        if first is not row:
            problem = say("The value is the same number as that of line %(line)s.", line=str(first.line))
            faults.append(Fault(row.line, problem, say("Keep one row.")))
    return faults or _find_scattered_rows(rows, tree)


def _format_category_setting() -> str:
    return choose_setting_name("type='category'", python="'category' in kinds=", options="--kind NAME=category")


def _find_scattered_rows(rows: Sequence[Row], tree: _Branch) -> list[Fault]:
    order = sorted(range(len(rows)), key=lambda position: float(rows[position].fields[0]))
    rank = {position: index for index, position in enumerate(order)}
    faults = []
    for branch in tree.walk():
        places = [rank[position] for position in branch.list_all_values()]
        if max(places) - min(places) + 1 > len(places):
            line = min(rows[position].line for position in branch.list_all_values())
            problem = say("The label %(label)s covers numbers between which others lie.", label=repr(branch.label))
            remedy = mark("Let each label cover neighbouring numbers, or write %(setting)s.")
            faults.append(Fault(line, problem, say(remedy, setting=_format_category_setting())))
    return faults


def _make_number_hierarchy(tree: _Branch, numbers: Sequence[float]) -> FileHierarchy:
    return FileHierarchy(hierarchy=Hierarchy(_make_node(tree, numbers)), listed=tuple(sorted(numbers)))


def _make_category_hierarchy(tree: _Branch, rows: Sequence[Row]) -> FileHierarchy:
    codes = {position: code for code, position in enumerate(tree.list_all_values())}
    categories = {rows[position].fields[0]: code for position, code in codes.items()}
    return FileHierarchy(hierarchy=Hierarchy(_make_node(tree, codes)), categories=MappingProxyType(categories))


def _make_node(branch: _Branch, ground: Sequence[float] | Mapping[int, int]) -> Node:
    """Make the node of a branch, with its interval; ``ground`` holds the number or code of each row."""
    children = sorted(
        (_make_node(child, ground) for child in branch.children.values()), key=lambda node: node.interval.low
    )
    lows = [ground[position] for position in branch.values] + [child.interval.low for child in children]
    highs = [ground[position] for position in branch.values] + [child.interval.high for child in children]
    return Node(Interval(float(min(lows)), float(max(highs))), branch.label, tuple(children))


def convert_to_rows(mapping: Mapping[Any, Any], name: str) -> list[tuple[object, ...]]:
    """Turn a dict into rows of a value and its generalisations, the narrowest first.

    Parameters
    ----------
    mapping : mapping
        From values to their generalisation, or to a list of them; or, where one of its values is a dict, the tree from
        the root down, which ends in lists of values.
    name : str
        Of the column, for messages.

    Raises
    ------
    UsageError
        If it mixes these forms.

    Examples
    --------
    >>> convert_to_rows({"Graz": "Styria", "Wien": "Vienna"}, "town")
    [('Graz', 'Styria'), ('Wien', 'Vienna')]
    >>> convert_to_rows({"Graz": ["Styria", "Austria"]}, "town")
    [('Graz', 'Styria', 'Austria')]
    >>> convert_to_rows({"Austria": {"Styria": ["Graz", "Leoben"], "Vienna": ["Wien"]}}, "town")
    [('Graz', 'Styria', 'Austria'), ('Leoben', 'Styria', 'Austria'), ('Wien', 'Vienna', 'Austria')]
    """
    if any(isinstance(value, Mapping) for value in mapping.values()):
        return list(_walk_leaves(mapping, (), name))
    lists = [_is_list(value) for value in mapping.values()]
    if any(lists) and not all(lists):
        raise UsageError(f"The hierarchy of {quote(name)} mixes texts and lists. {_FORMS}")
    return [(value, *above) if _is_list(above) else (value, above) for value, above in mapping.items()]


def _walk_leaves(tree: Any, above: tuple[object, ...], name: str) -> Iterator[tuple[object, ...]]:
    if isinstance(tree, Mapping):
        for label, below in tree.items():
            yield from _walk_leaves(below, (label, *above), name)
    elif _is_list(tree):
        yield from ((value, *above) for value in tree)
    else:
        raise UsageError(f"The hierarchy of {quote(name)} is a tree that does not end in a list of values. {_FORMS}")


def _is_list(value: object) -> bool:
    return isinstance(value, (Sequence, Set)) and not isinstance(value, (str, bytes))
