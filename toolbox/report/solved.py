"""Notes on classes whose values follow from their statistics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class SolvedResult(NamedTuple):
    """How many classes of one released column give their values back."""

    column: str
    classes: int
    looked_at: int
    """Those that are small enough to try all multisets."""
    solved: int
    """Of these, those with only one multiset that fits interval, mean and variance, where several fit the interval."""


def solved_notes(columns: Iterable[SolvedResult], k: int) -> tuple[str, ...]:
    """Return a note for each column with classes whose statistics give their values back."""
    notes = []
    for column in columns:
        if not column.solved:
            continue
        larger = column.classes - column.looked_at
        untried = f" {larger:,} larger classes were not tried." if larger else ""
        notes.append(
            f"The statistics of {column.column} give values back: in {column.solved:,} of {column.looked_at:,} classes "
            f"only one multiset of values fits the interval, the mean and the variance.{untried} statistics='rounded' "
            f"leaves at least {k}."
        )
    return tuple(notes)
