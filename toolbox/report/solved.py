"""Classes whose values follow from their statistics, and advice on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toolbox.report.advice.advice import Advice


class SolvedResult(NamedTuple):
    """How many classes of one released column give their values back."""

    column: str
    classes: int
    looked_at: int
    """Those that are small enough to try all multisets."""
    solved: int
    """Of these, those with only one multiset that fits interval, mean and variance, where several fit the interval."""


def on_statistics(columns: Iterable[SolvedResult], k: int) -> Iterator[Advice]:
    """Advise on classes whose values follow from their statistics."""
    for column in columns:
        if not column.solved:
            continue
        larger = column.classes - column.looked_at
        untried = f" {larger:,} larger classes were not tried." if larger else ""
        yield Advice(
            finding=f"The statistics of {column.column} give values back: in {column.solved:,} of {column.looked_at:,} "
            f"classes only one multiset of values fits the interval, the mean and the variance.{untried}",
            severity="high",
            remedy=f"statistics='rounded' leaves at least {k}.",
        )
