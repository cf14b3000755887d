"""The judge of hierarchies: gaps, strangers, overlaps and shared boundaries."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.hierarchy.faults import find_depth_faults, find_family_faults, find_root_faults, find_shared_points
from toolbox.hierarchy.hierarchy import CodeBook, Hierarchy, Interval, Node

LETTERS = CodeBook.of({"c": 2, "a": 0, "b": 1, "e": 9})


def family(parent, *children):
    nodes = tuple(Node(Interval.parse(text), text, line=line) for line, text in enumerate(children, start=2))
    return Node(Interval.parse(parent), parent, nodes, line=1)


def found(parent, *children, book=None):
    return [(fault.line, fault.found) for fault in find_family_faults(family(parent, *children), book)]


@pytest.mark.parametrize(
    "children",
    [
        ["[0:5)", "[5:10]"],
        ["[0:5]", "(5:10]"],
        ["(5:10]", "[0:5]"],
        ["[0:5)", "[5]", "(5:10]"],
        ["[0:10]"],
        [],
        ["[0:5]", "[5:10]"],
    ],
)
def test_children_that_cover_their_parent_are_faultless(children):
    assert found("[0:10]", *children) == []


@pytest.mark.parametrize(
    ("children", "faults"),
    [
        (["[0:5)", "(5:10]"], [(3, "[5] lies in [0:10], but in no child of it.")]),
        (["[0:4]", "[5:10]"], [(3, "(4:5) lies in [0:10], but in no child of it.")]),
        (["(0:10]"], [(2, "[0] lies in [0:10], but in no child of it.")]),
        (["[0:10)"], [(1, "[10] lies in [0:10], but in no child of it.")]),
        (["[1:8)"], [(2, "[0:1) lies in [0:10], but in no child of it."), (1, "[8:10] lies in [0:10], but in no child of it.")]),
        (["[0:11]"], [(2, "[0:11] does not lie within [0:10], its parent.")]),
        (["[0:6]", "[5:10]"], [(3, "[0:6] and [5:10], both below [0:10], overlap in [5:6].")]),
        (["[0:10]", "[0:10]"], [(3, "[0:10] and [0:10], both below [0:10], overlap in [0:10].")]),
        (["[0:10]", "[2:3]", "[4:5]"], [(3, "[0:10] and [2:3], both below [0:10], overlap in [2:3]."), (4, "[0:10] and [4:5], both below [0:10], overlap in [4:5].")]),
        (["[0:5)", "[5]", "[5]", "(5:10]"], [(4, "[5] and [5], both below [0:10], overlap in [5].")]),
    ],
)  # fmt: skip
def test_children_of_numbers_are_judged_by_every_point(children, faults):
    assert found("[0:10]", *children) == faults


@pytest.mark.parametrize(
    ("children", "faults"),
    [
        (["[0:1]", "[2:9]"], []),
        (["[0:1.5]", "[1.2:9]"], []),
        (["[0:1]", "[9]"], [(1, "the category 'c' lies in [0:9], but in no child of it.")]),
        (["[1]"], [(1, "the categories 'a', 'c', 'e' lie in [0:9], but in no child of it.")]),
        (["[0:2]", "[3:8]", "[9]"], [(3, "[3:8] holds no code of the map.")]),
        (["[0:2]", "[1:9]"], [(3, "[0:2] and [1:9], both below [0:9], overlap in [1:2].")]),
    ],
)
def test_children_of_categories_are_judged_by_the_codes(children, faults):
    assert found("[0:9]", *children, book=LETTERS) == faults


def test_a_shared_boundary_goes_to_the_first_in_the_authors_order():
    ages = family("[0:50]", "[25:50]", "[0:25]")
    assert find_shared_points(ages) == [(3, "[25] lies in both [25:50] and [0:25]; the first of them takes it.")]
    assert find_family_faults(ages) == []


def test_a_root_that_leaves_out_many_categories_names_some():
    book = CodeBook.of({str(code): code for code in range(10)})
    (fault,) = find_root_faults(Node(Interval.parse("[2:3]"), "", text="[2:3]", line=7), book)
    assert str(fault) == (
        "line 7: [2:3] leaves out the categories '0', '1', '4', '5', '6' and 3 more of the map. Write [0:9], say."
    )


def test_each_leaf_that_is_not_deep_enough_is_named():
    deep = family("[0:5)", "[0:5)")
    root = Node(Interval.parse("[0:10]"), "", (deep, Node(Interval.parse("[5:10]"), "", line=4, text="[5:10]")))
    (fault,) = find_depth_faults(Hierarchy(root), "Datafly")
    assert (fault.line, fault.found) == (4, "The leaf [5:10] lies 1 levels below the root, others 2.")


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=20, unique=True), st.randoms())
def test_any_partition_is_faultless_in_any_order_and_no_longer_without_one_of_its_parts(bounds, random):
    bounds.sort()
    parts = [f"[{low}:{high})" for low, high in pairwise(bounds)]
    random.shuffle(parts)
    parent = f"[{bounds[0]}:{bounds[-1]})"
    assert found(parent, *parts) == []
    assert find_shared_points(family(parent, *parts)) == []
    if len(parts) > 1:
        assert len(found(parent, *parts[1:])) == 1
