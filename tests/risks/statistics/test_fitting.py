"""The multisets that fit a class, as exactly as its figures are told."""

from __future__ import annotations

import numpy as np

from toolbox.risks.statistics.fitting import Told, ValueGrid, Windows, count_fitting_multisets


def fit(size: int, low: int, high: int, mean: float, variance: float, half: float = 0.0, **named: bool) -> list[object]:
    told = Told(
        np.array([size]),
        *(np.array([float(number)]) for number in (low, high, mean, variance)),
        mean_half=half,
        variance_half=np.array([half]),
    )
    found = count_fitting_multisets(
        ValueGrid(1.0), told, Windows(np.array([low]), np.array([high]), np.array([True])), **named
    )
    return [found.ways.tolist(), found.is_decided.tolist()]


def test_figures_leave_none_one_or_several_multisets() -> None:
    """0, 3, 3 and 1, 1, 4 have the mean 2 and the variance 2; without 0 one is left, and 2, 2, 2 has another variance."""
    assert fit(3, 20, 24, 22, 2) == [[2], [True]]
    assert fit(3, 21, 24, 22, 2) == [[1], [True]]
    assert fit(3, 22, 24, 22, 2) == [[0], [True]]


def test_figures_that_are_rounded_leave_more() -> None:
    """Of two numbers 1, 3 have the mean 2 and the variance 1; 1, 2 and 2, 3 are not far away."""
    assert fit(2, 0, 9, 2, 1) == [[1], [True]]
    assert fit(2, 0, 9, 2, 1, half=0.75) == [[2], [True]]


def test_ends_that_are_known_take_part_in_the_sums() -> None:
    """Between 0 and 4 the third is 2; 1 and 3 would be another two."""
    assert fit(3, 0, 4, 2, 8 / 3, with_ends=True) == [[1], [True]]
    assert fit(3, 0, 4, 2, 2 / 3, with_ends=True) == [[0], [True]]


def test_figures_that_no_class_can_have_fit_nothing_and_overflow_nowhere() -> None:
    with np.errstate(all="raise"):
        for mean, variance in ((1e11, 1), (-1e11, 1), (5, 1e23), (9e11, 1e23)):
            for high in (3, 10):
                assert fit(3, 0, high, mean, variance) == [[0], [True]], (mean, variance, high)


def test_a_class_without_room_fits_nothing_and_one_that_is_too_large_is_not_decided() -> None:
    assert fit(2, 5, 4, 4.5, 0.25) == [[0], [True]]
    assert fit(2, 0, 1000, 4.5, 0.25) == [[0], [False]]


def test_of_very_coarse_figures_only_the_middle_is_tried_which_is_enough_to_find_several() -> None:
    assert fit(5, 0, 20, 10, 30, half=8) == [[2], [True]]
