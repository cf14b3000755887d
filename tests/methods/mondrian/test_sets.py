"""The distinct sets of values of many classes."""

import numpy as np
from helpers.amounts import times
from hypothesis import given, settings
from hypothesis import strategies as st

from toolbox.methods.mondrian.partitions import find_sets


def sets(classes: list[list[int]], which: list[int] | None = None) -> list[list[int]]:
    """Return the set of each class, which must be listed once only."""
    starts = np.cumsum([0, *map(len, classes)])[:-1]
    ranks = np.array([rank for one in classes for rank in one], np.int16)
    found = find_sets(ranks, starts, np.arange(len(classes)) if which is None else np.array(which))
    listed = [one.tolist() for one in np.split(found.members, found.starts[1:])]
    assert len(set(map(tuple, listed))) == len(listed)
    assert found.lowest.tolist() == [min(one) for one in listed]
    assert found.highest.tolist() == [max(one) for one in listed]
    return [listed[number] for number in found.of_class]


def test_a_set_lists_each_value_once_in_order() -> None:
    assert sets([[3, 1, 3, 2]]) == [[1, 2, 3]]


def test_classes_with_the_same_values_share_a_set() -> None:
    assert sets([[2, 1], [1, 2, 2], [1, 3], [2]]) == [[1, 2], [1, 2], [1, 3], [2]]


def test_only_the_classes_that_are_asked_for_count() -> None:
    assert sets([[9], [2, 1], [7, 8], [4]], [1, 3]) == [[1, 2], [4]]


@settings(max_examples=times(33, slow=100), deadline=None)
@given(st.lists(st.lists(st.integers(0, 300), min_size=1, max_size=6), min_size=1, max_size=20))
def test_they_are_the_sets_of_python(classes: list[list[int]]) -> None:
    assert sets(classes) == [sorted(set(one)) for one in classes]
