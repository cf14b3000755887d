"""Statistics of classes so coarse that several multisets of values have them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolbox.release.class_values import ClassValues

_FEWEST = 5
"""Records of the smallest class with three values between its ends."""
_REACH = 6
"""Steps by which each of the three is moved to find other multisets."""
_FINEST, _COARSEST = -3, 12
"""Widths of a rounded mean that are tried, in steps, as powers of two."""
_MOST_BLANK = 0.1
_AT_ONCE = 2_000


class Rounded(NamedTuple):
    """The statistics of each class; NaN where too few multisets have them."""

    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    width: float
    """Of the mean, in steps of the values. That of the variance is as many times half the width of a class."""


def rounded(values: ClassValues, k: int) -> Rounded:
    """Round mean and variance of all classes to one width, with which at least k multisets have those of a class.

    The width is the finest with which nine tenths of the classes have that many; the other classes are left blank. It
    is one for all classes, since a width that was chosen for each would itself tell something about it. Other multisets
    are found by moving three values of a class, so that there are at least as many as are counted.
    """
    usable = np.flatnonzero(values.records >= _FEWEST)
    best: tuple[float, NDArray[np.bool_]] | None = None
    for power in range(_FINEST, _COARSEST + 1):
        fits = np.zeros(len(values.records), bool)
        for start in range(0, len(usable), _AT_ONCE):
            some = usable[start : start + _AT_ONCE]
            fits[some] = _others(values, some, 2.0**power) >= k
        if best is None or fits.sum() > best[1].sum():
            best = 2.0**power, fits
        if fits.sum() >= (1 - _MOST_BLANK) * len(fits):
            break
    assert best is not None, "some width is tried"
    width, fits = best
    mean, variance = _cells(values.records, values.total, values.squares, values.width, width)
    shown = np.where(fits, mean, np.nan), np.where(fits, variance, np.nan)
    return Rounded(
        mean=values.low + values.step * width * shown[0],
        variance=values.step**2 * width * _spread(values.width) * shown[1],
        width=width,
    )


def _spread(width: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how much more the variance changes than the mean when one value changes."""
    return np.maximum(1.0, width / 2)


def _cells(
    records: NDArray[np.int64],
    total: NDArray[np.int64],
    squares: NDArray[np.int64],
    width: NDArray[np.int64],
    step: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Round mean and variance, and number the results."""
    mean = total / records
    variance = np.maximum(0.0, squares / records - mean * mean)
    return np.rint(mean / step), np.rint(variance / (step * _spread(width)))


def _others(values: ClassValues, some: NDArray[np.int64], step: float) -> NDArray[np.int64]:
    """Count multisets with the rounded statistics of a class, its own among them, that differ in three values."""
    reach = np.arange(-_REACH, _REACH + 1)
    moves = np.stack(np.meshgrid(reach, reach, reach, indexing="ij"), axis=-1).reshape(-1, 3)
    width, inner = values.width[some, None], values.inner[some, None, :]
    moved = inner + moves[None, :, :]
    # In their order each multiset is counted once.
    is_one = (np.diff(moved, axis=2) >= 0).all(axis=2) & (moved[..., 0] >= 0) & (moved[..., 2] <= width)
    records, total, squares = values.records[some, None], values.total[some, None], values.squares[some, None]
    shifted = (total + moves.sum(axis=1)[None, :], squares + (moved**2 - inner**2).sum(axis=2))
    own = _cells(records, total, squares, width, step)
    cells = _cells(records, *shifted, width, step)
    counts: NDArray[np.int64] = (is_one & (cells[0] == own[0]) & (cells[1] == own[1])).sum(axis=1)
    return counts
