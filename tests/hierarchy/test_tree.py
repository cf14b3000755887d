"""A hierarchy as a tree with costs: from each value up to the root."""

from __future__ import annotations

from collections import defaultdict

import pytest

from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node
from toolbox.hierarchy.outline import list_hierarchy_steps, read_hierarchy_rows

ILLNESSES = [
    ("flu", "lungs", "illness", "*"),
    ("asthma", "lungs", "illness", "*"),
    ("ulcer", "stomach", "illness", "*"),
    ("fracture", "bones", "injury", "*"),
]


def ways(hierarchy: Hierarchy, *values: float | None) -> list[list[tuple[int, float]]]:
    found = defaultdict(list)
    for step in list_hierarchy_steps(hierarchy, values):
        found[step.number].append((step.node, step.cost))
    return [found[number] for number, _ in enumerate(values)]


def test_every_level_costs_as_much_and_the_way_up_and_down_costs_1() -> None:
    read = read_hierarchy_rows(ILLNESSES, "illnesses")
    flu, asthma, fracture = ways(read.hierarchy, *(read.categories[one] for one in ("flu", "asthma", "fracture")))
    assert [cost for _, cost in flu] == pytest.approx([1 / 6] * 3)
    assert flu[1:] == asthma[1:] and flu[0] != asthma[0]
    assert {node for node, _ in flu} & {node for node, _ in fracture} == set()


def test_a_leaf_that_is_higher_up_is_more_levels_away() -> None:
    """Levels are counted from the root, so that a value below a leaf of level 2 goes 2 levels up."""
    low = Node(Interval(0, 4), "low", (Node(Interval(0, 1), "a"), Node(Interval(2, 4), "b")))
    tree = Hierarchy(Node(Interval(0, 9), "*", (low, Node(Interval(5, 9), "high"))))
    near, far = ways(tree, 0.5, 7)
    assert [cost for _, cost in near] == pytest.approx([1 / 6, 1 / 6, 1 / 6])
    assert [cost for _, cost in far] == pytest.approx([2 / 6, 1 / 6])


def test_of_leaves_that_share_a_boundary_the_first_takes_the_value() -> None:
    tree = Hierarchy(Node(Interval(0, 9), "*", (Node(Interval(5, 9), "high"), Node(Interval(0, 5), "low"))))
    boundary, high, low = ways(tree, 5, 6, 4)
    assert boundary[1:] == high[1:] != low[1:]


def test_bounds_may_be_open() -> None:
    halves = (Node(Interval(0, 5, high_closed=False), "low"), Node(Interval(5, 9), "high"))
    boundary, high, low = ways(Hierarchy(Node(Interval(0, 9), "*", halves)), 5, 6, 4)
    assert boundary[1:] == high[1:] != low[1:]


def test_a_root_alone_makes_all_values_equally_far() -> None:
    assert ways(Hierarchy(Node(Interval(0, 9), "*")), 1, 2) == [[(-1, 0.5)], [(-2, 0.5)]]


def test_what_no_leaf_takes_in_is_directly_below_the_root() -> None:
    read = read_hierarchy_rows(ILLNESSES, "illnesses")
    assert ways(read.hierarchy, 17, None) == [[(-1, 0.5)], [(-2, 0.5)]]
