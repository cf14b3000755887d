"""Statistics of classes as texts, ``mean:variance`` or ``p_0:p_1:..``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_NUMBER = r"^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$"
_EXACT = 13
"""Digits behind the point of figures that nobody rounded."""


class Figures(NamedTuple):
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

    mean: Figures
    variance: Figures


class Shares(NamedTuple):
    """The distribution of categories in each class."""

    digits: int
    """Most digits behind the point."""
    categories: NDArray[np.int64]
    """Those that the class has; 0 where a text is no distribution."""


def moments(texts: pa.Array, decimal: str = ".") -> Moments:
    """Read ``mean:variance``; the last colon divides them, as times have some.

    Examples
    --------
    >>> read = moments(pa.array(["27.5:2.25", "30:4", "2020-01-01:4"]))
    >>> read.mean, read.variance.digits
    (Figures(value=array([27.5, 30. ,  nan]), digits=1), 2)
    """
    parts = pc.split_pattern(texts, ":", max_splits=1, reverse=True)
    is_pair = pc.equal(pc.list_value_length(parts), 2)
    pairs = pc.if_else(is_pair, parts, pa.scalar(["", ""], parts.type))
    return Moments(*(_figures(pc.list_element(pairs, place), decimal) for place in (0, 1)))


def shares(texts: pa.Array) -> Shares:
    """Read ``p_0:p_1:..``.

    Examples
    --------
    >>> shares(pa.array(["0.25:0.75:0.0", "0:1:0"]))
    Shares(digits=2, categories=array([2, 1]))
    """
    parts = pc.split_pattern(texts, ":")
    figures = _figures(pc.list_flatten(parts), ".")
    parent = pc.list_parent_indices(parts).to_numpy()
    has_some = np.bincount(parent, figures.value > 0, len(texts)).astype(np.int64)
    is_read = np.bincount(parent, np.isnan(figures.value), len(texts)) == 0
    return Shares(figures.digits, np.where(is_read, has_some, 0))


def _figures(texts: Any, decimal: str) -> Figures:
    plain = pc.utf8_trim_whitespace(pc.replace_substring(texts, decimal, "."))
    known = pc.if_else(pc.match_substring_regex(plain, _NUMBER), plain, None)
    values = pc.cast(known, pa.float64()).to_numpy(zero_copy_only=False)
    # Figures with a power of ten have all the digits that there are.
    digits = pc.if_else(
        pc.match_substring(pc.ascii_lower(known), "e"),
        _EXACT,
        pc.utf8_length(pc.replace_substring_regex(known, r"^[^.]*\.?", "")),
    )
    return Figures(values, pc.max(digits).as_py() or 0)
