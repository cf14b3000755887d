"""Numbers for rows of several columns: equal rows have equal numbers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from toolbox.methods.arrays.types import Numbers, Whole

LARGEST = 2**62
"""Numbers of rows, and what is sorted with them, stay below."""


def numbered(columns: Iterable[Whole]) -> tuple[Numbers, int]:
    """Return equal numbers for equal rows, without gaps and in the order of their values, and the count of numbers.

    Parameters
    ----------
    columns : iterable of array of int, >= 0
        At least one. They are read one after the other, so that they need not be in memory together.

    Examples
    --------
    >>> numbers, count = numbered([np.array([1, 0, 1, 0]), np.array([0, 5, 0, 2])])
    >>> numbers.tolist(), count
    ([2, 1, 2, 0], 3)
    """
    numbers, span = np.zeros(1, np.int64), 1
    for column in columns:
        count = int(column.max(initial=0)) + 1
        numbers, span = with_room(numbers, span, count)
        numbers, span = numbers * count + column, span * count
    return _dense(numbers)


def with_room(numbers: Numbers, span: int, count: int) -> tuple[Numbers, int]:
    """Return numbers that can be multiplied by a count, in the same order: without gaps if they are too large now.

    Parameters
    ----------
    numbers : array
    span : int
        One above all of them.
    count : int

    Returns
    -------
    numbers : array
    span : int
    """
    return (numbers, span) if span * count <= LARGEST else _dense(numbers)


def paired(first: Whole, second: Whole, span: int) -> Numbers:
    """Return one number for each pair, in the order of the pairs.

    Parameters
    ----------
    first, second : array of int, >= 0
    span : int
        One above all of the second, at least.

    Examples
    --------
    >>> pairs = paired(np.array([2, 0]), np.array([1, 3]), 4)
    >>> pairs.tolist(), [part.tolist() for part in unpaired(pairs, 4)]
    ([9, 3], [[2, 0], [1, 3]])
    """
    pairs: Numbers = first.astype(np.int64) * span + second
    return pairs


def unpaired(pairs: Numbers, span: int) -> tuple[Numbers, Numbers]:
    """Return the pairs from which `paired` has made numbers."""
    return np.divmod(pairs, span)


def _dense(numbers: Numbers) -> tuple[Numbers, int]:
    distinct, ranks = np.unique(numbers, return_inverse=True)
    return ranks.astype(np.int64, copy=False), len(distinct)
