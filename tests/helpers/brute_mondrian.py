"""Mondrian as a short program over plain lists, one partition after the other: what the toolbox must agree with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Literal

Row = Sequence[float]
Classes = set[frozenset[int]]
Allowable = Callable[[Sequence[int], Sequence[int]], bool]
"""Whether a cut into two sides, given by their row numbers, may be made."""


@dataclass(frozen=True)
class Rule:
    k: int
    dimension: str
    cut: str
    median_at: str
    allowable: Allowable

    def width(self, values: Sequence[float]) -> Fraction:
        """Measure how wide ascending values lie apart, or how many they are."""
        return Fraction(len(values)) if self.dimension == "distinct" else Fraction(values[-1]) - Fraction(values[0])


@dataclass(frozen=True)
class Cut:
    """Values up to ``highest_left`` of one dimension go to the left."""

    width: Fraction
    dimension: int
    highest_left: float


def mondrian(
    rows: Sequence[Row],
    k: int,
    *,
    dimension: Literal["range", "distinct"] = "range",
    cut: Literal["fallback", "classic"] = "fallback",
    median_at: Literal["n/2", "n//2"] = "n/2",
    allowable: Allowable = lambda _left, _right: True,
) -> Classes:
    """Partition records; categories are given by their codes. Return each class as the set of its row numbers.

    ``median_at`` is how many of n records must lie up to the median, at least; others round an odd half down. A cut
    leaves at least k records on both sides, and is ``allowable`` besides.
    """
    rule = Rule(k, dimension, cut, median_at, allowable)
    whole = [rule.width(sorted(set(column))) for column in zip(*rows, strict=True)]
    classes: Classes = set()
    waiting = [list(range(len(rows)))]
    while waiting:
        part = waiting.pop()
        cuts = [
            found
            for number, width in enumerate(whole)
            if (found := _cut(rule, part, [rows[one][number] for one in part], number, width))
        ]
        if not cuts:
            classes.add(frozenset(part))
            continue
        best = max(cuts, key=lambda one: (one.width, -one.dimension))
        waiting.append([one for one in part if rows[one][best.dimension] <= best.highest_left])
        waiting.append([one for one in part if rows[one][best.dimension] > best.highest_left])
    return classes


def _cut(rule: Rule, part: Sequence[int], column: Sequence[float], number: int, whole: Fraction) -> Cut | None:
    """Cut at the median, the first value with half of the records up to it; or, if that fails, just below it."""
    counts = Counter(column)
    values = sorted(counts)
    if len(values) == 1:
        return None
    up_to = dict(zip(values, accumulate(counts[value] for value in values), strict=True))
    half = Fraction(len(column), 2) if rule.median_at == "n/2" else len(column) // 2
    median = next(value for value in values if up_to[value] >= half)
    below = {above: under for under, above in pairwise(values)}
    candidates = [median] if rule.cut == "classic" or median not in below else [median, below[median]]
    for highest_left in candidates:
        if min(up_to[highest_left], len(column) - up_to[highest_left]) < rule.k:
            continue
        left = [one for one, value in zip(part, column, strict=True) if value <= highest_left]
        right = [one for one, value in zip(part, column, strict=True) if value > highest_left]
        if rule.allowable(left, right):
            return Cut(rule.width(values) / whole, number, highest_left)
    return None
