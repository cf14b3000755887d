"""The grid of a column, and the part of it where the values of a class can be."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from toolbox.hierarchy.hierarchy import Interval
from toolbox.risks.statistics.fitting import Label, Told, ValueGrid, find_grid
from toolbox.risks.statistics.solving import _find_label_ends, _find_windows, _is_on_grid, _list_grids


def label(low: float, high: float, *, closed: bool = True) -> Label:
    return Label(Interval(low, high, closed, closed), is_node=False)


def told(mean: float, variance: float, *, size: int = 3, low: float = -inf, high: float = inf, half: float = 0) -> Told:
    arrays = (np.array([float(number)]) for number in (low, high, mean, variance))
    return Told(np.array([size]), *arrays, mean_half=half, variance_half=np.array([half]))


def test_the_ends_of_labels_are_on_the_grid() -> None:
    assert [grid.step for grid in _list_grids([label(20, 30), label(0, inf)])] == [1, 0.5, 0.25, 0.2, 0.1, 0.05, 0.01]
    assert [grid.step for grid in _list_grids([label(0.6, 30)])] == [0.2, 0.1, 0.05, 0.01]
    assert _list_grids([label(0.125, 30)]) == []


def test_known_values_have_the_largest_step_and_ends() -> None:
    assert find_grid(np.array([25.0, 10.0, 40.0])) == ValueGrid(15, 10, 10, 40)
    assert find_grid(np.array([0.5, 0.75])) == ValueGrid(0.25, 0.5, 0.5, 0.75)
    assert find_grid(np.array([7.0])) == ValueGrid(1, 7, 7, 7)
    assert find_grid(np.array([0.123])) is None


def test_sums_of_classes_are_on_the_grid() -> None:
    third = 22 + 1 / 3
    assert _is_on_grid(ValueGrid(1), told(third, 2))
    assert not _is_on_grid(ValueGrid(1), told(22.4, 2))
    assert _is_on_grid(ValueGrid(1), told(22.4, 2, half=0.1))
    assert _is_on_grid(ValueGrid(10, start=5), told(15, 2)) and not _is_on_grid(ValueGrid(10), told(15, 2))


def test_open_ends_are_no_values() -> None:
    shut, ajar = label(20, 30), label(20, 30, closed=False)
    for given, first, last in ((shut, 20, 30), (ajar, 21, 29)):
        low, high = _find_label_ends([given, None], ValueGrid(1))
        assert np.isnan([low[1], high[1]]).all()
        room = _find_windows(ValueGrid(1), told(25, 1000, low=low[0], high=high[0]))
        assert (room.low.tolist(), room.high.tolist(), room.is_wide.tolist()) == ([first], [last], [True])


def test_no_value_is_farther_away_than_mean_and_variance_allow() -> None:
    """Of 0, 0, 3 the largest is as far as can be: the deviation is the root of 2, and twice the variance has the root 2."""
    room = _find_windows(ValueGrid(1), told(1, 2))
    assert (room.low.tolist(), room.high.tolist()) == ([-1], [3])


def test_a_single_value_leaves_nothing_open() -> None:
    assert not _find_windows(ValueGrid(1), told(7, 0, low=7, high=7)).is_wide[0]


@pytest.mark.parametrize(("low", "high"), [(0, 100), (-50, 50)])
def test_a_grid_may_be_narrower_than_the_labels(low: float, high: float) -> None:
    found = _find_label_ends([label(low, high)], ValueGrid(1, 10, 10, 20))
    assert [end[0] for end in found] == [10, 20]


def test_an_end_beyond_all_values_is_the_last_of_them_even_where_the_interval_is_open() -> None:
    found = _find_label_ends([label(0, 100, closed=False), label(10, 20, closed=False)], ValueGrid(1, 10, 10, 20))
    assert [end[0] for end in found] == [10, 20]
    room = _find_windows(ValueGrid(1, 10, 10, 20), told(15, 10, low=found[0][1], high=found[1][1]))
    # In steps from 10: the interval that ends there does not hold its ends.
    assert (room.low.tolist(), room.high.tolist()) == ([1], [9])
