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


def hierarchical_distance(values: Values, column: Values, hierarchy: Sequence[Sequence[Any]]) -> Fraction:
    """Measure the earth mover's distance over a hierarchy, node by node as Li et al. (2007) write it.

    A row of the hierarchy is a value with its labels, the widest of which all have in common. What the children of a
    node have too much and too little is balanced below it, at the node's share of the height; the rest goes up.
    """
    inside, outside = Counter(values), Counter(column)
    height = len(hierarchy[0]) - 1
    # A node is told by its own label and all above.
    current = {tuple(row): _share(inside, row[0]) - _share(outside, row[0]) for row in hierarchy}
    cost = Fraction(0)
    for level in range(1, height + 1):
        above: dict[tuple[Any, ...], list[Fraction]] = {}
        for node, surplus in current.items():
            above.setdefault(node[1:], []).append(surplus)
        for surpluses in above.values():
            too_much = sum((one for one in surpluses if one > 0), Fraction(0))
            too_little = -sum((one for one in surpluses if one < 0), Fraction(0))
            cost += Fraction(level, height) * min(too_much, too_little)
        current = {node: sum(surpluses, Fraction(0)) for node, surpluses in above.items()}
    return cost


def _share(counts: Counter[Any], value: Any) -> Fraction:
    return Fraction(counts[value], sum(counts.values()))


def largest_share(values: Values) -> Fraction:
    """Return the share of the most frequent value."""
    return Fraction(max(Counter(values).values()), len(values))


def ratios(values: Values, column: Values) -> dict[Any, Fraction]:
    """Divide the share of each value of the column in the class by that in the column."""
    inside, outside = Counter(values), Counter(column)
    return {one: _share(inside, one) / _share(outside, one) for one in outside}


def disclosure(values: Values, column: Values, *, ignored: bool = False) -> float:
    """Return the largest logarithm of these, whatever its sign; infinite if a value is absent and not ignored."""
    found = [ratio for ratio in ratios(values, column).values() if ratio or not ignored]
    return max(abs(math.log(ratio)) if ratio else math.inf for ratio in found)


def basic_gain(values: Values, column: Values) -> Fraction:
    """Return how much more frequent than in the column a value is in the class, at most, as a share of the former."""
    return max(ratios(values, column).values()) - 1


def enhanced_gain(values: Values, column: Values) -> Fraction | float:
    """Return the same, infinite if a value gains more than the negative logarithm of its share in the column."""
    outside = Counter(column)
    bounds = {one: -math.log(_share(outside, one)) for one in outside}
    too_much = any(ratio - 1 > bounds[one] + _TOLERANCE for one, ratio in ratios(values, column).items())
    return math.inf if too_much else basic_gain(values, column)


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


def alpha_k_anonymous(alpha: float, k: int) -> Judge:
    return lambda values: len(values) >= k and largest_share(values) <= written(alpha)


def p_sensitive(p: int, k: int) -> Judge:
    return lambda values: len(values) >= k and distinct_l(values) >= p


def discloses_less(delta: float, column: Values) -> Judge:
    return lambda values: disclosure(values, column) < delta


def basic_beta_like(beta: float, column: Values) -> Judge:
    return lambda values: basic_gain(values, column) <= written(beta)


def enhanced_beta_like(beta: float, column: Values) -> Judge:
    return lambda values: enhanced_gain(values, column) <= written(beta)
