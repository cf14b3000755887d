"""The bins of a histogram: small numbers one by one, larger ones together."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

_FIRST = (0, 1, 2, 3, 4, 5, 6, 10, 20, 50, 100, 1000)
"""First numbers of the rows; the last one has no end."""


class Bin(NamedTuple):
    """One row."""

    first: int
    """Its smallest number."""
    last: float
    """Its largest number; the last row has none."""
    name: str
    """Such as ``6 to 9``."""
    amount: int
    """How many there are with its numbers."""


def binned(counts: Iterable[tuple[int, int]]) -> list[Bin]:
    """Return the counts in bins, the smallest numbers first; empty bins are left out.

    Parameters
    ----------
    counts : iterable of (number, amount)

    Examples
    --------
    >>> [(row.name, row.amount) for row in binned([(1, 4), (7, 1), (9, 2), (5000, 3)])]
    [('1', 4), ('6 to 9', 3), ('1,000 or more', 3)]
    """
    amounts: dict[int, int] = {}
    for size, amount in counts:
        row = max(first for first in _FIRST if first <= size)
        amounts[row] = amounts.get(row, 0) + amount
    return [Bin(row, _last(row), _name(row), amounts[row]) for row in sorted(amounts)]


def _last(first: int) -> float:
    return math.inf if first == _FIRST[-1] else _FIRST[_FIRST.index(first) + 1] - 1


def _name(first: int) -> str:
    last = _last(first)
    if last == math.inf:
        return f"{first:,} or more"
    return f"{first}" if first == last else f"{first} to {last:,}"
