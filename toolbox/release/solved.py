"""Classes whose values follow from their statistics."""

from __future__ import annotations

from typing import NamedTuple


class Solved(NamedTuple):
    """The number of classes whose values in one column follow from their statistics."""

    column: str
    classes: int
    looked_at: int
    """Those that are small enough to try all multisets."""
    solved: int
    """Of these, those with only one multiset that fits interval, mean and variance, where several fit the interval."""
