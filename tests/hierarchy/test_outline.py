"""A hierarchy as people see it."""

from helpers.outlines import outline_of

from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node
from toolbox.hierarchy.outline import Outline, build_tree_outline

PLACES = outline_of("Wien Vienna Austria", "Graz Styria Austria", "Leoben Styria Austria", "Bonn NRW Germany")


def test_rows_become_labels_in_their_order_each_with_its_first_line_and_a_root_above() -> None:
    assert (PLACES.label, PLACES.height, PLACES.is_uniform) == ("*", 3, True)
    assert [(child.label, child.line) for child in PLACES.children] == [("Austria", 1), ("Germany", 4)]
    austria = PLACES.children[0]
    assert [(child.label, child.values, child.line) for child in austria.children] == [
        ("Vienna", ("Wien",), 1),
        ("Styria", ("Graz", "Leoben"), 2),
    ]


def test_levels_are_counted_from_the_values() -> None:
    assert [[node.label for node in level] for level in PLACES.levels()] == [
        ["Vienna", "Styria", "NRW"],
        ["Austria", "Germany"],
        ["*"],
    ]


def test_the_label_of_a_leaf_that_is_less_deep_stands_on_the_levels_below_it() -> None:
    deep = Outline("Europe", (Outline("France", (Outline("Paris", values=("1er",)),)),))
    ragged = Outline("*", (*deep.children, Outline("Monaco", values=("Monte Carlo",))))
    assert not ragged.is_uniform
    assert list(ragged.paths()) == [("1er", "Paris", "France", "*"), ("Monte Carlo", "Monaco", "Monaco", "*")]
    assert [[node.label for node in level] for level in ragged.levels()] == [["Paris"], ["France", "Monaco"], ["*"]]


def test_values_stand_below_the_first_leaf_whose_interval_takes_them() -> None:
    leaves = (Node(Interval(0, 5), "low", line=2), Node(Interval(5, 9), "high", line=3))
    ground = [("5.0", 5.0), ("9", 9.0), ("ten", 10.0), ("0", 0.0)]
    outline, outside = build_tree_outline(Hierarchy(Node(Interval(0, 9), "all", leaves)), ground)
    assert [(child.label, child.values, child.line) for child in outline.children] == [
        ("low", ("5.0", "0"), 2),
        ("high", ("9",), 3),
    ]
    assert outside == ["ten"]


def test_intervals_without_values_are_an_outline_too() -> None:
    outline, _ = build_tree_outline(Hierarchy(Node(Interval(0, 9), "all")), [])
    assert (outline, outline.list_all_values(), outline.height) == (Outline("all"), [], 1)
