"""Runs of neighbouring rows in arrays, such as the members of classes: where each starts, and its total."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolbox.methods.arrays.types import Flags, Numbers, Whole


def starts_of(lengths: Whole) -> Numbers:
    """Return where each run starts.

    Examples
    --------
    >>> starts_of(np.array([2, 3, 1])).tolist()
    [0, 2, 5]
    """
    starts = np.zeros(len(lengths), np.int64)
    np.cumsum(lengths[:-1], out=starts[1:])
    return starts


def totals(column: NDArray[Any], starts: Numbers) -> Numbers:
    """Return the sum of a column in each run.

    Examples
    --------
    >>> totals(np.array([1, 2, 3, 4]), np.array([0, 3])).tolist()
    [6, 4]
    """
    sums: Numbers = np.add.reduceat(column, starts, dtype=np.int64)
    return sums


def ranges(starts: Numbers, lengths: Numbers) -> Numbers:
    """Return the positions in several runs, one run after the other.

    Examples
    --------
    >>> ranges(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    positions = np.repeat(starts - starts_of(lengths), lengths)
    positions += np.arange(len(positions))
    return positions


def is_first(values: NDArray[Any]) -> Flags:
    """Mark each value that differs from the one before it: in sorted values, the first of those that are equal.

    Examples
    --------
    >>> is_first(np.array([3, 3, 5, 8, 8])).tolist()
    [True, False, True, True, False]
    """
    marked = np.empty(len(values), np.bool_)
    marked[:1] = True
    np.not_equal(values[1:], values[:-1], out=marked[1:])
    return marked


def sorted_in_runs(values: Whole, lengths: Numbers) -> tuple[Numbers, Flags]:
    """Sort the values of each run, and mark the first of those that are equal there.

    Run and value are packed into one whole number, because numpy sorts these several times as fast as it finds an
    order.

    Parameters
    ----------
    values : array of int, >= 0
        Run by run.
    lengths : array of int
        The values in each run.

    Examples
    --------
    >>> values, first = sorted_in_runs(np.array([5, 2, 5, 1, 5]), np.array([3, 2]))
    >>> values.tolist(), first.tolist()
    ([2, 5, 5, 1, 5], [True, True, False, True, True])
    """
    bits = int(values.max()).bit_length()
    keys = np.repeat(np.arange(len(lengths)) << bits, lengths)
    keys |= values
    keys.sort()
    first = is_first(keys)
    keys &= (1 << bits) - 1
    return keys, first
