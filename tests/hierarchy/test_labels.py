"""What a release shows for a node without a label."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.hierarchy.hierarchy import format_category_set, format_interval


@pytest.mark.parametrize(
    ("names", "label"),
    [
        (["Ohio"], "Ohio"),
        (["a,b"], "a,b"),
        (["b", "a"], "{b,a}"),
        (["x y", "a,b", "{", "}"], '{x y,"a,b","{","}"}'),
        (['5" pipe', "pipe"], '{"5"" pipe",pipe}'),
        (["", "a"], "{,a}"),
    ],
)
def test_categories_are_named_in_order(names, label):
    assert format_category_set(names) == label


@given(st.lists(st.text(st.characters(exclude_characters="\r\n\0")), min_size=2, unique=True))
def test_a_set_can_be_taken_apart_again(names):
    (row,) = csv.reader([format_category_set(names)[1:-1]])
    assert row == names


def test_blanks_of_an_interval_go_and_its_digits_stay():
    assert format_interval(" [ 00.50 :\t1E2 ) ") == "[00.50:1E2)"
