"""What analysts make of a release: regressions beside those of the original, and how well both are told apart."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from toolbox.errors import UsageError
from toolbox.experiments.cells.rows import make_seed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.float64]

_Z: Final = 1.959963984540054
"""Standard errors from an estimate to the end of its confidence interval of 95 %."""
_DRAWS: Final = 5
"""Tables that are drawn from a release to tell it from the original records."""
_ESTIMABLE: Final = 1e-6
"""How far a coefficient may be from one that the columns determine."""


class AnalysisFigure(NamedTuple):
    """One figure of an analysis."""

    name: str
    split: int
    value: float
    unit: str
    direction: str
    seconds: float


class Block(NamedTuple):
    """The features of one quasi-identifier: the two ends of a number, or a column for each category."""

    is_number: bool
    width: int


@dataclass(frozen=True, eq=False)
class Analysis:
    """The features of the same records before and after, row by row.

    Parameters
    ----------
    original, released : array, n_records x n_features
        What is suppressed is NaN. The features behind those of the blocks are in no quasi-identifier.
    blocks : sequence of Block
    """

    original: Matrix
    released: Matrix
    blocks: Sequence[Block]

    def compare_regressions(self, outcome: Matrix) -> Iterator[AnalysisFigure]:
        """Yield how far the coefficients of a regression are those of the original records.

        It is logistic where the outcome is 0 and 1, and otherwise linear. A released number counts as the middle of
        its interval, and a set of categories as equal shares of its members.

        Parameters
        ----------
        outcome : array, n_records
        """
        began = perf_counter()
        before, after = (self._expect(matrix) for matrix in (self.original, self.released))
        known = np.isfinite(before).all(axis=1) & np.isfinite(after).all(axis=1)
        kept = np.ptp(before[known], axis=0) > 0
        kept &= ~self._find_references(before[known])
        center, scale = before[known][:, kept].mean(axis=0), before[known][:, kept].std(axis=0)
        fits = [_fit((matrix[known][:, kept] - center) / scale, outcome[known]) for matrix in (before, after)]
        seconds = perf_counter() - began
        for name, value in _compare_fits(*fits).items():
            yield AnalysisFigure(name, 1, value, "share", "higher", seconds)

    def tell_apart(self, seed: int) -> Iterator[AnalysisFigure]:
        """Yield the propensity score's mean squared error, and how many times what chance makes of it that is.

        Each released value is drawn among those that it stands for, several times. Chance is that of a table which
        is drawn from the original records (Snoke and others 2018); another sample of the same people has twice as much.
        """
        began = perf_counter()
        before = self._draw(self.original, np.random.default_rng(seed))
        for split in range(1, _DRAWS + 1):
            after = self._draw(self.released, np.random.default_rng(make_seed(seed, "draw", split)))
            known = np.isfinite(before).all(axis=1) & np.isfinite(after).all(axis=1)
            error, expected = _measure_propensity(before[known], after[known])
            seconds, began = perf_counter() - began, perf_counter()
            yield AnalysisFigure("pMSE", split, error, "squared share", "lower", seconds)
            yield AnalysisFigure("pMSE ratio", split, error / expected, "times chance", "lower", seconds)

    def _split(self, matrix: Matrix) -> Iterator[tuple[Block, Matrix, Matrix]]:
        """Yield the features of each block, with those of the original records."""
        first = 0
        for block in self.blocks:
            there = slice(first, first + block.width)
            yield block, matrix[:, there], self.original[:, there]
            first += block.width

    def _join(self, parts: Sequence[Matrix], matrix: Matrix) -> Matrix:
        passed = matrix[:, sum(block.width for block in self.blocks) :]
        return np.concatenate([*parts, passed], axis=1)

    def _expect(self, matrix: Matrix) -> Matrix:
        """Return a number for each column of numbers, and the share of each category."""
        parts = []
        for block, features, known in self._split(matrix):
            if block.is_number:
                ends = np.where(np.isnan(features), [np.nanmin(known), np.nanmax(known)], features)
                parts.append(ends.mean(axis=1, keepdims=True))
            else:
                members = np.where(np.isnan(features), 1.0, features)
                parts.append(members / np.maximum(members.sum(axis=1, keepdims=True), 1.0))
        return self._join(parts, matrix)

    def _draw(self, matrix: Matrix, rng: np.random.Generator) -> Matrix:
        """Draw a value for each cell, evenly among those that it stands for."""
        parts = []
        for block, features, known in self._split(matrix):
            chance = rng.random(len(features))
            if block.is_number:
                values = np.unique(known[np.isfinite(known)])
                low, high = np.where(np.isnan(features), [values[0], values[-1]], features).T
                first = np.searchsorted(values, low)
                count = np.maximum(np.searchsorted(values, high, side="right") - first, 1)
                drawn = values[np.minimum(first + (chance * count).astype(int), len(values) - 1)]
                parts.append(drawn[:, None])
            else:
                members = np.where(np.isnan(features), 1.0, features)
                sums = members.cumsum(axis=1)
                place = (sums <= (chance * sums[:, -1])[:, None]).sum(axis=1)
                parts.append((place[:, None] == np.arange(block.width)).astype(np.float64))
        return self._join(parts, matrix)

    def _find_references(self, before: Matrix) -> NDArray[np.bool_]:
        """Mark the most frequent category of each quasi-identifier, with which the others are compared."""
        marks, first = np.zeros(before.shape[1], dtype=bool), 0
        for block in self.blocks:
            width = 1 if block.is_number else block.width
            if not block.is_number:
                marks[first + int(before[:, first : first + width].sum(axis=0).argmax())] = True
            first += width
        return marks


class _Fit(NamedTuple):
    """The coefficients of a regression, without its constant."""

    estimates: Matrix
    errors: Matrix
    """Standard errors."""
    is_estimable: NDArray[np.bool_]
    """Whether the columns determine a coefficient, as those that do not vary do not."""


def _fit(features: Matrix, outcome: Matrix) -> _Fit:
    design = np.column_stack([np.ones(len(features)), features])
    if set(np.unique(outcome)) <= {0.0, 1.0}:
        chances = _find_chances(features, outcome)
        estimates = chances.estimates
        precision = design.T @ (design * (chances.fitted * (1 - chances.fitted))[:, None])
        covariance = np.linalg.pinv(precision, hermitian=True)
    else:
        precision = design.T @ design
        inverse = np.linalg.pinv(precision, hermitian=True)
        estimates = inverse @ (design.T @ outcome)
        free = max(len(outcome) - np.linalg.matrix_rank(design), 1)
        covariance = np.asarray(inverse * float(((outcome - design @ estimates) ** 2).sum() / free))
    determined = np.linalg.pinv(precision, hermitian=True) @ precision
    is_estimable = np.abs(determined - np.eye(len(precision))).max(axis=1) < _ESTIMABLE
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return _Fit(estimates[1:], errors[1:], is_estimable[1:])


class _Logistic(NamedTuple):
    estimates: Matrix
    """The constant first."""
    fitted: Matrix


def _find_chances(features: Matrix, outcome: Matrix) -> _Logistic:
    """Fit a logistic regression without a penalty."""
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    model = LogisticRegression(C=math.inf, solver="newton-cholesky", tol=1e-8, max_iter=100)
    with threadpool_limits(limits=1), warnings.catch_warnings(action="ignore"):
        model.fit(features, outcome.astype(int))
        fitted = model.predict_proba(features)[:, 1]
    return _Logistic(np.concatenate([model.intercept_, model.coef_[0]]), fitted)


def _compare_fits(before: _Fit, after: _Fit) -> dict[str, float]:
    """Compare coefficients, of those that the original records determine; what a release does not has no overlap."""
    asked = before.is_estimable & (before.errors > 0)
    if not asked.any():
        raise UsageError("A regression needs a column that varies, and is no copy of others.")
    both = (after.is_estimable & (after.errors > 0))[asked]
    low, high = (before.estimates + side * _Z * before.errors for side in (-1, 1))
    later_low, later_high = (after.estimates + side * _Z * after.errors for side in (-1, 1))
    common = np.maximum(np.minimum(high, later_high) - np.maximum(low, later_low), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        overlaps = (common / (high - low) + common / (later_high - later_low))[asked] / 2
    within = ((after.estimates >= low) & (after.estimates <= high))[asked]
    verdicts = [np.sign(fit.estimates) * (np.abs(fit.estimates) > _Z * fit.errors) for fit in (before, after)]
    return {
        "interval overlap": float(np.where(both, overlaps, 0.0).mean()),
        "within interval": float((within & both).mean()),
        "same verdict": float(((verdicts[0] == verdicts[1])[asked] & both).mean()),
    }


def _measure_propensity(before: Matrix, after: Matrix) -> tuple[float, float]:
    """Return the mean squared error of the propensity scores, and what chance makes of it for equal tables."""
    both = np.concatenate([before, after])
    varies = both.std(axis=0) > 0
    features = (both[:, varies] - both[:, varies].mean(axis=0)) / both[:, varies].std(axis=0)
    source = np.repeat([0.0, 1.0], [len(before), len(after)])
    share, coefficients = len(after) / len(both), int(np.linalg.matrix_rank(features))
    if not coefficients:
        raise UsageError("Nothing varies, so that nothing could tell the tables apart.")
    error = float(((_find_chances(features, source).fitted - share) ** 2).mean())
    return error, coefficients * (1 - share) ** 2 * share / len(both)
