"""The comparison of variants, of all if that is affordable, and the election of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from toolbox.methods.singletons.columns import Rows
from toolbox.methods.singletons.comparing import VariantFigures, figures, rank
from toolbox.methods.singletons.variants import Change, Scope, Variant, all_variants, changes_of

_LOOKS = 50_000_000
_LEAST, _MOST = 100, 20_000
"""The fewest variants that are tried, and the most: between them, as many as look at `_LOOKS` rows in all."""


@dataclass(frozen=True)
class Compared:
    """A variant with its figures."""

    variant: Variant
    figures: VariantFigures


@dataclass(frozen=True)
class Comparison:
    """All variants that were tried."""

    ranked: tuple[Compared, ...]
    """In the order of the election."""
    unchanged: VariantFigures
    """The table as it is."""
    all_tried: bool


def compare(
    rows: Rows,
    k: int,
    scopes: Sequence[Scope],
    *,
    covering: bool = False,
    report: Callable[[str], None] = lambda message: None,
) -> Comparison:
    """Measure all variants. If they are too many, choose one change after the other, the best each time.

    Parameters
    ----------
    scopes : sequence of {'local', 'global'}
    covering : bool
        Whether to leave out those whose labels do not cover the values that they stand for.
    report : callable
        Is told how far the comparison is.
    """
    choices = [changes_of(index, column, scopes, covering=covering) for index, column in enumerate(rows.columns)]
    most = min(_MOST, max(_LEAST, _LOOKS // len(rows.sizes)))
    variants = list(islice(all_variants(choices), most + 1))
    all_tried = len(variants) <= most
    compared = _measured(rows, variants, k, report) if all_tried else _one_after_the_other(rows, choices, k, report)
    unchanged = compared[0].figures
    return Comparison(tuple(sorted(compared, key=lambda candidate: rank(candidate.figures))), unchanged, all_tried)


def _measured(rows: Rows, variants: Sequence[Variant], k: int, report: Callable[[str], None]) -> list[Compared]:
    measured = []
    for index, variant in enumerate(variants, start=1):
        report(f"variant {index:,} of {len(variants):,}")
        measured.append(Compared(variant, figures(rows, variant, k)))
    return measured


def _one_after_the_other(
    rows: Rows, choices: Sequence[Sequence[Change]], k: int, report: Callable[[str], None]
) -> list[Compared]:
    compared = _measured(rows, [Variant()], k, report)
    best, left = compared[0], set(range(len(choices)))
    while left and best.figures.below_k:
        further = [Variant((*best.variant.steps, (change,))) for column in sorted(left) for change in choices[column]]
        tried = _measured(rows, further, k, report)
        compared += tried
        better = min(tried, key=lambda candidate: rank(candidate.figures), default=best)
        if better.figures.below_k >= best.figures.below_k:
            break
        best = better
        left -= {change.column for change in best.variant.changes}
    return compared
