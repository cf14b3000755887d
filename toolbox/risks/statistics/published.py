"""Statistics of classes as texts, and how exactly they are told."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

# Statistics of classes as texts, ``mean:variance`` or ``p_0:p_1:..``.

Floats = NDArray[np.float64]

_NUMBER = r"^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$"
_EXACT = 13
"""Digits behind the point of figures that nobody rounded."""


class PublishedFigures(NamedTuple):
    """One statistic of each class."""

    value: Floats
    """NaN where a text is no number."""
    digits: int
    """Most digits behind the point."""

    @property
    def half(self) -> float:
        """Half of the last digit: how far from the truth a figure may be."""
        return float(0.5 * 10.0**-self.digits) if self.digits < _EXACT else 0.0


class Moments(NamedTuple):
    """Mean and variance of each class."""

    mean: PublishedFigures
    variance: PublishedFigures


class Shares(NamedTuple):
    """The distribution of categories in each class."""

    digits: int
    """Most digits behind the point."""
    categories: NDArray[np.int64]
    """Those that the class has; 0 where a text is no distribution."""


def parse_moments(texts: pa.Array, decimal: str = ".") -> Moments:
    """Read ``mean:variance``; the last colon divides them, as times have some.

    Examples
    --------
    >>> read = parse_moments(pa.array(["27.5:2.25", "30:4", "2020-01-01:4"]))
    >>> read.mean, read.variance.digits
    (PublishedFigures(value=array([27.5, 30. ,  nan]), digits=1), 2)
    """
    parts = pc.split_pattern(texts, ":", max_splits=1, reverse=True)
    is_pair = pc.equal(pc.list_value_length(parts), 2)
    pairs = pc.if_else(is_pair, parts, pa.scalar(["", ""], parts.type))
    return Moments(*(_parse_figures(pc.list_element(pairs, place), decimal) for place in (0, 1)))


def parse_shares(texts: pa.Array) -> Shares:
    """Read ``p_0:p_1:..``.

    Examples
    --------
    >>> parse_shares(pa.array(["0.25:0.75:0.0", "0:1:0"]))
    Shares(digits=2, categories=array([2, 1]))
    """
    parts = pc.split_pattern(texts, ":")
    figures = _parse_figures(pc.list_flatten(parts), ".")
    parent = pc.list_parent_indices(parts).to_numpy()
    has_some = np.bincount(parent, figures.value > 0, len(texts)).astype(np.int64)
    is_read = np.bincount(parent, np.isnan(figures.value), len(texts)) == 0
    return Shares(figures.digits, np.where(is_read, has_some, 0))


def _parse_figures(texts: Any, decimal: str) -> PublishedFigures:
    plain = pc.utf8_trim_whitespace(pc.replace_substring(texts, decimal, "."))
    known = pc.if_else(pc.match_substring_regex(plain, _NUMBER), plain, None)
    values = pc.cast(known, pa.float64()).to_numpy(zero_copy_only=False)
    # Figures with a power of ten have all the digits that there are.
    digits = pc.if_else(
        pc.match_substring(pc.ascii_lower(known), "e"),
        _EXACT,
        pc.utf8_length(pc.replace_substring_regex(known, r"^[^.]*\.?", "")),
    )
    return PublishedFigures(values, pc.max(digits).as_py() or 0)


# How exactly means and variances are told: up to half of the last digit, or of the step to which they are rounded.

_FEWEST_FIGURES = 8
"""Figures that are needed to tell by which step they are rounded."""
_FINEST_POWER = 20
"""Of a half, which steps are multiples of."""
_MOST_DIGITS = 6
"""Behind the point of variances that this toolbox has rounded."""
_WHOLE = 1e-4
"""How far from a whole number a quotient of figures with so many digits may be."""


class FigurePrecision(NamedTuple):
    """How far the true statistics of classes may be from those that are told."""

    mean: float
    variance: Floats
    """Of each class."""
    is_stepped: bool
    """Whether means are multiples of a step."""


def find_precision(told: Moments, low: Floats, high: Floats, *, step: float, shows_ends: bool) -> FigurePrecision:
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
    by = step * find_rounding_step((mean - np.where(has_ends, low, 0.0))[has_ends] / step)
    exact = np.full(len(mean), told.variance.half)
    if not by or not told.mean.digits:
        return FigurePrecision(told.mean.half, exact, is_stepped=False)
    # Without ends, a class is not much wider than some times the deviation of its values.
    width = np.where(has_ends, high - low, 4 * np.sqrt(variance)) / step
    apart = step * by * np.maximum(1.0, width / 2)
    multiples = (variance / apart)[has_ends]
    is_multiple = np.abs(multiples - np.rint(multiples)) < _WHOLE * np.maximum(1.0, multiples)
    is_rounded = is_multiple.all() if shows_ends else told.variance.digits <= _MOST_DIGITS
    return FigurePrecision(
        max(told.mean.half, by / 2), np.maximum(exact, apart / 2) if is_rounded else exact, is_stepped=True
    )


def find_rounding_step(figures: Floats) -> float:
    """Return the largest step of which all figures are multiples; 0 if they are too few, or not rounded so.

    Steps are powers of two, or multiples of such, as those to which this toolbox rounds.

    Examples
    --------
    >>> [find_rounding_step(each) for each in (np.arange(12) * 0.25, np.arange(12) / 7, np.array([30.0, 40.0]))]
    [0.25, 0.0, 0.0]
    """
    scaled = figures * 2.0**_FINEST_POWER
    if len(scaled) < _FEWEST_FIGURES or np.abs(scaled).max() > 2**52 or (scaled != np.rint(scaled)).any():
        return 0.0
    return float(np.gcd.reduce(scaled.astype(np.int64))) / 2.0**_FINEST_POWER
