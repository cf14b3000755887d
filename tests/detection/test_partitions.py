"""Partitions that are refined column by column have the groups that a plain count finds."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolbox.detection.search import Coded, Partition, SubsetSizes

MANY = 50_000
"""So many possible values that keys are sorted, and three columns of them need eight bytes."""
ROWS = st.lists(st.tuples(*[st.integers(0, 2)] * 3, st.integers(1, 3)), min_size=1, max_size=30)


def coded(rows: list[tuple[int, ...]], *, weighted: bool, spread: int) -> Coded:
    """Code rows of three values and a weight; codes may leave gaps."""
    *columns, weights = (np.array(column) for column in zip(*rows, strict=True))
    return Coded(tuple(column * spread for column in columns), (2 * spread + 1,) * 3, weights if weighted else None)


def counted(rows: list[tuple[int, ...]], columns: list[int], *, weighted: bool) -> SubsetSizes:
    """Count the groups of some columns one record after the other."""
    groups: Counter[tuple[int, ...]] = Counter()
    for row in rows:
        groups[tuple(row[column] for column in columns)] += row[3] if weighted else 1
    sizes = list(groups.values())
    return SubsetSizes(len(sizes), sizes.count(1), sum(size * size for size in sizes), min(sizes), max(sizes))


@settings(max_examples=100, deadline=None)
@given(ROWS, st.booleans(), st.sampled_from([1, MANY]), st.permutations(range(3)))
def test_each_further_column_cuts_the_groups_as_a_plain_count_does(
    rows: list[tuple[int, ...]], weighted: bool, spread: int, order: list[int]
) -> None:
    partition = Partition.whole(coded(rows, weighted=weighted, spread=spread))
    for length in range(1, 4):
        assert partition.count(order[length - 1]) == counted(rows, order[:length], weighted=weighted)
        partition = partition.refine_by_column(order[length - 1])


def test_a_row_that_is_alone_stays_a_group_of_all_its_records() -> None:
    """Two records of one row are no singleton, whatever columns follow."""
    rows = [(0, 0, 0, 2), (1, 0, 0, 1), (1, 1, 0, 1)]
    partition = Partition.whole(coded(rows, weighted=True, spread=1)).refine_by_column(0)
    assert partition.count(1) == SubsetSizes(distinct=3, singletons=2, squares=6, smallest=1, largest=2)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([], SubsetSizes(0, 0, 0, None, 0)),
        ([1, 4, 1], SubsetSizes(3, 2, 18, 1, 4)),
        ([2], SubsetSizes(1, 0, 4, 2, 2)),
    ],
)
def test_sizes_of_groups_are_summed_up(sizes: list[int], expected: SubsetSizes) -> None:
    assert SubsetSizes.of(np.array(sizes, np.uint8)) == expected


def test_the_squares_of_sizes_in_few_bytes_do_not_overflow() -> None:
    assert SubsetSizes.of(np.array([200, 200], np.uint8)).squares == 80_000


def test_groups_of_two_places_are_added_up() -> None:
    assert SubsetSizes.of(np.array([3, 5])) + SubsetSizes.make_single_sizes(2) == SubsetSizes.of(np.array([3, 5, 1, 1]))
    assert SubsetSizes.of(np.array([3, 5])) + SubsetSizes() == SubsetSizes.of(np.array([3, 5]))
    assert SubsetSizes.make_single_sizes(0) == SubsetSizes()
