"""The multisets of values that fit the size, the interval, the mean and the variance of a class."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolbox.hierarchy.hierarchy import Interval

# How many multisets of small whole numbers have a size, a sum and a sum of squares: none, one or several.
#
# Of numbers from 0 to 3, three counts follow from the fourth and the three sums: a formula says how many choices
# there are, however many numbers. Of wider ranges a table has, for each size, sum and sum of pairs, whether none, one
# or several multisets have them. It grows by one number after the other, so that it answers for every range on its
# way.

Integers = NDArray[np.int64]

SEVERAL = 2
"""From here on nobody counts."""
_BY_FORMULA = 3
_TOPS = (5, 7, 10, 14, 20, 28, 40, 56, 80, 112)
"""Widths for which a table is made, each for all widths between it and the one before."""
_MOST_ADDED = 150_000_000
"""Cells of one table that are added up, about a fifth of a second."""
_MOST_CELLS = 60_000_000


class WantedSums(NamedTuple):
    """Sizes and sums whose multisets are counted; arrays of one length."""

    size: Integers
    width: Integers
    """The largest number."""
    total: Integers
    pairs: Integers
    """The sum of ``x (x - 1) / 2`` over all numbers, which is half the sum of squares without that of the numbers."""

    def at(self, places: Integers) -> WantedSums:
        """Return some of them."""
        return WantedSums(*(column[places] for column in self))


def can_count(size: Integers, width: Integers) -> NDArray[np.bool_]:
    """Return for which sizes and widths there is a formula or a table."""
    largest = np.array([find_largest_size(top) for top in _TOPS] + [-1])
    return (width <= _BY_FORMULA) | (size <= largest[np.searchsorted(_TOPS, width)])


def find_largest_size(top: int) -> int:
    """Return the largest size for which a table is made whose widest range is from 0 to `top`."""
    by_work = (24 * _MOST_ADDED / top**4) ** (1 / 3)
    by_room = (2 * _MOST_CELLS) ** (1 / 3) / top
    return int(min(by_work, by_room))


def count_multisets(wanted: WantedSums) -> NDArray[np.uint8]:
    """Count the multisets of each size, width and sums for which `can_count` holds: 0, 1, or 2 for more.

    Examples
    --------
    Of two numbers only 0 and 4 have the sum 4 and the sum of squares 16.

    >>> one = np.array([2]), np.array([9]), np.array([4]), np.array([6])
    >>> count_multisets(WantedSums(*one)).tolist()
    [1]

    0, 3, 3 and 1, 1, 4 have the same sum and the same squares.

    >>> count_multisets(WantedSums(np.array([3]), np.array([4]), np.array([6]), np.array([6]))).tolist()
    [2]
    """
    found = np.zeros(len(wanted.size), np.uint8)
    by_formula = np.flatnonzero(wanted.width <= _BY_FORMULA)
    found[by_formula] = _count_by_formula(wanted.at(by_formula))
    tops = np.searchsorted(_TOPS, wanted.width)
    for index in np.unique(tops[wanted.width > _BY_FORMULA]).tolist():
        here = np.flatnonzero((tops == index) & (wanted.width > _BY_FORMULA))
        asked = wanted.at(here)
        for width, table in _make_multiset_tables(int(asked.size.max()), int(asked.width.max())):
            places = np.flatnonzero(asked.width == width)
            found[here[places]] = _find_in_table(table, asked.at(places))
    return found


def _count_by_formula(wanted: WantedSums) -> NDArray[np.uint8]:
    """Count the choices for the number of threes; how many ones and twos there are follows from it."""
    size, width, total, pairs = wanted
    fewest = np.maximum(0, -((total - 2 * pairs) // 3))
    most = np.minimum(np.where(width == _BY_FORMULA, pairs // 3, 0), size - total + pairs)
    is_possible = (total >= 0) & (pairs >= 0) & ((width >= 2) | (pairs == 0)) & ((width >= 1) | (total == 0))
    counts = np.where(is_possible, np.clip(most - fewest + 1, 0, SEVERAL), 0)
    return counts.astype(np.uint8)


def _make_multiset_tables(size: int, top: int) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Yield, for each width up to `top`, the table ``[size, total, pairs]`` of its multisets; it is changed later."""
    table = np.zeros((size + 1, size * top + 1, size * top * (top - 1) // 2 + 1), np.uint8)
    table[:, 0, 0] = 1
    for number in range(1, top + 1):
        pairs = number * (number - 1) // 2
        for count in range(1, size + 1):
            before = table[count - 1, : (count - 1) * number + 1, : (count - 1) * pairs + 1]
            after = table[count, number : count * number + 1, pairs : count * pairs + 1]
            np.minimum(after + before, SEVERAL, out=after)
        yield number, table


def _find_in_table(table: NDArray[np.uint8], wanted: WantedSums) -> NDArray[np.uint8]:
    size, _, total, pairs = wanted
    is_within = (total >= 0) & (pairs >= 0) & (total < table.shape[1]) & (pairs < table.shape[2])
    found = np.zeros(len(size), np.uint8)
    found[is_within] = table[size[is_within], total[is_within], pairs[is_within]]
    return found


# The grid on which the numbers of a column lie, and the part of it where those of each class can be.

Floats = NDArray[np.float64]

_DIGITS = 2
"""Most digits behind the point of values that are known."""
SLACK = 1e-6
"""In steps: by how much arithmetic may be off."""


class ValueGrid(NamedTuple):
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


def find_grid(numbers: Floats) -> ValueGrid | None:
    """Return the coarsest grid on which numbers lie, from the smallest to the largest; None if it is too fine."""
    scaled = np.unique(numbers) * 10.0**_DIGITS
    if not len(scaled) or np.abs(scaled).max() > 2**52 or np.abs(scaled - np.rint(scaled)).max() > SLACK:
        return None
    whole = np.rint(scaled).astype(np.int64)
    step = int(np.gcd.reduce(whole - whole[0])) or 10**_DIGITS
    return ValueGrid(step / 10**_DIGITS, float(numbers.min()), float(numbers.min()), float(numbers.max()))


# The multisets of values that fit the size, the interval, the mean and the variance of a class.

_MOST_SUMS, _MOST_SQUARES = 17, 129
"""Sums, and sums of squares for each, that are tried for a class whose figures are rounded."""
_FARTHEST = 2.0**60
"""Sums beyond this are of no class that is counted; figures that are false may tell some."""
_MOST_LISTED = 5_000_000
"""Sums of squares that are listed at once: the more classes, the fewer are tried for each."""


class FittingSets(NamedTuple):
    """What fits each class; arrays of one length."""

    ways: NDArray[np.int64]
    """Multisets that fit each class: 0, 1, or 2 for more."""
    is_decided: NDArray[np.bool_]
    """Whether all were counted, or enough."""


def count_fitting_multisets(grid: ValueGrid, told: Told, room: Windows, *, with_ends: bool = False) -> FittingSets:
    """Count the multisets that fit each class.

    Parameters
    ----------
    with_ends : bool
        Whether the smallest and the largest value of each window are known to be in the class.
    """
    width = room.high - room.low
    is_known = (width > 0) & with_ends
    free = told.size - np.where(is_known, 2, 0)
    can = can_count(free, np.maximum(width, 0)) & (width >= 0)
    ways, is_whole = np.zeros(len(free), np.int64), np.ones(len(free), bool)
    places = np.flatnonzero(can)
    wanted, of_class, is_whole[places] = _list_sums(grid, told, room, places)
    # The two ends are known, and their sum, and that of their pairs, is taken off.
    ends = np.where(is_known, width, 0)[of_class]
    asked = WantedSums(
        size=free[of_class],
        width=width[of_class],
        total=wanted[0] - ends,
        pairs=wanted[1] - ends * (ends - 1) // 2,
    )
    counted = np.bincount(of_class, count_multisets(asked), len(free)).astype(np.int64)
    ways = np.minimum(counted, SEVERAL)
    return FittingSets(ways, (can & (is_whole | (ways == SEVERAL))) | (width < 0))


def _list_sums(
    grid: ValueGrid, told: Told, room: Windows, places: Integers
) -> tuple[tuple[Integers, Integers], Integers, NDArray[np.bool_]]:
    """List the sums, and the sums of pairs, that the figures of classes allow, counted from the low end of each.

    Returns
    -------
    sums and sums of pairs, the class of each, and for each place whether all that are allowed are listed
    """
    size = told.size[places]
    center = size * ((told.mean[places] - grid.start) / grid.step - room.low[places])
    away = np.abs(told.mean[places] - grid.start) / grid.step
    slack = size * told.mean_half / grid.step + 1e-6 + size * away * 1e-12
    first, count, has_all = _list_whole_numbers(center - slack, center + slack, _MOST_SUMS)
    most = max(1, min(_MOST_SQUARES, _MOST_LISTED // max(1, int(count.sum()))))
    row = np.repeat(np.arange(len(places)), count)
    total = np.repeat(first, count) + _count_up_to(count)
    spread = size[row] * (told.variance[places] / grid.step**2)[row]
    squares = spread + total.astype(np.float64) ** 2 / size[row]
    loose = size * told.variance_half[places] / grid.step**2 + 1e-6
    loose = loose + size * (told.variance[places] / grid.step**2 * 1e-10 + away**2 * 1e-14)
    loose = loose[row]
    lowest, amount, has_squares = _list_whole_numbers(
        (squares - loose - total) / 2, (squares + loose - total) / 2, most
    )
    pairs = np.repeat(lowest, amount) + _count_up_to(amount)
    has_all &= np.bincount(row, ~has_squares, len(places)) == 0
    return (np.repeat(total, amount), pairs), places[np.repeat(row, amount)], has_all


def _list_whole_numbers(
    low: NDArray[np.float64], high: NDArray[np.float64], most: int
) -> tuple[Integers, Integers, NDArray[np.bool_]]:
    """Return the first whole number of each range, how many there are, and whether these are all; else the middle."""
    first, last = (np.clip(end, -_FARTHEST, _FARTHEST).astype(np.int64) for end in (np.ceil(low), np.floor(high)))
    count = np.maximum(last - first + 1, 0)
    cut = np.maximum(count - most, 0)
    return first + cut // 2, count - cut, cut == 0


def _count_up_to(amounts: Integers) -> Integers:
    """Count from 0 up to each amount, one after the other."""
    ends = np.cumsum(amounts)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - amounts, amounts)
