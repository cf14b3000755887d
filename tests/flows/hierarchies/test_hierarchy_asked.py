"""A hierarchy that is set against data."""

from __future__ import annotations

from helpers.outlines import outline_of

from toolbox.flows.arguments.checks import make_text_input
from toolbox.flows.hierarchies.subject import IntervalTree, Subject, set_beside
from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node

READING = make_text_input(None, None)
TOWNS = Subject(name="t", column="town", kind="category", outline=outline_of("Graz Styria", "? Unknown"))


def test_without_data_nothing_is_known_of_them() -> None:
    assert set_beside(TOWNS, None, READING) is TOWNS


def test_the_text_of_a_missing_value_is_none_unless_the_hierarchy_lists_it() -> None:
    found = set_beside(TOWNS, {"Graz": 2, "?": 1}, READING).coverage
    assert found is not None
    assert dict(found.records) == {"Graz": 2, "?": 1}
    other = Subject(name="t", column="town", kind="category", outline=outline_of("Graz Styria"))
    found = set_beside(other, {"Graz": 2, "?": 1}, READING).coverage
    assert found is not None
    assert (dict(found.records), dict(found.uncovered)) == ({"Graz": 2}, {})


def test_intervals_have_the_values_that_are_listed_or_else_those_of_the_data() -> None:
    hierarchy = Hierarchy(Node(Interval(0, 9), "all"))
    listed = IntervalTree("t", "n", hierarchy, None, listed=(1.0, 2.5)).subject({"7": 1}, READING)
    assert (listed.outline.list_all_values(), listed.lists_values) == (["1", "2.5"], True)
    of_data = IntervalTree("t", "n", hierarchy, None).subject({"7": 1, "x": 1, "10": 1}, READING)
    assert (of_data.outline.list_all_values(), of_data.lists_values) == (["7"], False)
    assert of_data.coverage is not None
    assert dict(of_data.coverage.uncovered) == {"x": 1, "10": 1}
    codes = IntervalTree("t", "n", hierarchy, {"b": 1, "a": 0}).subject(None, READING)
    assert (codes.outline.list_all_values(), codes.kind) == (["a", "b"], "category")
