"""Runs of rows: where each starts, its total, its positions, and its values in order."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from toolbox.methods.arrays.combinations import find_starts, is_first, list_run_positions, totals
from toolbox.methods.mondrian.partitions import _sort_runs


def test_runs_start_where_the_ones_before_end() -> None:
    assert find_starts(np.array([2, 3, 1])).tolist() == [0, 2, 5]
    assert find_starts(np.array([4])).tolist() == [0]


def test_small_numbers_are_added_up_in_eight_bytes() -> None:
    column = np.full(4, 30_000, np.int16)
    assert totals(column, np.array([0, 1])).tolist() == [30_000, 90_000]
    assert totals(np.array([True, True, False, True]), np.array([0, 2])).tolist() == [2, 1]


def test_positions_come_run_by_run() -> None:
    assert list_run_positions(np.array([7, 2]), np.array([2, 3])).tolist() == [7, 8, 2, 3, 4]


def test_a_value_is_first_where_it_differs_from_the_one_before() -> None:
    assert is_first(np.array([3, 3, 5, 8, 8])).tolist() == [True, False, True, True, False]
    assert is_first(np.array([], np.int64)).tolist() == []


@given(st.lists(st.lists(st.integers(0, 2**15 - 1), min_size=1, max_size=6), min_size=1, max_size=8))
def test_the_values_of_each_run_are_sorted_and_the_first_of_equals_marked(runs: list[list[int]]) -> None:
    given_values = np.array([value for run in runs for value in run], np.int16)
    values, first = _sort_runs(given_values, np.array([len(run) for run in runs]))
    assert values.tolist() == [value for run in runs for value in sorted(run)]
    distinct = [value for run in runs for value, _ in groupby(sorted(run))]
    assert values[first].tolist() == distinct
