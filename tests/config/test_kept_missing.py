"""A missing value that is kept: a category behind all others, below the root and below nothing else."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from toolbox.config.built_columns import add_missing_category
from toolbox.config.model import Attribute, Column
from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node

MAP = {"a": 0, "b": 1, "c": 2}


def attribute(root: Node | None, categories: Mapping[str, int] = MAP) -> Attribute:
    tree = None if root is None else Hierarchy(root)
    return Attribute(column=Column(index=0, name="x"), kind="category", categories=categories, hierarchy=tree)


def shown(found: Attribute) -> list[tuple[str, str]]:
    assert found.hierarchy is not None
    return [(node.label, str(node.interval)) for node, _ in found.hierarchy.nodes()]


def test_nodes_that_reach_beyond_the_last_code_end_there_and_the_root_takes_the_new_one_in() -> None:
    leaves = (Node(Interval(0, 1, high_closed=False), "a"), Node(Interval(1, 9), "{b,c}"))
    found = add_missing_category(attribute(Node(Interval(0, 9), "{a,b,c}", leaves)), "?")
    assert found.categories == {**MAP, "?": 3}
    assert shown(found) == [("{a,b,c,?}", "[0:3]"), ("a", "[0:1)"), ("{b,c}", "[1:2]")]


def test_a_root_of_one_category_lists_two() -> None:
    found = add_missing_category(attribute(Node(Interval(0, 0), "a"), {"a": 0}), "?")
    assert shown(found) == [("{a,?}", "[0:1]")]


def test_a_label_that_lists_nothing_stays_and_so_does_one_where_nothing_is_missing() -> None:
    assert shown(add_missing_category(attribute(Node(Interval(0, 2), "anybody")), "?")) == [("anybody", "[0:3]")]
    assert shown(add_missing_category(attribute(Node(Interval(0, 2), "{a,b,c}")), "?", occurs=False)) == [
        ("{a,b,c}", "[0:3]")
    ]


@pytest.mark.parametrize("last", [2**53, 2**63 - 1, -(2**63) + 1])
def test_codes_that_a_double_cannot_count_are_told_apart_too(last: int) -> None:
    found = add_missing_category(attribute(None, {"a": last}), "?").categories
    assert found is not None
    assert float(found["?"]) > float(last)


def test_a_category_of_that_name_is_the_missing_value() -> None:
    declared = attribute(None, {"?": 0, "a": 1})
    assert add_missing_category(declared, "?") is declared
    numbers = Attribute(column=Column(index=0, name="x"), kind="number")
    assert add_missing_category(numbers, "?") is numbers
