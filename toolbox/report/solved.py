"""Notes on classes whose values follow from their statistics."""

from __future__ import annotations

from collections.abc import Iterable

from toolbox.risks.solved import Solved


def solved_notes(columns: Iterable[Solved], k: int) -> tuple[str, ...]:
    """Return a note for each column with classes whose values follow from their statistics."""
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
