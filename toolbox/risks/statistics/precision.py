"""How exactly means and variances are told: up to half of the last digit, or of the step to which they are rounded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolbox.risks.statistics.published import Moments

Floats = NDArray[np.float64]

_FEWEST_FIGURES = 8
"""Figures that are needed to tell by which step they are rounded."""
_FINEST_POWER = 20
"""Of a half, which steps are multiples of."""
_MOST_DIGITS = 6
"""Behind the point of variances that this toolbox has rounded."""
_WHOLE = 1e-4
"""How far from a whole number a quotient of figures with so many digits may be."""


class Precision(NamedTuple):
    """How far the true statistics of classes may be from those that are told."""

    mean: float
    variance: Floats
    """Of each class."""
    is_stepped: bool
    """Whether means are multiples of a step."""


def precision(told: Moments, low: Floats, high: Floats, *, step: float, shows_ends: bool) -> Precision:
    """Find out how figures are rounded.

    Statistics that this toolbox rounds are multiples of a step: means, counted from the smallest value of the class,
    and variances, whose step is as many times wider as the class is. It writes them with a point.

    Parameters
    ----------
    told : Moments
    low, high : array of float
        Ends of each interval; infinite where nothing is said.
    step : float
        Of the values.
    shows_ends : bool
        Whether intervals may begin and end with values of their class, so that its width is known.
    """
    mean, variance = told.mean.value, told.variance.value
    has_ends = np.isfinite(low) & np.isfinite(high)
    by = step * rounded_to((mean - np.where(has_ends, low, 0.0))[has_ends] / step)
    exact = np.full(len(mean), told.variance.half)
    if not by or not told.mean.digits:
        return Precision(told.mean.half, exact, is_stepped=False)
    # Without ends, a class is not much wider than some times the deviation of its values.
    width = np.where(has_ends, high - low, 4 * np.sqrt(variance)) / step
    apart = step * by * np.maximum(1.0, width / 2)
    multiples = (variance / apart)[has_ends]
    is_multiple = np.abs(multiples - np.rint(multiples)) < _WHOLE * np.maximum(1.0, multiples)
    is_rounded = is_multiple.all() if shows_ends else told.variance.digits <= _MOST_DIGITS
    return Precision(
        max(told.mean.half, by / 2), np.maximum(exact, apart / 2) if is_rounded else exact, is_stepped=True
    )


def rounded_to(figures: Floats) -> float:
    """Return the largest step of which all figures are multiples; 0 if they are too few, or not rounded so.

    Steps are powers of two, or multiples of such, as those to which this toolbox rounds. Of 0 nothing can be told.

    Examples
    --------
    >>> rounded_to(np.arange(12) * 0.25), rounded_to(np.arange(12) / 7), rounded_to(np.array([30.0, 40.0]))
    (0.25, 0.0, 0.0)
    """
    scaled = figures[figures != 0] * 2.0**_FINEST_POWER
    if len(scaled) < _FEWEST_FIGURES or np.abs(scaled).max() > 2**52 or (scaled != np.rint(scaled)).any():
        return 0.0
    return float(np.gcd.reduce(scaled.astype(np.int64))) / 2.0**_FINEST_POWER
