"""How many multisets of small whole numbers have a size, a sum and a sum of squares: none, one or several.

Of numbers from 0 to 3, three counts follow from the fourth and the three sums: a formula says how many choices there
are, however many numbers. Of wider ranges a table has, for each size, sum and sum of pairs, whether none, one or
several multisets have them. It grows by one number after the other, so that it answers for every range on its way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

SEVERAL = 2
"""From here on nobody counts."""
_BY_FORMULA = 3
_TOPS = (5, 7, 10, 14, 20, 28, 40, 56, 80, 112)
"""Widths for which a table is made, each for all widths between it and the one before."""
_MOST_ADDED = 150_000_000
"""Cells of one table that are added up, about a fifth of a second."""
_MOST_CELLS = 60_000_000


class Wanted(NamedTuple):
    """Sizes and sums whose multisets are counted; arrays of one length."""

    size: Integers
    width: Integers
    """The largest number."""
    total: Integers
    pairs: Integers
    """The sum of ``x (x - 1) / 2`` over all numbers, which is half the sum of squares without that of the numbers."""

    def at(self, places: Integers) -> Wanted:
        """Return some of them."""
        return Wanted(*(column[places] for column in self))


def can_count(size: Integers, width: Integers) -> NDArray[np.bool_]:
    """Return for which sizes and widths there is a formula or a table."""
    largest = np.array([largest_size(top) for top in _TOPS] + [-1])
    return (width <= _BY_FORMULA) | (size <= largest[np.searchsorted(_TOPS, width)])


def largest_size(top: int) -> int:
    """Return the largest size for which a table is made whose widest range is from 0 to `top`."""
    by_work = (24 * _MOST_ADDED / top**4) ** (1 / 3)
    by_room = (2 * _MOST_CELLS) ** (1 / 3) / top
    return int(min(by_work, by_room))


def multisets(wanted: Wanted) -> NDArray[np.uint8]:
    """Count the multisets of each size, width and sums for which `can_count` holds: 0, 1, or 2 for more.

    Examples
    --------
    Of two numbers only 0 and 4 have the sum 4 and the sum of squares 16.

    >>> one = np.array([2]), np.array([9]), np.array([4]), np.array([6])
    >>> multisets(Wanted(*one)).tolist()
    [1]

    0, 3, 3 and 1, 1, 4 have the same sum and the same squares.

    >>> multisets(Wanted(np.array([3]), np.array([4]), np.array([6]), np.array([6]))).tolist()
    [2]
    """
    found = np.zeros(len(wanted.size), np.uint8)
    by_formula = np.flatnonzero(wanted.width <= _BY_FORMULA)
    found[by_formula] = _by_formula(wanted.at(by_formula))
    tops = np.searchsorted(_TOPS, wanted.width)
    for index in np.unique(tops[wanted.width > _BY_FORMULA]).tolist():
        here = np.flatnonzero((tops == index) & (wanted.width > _BY_FORMULA))
        asked = wanted.at(here)
        for width, table in _tables(int(asked.size.max()), int(asked.width.max())):
            places = np.flatnonzero(asked.width == width)
            found[here[places]] = _looked_up(table, asked.at(places))
    return found


def _by_formula(wanted: Wanted) -> NDArray[np.uint8]:
    """Count the choices for the number of threes; how many ones and twos there are follows from it."""
    size, width, total, pairs = wanted
    fewest = np.maximum(0, -((total - 2 * pairs) // 3))
    most = np.minimum(np.where(width == _BY_FORMULA, pairs // 3, 0), size - total + pairs)
    is_possible = (total >= 0) & (pairs >= 0) & ((width >= 2) | (pairs == 0)) & ((width >= 1) | (total == 0))
    counts = np.where(is_possible, np.clip(most - fewest + 1, 0, SEVERAL), 0)
    return counts.astype(np.uint8)


def _tables(size: int, top: int) -> Iterator[tuple[int, NDArray[np.uint8]]]:
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


def _looked_up(table: NDArray[np.uint8], wanted: Wanted) -> NDArray[np.uint8]:
    size, _, total, pairs = wanted
    is_within = (total >= 0) & (pairs >= 0) & (total < table.shape[1]) & (pairs < table.shape[2])
    found = np.zeros(len(size), np.uint8)
    found[is_within] = table[size[is_within], total[is_within], pairs[is_within]]
    return found
