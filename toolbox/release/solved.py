"""What is known of classes whose statistics give their values back."""

from __future__ import annotations

from typing import NamedTuple


class Solved(NamedTuple):
    """How many classes of one column give their values back."""

    column: str
    classes: int
    looked_at: int
    """Those that are small enough to try all multisets."""
    solved: int
    """Of these, those with only one multiset that fits interval, mean and variance, where several fit the interval."""
