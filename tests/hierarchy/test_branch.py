"""The labels of a hierarchy as a tree."""

import pytest

from toolbox.hierarchy.outline import _Branch, _build_branch_tree, _find_tree_faults, _label_paths
from toolbox.hierarchy.rows import Row


def rows(text):
    """Return the rows of a text, a line each, with blanks between the fields."""
    return [Row(line, tuple(fields.split())) for line, fields in enumerate(text.strip().splitlines(), start=1)]


def labels(branch):
    """Return a tree as nested dicts, with the positions of the rows at its leaves."""
    return {child.label: labels(child) or child.values for child in branch.children.values()}


def test_paths_lead_from_the_root_down_and_leave_the_value_out():
    assert _label_paths(rows("Graz Styria Austria\nWien Vienna Austria")) == [
        ("Austria", "Styria"),
        ("Austria", "Vienna"),
    ]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("Graz Austria\nKöln Germany", [("*", "Austria"), ("*", "Germany")]),
        ("Graz\nKöln", [("*",), ("*",)]),
        ("Graz", [("*",)]),
        ("Graz Austria", [("Austria",)]),
    ],
)
def test_a_root_is_added_where_the_last_labels_are_not_one(text, paths):
    assert _label_paths(rows(text)) == paths


def test_branches_stand_in_the_order_in_which_the_rows_first_name_them():
    tree = _build_branch_tree([("*", "b", "y"), ("*", "a", "x"), ("*", "b", "w"), ("*", "b", "y")])
    assert tree.label == "*"
    assert labels(tree) == {"b": {"y": [0, 3], "w": [2]}, "a": {"x": [1]}}


def test_all_rows_below_a_branch_are_in_the_order_of_the_tree_and_not_of_the_file():
    tree = _build_branch_tree([("*", "b", "y"), ("*", "a", "x"), ("*", "b", "w"), ("*", "b", "y")])
    assert tree.list_all_values() == [0, 3, 2, 1]
    assert tree.children["b"].list_all_values() == [0, 3, 2]


def test_parents_are_walked_before_their_children():
    tree = _Branch("*", {"a": _Branch("a", {"x": _Branch("x")}), "b": _Branch("b")})
    assert [branch.label for branch in tree.walk()] == ["*", "a", "x", "b"]


def test_a_consistent_tree_has_no_fault_even_where_one_label_stands_on_two_levels():
    assert _find_tree_faults(rows("1 a *\n2 a *\n3 b *")) == []
    assert _find_tree_faults(rows("1 Wien Wien *\n2 Graz Styria *")) == []


def test_a_value_that_occurs_twice_is_reported_in_its_second_row():
    (fault,) = _find_tree_faults(rows("1 a *\n2 b *\n1 a *"))
    assert str(fault) == "line 3: The value occurs in line 1 already. Keep one of the rows."


def test_a_label_with_two_parents_is_reported_in_each_row_that_differs_from_the_first():
    faults = _find_tree_faults(rows("1 x u *\n2 x v *\n3 x u *\n4 x v *"))
    assert [fault.line for fault in faults] == [2, 4]
    assert faults[0].found == "Lines 1 and 2 agree in column 2 ('x'), but not in column 3 ('u', 'v')."


def test_every_label_of_a_row_with_two_parents_is_reported():
    assert [fault.line for fault in _find_tree_faults(rows("1 x u r\n2 x v s\n3 y v r"))] == [2, 3]
    assert [fault.line for fault in _find_tree_faults(rows("1 x u r\n2 x u s\n3 x v r"))] == [2, 3]


def test_the_records_of_a_table_are_one_fault_that_quotes_none_of_them():
    records = rows("\n".join(f"{n} {n % 3} secret{n % 5} {n % 7}" for n in range(30)))
    (fault,) = _find_tree_faults(records)
    assert fault.found == "27 of 30 rows contradict rows above. This seems to be a table of records."
    assert len(_find_tree_faults(records[:19])) > 16
