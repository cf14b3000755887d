"""Classes whose values follow from their published statistics: from mean and variance, or from their distribution."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from toolbox.risks.figures import SolvedStatistics
from toolbox.risks.statistics.fitting import (
    SLACK,
    FittingSets,
    Label,
    Told,
    ValueGrid,
    Windows,
    count_fitting_multisets,
)

# Classes whose values follow from mean and variance: one multiset of values has these, where several fit the
# interval.
#
# The attacker knows the release and, perhaps, which values there are. A mean and a size give the sum of the values,
# as exactly as the mean is told, and the variance then gives the sum of their squares.

Integers = NDArray[np.int64]

_LARGEST = 1e12
"""Mean from which on figures are not exact enough."""
Floats = NDArray[np.float64]
_NUMBER = r"^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$"
_EXACT = 13
"""Digits behind the point of figures that nobody rounded."""
_FEWEST_FIGURES = 8
"""Figures that are needed to tell by which step they are rounded."""
_FINEST_POWER = 20
"""Of a half, which steps are multiples of."""
_MOST_DIGITS = 6
"""Behind the point of variances that this toolbox has rounded."""
_WHOLE = 1e-4
"""How far from a whole number a quotient of figures with so many digits may be."""
_STEPS = (1.0, 0.5, 0.25, 0.2, 0.1, 0.05, 0.01)
"""Of grids that are found out; of finer ones there are too many values to try."""


class ClassFigures(NamedTuple):
    """The classes of one column, those that look alike together; arrays of one length."""

    label: Integers
    """Place of the text of the class among all labels."""
    size: Integers
    classes: Integers
    """How many look so."""
    moments: Moments

    @classmethod
    def read(cls, label: Integers, size: Integers, classes: Integers, texts: pa.Array, decimal: str = ".") -> Self:
        """Read the figures of each class from its text."""
        return cls(label, size, classes, Moments.parse(texts, decimal))

    def solve(
        self,
        column: str,
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
        grid : ValueGrid, optional
            The values that the column may have; by default what its labels and means allow. Who knows them can also do
            what everybody does, so that a class counts that is solved without them.
        is_rounded : bool
            Whether figures are known to be rounded. If it does not show how, nothing is decided.
        """
        classes = self.classes
        found = _solve_on_grid(self, labels, grid, is_rounded=is_rounded)
        is_solved = found.is_solved
        if grid is not None:
            is_solved = is_solved | _solve_on_grid(self, labels, None, is_rounded=is_rounded).is_solved
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
            cells_disclosed=int((classes * self.size)[is_solved].sum()),
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
        room = _find_windows(grid, told)
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
    for candidate in ([grid] if grid else _list_grids(known)) if is_told.any() else []:
        low, high = (ends[place] for ends in _find_label_ends(labels, candidate))
        exactly = _find_precision(shown, low, high, step=candidate.step, shows_ends=_show_ends(known, candidate))
        told = Told(
            size=figures.size[is_told],
            low=low,
            high=high,
            mean=shown.mean.value,
            variance=shown.variance.value,
            mean_half=exactly.mean,
            variance_half=exactly.variance,
        )
        if (exactly.is_stepped or not is_rounded) and _is_on_grid(candidate, told):
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

    @classmethod
    def read(cls, label: Integers, size: Integers, classes: Integers, texts: pa.Array) -> Self:
        """Read the shares of each class from its text."""
        return cls(label, size, classes, Shares.parse(texts))

    def solve(self, column: str, is_wide: Sequence[bool], *, cells: int) -> SolvedStatistics:
        """Count the classes of a column whose categories follow.

        A share that is told up to half of its last digit leaves one number of records if the class is small enough.

        Parameters
        ----------
        is_wide : sequence of bool
            Whether each text of the column leaves several categories.
        cells : int
            Records of the release.
        """
        size, classes, shares = self.size, self.classes, self.shares
        is_read, leaves_several = shares.categories > 0, np.array(is_wide, bool)[self.label] | (shares.categories > 1)
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


