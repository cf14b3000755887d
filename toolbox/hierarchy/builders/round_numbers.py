"""The roundest number between two others."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction


def roundest(low: float, high: float) -> float:
    """Return a number above one and at most another with as few digits as can be.

    Parameters
    ----------
    low, high : float
        Different, the smaller first.

    Examples
    --------
    >>> roundest(17, 23), roundest(18.2, 18.9), roundest(-3, 4), roundest(31, 32)
    (20.0, 18.5, 0.0, 32.0)
    """
    if low < 0 <= high:
        return 0.0
    below, above = Fraction(repr(low)), Fraction(repr(high))
    exponent = Decimal(repr(high if abs(high) > abs(low) else low)).adjusted() + 1
    # The difference of two doubles has a digit at most some 1,100 places behind the point.
    while exponent > -400:
        for part in (1, 2, 5):
            step = Fraction(10) ** exponent / part
            found = above // step * step
            if found > below and low < float(found) <= high:
                return float(found) + 0.0
        exponent -= 1
    return high
