"""The labels of a hierarchy file as a tree, before its values become numbers or codes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from toolbox.errors import Fault
from toolbox.hierarchy.rows import Row

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

    def all_values(self) -> list[int]:
        """Return the positions of all rows below, in the order of the tree."""
        return [value for branch in self.walk() for value in branch.values]


def label_paths(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """Return the labels of each row, the widest first; a common root is added where the file has none."""
    has_root = len(rows[0].fields) > 1 and len({row.fields[-1] for row in rows}) == 1
    top = () if has_root else (ROOT_LABEL,)
    return [(*top, *reversed(row.fields[1:])) for row in rows]


def tree_faults(rows: Sequence[Row]) -> list[Fault]:
    """Return a fault for each value that occurs twice and each label that has two parents.

    Where most rows have such a label, these are the records of a table, which no message may quote: one fault stands
    for all labels.
    """
    twice, parents = repeated_values(rows), second_parents(rows)
    contradictory = len({fault.line for fault in parents})
    if len(rows) < _FEWEST_RECORDS or 2 * contradictory < len(rows):
        return [*twice, *parents]
    problem = f"{contradictory:,} of {len(rows):,} rows contradict rows above. This seems to be a table of records."
    return [Fault(0, problem, "Write the path of a hierarchy file, which has one row for each value."), *twice]


def repeated_values(rows: Sequence[Row]) -> list[Fault]:
    """Return a fault for each value that occurs twice."""
    faults = []
    first_rows: dict[str, Row] = {}
    for row in rows:
        first = first_rows.setdefault(row.fields[0], row)
        if first is not row:
            faults.append(Fault(row.line, f"The value occurs in line {first.line} already.", "Keep one of the rows."))
    return faults


def second_parents(rows: Sequence[Row]) -> list[Fault]:
    """Return a fault for each label that has two parents."""
    faults = []
    first_rows: dict[tuple[int, str], Row] = {}
    fine: set[tuple[str, ...]] = set()
    for row in rows:
        labels = row.fields[1:]
        if labels in fine:  # most rows of a large file have the labels of the row before them
            continue
        strays = _second_parents(row, first_rows)
        faults += strays
        if not strays:
            fine.add(labels)
    return faults


def _second_parents(row: Row, first_rows: dict[tuple[int, str], Row]) -> list[Fault]:
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


def grow(paths: Sequence[tuple[str, ...]]) -> Branch:
    """Make the tree of consistent paths, which begin with the same label."""
    root = Branch(paths[0][0])
    leaves: dict[tuple[str, ...], Branch] = {}
    for position, path in enumerate(paths):
        leaf = leaves.get(path)
        if leaf is None:
            leaf = leaves[path] = _leaf(root, path)
        leaf.values.append(position)
    return root


def _leaf(root: Branch, path: tuple[str, ...]) -> Branch:
    """Find the node at the end of a path, or make it."""
    branch = root
    for label in path[1:]:
        if label not in branch.children:
            branch.children[label] = Branch(label)
        branch = branch.children[label]
    return branch
