"""Ranges of values that touch are one range."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.published.cells.meanings import merge_ranges

SPANS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 4)).map(lambda span: (span[0], span[0] + span[1])))


@pytest.mark.parametrize(
    ("spans", "joined"),
    [
        ([], []),
        ([(0, 1), (2, 3)], [(0, 3)]),
        ([(0, 1), (3, 4)], [(0, 1), (3, 4)]),
        ([(0, 9), (2, 3)], [(0, 9)]),
        ([(4, 4), (4, 4)], [(4, 4)]),
    ],
    ids=["none", "neighbours", "a gap", "one within another", "twice"],
)
def test_ranges_that_overlap_or_are_neighbours_become_one(spans, joined):
    assert merge_ranges(spans) == joined


@given(SPANS)
def test_the_same_values_are_covered_by_as_few_ranges_as_can_be(spans):
    covered = {value for first, last in spans for value in range(first, last + 1)}
    joined = merge_ranges(iter(spans))
    assert [value for first, last in joined for value in range(first, last + 1)] == sorted(covered)
    assert len(joined) == sum(value - 1 not in covered for value in covered)
