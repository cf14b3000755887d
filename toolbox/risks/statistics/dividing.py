"""Classes whose categories follow from their distribution: it has the share of each, and the size is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolbox.risks.statistics.figures import SolvedStatistics
from toolbox.risks.statistics.published import Shares

Integers = NDArray[np.int64]


class ClassShares(NamedTuple):
    """The classes of one column, those that look alike together; arrays of one length."""

    label: Integers
    """Place of the text of the class among all labels."""
    size: Integers
    classes: Integers
    """How many look so."""
    shares: Shares


def solve_shares(column: str, figures: ClassShares, is_wide: Sequence[bool], *, cells: int) -> SolvedStatistics:
    """Count the classes of a column whose categories follow.

    A share that is told up to half of its last digit leaves one number of records if the class is small enough.

    Parameters
    ----------
    is_wide : sequence of bool
        Whether each text of the column leaves several categories.
    cells : int
        Records of the release.
    """
    size, classes, shares = figures.size, figures.classes, figures.shares
    is_read, leaves_several = shares.categories > 0, np.array(is_wide, bool)[figures.label] | (shares.categories > 1)
    is_exact = size < 10.0**shares.digits
    is_solved = is_read & is_exact & leaves_several
    is_undecided = leaves_several & ~is_solved
    return SolvedStatistics(
        column=column,
        kind="distribution",
        step=None,
        ends_are_values=False,
        without_ends=0,
        classes=int(classes.sum()),
        solved=int(classes[is_solved].sum()),
        undecided=int(classes[is_undecided].sum()),
        cells=cells,
        cells_disclosed=int((classes * size)[is_solved].sum()),
    )
