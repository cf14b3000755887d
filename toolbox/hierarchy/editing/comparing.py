"""Two hierarchies of one column side by side: what the other one would change."""

from __future__ import annotations

from dataclasses import dataclass

from toolbox.hierarchy.checking import Finding
from toolbox.hierarchy.editing.edits import Rows


@dataclass(frozen=True, kw_only=True)
class HierarchyFaults:
    """What is wrong with a hierarchy, and which values of its column it lacks."""

    findings: tuple[Finding, ...]
    """Each with ``kind``, ``line``, ``text`` and ``is_fault``; lines count rows from 1."""
    uncovered: tuple[str, ...] = ()
    """Values of the column without a path."""
    unused: tuple[str, ...] = ()
    """Paths without a value: values of the hierarchy that the column lacks."""

    @property
    def holds(self) -> bool:
        """Whether there is no fault; remarks are none."""
        return not any(finding.is_fault for finding in self.findings)


@dataclass(frozen=True)
class MovedValue:
    """A value whose labels are others."""

    value: str
    before: tuple[str, ...]
    """Its labels, the narrowest first."""
    after: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class HierarchyDiff:
    """What one hierarchy changes of another."""

    added: tuple[str, ...]
    """Values that only the new one has."""
    removed: tuple[str, ...]
    """Values that only the old one has."""
    moved: tuple[MovedValue, ...]
    """Values with other labels."""
    levels: tuple[int, int]
    """How many there are above the values, in the old one and in the new one."""
    faults: HierarchyFaults
    """Of the new one."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change."""
        return not (self.added or self.removed or self.moved)


def compare_hierarchies(old: Rows, new: Rows, faults: HierarchyFaults) -> HierarchyDiff:
    """Compare the rows of two hierarchies, which need not be consistent: of a value with two rows the first counts.

    Examples
    --------
    >>> found = compare_hierarchies([("a", "x", "*"), ("b", "x", "*")], [("a", "y", "*"), ("c", "y", "*")],
    ...                  HierarchyFaults(findings=()))
    >>> found.added, found.removed, found.moved
    (('c',), ('b',), (MovedValue(value='a', before=('x', '*'), after=('y', '*')),))
    """
    before, after = _map_labels(old), _map_labels(new)
    moved = (
        MovedValue(value, labels, after[value])
        for value, labels in before.items()
        if value in after and after[value] != labels
    )
    return HierarchyDiff(
        added=tuple(value for value in after if value not in before),
        removed=tuple(value for value in before if value not in after),
        moved=tuple(moved),
        levels=(_find_height(old), _find_height(new)),
        faults=faults,
    )


def _map_labels(rows: Rows) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for row in rows:
        found.setdefault(row[0], tuple(row[1:]))
    return found


def _find_height(rows: Rows) -> int:
    return max((len(row) - 1 for row in rows), default=0)
