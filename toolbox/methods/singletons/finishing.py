"""Finishing: the records that still stand out are generalised further, until each class has k records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from toolbox.methods.arrays.types import Flags, Whole
from toolbox.methods.singletons.columns import Rows
from toolbox.methods.singletons.comparing import classes, standing_out


def generalised_further(rows: Rows, choice: Sequence[Whole], k: int) -> list[Whole]:
    """Generalise the rows that stand out, and no others if possible, until nobody stands out.

    Again and again one column of these rows is generalised, the one that leaves fewest records standing out, and of
    equals the one that leaves most classes. Where none helps, what is left goes to the roots; if it is fewer than k
    records even together, the smallest other class joins them.

    Parameters
    ----------
    choice : sequence of array
        What becomes of the values of each column; see `applied`.
    """
    choice = list(choice)
    out = standing_out(rows, choice, k)
    while out.any():
        further = _best_step(rows, choice, out, k)
        if further is None:
            return _at_roots(rows, choice, out, k)
        choice = further
        out = standing_out(rows, choice, k)
    return choice


def _best_step(rows: Rows, choice: Sequence[Whole], out: Flags, k: int) -> list[Whole] | None:
    """Generalise one column of the rows that stand out; None if no column helps."""
    best, least = None, (int(rows.sizes[out].sum()), 0)
    for index, column in enumerate(rows.columns):
        for position, generalisation in enumerate(column.generalisations):
            if not generalisation.covers:
                continue
            tried = list(choice)
            tried[index] = np.where(out, position + 1, choice[index]).astype(np.int16)
            sizes, _ = classes(rows, tried)
            achieved = int(sizes[sizes < k].sum()), -len(sizes)
            if achieved[0] < least[0] or (best is not None and achieved < least):
                best, least = tried, achieved
    return best


def _at_roots(rows: Rows, choice: Sequence[Whole], out: Flags, k: int) -> list[Whole]:
    """Generalise rows to the roots, and with them the smallest classes until they are k records."""
    choice = _rooted(rows, choice, out)
    while True:
        sizes, of_row = classes(rows, choice)
        small = sizes < k
        if not small.any():
            return choice
        large = np.flatnonzero(~small)
        # Classes are numbered in the order of what they show, so that ties do not hang on the order of the records.
        joining = large[np.argmin(sizes[large])]
        choice = _rooted(rows, choice, small[of_row] | (of_row == joining))


def _rooted(rows: Rows, choice: Sequence[Whole], chosen: Flags) -> list[Whole]:
    roots = [
        [generalisation.rule for generalisation in column.generalisations].index("any") + 1 for column in rows.columns
    ]
    return [np.where(chosen, root, how).astype(np.int16) for how, root in zip(choice, roots, strict=True)]
