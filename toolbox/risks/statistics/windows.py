"""The grid on which the numbers of a column lie, and the part of it where those of each class can be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolbox.hierarchy.interval import Interval

Floats = NDArray[np.float64]

_STEPS = (1.0, 0.5, 0.25, 0.2, 0.1, 0.05, 0.01)
"""Of grids that are found out; of finer ones there are too many values to try."""
_DIGITS = 2
"""Most digits behind the point of values that are known."""
SLACK = 1e-6
"""In steps: by how much arithmetic may be off."""


class Grid(NamedTuple):
    """The values that a column may have."""

    step: float
    start: float = 0.0
    """One of the values."""
    low: float = -math.inf
    high: float = math.inf


class Label(NamedTuple):
    """What a text of a released column stands for."""

    interval: Interval
    is_node: bool
    """Whether a hierarchy names it: then its ends need not be values of any class."""


class Told(NamedTuple):
    """What is told of each class of one column; arrays of one length."""

    size: NDArray[np.int64]
    low: Floats
    """Ends of the interval; infinite where nothing is said."""
    high: Floats
    mean: Floats
    variance: Floats
    mean_half: float
    """How far the true mean may be from the one that is told."""
    variance_half: Floats


class Windows(NamedTuple):
    """The smallest and the largest value of classes, in steps from the start of the grid."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    is_wide: NDArray[np.bool_]
    """Whether the interval alone leaves several values."""


def grids(labels: Iterable[Label]) -> list[Grid]:
    """List the grids that a column may be on if nothing but its release is known, the coarsest first."""
    ends = [end for label in labels for end in (label.interval.low, label.interval.high) if math.isfinite(end)]
    return [Grid(step) for step in _STEPS if _are_multiples(np.array([*ends, 0.0]), step)]


def _are_multiples(numbers: Floats, step: float) -> bool:
    steps = numbers / step
    return bool((np.abs(steps - np.rint(steps)) <= SLACK * np.maximum(1.0, np.abs(steps) * 1e-9)).all())


def grid_of(numbers: Floats) -> Grid | None:
    """Return the coarsest grid on which numbers lie, from the smallest to the largest; None if it is too fine."""
    scaled = np.unique(numbers) * 10.0**_DIGITS
    if not len(scaled) or np.abs(scaled).max() > 2**52 or np.abs(scaled - np.rint(scaled)).max() > SLACK:
        return None
    whole = np.rint(scaled).astype(np.int64)
    step = int(np.gcd.reduce(whole - whole[0])) or 10**_DIGITS
    return Grid(step / 10**_DIGITS, float(numbers.min()), float(numbers.min()), float(numbers.max()))


def fits(grid: Grid, told: Told) -> bool:
    """Return whether the sum of each class is one of values on the grid, as exactly as its mean is told."""
    total = told.size * (told.mean - grid.start) / grid.step
    off = np.abs(total - np.rint(total)) * grid.step
    return bool((off <= told.size * told.mean_half + _slack(grid, told) * grid.step * told.size).all())


def ends_of(labels: Sequence[Label | None], grid: Grid) -> tuple[Floats, Floats]:
    """Return the smallest and the largest value of each label on a grid, NaN for texts that stand for nothing."""
    lows, highs = np.full(len(labels), np.nan), np.full(len(labels), np.nan)
    for index, label in enumerate(labels):
        if label is not None:
            interval, aside = label.interval, SLACK * grid.step * 2
            # Where the interval reaches beyond all values, its end is the last of them, which it holds.
            lows[index] = max(interval.low + (0 if interval.low_closed else aside), grid.low)
            highs[index] = min(interval.high - (0 if interval.high_closed else aside), grid.high)
    return lows, highs


def windows(grid: Grid, told: Told) -> Windows:
    """Find where the values of each class can be.

    No value is farther from the mean than the standard deviation times the root of one less than the size (Samuelson
    1968), so that there are ends even where no interval is told.
    """
    low, high = (told.low - grid.start) / grid.step, (told.high - grid.start) / grid.step
    is_wide = np.floor(high + SLACK) > np.ceil(low - SLACK)
    farthest = np.sqrt((told.size - 1) * (told.variance + told.variance_half)) + told.mean_half
    slack = _slack(grid, told)
    nearest = np.maximum(low - SLACK, (told.mean - farthest - grid.start) / grid.step - slack)
    last = np.minimum(high + SLACK, (told.mean + farthest - grid.start) / grid.step + slack)
    return Windows(np.ceil(nearest).astype(np.int64), np.floor(last).astype(np.int64), is_wide)


def _slack(grid: Grid, told: Told) -> Floats:
    """Return how far, in steps, a mean may be off because a computer has rounded it."""
    return SLACK + np.abs(told.mean - grid.start) / grid.step * 1e-12
