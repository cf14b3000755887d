"""The rows of a chart: a name and its amounts; a long tail goes together, and many numbers go into bins."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

from toolbox.charts.scale import round_step, written

Row: TypeAlias = "tuple[str | float | None, *tuple[float, ...]]"
"""A name, None where it is missing, and one amount or more: ``("Graz", 12)``, or ``("Graz", 10, 2)`` safe, at risk."""

_MOST_NUMBERS = 60
_BINS = 20


def named(name: str | float | None) -> str:
    """Return what a chart calls a row.

    Examples
    --------
    >>> named("Graz"), named(17.0), named(None)
    ('Graz', '17', 'missing')
    """
    if name is None:
        return "missing"
    return name if isinstance(name, str) else written(name)


def with_others(rows: Iterable[Row], most: int = 12) -> list[Row]:
    """Return the largest rows, the largest first, and the sum of all others as the last.

    Examples
    --------
    >>> with_others([("a", 1), ("b", 5), ("c", 2), ("d", 1)], most=3)
    [('b', 5), ('c', 2), ('others (2)', 2)]
    """
    ordered = sorted(rows, key=lambda row: -sum(row[1:]))
    if len(ordered) <= most:
        return ordered
    return [*ordered[: most - 1], _sum(f"others ({len(ordered) - most + 1:,})", ordered[most - 1 :])]


def in_bins(rows: Iterable[Row], most: int = _MOST_NUMBERS, bins: int = _BINS) -> list[Row]:
    """Return rows named by numbers in their order, or in bins of round width if there are many.

    Names that are no numbers, such as that of a missing value, stay rows of their own behind them.

    Examples
    --------
    >>> in_bins([(age, 1) for age in range(0, 100)], bins=5)
    [('0 to 19', 20), ('20 to 39', 20), ('40 to 59', 20), ('60 to 79', 20), ('80 to 99', 20)]
    >>> in_bins([("2", 1), ("1", 3), (None, 4)])
    [('1', 3), ('2', 1), (None, 4)]
    """
    numbers: list[tuple[float, Row]] = []
    others: list[Row] = []
    for row in rows:
        number = _number(row[0])
        others.append(row) if number is None else numbers.append((number, row))
    numbers.sort(key=lambda pair: pair[0])
    if len(numbers) <= most:
        return [row for _, row in numbers] + others
    whole = all(number.is_integer() for number, _ in numbers)
    edges = bin_edges(numbers[0][0], numbers[-1][0], whole=whole, bins=bins)
    held: list[list[Row]] = [[] for _ in edges[1:]]
    for number, row in numbers:
        held[min(int((number - edges[0]) / (edges[1] - edges[0]) + 1e-9), len(held) - 1)].append(row)
    nothing: list[float] = [0] * (len(numbers[0][1]) - 1)
    filled: list[Row] = []
    for name, part in zip(bin_names(edges, whole=whole), held, strict=True):
        filled.append(_sum(name, part) if part else (name, *nothing))
    return filled + others


def bin_edges(low: float, high: float, *, whole: bool, bins: int = _BINS) -> list[float]:
    """Return the edges of bins of round width that hold all numbers from low to high; the last edge is above high.

    Examples
    --------
    >>> bin_edges(17, 90, whole=True, bins=10)
    [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0]
    """
    step = round_step((high - low) / bins) if high > low else 1.0
    step = max(step, 1.0) if whole else step
    first, last = math.floor(low / step + 1e-9), math.floor(high / step + 1e-9) + 1
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]


def bin_names(edges: Sequence[float], *, whole: bool) -> list[str]:
    """Name the bins: whole numbers by the first and the last they hold, others by where they end.

    Examples
    --------
    >>> bin_names([10, 20, 30], whole=True), bin_names([0, 0.5, 1], whole=False)
    (['10 to 19', '20 to 29'], ['0 to below 0.5', '0.5 to below 1'])
    """
    if not whole:
        return [f"{written(low)} to below {written(high)}" for low, high in pairwise(edges)]
    return [f"{low:.0f}" if high - low == 1 else f"{low:.0f} to {high - 1:.0f}" for low, high in pairwise(edges)]


def _sum(name: str, rows: Sequence[Row]) -> Row:
    sums: list[float] = [sum(amounts) for amounts in zip(*(row[1:] for row in rows), strict=True)]
    return (name, *sums)


def _number(name: str | float | None) -> float | None:
    try:
        number = math.nan if name is None else float(name)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