class PublishedFigures(NamedTuple):
    """One statistic of each class."""

    value: Floats
    """NaN where a text is no number."""
    digits: int
    """Most digits behind the point."""

    @property
    def half(self) -> float:
        """Half of the last digit: how far from the truth a figure may be."""
        return float(0.5 * 10.0**-self.digits) if self.digits < _EXACT else 0.0


class Moments(NamedTuple):
    """Mean and variance of each class."""

    mean: PublishedFigures
    variance: PublishedFigures

    @classmethod
    def parse(cls, texts: pa.Array, decimal: str = ".") -> Self:
        """Read ``mean:variance``; the last colon divides them, as times have some.

        Examples
        --------
        >>> read = Moments.parse(pa.array(["27.5:2.25", "30:4", "2020-01-01:4"]))
        >>> read.mean, read.variance.digits
        (PublishedFigures(value=array([27.5, 30. ,  nan]), digits=1), 2)
        """
        parts = pc.split_pattern(texts, ":", max_splits=1, reverse=True)
        is_pair = pc.equal(pc.list_value_length(parts), 2)
        pairs = pc.if_else(is_pair, parts, pa.scalar(["", ""], parts.type))
        return cls(*(_parse_figures(pc.list_element(pairs, place), decimal) for place in (0, 1)))


class Shares(NamedTuple):
    """The distribution of categories in each class."""

    digits: int
    """Most digits behind the point."""
    categories: NDArray[np.int64]
    """Those that the class has; 0 where a text is no distribution."""

    @classmethod
    def parse(cls, texts: pa.Array) -> Self:
        """Read ``p_0:p_1:..``.

        Examples
        --------
        >>> Shares.parse(pa.array(["0.25:0.75:0.0", "0:1:0"]))
        Shares(digits=2, categories=array([2, 1]))
        """
        parts = pc.split_pattern(texts, ":")
        figures = _parse_figures(pc.list_flatten(parts), ".")
        parent = pc.list_parent_indices(parts).to_numpy()
        has_some = np.bincount(parent, figures.value > 0, len(texts)).astype(np.int64)
        is_read = np.bincount(parent, np.isnan(figures.value), len(texts)) == 0
        return cls(figures.digits, np.where(is_read, has_some, 0))


def _parse_figures(texts: Any, decimal: str) -> PublishedFigures:
    plain = pc.utf8_trim_whitespace(pc.replace_substring(texts, decimal, "."))
    known = pc.if_else(pc.match_substring_regex(plain, _NUMBER), plain, None)
    values = pc.cast(known, pa.float64()).to_numpy(zero_copy_only=False)
    # Figures with a power of ten have all the digits that there are.
    digits = pc.if_else(
        pc.match_substring(pc.ascii_lower(known), "e"),
        _EXACT,
        pc.utf8_length(pc.replace_substring_regex(known, r"^[^.]*\.?", "")),
    )
    return PublishedFigures(values, pc.max(digits).as_py() or 0)


class FigurePrecision(NamedTuple):
    """How far the true statistics of classes may be from those that are told."""

    mean: float
    variance: Floats
    """Of each class."""
    is_stepped: bool
    """Whether means are multiples of a step."""


def _find_precision(told: Moments, low: Floats, high: Floats, *, step: float, shows_ends: bool) -> FigurePrecision:
    """Find out how figures are rounded.

    Statistics that this toolbox rounds are multiples of a step: means, counted from the smallest value of the class,
    and variances, whose step is as many times wider as the class is. It writes them with a point.

    Parameters
    ----------
    told : Moments
    low, high : array of float
        Ends of each interval; infinite where nothing is said.
    step : float
        Of the values.
    shows_ends : bool
        Whether intervals may begin and end with values of their class, so that its width is known.
    """
    mean, variance = told.mean.value, told.variance.value
    has_ends = np.isfinite(low) & np.isfinite(high)
    by = step * find_rounding_step((mean - np.where(has_ends, low, 0.0))[has_ends] / step)
    exact = np.full(len(mean), told.variance.half)
    if not by or not told.mean.digits:
        return FigurePrecision(told.mean.half, exact, is_stepped=False)
    # Without ends, a class is not much wider than some times the deviation of its values.
    width = np.where(has_ends, high - low, 4 * np.sqrt(variance)) / step
    apart = step * by * np.maximum(1.0, width / 2)
    multiples = (variance / apart)[has_ends]
    is_multiple = np.abs(multiples - np.rint(multiples)) < _WHOLE * np.maximum(1.0, multiples)
    is_rounded = is_multiple.all() if shows_ends else told.variance.digits <= _MOST_DIGITS
    return FigurePrecision(
        max(told.mean.half, by / 2), np.maximum(exact, apart / 2) if is_rounded else exact, is_stepped=True
    )


