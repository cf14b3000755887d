"""Two hierarchies side by side."""

from __future__ import annotations

from toolbox.hierarchy.checking import make_fault, make_remark
from toolbox.hierarchy.editing import HierarchyFaults, MovedValue, compare_hierarchies

FINE = HierarchyFaults(findings=(make_remark("level", 0, "Level 1 joins nothing."),))


def test_values_are_added_removed_and_moved() -> None:
    old = [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")]
    new = [("a", "x", "*"), ("b", "y", "*"), ("d", "y", "*")]
    found = compare_hierarchies(old, new, FINE)
    assert (found.added, found.removed, found.levels) == (("d",), ("c",), (2, 2))
    assert found.moved == (MovedValue("b", ("x", "*"), ("y", "*")),)
    assert not found.is_empty
    assert compare_hierarchies(old, old, FINE).is_empty


def test_a_level_more_moves_every_value() -> None:
    found = compare_hierarchies([("a", "*")], [("a", "x", "*")], FINE)
    assert (found.moved, found.levels) == ((MovedValue("a", ("*",), ("x", "*")),), (1, 2))


def test_there_may_be_none_before_and_the_first_row_of_a_value_counts() -> None:
    found = compare_hierarchies([], [("a", "x"), ("a", "y")], FINE)
    assert (found.added, found.removed, found.moved, found.levels) == (("a",), (), (), (0, 1))


def test_remarks_are_no_faults() -> None:
    assert FINE.holds
    assert not HierarchyFaults(findings=(*FINE.findings, make_fault("two parents", 3, "It has two."))).holds
