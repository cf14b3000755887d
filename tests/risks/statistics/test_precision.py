"""How exactly figures are told."""

from __future__ import annotations

import numpy as np

from toolbox.risks.statistics.solving import FigurePrecision, Moments, PublishedFigures, _find_precision

LOW, HIGH = np.full(9, 20.0), np.full(9, 30.0)
MEANS = 20 + np.arange(1, 10) * 0.5
"""Multiples of a half; so rounded variances are multiples of 2.5, a half times half the width."""


def found(
    variances: list[float], *, digits: int = 1, means_digits: int = 1, shows_ends: bool = True
) -> FigurePrecision:
    told = Moments(PublishedFigures(MEANS, means_digits), PublishedFigures(np.array(variances), digits))
    return _find_precision(told, LOW, HIGH, step=1.0, shows_ends=shows_ends)


def test_means_of_steps_are_up_to_half_a_step_off_and_variances_as_much_times_half_the_width() -> None:
    exactly = found([2.5, 5, 7.5, 10, 2.5, 5, 0, 5, 5])
    assert (exactly.mean, exactly.is_stepped) == (0.25, True)
    assert exactly.variance.tolist() == [1.25] * 9


def test_variances_that_are_no_multiples_are_exact_where_the_width_is_known() -> None:
    assert found([2.25] * 9).variance.tolist() == [0.05] * 9
    assert found([2.25] * 9, shows_ends=False).variance.tolist() == [1.25] * 9
    assert found([2.25] * 9, shows_ends=False, digits=15).variance.tolist() == [0] * 9


def test_whole_numbers_without_a_point_are_printed_so() -> None:
    exactly = found([2.0] * 9, digits=0, means_digits=0)
    assert (exactly.mean, exactly.variance.tolist(), exactly.is_stepped) == (0.5, [0.5] * 9, False)


def test_few_figures_tell_of_no_step() -> None:
    told = Moments(PublishedFigures(MEANS[:3], 1), PublishedFigures(np.full(3, 2.5), 1))
    assert _find_precision(told, LOW[:3], HIGH[:3], step=1.0, shows_ends=True).mean == 0.05


def test_what_has_no_ends_is_not_much_wider_than_its_deviation() -> None:
    low, high = LOW.copy(), HIGH.copy()
    low[0], high[0] = -np.inf, np.inf
    variances = np.array([25.0, *[2.5] * 8])
    exactly = _find_precision(
        Moments(PublishedFigures(MEANS, 1), PublishedFigures(variances, 1)), low, high, step=1.0, shows_ends=False
    )
    # Four times 5 is as wide as 20, and half of that times a half, and half of it, is 2.5.
    assert exactly.variance.tolist() == [2.5] + [1.25] * 8
