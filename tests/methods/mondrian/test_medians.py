"""The medians of many partitions at once: the first value with half of the records up to it."""

from itertools import accumulate

import numpy as np
import pytest
from helpers.amounts import times
from hypothesis import given, settings
from hypothesis import strategies as st

from toolbox.methods.mondrian.partitions import Partitions
from toolbox.methods.mondrian.search import find_medians

Row = tuple[int, int, int]
"""The records of a row, and its ranks in two dimensions."""


def partitions(parts: list[list[Row]]) -> Partitions:
    """Put rows into partitions."""
    rows = np.array([row for part in parts for row in part])
    starts = np.cumsum([0, *(len(part) for part in parts)])[:-1]
    return Partitions(np.arange(len(rows)), rows[:, 0], [rows[:, 1], rows[:, 2]], starts)


def medians(parts: list[list[Row]], which: list[int], dimension: list[int]) -> list[tuple[int, int, int]]:
    """Return rank, up_to and below of these partitions."""
    given_parts, wanted = partitions(parts), np.array(which)
    found = find_medians(given_parts, wanted, np.array(dimension), given_parts.records[wanted])
    return list(zip(*(one.tolist() for one in found), strict=True))


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ({1: 1, 2: 1, 3: 1, 4: 1}, (2, 2, 1)),
        ({1: 1, 2: 1, 3: 1}, (2, 2, 1)),
        ({0: 5, 7: 1}, (0, 5, 0)),
        ({0: 1, 7: 5}, (7, 6, 1)),
        ({3: 1}, (3, 1, 0)),
    ],
    ids=["half exactly", "odd", "many low", "many high", "one"],
)
def test_the_median_with_the_records_up_to_it_and_below_it(
    records: dict[int, int], expected: tuple[int, int, int]
) -> None:
    assert medians([[(size, rank, 0) for rank, size in records.items()]], [0], [0]) == [expected]


def test_each_partition_has_its_own_dimension_and_some_are_left_out() -> None:
    parts = [[(1, 5, 1), (1, 9, 0)], [(1, 3, 3)], [(2, 0, 8), (1, 1, 6), (1, 2, 7)]]
    assert medians(parts, [0, 2], [0, 1]) == [(5, 1, 0), (7, 2, 1)]


def by_list(part: list[Row], dimension: int) -> tuple[int, int, int]:
    ordered = sorted(rank for size, *ranks in part for rank in [ranks[dimension]] * size)
    counts = list(accumulate(ordered.count(rank) for rank in sorted(set(ordered))))
    median = next(rank for rank, up_to in zip(sorted(set(ordered)), counts, strict=True) if 2 * up_to >= len(ordered))
    return median, sum(rank <= median for rank in ordered), sum(rank < median for rank in ordered)


ROWS = st.lists(st.tuples(st.integers(1, 9), st.integers(0, 5), st.integers(0, 70_000)), min_size=1, max_size=8)


@settings(max_examples=times(33, slow=100), deadline=None)
@given(st.lists(st.tuples(ROWS, st.integers(0, 1)), min_size=1, max_size=6))
def test_they_are_those_of_sorted_lists(given_parts: list[tuple[list[Row], int]]) -> None:
    parts, dimensions = map(list, zip(*given_parts, strict=True))
    expected = [by_list(part, dimension) for part, dimension in given_parts]
    assert medians(parts, list(range(len(parts))), dimensions) == expected


def test_sizes_that_leave_no_room_beside_partition_and_rank() -> None:
    huge = 2**60
    assert medians([[(huge, 5, 0), (huge, 1, 0)], [(huge, 2, 0)]], [0, 1], [0, 0]) == [(1, huge, 0), (2, huge, 0)]
