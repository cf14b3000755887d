"""Hierarchies from a file as ARX writes them, with a row for each value, or from a dict of a caller."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from toolbox.errors import Fault, UsageError, quote
from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node
from toolbox.hierarchy.outline import Branch, build_branch_tree, find_tree_faults, label_paths
from toolbox.hierarchy.rows import Row, is_header, raise_faults, read_rows, require_table
from toolbox.messages import choose_setting_name

# Hierarchies from a file as ARX writes them: a row per value, with its generalisation on each level.

_NUMBER: Final = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_LEADING_ZERO: Final = re.compile(r"[+-]?0[0-9]")


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
    raise_faults(source, find_tree_faults(rows))
    tree = build_branch_tree(label_paths(rows))
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
        return [Fault(coded[0].line, "The value begins with a zero, as codes do.", "")]
    return _explain_not_numbers(rows, build_branch_tree(label_paths(rows)))


def _explain_not_numbers(rows: Sequence[Row], tree: Branch) -> list[Fault]:
    """Return why the values cannot be taken as numbers; empty if they can."""
    faults = []
    for row in rows:
        if not _NUMBER.fullmatch(row.fields[0].strip()) or not math.isfinite(float(row.fields[0])):
            remedy = f"Correct it, or write {_format_category_setting()}."
            faults.append(Fault(row.line, f"The value {row.fields[0]!r} is not a number.", remedy))
    if faults:
        return faults
    first_rows: dict[float, Row] = {}
    for row in rows:
        first = first_rows.setdefault(float(row.fields[0]), row)
        if first is not row:
            faults.append(
                Fault(row.line, f"The value is the same number as that of line {first.line}.", "Keep one row.")
            )
    return faults or _find_scattered_rows(rows, tree)


def _format_category_setting() -> str:
    return choose_setting_name("type='category'", python="'category' in kinds=", options="--kind NAME=category")


def _find_scattered_rows(rows: Sequence[Row], tree: Branch) -> list[Fault]:
    order = sorted(range(len(rows)), key=lambda position: float(rows[position].fields[0]))
    rank = {position: index for index, position in enumerate(order)}
    faults = []
    for branch in tree.walk():
        places = [rank[position] for position in branch.list_all_values()]
        if max(places) - min(places) + 1 > len(places):
            line = min(rows[position].line for position in branch.list_all_values())
            problem = f"The label {branch.label!r} covers numbers between which others lie."
            faults.append(
                Fault(
                    line, problem, f"Let each label cover neighbouring numbers, or write {_format_category_setting()}."
                )
            )
    return faults


def _make_number_hierarchy(tree: Branch, numbers: Sequence[float]) -> FileHierarchy:
    return FileHierarchy(hierarchy=Hierarchy(_make_node(tree, numbers)), listed=tuple(sorted(numbers)))


def _make_category_hierarchy(tree: Branch, rows: Sequence[Row]) -> FileHierarchy:
    codes = {position: code for code, position in enumerate(tree.list_all_values())}
    categories = {rows[position].fields[0]: code for position, code in codes.items()}
    return FileHierarchy(hierarchy=Hierarchy(_make_node(tree, codes)), categories=MappingProxyType(categories))


def _make_node(branch: Branch, ground: Sequence[float] | Mapping[int, int]) -> Node:
    """Make the node of a branch, with its interval; ``ground`` holds the number or code of each row."""
    children = sorted(
        (_make_node(child, ground) for child in branch.children.values()), key=lambda node: node.interval.low
    )
    lows = [ground[position] for position in branch.values] + [child.interval.low for child in children]
    highs = [ground[position] for position in branch.values] + [child.interval.high for child in children]
    return Node(Interval(float(min(lows)), float(max(highs))), branch.label, tuple(children))


# Hierarchies that a caller writes as a dict.

_FORMS = (
    "Write {value: its generalisation}, {value: [its generalisations, the narrowest first]}, or nest dicts from the "
    "root down to lists of values: {'Austria': {'Styria': ['Graz', 'Leoben']}}."
)


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
