"""Classes whose values follow from their statistics: from mean and variance, or from their distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolbox.risks.statistics.figures import SolvedStatistics
from toolbox.risks.statistics.fitting import (
    SLACK,
    FittingSets,
    Label,
    Told,
    ValueGrid,
    Windows,
    count_fitting_multisets,
    find_label_ends,
    find_windows,
    is_on_grid,
    list_grids,
)
from toolbox.risks.statistics.published import Moments, PublishedFigures, Shares, find_precision

# Classes whose values follow from mean and variance: one multiset of values has these, where several fit the
# interval.
#
# The attacker knows the release and, perhaps, which values there are. A mean and a size give the sum of the values,
# as exactly as the mean is told, and the variance then gives the sum of their squares.

Integers = NDArray[np.int64]

_LARGEST = 1e12
"""Mean from which on figures are not exact enough."""


class ClassFigures(NamedTuple):
    """The classes of one column, those that look alike together; arrays of one length."""

    label: Integers
    """Place of the text of the class among all labels."""
    size: Integers
    classes: Integers
    """How many look so."""
    moments: Moments


def solve_moments(
    column: str,
    figures: ClassFigures,
    labels: Sequence[Label | None],
    *,
    cells: int,
    grid: ValueGrid | None = None,
    is_rounded: bool = False,
) -> SolvedStatistics:
    """Count the classes of a column whose values follow.

    Parameters
    ----------
    labels : sequence of Label or None
        What each text of the column stands for; None for one that is no interval.
    cells : int
        Records of the release.
    grid : Grid, optional
        The values that the column may have; by default what its labels and means allow. Who knows them can also do
        what everybody does, so that a class counts that is solved without them.
    is_rounded : bool
        Whether figures are known to be rounded. If it does not show how, nothing is decided.
    """
    classes = figures.classes
    found = _solve_on_grid(figures, labels, grid, is_rounded=is_rounded)
    is_solved = found.is_solved
    if grid is not None:
        is_solved = is_solved | _solve_on_grid(figures, labels, None, is_rounded=is_rounded).is_solved
    return SolvedStatistics(
        column=column,
        kind="moments",
        step=None if found.grid is None else found.grid.step,
        ends_are_values=found.ends_are_values,
        without_ends=int(classes[found.lacks_ends].sum()),
        classes=int(classes.sum()),
        solved=int(classes[is_solved].sum()),
        undecided=int(classes[~found.is_decided & ~is_solved].sum()),
        cells=cells,
        cells_disclosed=int((classes * figures.size)[is_solved].sum()),
    )


class _Solved(NamedTuple):
    """What follows from one reading; arrays as long as those of the classes."""

    grid: ValueGrid | None
    """None where no grid fits."""
    ends_are_values: bool
    lacks_ends: NDArray[np.bool_]
    """Classes that cannot begin and end with the ends of their intervals."""
    is_solved: NDArray[np.bool_]
    is_decided: NDArray[np.bool_]


def _solve_on_grid(
    figures: ClassFigures, labels: Sequence[Label | None], grid: ValueGrid | None, *, is_rounded: bool
) -> _Solved:
    """Solve the classes with values on a grid, or on one that is found out."""
    is_told, told, grid = _read_figures(figures, labels, grid, is_rounded=is_rounded)
    is_solved, is_decided, lacks_ends = np.zeros((3, len(figures.classes)), bool)
    with_ends = None
    if grid is not None:
        room = find_windows(grid, told)
        shown = [labels[index] for index in np.unique(figures.label[is_told])]
        with_ends, lacks_ends[is_told] = _solve_with_ends(grid, told, shown)
        found = with_ends or count_fitting_multisets(grid, told, room)
        # An interval whose ends are values tells both of two.
        is_open = room.is_wide & ((told.size > 2) | (with_ends is None))
        is_solved[is_told] = is_open & found.is_decided & (found.ways == 1)
        is_decided[is_told] = ~is_open | (found.is_decided & (found.ways > 0))
    return _Solved(grid, with_ends is not None, lacks_ends, is_solved, is_decided)


def _read_figures(
    figures: ClassFigures, labels: Sequence[Label | None], grid: ValueGrid | None, *, is_rounded: bool
) -> tuple[NDArray[np.bool_], Told, ValueGrid | None]:
    """Return which classes say something that can be read, what it is, and the grid that it fits, if there is one."""
    mean, variance = figures.moments
    is_label = np.array([label is not None for label in labels], bool)
    is_told = is_label[figures.label] & (np.abs(mean.value) < _LARGEST) & (variance.value >= 0)
    is_told &= variance.value < _LARGEST**2
    place, known = figures.label[is_told], [label for label in labels if label is not None]
    shown = Moments(*(PublishedFigures(figure.value[is_told], figure.digits) for figure in (mean, variance)))
    for candidate in ([grid] if grid else list_grids(known)) if is_told.any() else []:
        low, high = (ends[place] for ends in find_label_ends(labels, candidate))
        exactly = find_precision(shown, low, high, step=candidate.step, shows_ends=_show_ends(known, candidate))
        told = Told(
            size=figures.size[is_told],
            low=low,
            high=high,
            mean=shown.mean.value,
            variance=shown.variance.value,
            mean_half=exactly.mean,
            variance_half=exactly.variance,
        )
        if (exactly.is_stepped or not is_rounded) and is_on_grid(candidate, told):
            return is_told, told, candidate
    nothing = np.zeros(0)
    empty = Told(np.zeros(0, np.int64), nothing, nothing, nothing, nothing, 0.0, nothing)
    return np.zeros(len(is_told), bool), empty, None


def _solve_with_ends(
    grid: ValueGrid, told: Told, labels: Sequence[Label | None]
) -> tuple[FittingSets | None, NDArray[np.bool_]]:
    """Solve classes whose intervals begin and end with values of theirs; None if that cannot be so for all of them.

    Returns
    -------
    what fits, and for which classes it cannot be
    """
    if not _show_ends([label for label in labels if label is not None], grid):
        return None, np.zeros(len(told.size), bool)
    low, high = (np.rint((end - grid.start) / grid.step).astype(np.int64) for end in (told.low, told.high))
    if (alone := (told.size < 2) & (low < high)).any():
        return None, alone
    found = count_fitting_multisets(grid, told, Windows(low, high, low < high), with_ends=True)
    impossible = found.is_decided & (found.ways == 0)
    return None if impossible.any() else found, impossible


def _show_ends(labels: Sequence[Label], grid: ValueGrid) -> bool:
    """Return whether all intervals may begin and end with values of their class."""
    wide = [label for label in labels if label.interval.low < label.interval.high]
    return bool(wide) and all(not label.is_node and _is_closed(label, grid) for label in wide)


def _is_closed(label: Label, grid: ValueGrid) -> bool:
    """Return whether both ends of an interval belong to it, and are values on the grid."""
    ends = label.interval
    is_within = grid.low <= ends.low and ends.high <= grid.high and np.isfinite([ends.low, ends.high]).all()
    if not (is_within and ends.low_closed and ends.high_closed):
        return False
    steps = (np.array([ends.low, ends.high]) - grid.start) / grid.step
    return bool(np.abs(steps - np.rint(steps)).max() < SLACK)


# Classes whose categories follow from their distribution: it has the share of each, and the size is known.


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
