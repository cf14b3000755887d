"""Small things that all work on partitions is made of: kinds of arrays, and where partitions start in them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.integer[Any]]
Flags = NDArray[np.bool_]
Places = NDArray[np.int64]


def totals(given: NDArray[Any], starts: Places) -> Places:
    """Sum up a column in each partition."""
    sums: Places = np.add.reduceat(given, starts, dtype=np.int64)
    return sums


def starts_of(rows: Whole) -> Places:
    """Return where each partition starts, from their numbers of rows."""
    starts = np.zeros(len(rows), np.int64)
    np.cumsum(rows[:-1], out=starts[1:])
    return starts


def ranges(starts: Places, lengths: Places) -> Places:
    """Return the numbers of several ranges, one range after the other."""
    numbers = np.repeat(starts - starts_of(lengths), lengths)
    numbers += np.arange(len(numbers))
    return numbers


def bits_of(highest: int) -> int:
    """Return how many bits hold the numbers up to the highest."""
    return highest.bit_length()
