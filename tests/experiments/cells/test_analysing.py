"""Regressions before and after, and how well a release is told from the original records, beside plain formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest

from toolbox.errors import UsageError
from toolbox.experiments.cells.analysing import Analysis, Block, _fit, _measure_propensity
from toolbox.experiments.cells.learning import require_learner

OVERLAP, WITHIN, VERDICT = (
    "interval overlap",
    "within interval",
    "same verdict",
)


def of_numbers(before: list[float], after: list[tuple[float, float]]) -> Analysis:
    """Return the analysis of one column of numbers: the values, and the ends of what is released of them."""
    return Analysis(np.array([[value, value] for value in before]), np.array(after, dtype=float), [Block(True, 2)])


def fit_line(numbers: list[float], outcome: list[float]) -> tuple[float, float]:
    """Return a slope and its standard error by the formulas of a textbook."""
    count, mean, middle = len(numbers), sum(numbers) / len(numbers), sum(outcome) / len(outcome)
    spread = sum((x - mean) ** 2 for x in numbers)
    slope = sum((x - mean) * (y - middle) for x, y in zip(numbers, outcome, strict=True)) / spread
    rest = sum((y - middle - slope * (x - mean)) ** 2 for x, y in zip(numbers, outcome, strict=True))
    return slope, math.sqrt(rest / (count - 2) / spread)


def test_a_release_that_changes_nothing_keeps_all_coefficients() -> None:
    analysis = of_numbers([1, 2, 3, 4, 5], [(value, value) for value in (1, 2, 3, 4, 5)])
    figures = {figure.name: figure.value for figure in analysis.compare_regressions(np.array([2.0, 3, 5, 4, 7]))}
    assert figures == {OVERLAP: pytest.approx(1.0), WITHIN: 1.0, VERDICT: 1.0}


def test_intervals_overlap_as_in_the_formula_of_karr_and_others() -> None:
    """The middles of the released intervals take the places of the numbers."""
    before, outcome = [1.0, 2, 3, 4, 6, 9], [2.0, 3, 5, 4, 7, 8]
    released = [(1.0, 3.0), (1, 3), (1, 3), (4, 9), (4, 9), (4, 9)]
    figures = {each.name: each.value for each in of_numbers(before, released).compare_regressions(np.array(outcome))}
    (slope, error), (later, later_error) = fit_line(before, outcome), fit_line([2, 2, 2, 6.5, 6.5, 6.5], outcome)
    low, high, later_low, later_high = (
        estimate + side * 1.959963984540054 * each
        for estimate, each in ((slope, error), (later, later_error))
        for side in (-1, 1)
    )
    common = min(high, later_high) - max(low, later_low)
    assert common > 0
    expected = (common / (high - low) + common / (later_high - later_low)) / 2
    assert figures[OVERLAP] == pytest.approx(expected)
    assert figures[WITHIN] == float(low <= later <= high)


def test_an_outcome_of_two_values_has_a_logistic_regression() -> None:
    """Of one indicator the coefficient is the logarithm of the ratio of odds, with the error that Woolf gave it."""
    counts = {(1, 1): 30, (1, 0): 10, (0, 1): 15, (0, 0): 45}
    rows = [key for key, count in counts.items() for _ in range(count)]
    before = np.array([[town, 1 - town] for town, _ in rows], dtype=float)
    after = before.copy()
    after[:20] = 1  # Either town.
    outcome = np.array([ill for _, ill in rows], dtype=float)
    same = Analysis(before, before, [Block(False, 2)])
    assert {each.name: each.value for each in same.compare_regressions(outcome)}[OVERLAP] == pytest.approx(1.0)
    figures = {
        each.name: each.value for each in Analysis(before, after, [Block(False, 2)]).compare_regressions(outcome)
    }
    assert 0 < figures[OVERLAP] < 1
    fitted = _fit(before[:, :1], outcome)
    assert fitted.estimates[0] == pytest.approx(math.log(30 * 45 / (10 * 15)), abs=1e-5)
    assert fitted.errors[0] == pytest.approx(math.sqrt(1 / 30 + 1 / 10 + 1 / 15 + 1 / 45), abs=1e-5)


def test_a_column_that_says_nothing_any_more_has_no_overlap() -> None:
    analysis = of_numbers([1, 2, 3, 4, 5], [(math.nan, math.nan)] * 5)
    figures = {figure.name: figure.value for figure in analysis.compare_regressions(np.array([2.0, 3, 5, 4, 7]))}
    assert figures == {OVERLAP: 0.0, WITHIN: 0.0, VERDICT: 0.0}


def test_without_a_column_that_varies_nothing_is_regressed() -> None:
    with pytest.raises(UsageError, match="A regression needs a column that varies"):
        list(of_numbers([3, 3, 3], [(3, 3)] * 3).compare_regressions(np.array([1.0, 2, 4])))


def test_equal_tables_are_not_told_apart() -> None:
    analysis = of_numbers([1, 2, 3, 4, 5], [(value, value) for value in (1, 2, 3, 4, 5)])
    figures = [(figure.name, figure.split) for figure in analysis.tell_apart(seed=1)]
    assert figures == [(name, split) for split in range(1, 6) for name in ("pMSE", "pMSE ratio")]
    assert [figure.value for figure in analysis.tell_apart(seed=1)] == pytest.approx([0.0] * 10, abs=1e-9)


@pytest.mark.slow
def test_chance_makes_the_ratio_one_for_a_table_that_is_drawn_from_the_original_and_two_for_another_sample() -> None:
    """Of Snoke and others: who draws from the original adds the chance of one table, another sample that of two."""
    rng = np.random.default_rng(7)
    drawn, other = [], []
    for _ in range(60):
        before = rng.normal(size=(150, 1))
        for found, after in ((drawn, rng.choice(before, 150)), (other, rng.normal(size=(150, 1)))):
            error, expected = _measure_propensity(before, after)
            assert expected == pytest.approx(1 * 0.25 * 0.5 / 300)
            found.append(error / expected)
    assert sum(drawn) / len(drawn) == pytest.approx(1.0, abs=0.3)
    assert sum(other) / len(other) == pytest.approx(2.0, abs=0.6)


def test_a_release_that_shifts_a_column_is_told_apart() -> None:
    """Each third record may have either value: too many have the rare one."""
    rare = np.array([[1.0, 0.0]] * 950 + [[0.0, 1.0]] * 50)
    after = rare.copy()
    after[::3] = 1
    figures = {figure.name: figure.value for figure in Analysis(rare, after, [Block(False, 2)]).tell_apart(seed=3)}
    share = (1000 / 3 / 2 + 50 * 2 / 3) / 1000
    # With one indicator the scores are the shares of the release among those who have it, and who have not.
    scores = {1: share / (share + 0.05), 0: (1 - share) / (1 - share + 0.95)}
    weights = {1: (share + 0.05) / 2, 0: (1 - share + 0.95) / 2}
    expected = sum(weights[each] * (scores[each] - 0.5) ** 2 for each in (0, 1))
    assert figures["pMSE"] == pytest.approx(expected, rel=0.25)
    assert figures["pMSE ratio"] == pytest.approx(figures["pMSE"] / (0.125 / 2000))


def test_a_plan_names_analyses_as_learners() -> None:
    require_learner("regression")
    require_learner("pMSE")
    with pytest.raises(UsageError, match="Did you mean 'pMSE'"):
        require_learner("pmse")
