"""Bins of equal width with round ends, for a histogram of numbers."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

_ROUND = (1, 2, 5)
_SHORT = (Fraction(1, 10**6), 10**15)
"""Numbers between these are written without an exponent."""


class RoundBin(NamedTuple):
    """One bin."""

    low: float
    """Its smallest number."""
    high: float
    """The first number beyond it."""
    label: str
    """Such as ``20 to 29``, or ``0.5 to below 1`` of numbers that are not whole."""


def round_bins(low: float, high: float, most: int, *, whole: bool) -> list[RoundBin]:
    """Cut a range of numbers into bins of one round width: 1, 2 or 5 times a power of ten.

    Parameters
    ----------
    low, high : float
        The smallest and the largest number.
    most : int, >= 1
        Bins that there may be; of numbers far from 0 that straddle a round one, one more.
    whole : bool
        Whether all numbers are whole; then bins are at least 1 wide.

    Examples
    --------
    >>> [each.label for each in round_bins(17, 90, 10, whole=True)][:2]
    ['10 to 19', '20 to 29']
    >>> [each.label for each in round_bins(0.2, 0.95, 2, whole=False)]
    ['0 to below 0.5', '0.5 to below 1']
    """
    first, last = Fraction(low), Fraction(high)
    width = _width(first, last, most, whole=whole)
    numbers = range(math.floor(first / width), math.floor(last / width) + 1)
    return [_bin(number * width, width, whole=whole) for number in numbers]


def _width(first: Fraction, last: Fraction, most: int, *, whole: bool) -> Fraction:
    """Return the smallest round width of which few enough bins hold all numbers."""
    if first == last:
        return Fraction(1)
    exponent = math.floor(math.log10(last - first)) - len(str(most)) - 1
    exponent = max(0, exponent) if whole else exponent
    while True:
        for digit in _ROUND:
            width = digit * Fraction(10) ** exponent
            if math.floor(last / width) - math.floor(first / width) < most:
                return width
            if most == 1 and width > last - first:
                return width
        exponent += 1


def _bin(low: Fraction, width: Fraction, *, whole: bool) -> RoundBin:
    high = low + width
    if not whole:
        return RoundBin(float(low), float(high), f"{_written(low)} to below {_written(high)}")
    label = _written(low) if width == 1 else f"{_written(low)} to {_written(high - 1)}"
    return RoundBin(float(low), float(high), label)


def _written(number: Fraction) -> str:
    """Write a number that has few digits exactly, its thousands separated, unless it is very long."""
    if number and not _SHORT[0] <= abs(number) < _SHORT[1]:
        return f"{float(number):g}"
    exact = Decimal(number.numerator) / Decimal(number.denominator)
    return f"{int(exact):,}" if exact == exact.to_integral_value() else f"{exact:,f}".rstrip("0")