def find_rounding_step(figures: Floats) -> float:
    """Return the largest step of which all figures are multiples; 0 if they are too few, or not rounded so.

    Steps are powers of two, or multiples of such, as those to which this toolbox rounds.

    Examples
    --------
    >>> [find_rounding_step(each) for each in (np.arange(12) * 0.25, np.arange(12) / 7, np.array([30.0, 40.0]))]
    [0.25, 0.0, 0.0]
    """
    scaled = figures * 2.0**_FINEST_POWER
    if len(scaled) < _FEWEST_FIGURES or np.abs(scaled).max() > 2**52 or (scaled != np.rint(scaled)).any():
        return 0.0
    return float(np.gcd.reduce(scaled.astype(np.int64))) / 2.0**_FINEST_POWER


def _list_grids(labels: Iterable[Label]) -> list[ValueGrid]:
    """List the grids that a column may be on if nothing but its release is known, the coarsest first."""
    ends = [end for label in labels for end in (label.interval.low, label.interval.high) if math.isfinite(end)]
    return [ValueGrid(step) for step in _STEPS if _are_multiples(np.array([*ends, 0.0]), step)]


def _are_multiples(numbers: Floats, step: float) -> bool:
    steps = numbers / step
    return bool((np.abs(steps - np.rint(steps)) <= SLACK * np.maximum(1.0, np.abs(steps) * 1e-9)).all())


def _is_on_grid(grid: ValueGrid, told: Told) -> bool:
    """Return whether the sum of each class is one of values on the grid, as exactly as its mean is told."""
    total = told.size * (told.mean - grid.start) / grid.step
    off = np.abs(total - np.rint(total)) * grid.step
    return bool((off <= told.size * told.mean_half + _compute_slack(grid, told) * grid.step * told.size).all())


def _find_label_ends(labels: Sequence[Label | None], grid: ValueGrid) -> tuple[Floats, Floats]:
    """Return the smallest and the largest value of each label on a grid, NaN for texts that stand for nothing."""
    lows, highs = np.full(len(labels), np.nan), np.full(len(labels), np.nan)
    for index, label in enumerate(labels):
        if label is not None:
            interval, aside = label.interval, SLACK * grid.step * 2
            # Where the interval reaches beyond all values, its end is the last of them, which it holds.
            lows[index] = max(interval.low + (0 if interval.low_closed else aside), grid.low)
            highs[index] = min(interval.high - (0 if interval.high_closed else aside), grid.high)
    return lows, highs


def _find_windows(grid: ValueGrid, told: Told) -> Windows:
    """Find where the values of each class can be.

    No value is farther from the mean than the standard deviation times the root of one less than the size (Samuelson
    1968), so that there are ends even where no interval is told.
    """
    low, high = (told.low - grid.start) / grid.step, (told.high - grid.start) / grid.step
    is_wide = np.floor(high + SLACK) > np.ceil(low - SLACK)
    farthest = np.sqrt((told.size - 1) * (told.variance + told.variance_half)) + told.mean_half
    slack = _compute_slack(grid, told)
    nearest = np.maximum(low - SLACK, (told.mean - farthest - grid.start) / grid.step - slack)
    last = np.minimum(high + SLACK, (told.mean + farthest - grid.start) / grid.step + slack)
    return Windows(np.ceil(nearest).astype(np.int64), np.floor(last).astype(np.int64), is_wide)


def _compute_slack(grid: ValueGrid, told: Told) -> Floats:
    """Return how far, in steps, a mean may be off because a computer has rounded it."""
    return SLACK + np.abs(told.mean - grid.start) / grid.step * 1e-12
