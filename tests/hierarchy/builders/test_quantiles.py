"""Intervals with about as many records each."""

from helpers.built import NUMBERS, assert_is_hierarchy, built, wrong
from hypothesis import given
from hypothesis import strategies as st

from toolbox.hierarchy.builders.numbers import find_cut_places


def test_classes_have_as_many_records_each():
    assert built("quantiles:4,2").rows([1, 2, 3, 4, 5, 6, 7, 8]) == [
        ("1", "<3", "<5", "*"),
        ("2", "<3", "<5", "*"),
        ("3", "[3:5)", "<5", "*"),
        ("4", "[3:5)", "<5", "*"),
        ("5", "[5:7)", ">=5", "*"),
        ("6", "[5:7)", ">=5", "*"),
        ("7", ">=7", ">=5", "*"),
        ("8", ">=7", ">=5", "*"),
    ]


def test_records_count_and_not_values():
    assert [row[1] for row in built("quantiles:2").rows([1] * 10 + [2, 3, 4])] == ["<2", ">=2", ">=2", ">=2"]
    assert [row[1] for row in built("quantiles:2").rows([1, 2, 3, 4])] == ["<3", "<3", ">=3", ">=3"]


def test_one_value_has_no_level_below_the_root():
    assert built("quantiles:4,2").rows([7, 7]) == [("7", "*")]


def test_what_is_wrong_is_told_at_once():
    assert wrong("quantiles:8,3,1") == [
        "classes= has 3 after 8, which is no multiple of it. Write each number of classes as a part of the one before, "
        "such as 8,4,2.",
        "classes= holds 1, which is the root. Write 2 or more; the root is always there.",
    ]
    assert wrong("quantiles:0") == ["classes='0' holds '0', which is no whole number of at least 1. Write 3, say."]


def nearest(records: list[int], classes: int) -> list[int]:
    """Try every place for every cut."""
    found = set()
    for number in range(1, classes):
        wanted = sum(records) * number / classes
        away = [abs(sum(records[:place]) - wanted) for place in range(len(records) + 1)]
        found.add(away.index(min(away)))
    return sorted(found - {0, len(records)})


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.sampled_from([2, 4, 8]))
def test_cuts_are_as_near_as_can_be_to_where_they_should_be(records, classes):
    assert find_cut_places(records, classes) == nearest(records, classes)
    assert set(find_cut_places(records, classes)) <= set(find_cut_places(records, 2 * classes))


@given(st.lists(NUMBERS | st.integers(0, 5), min_size=1, max_size=30))
def test_every_number_has_its_place(values):
    rows = built("quantiles:8,4,2").rows(values)
    assert_is_hierarchy(rows, [row[0] for row in rows])
