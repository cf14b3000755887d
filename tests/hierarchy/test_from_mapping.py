"""Hierarchies that a caller writes as a dict."""

import pytest

from toolbox.errors import UsageError
from toolbox.hierarchy.outline import convert_to_rows


@pytest.mark.parametrize(
    ("mapping", "rows"),
    [
        ({"Graz": "Styria", "Wien": "Vienna"}, [("Graz", "Styria"), ("Wien", "Vienna")]),
        ({"Graz": ["Styria", "Austria"], "Bern": ("Bern", "CH")}, [("Graz", "Styria", "Austria"), ("Bern", "Bern", "CH")]),
        ({20: "young", 70.5: None}, [(20, "young"), (70.5, None)]),
        ({"Graz": []}, [("Graz",)]),
        ({}, []),
    ],
)  # fmt: skip
def test_each_value_has_its_generalisations_behind_it_the_narrowest_first(mapping, rows):
    assert convert_to_rows(mapping, "town") == rows


def test_a_tree_is_turned_round_and_its_branches_may_differ_in_depth():
    tree = {"Europe": {"Austria": {"Styria": ["Graz", "Leoben"]}, "Malta": ["Mdina"]}, "Asia": ["Goa"]}
    assert convert_to_rows(tree, "town") == [
        ("Graz", "Styria", "Austria", "Europe"),
        ("Leoben", "Styria", "Austria", "Europe"),
        ("Mdina", "Malta", "Europe"),
        ("Goa", "Asia"),
    ]


def test_the_letters_of_a_text_are_no_list_of_values():
    assert convert_to_rows({"Graz": "Styria"}, "town") == [("Graz", "Styria")]
    assert convert_to_rows({"Graz": b"Styria"}, "town") == [("Graz", b"Styria")]


def test_values_of_a_set_are_all_there():
    assert sorted(convert_to_rows({"Europe": {"Austria": {"Graz", "Wien"}}}, "town")) == [
        ("Graz", "Austria", "Europe"),
        ("Wien", "Austria", "Europe"),
    ]


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"Graz": "Styria", "Wien": ["Vienna"]}, "The hierarchy of 'town' mixes texts and lists. Write {value:"),
        ({"Austria": {"Styria": "Graz"}}, "The hierarchy of 'town' is a tree that does not end in a list of values. W"),
        ({"Austria": {"Styria": ["Graz"]}, "Malta": None}, "The hierarchy of 'town' is a tree that does not end in a "),
    ],
)
def test_forms_that_are_mixed_are_refused_with_an_example_of_each(mapping, message):
    with pytest.raises(UsageError) as caught:
        convert_to_rows(mapping, "town")
    assert str(caught.value).startswith(message)
    assert "{'Austria': {'Styria': ['Graz', 'Leoben']}}" in str(caught.value)
