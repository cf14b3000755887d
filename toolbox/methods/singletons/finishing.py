"""What becomes of the records that still stand out: generalised further, until each class has k records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from toolbox.methods.arrays.types import Flags, Whole
from toolbox.methods.singletons.columns import Rows
from toolbox.methods.singletons.comparing import classes, standing_out


def generalised_further(rows: Rows, made: Sequence[Whole], k: int) -> list[Whole]:
    """Generalise the rows that stand out, and no others if possible, until nobody stands out.

    Again and again one column of these rows is generalised, the one that leaves fewest records standing out, and of
    equals the one that leaves most classes. Where none helps, what is left goes to the roots; if it is fewer than k
    records even together, the smallest other class joins them.

    Parameters
    ----------
    made : sequence of array
        What becomes of the values of each column; see `applied`.
    """
    made = list(made)
    out = standing_out(rows, made, k)
    while out.any():
        made_further = _best_step(rows, made, out, k)
        if made_further is None:
            return _at_roots(rows, made, out, k)
        made = made_further
        out = standing_out(rows, made, k)
    return made


def _best_step(rows: Rows, made: Sequence[Whole], out: Flags, k: int) -> list[Whole] | None:
    """Generalise one column of the rows that stand out; None if no column helps."""
    found, least = None, (int(rows.sizes[out].sum()), 0)
    for index, column in enumerate(rows.columns):
        for place, generalisation in enumerate(column.generalisations):
            if not generalisation.covers:
                continue
            tried = list(made)
            tried[index] = np.where(out, place + 1, made[index]).astype(np.int16)
            sizes, _ = classes(rows, tried)
            achieved = int(sizes[sizes < k].sum()), -len(sizes)
            if achieved[0] < least[0] or (found is not None and achieved < least):
                found, least = tried, achieved
    return found


def _at_roots(rows: Rows, made: Sequence[Whole], out: Flags, k: int) -> list[Whole]:
    """Bring rows to the roots, and with them the smallest classes until they are k records."""
    made = _rooted(rows, made, out)
    while True:
        sizes, of_row = classes(rows, made)
        small = sizes < k
        if not small.any():
            return made
        others = np.flatnonzero(~small)
        # Classes are numbered in the order of what they show, so that ties do not hang on the order of the records.
        joining = others[np.argmin(sizes[others])]
        made = _rooted(rows, made, small[of_row] | (of_row == joining))


def _rooted(rows: Rows, made: Sequence[Whole], chosen: Flags) -> list[Whole]:
    roots = [[one.rule for one in column.generalisations].index("any") + 1 for column in rows.columns]
    return [np.where(chosen, root, how).astype(np.int16) for how, root in zip(made, roots, strict=True)]
