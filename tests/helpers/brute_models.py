"""Privacy models as short functions of lists of sensitive values: what the toolbox must agree with.

Counts and distances are exact fractions. Thresholds are taken as they are written, so that 0.2 means one fifth.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

Values = Sequence[Any]
"""The sensitive values of a class, or of the whole column; numbers where an order matters."""
Judge = Callable[[Values], bool]
"""Whether a class satisfies a model."""

_TOLERANCE = 1e-12


def written(number: float) -> Fraction:
    """Return the decimal fraction that a number is written as."""
    return Fraction(str(number))


def distinct_l(values: Values) -> int:
    """Count the different values."""
    return len(set(values))


def entropy(values: Values) -> float:
    """Measure the entropy of the shares in nats, 0 for a single value."""
    shares = [count / len(values) for count in Counter(values).values()]
    return math.fsum(-share * math.log(share) for share in shares)


def entropy_l(values: Values) -> float:
    """Return how many equally frequent values would have the entropy of these."""
    return math.exp(entropy(values))


def recursive_ratio(values: Values, l: float) -> Fraction | float:  # noqa: E741
    """Divide the largest count by the sum of the l-th largest and all smaller; infinite if there are fewer than l.

    A fractional l asks for at least as many values, but begins the sum at the whole number below. So the original
    does: it calls counts of 2, 1 and 1 recursively (2,2.5)-diverse, since 2 < 2 (1 + 1), though not (2,3)-diverse.
    """
    counts = sorted(Counter(values).values(), reverse=True)
    if len(counts) < written(l):
        return math.inf
    return Fraction(counts[0], sum(counts[max(1, math.floor(l)) - 1 :]))


def equal_distance(values: Values, column: Values) -> Fraction:
    """Measure the earth mover's distance where every move costs 1: half the sum of the differences of shares."""
    inside, outside = Counter(values), Counter(column)
    differences = (abs(Fraction(inside[one], len(values)) - Fraction(outside[one], len(column))) for one in outside)
    return sum(differences, Fraction(0)) / 2


def ordered_distance(values: Values, column: Values) -> Fraction:
    """Measure the earth mover's distance where a move to the neighbouring value costs 1 / (number of values - 1)."""
    inside, outside = Counter(values), Counter(column)
    ascending = sorted(outside)
    if len(ascending) == 1:
        return Fraction(0)
    ahead = accumulate(Fraction(inside[one], len(values)) - Fraction(outside[one], len(column)) for one in ascending)
    return sum((abs(moved) for moved in ahead), Fraction(0)) / (len(ascending) - 1)


def k_anonymous(k: int) -> Judge:
    return lambda values: len(values) >= k


def distinct_l_diverse(l: float) -> Judge:  # noqa: E741
    return lambda values: distinct_l(values) >= written(l)


def entropy_l_diverse(l: float) -> Judge:  # noqa: E741
    """Compare entropies with a relative tolerance: three equally frequent values satisfy l = 3, one satisfies l = 1."""
    least = math.log(l)
    return lambda values: entropy(values) >= least - _TOLERANCE * abs(least)


def recursively_diverse(c: float, l: float) -> Judge:  # noqa: E741
    return lambda values: recursive_ratio(values, l) < written(c)


def t_close(t: float, column: Values, distance: Callable[[Values, Values], Fraction]) -> Judge:
    return lambda values: distance(values, column) <= written(t)
