"""What each variant achieves and costs, and how they are ranked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from toolbox.methods.arrays.grouping import numbered
from toolbox.methods.arrays.types import Flags, Numbers, Whole
from toolbox.methods.singletons.columns import Rows
from toolbox.methods.singletons.variants import Variant


@dataclass(frozen=True, kw_only=True)
class VariantFigures:
    """What one variant achieves and costs."""

    name: str
    columns: int
    """How many are generalised."""
    below_k: int
    """Records that share what is shown of them with fewer than k - 1 others; with k = 2 the singletons."""
    share: float
    """The same, as a share of all records."""
    modified: int
    """Records of which any value is shown otherwise."""
    distinct: int
    distinct_ratio: float
    separation_ratio: float
    smallest_class: int
    covers: bool
    """Whether what is shown covers what it stands for. Centroids do not, and so cannot be released and proved."""


def applied(rows: Rows, variant: Variant, k: int) -> list[Whole]:
    """Return the choice for each column (axis 0) in each row: 0 for the value as it is, else 1 + the generalisation."""
    choice: list[Whole] = [np.zeros(len(rows.sizes), np.int16) for _ in rows.columns]
    for step in variant.steps:
        is_local = any(change.scope == "local" for change in step)
        stands_out = standing_out(rows, choice, k) if is_local else None
        for change in step:
            reached = stands_out if change.scope == "local" else slice(None)
            choice[change.column][reached] = change.generalisation + 1
    return choice


def standing_out(rows: Rows, choice: Sequence[Whole], k: int) -> Flags:
    """Mark the rows that are in a class of fewer than k records."""
    sizes, of_row = classes(rows, choice)
    stands_out: Flags = sizes[of_row] < k
    return stands_out


def classes(rows: Rows, choice: Sequence[Whole]) -> tuple[Numbers, Whole]:
    """Return the records of each class, as a reader tells them apart, and the class of each row."""
    of_row, _ = numbered(shown_codes(rows, choice))
    return np.bincount(of_row, rows.sizes).astype(np.int64), of_row


def shown_codes(rows: Rows, choice: Sequence[Whole]) -> Iterator[Whole]:
    """Yield the codes of the shown texts, column by column: all at once would take more memory than the rows."""
    return (column.codes[how, values] for column, values, how in zip(rows.columns, rows.values, choice, strict=True))


def figures(rows: Rows, variant: Variant, k: int) -> VariantFigures:
    """Measure one variant."""
    choice = applied(rows, variant, k)
    sizes, _ = classes(rows, choice)
    modified = np.zeros(len(rows.sizes), np.bool_)
    for column, values, shown in zip(rows.columns, rows.values, shown_codes(rows, choice), strict=True):
        modified |= column.codes[0][values] != shown
    records, below = rows.records, int(sizes[sizes < k].sum())
    pairs = records * (records - 1)
    uses = [rows.columns[change.column].generalisations[change.generalisation] for change in variant.changes]
    return VariantFigures(
        name=variant.name(rows.columns),
        columns=len(uses),
        below_k=below,
        share=below / records,
        modified=int(rows.sizes[modified].sum()),
        distinct=len(sizes),
        distinct_ratio=len(sizes) / records,
        separation_ratio=1 - (int(np.dot(sizes, sizes)) - records) / pairs if pairs else 1.0,
        smallest_class=int(sizes.min()),
        covers=all(use.covers for use in uses),
    )


def rank(variant: VariantFigures) -> tuple[int, ...]:
    """Return a sort key of variants: fewest below k, fewest modified, most classes, fewest columns generalised."""
    return variant.below_k, variant.modified, -variant.distinct, variant.columns
