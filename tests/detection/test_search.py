"""The search of all subsets of columns: by hand, and against a count of every subset."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from toolbox.detection.search import Coded, SubsetSearch, SubsetSizes

Row = tuple[int, ...]


def coded(rows: list[Row]) -> Coded:
    return Coded(tuple(np.array(column) for column in zip(*rows, strict=True)), (4,) * len(rows[0]), None)


def searched(every: list[Row], complete: list[Row] | None = None, most: int = 9) -> SubsetSearch:
    search = SubsetSearch(coded(every), coded(complete or every), most, lambda message: None)
    search.run()
    return search


def counted(rows: list[Row], columns: tuple[int, ...]) -> SubsetSizes:
    sizes = list(Counter(tuple(row[column] for column in columns) for row in rows).values())
    return SubsetSizes(len(sizes), sizes.count(1), sum(size * size for size in sizes), min(sizes), max(sizes))


def test_identifiers_are_minimal_and_what_contains_one_is_left_out() -> None:
    """The first two columns tell everybody apart, each alone does not; the last one tells nothing."""
    search = searched([(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0)])
    assert search.identifiers == [(0, 1)]
    assert list(search.sizes) == [(), (0,), (1,), (2,), (0, 2), (1, 2)]
    assert search.sizes[(0, 2)] == SubsetSizes(distinct=2, singletons=0, squares=8, smallest=2, largest=2)
    assert search.sizes[()] == SubsetSizes(distinct=1, singletons=0, squares=16, smallest=4, largest=4)


def test_subsets_are_no_larger_than_was_asked_for() -> None:
    assert list(searched([(0, 0, 0)] * 2, most=2).sizes) == [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]


def test_what_follows_from_smaller_subsets_is_not_counted() -> None:
    """The second column has one value: beside it, the first makes the groups that it makes alone."""
    search = searched([(0, 0), (0, 0), (1, 0), (1, 0)])
    assert search.counted == 2
    assert search.sizes[(0, 1)] == search.sizes[(0,)]


def test_an_identifier_is_unique_in_all_records_and_not_only_in_the_complete_ones() -> None:
    """Code 3 stands for a missing value: two records lack the first column, and are alike without the second."""
    everybody = [(0, 0), (1, 1), (3, 1), (3, 2)]
    search = searched(everybody, everybody[:2])
    assert search.identifiers == [(0, 1)]
    assert search.sizes[(0,)] == SubsetSizes.make_single_sizes(2)
    # Each column in the complete records and in all, both in all; that both tell the complete ones apart follows.
    assert search.counted == 5


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=2, max_size=14), st.integers(1, 4))
def test_it_finds_what_a_count_of_every_subset_finds(every: list[Row], most: int) -> None:
    """A record with code 3 anywhere is not complete."""
    complete = [row for row in every if 3 not in row]
    assume(complete)
    identifiers: list[tuple[int, ...]] = []
    sizes = {(): counted(complete, ())}
    for length in range(1, most + 1):
        for subset in combinations(range(4), length):
            if any(set(identifier) <= set(subset) for identifier in identifiers):
                continue
            if counted(every, subset).distinct == len(every):
                identifiers.append(subset)
            else:
                sizes[subset] = counted(complete, subset)
    search = searched(every, complete, most)
    assert search.identifiers == identifiers
    assert search.sizes == sizes
