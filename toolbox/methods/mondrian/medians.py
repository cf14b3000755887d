"""The medians of many partitions at once, each in a dimension of its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toolbox.methods.arrays.runs import ranges, starts_of
from toolbox.methods.arrays.types import Numbers, Whole
from toolbox.methods.mondrian.partitions import Partitions

_BITS = 62
"""How many bits a whole number holds beside its sign, less one to spare."""


class Medians(NamedTuple):
    """The median is the first value with half of the records up to it."""

    rank: Numbers
    up_to: Numbers
    """Records with the median or a lower value."""
    below: Numbers
    """Records with a lower value."""


def find_medians(parts: Partitions, which: Numbers, dimension: Whole, records: Numbers) -> Medians:
    """Find the medians of some partitions.

    All their rows are put into the order of partition and rank by one sort of whole numbers that hold both, and the
    size of the row if there is room for it: sorting numbers is several times as fast as finding an order.

    Parameters
    ----------
    which : array of partition numbers
    dimension : array of int
        For each of them, which of its columns.
    records : array of int
        The records of each.
    """
    rows = parts.rows[which]
    bits = max(int(parts.columns[column].max()) for column in np.unique(dimension)).bit_length()
    room = int(parts.sizes.max()).bit_length()
    if len(which).bit_length() + bits + room > _BITS:
        room = 0
    keys, sizes = _keys(parts, which, dimension, rows, bits, room)
    until = np.zeros(len(keys) + 1, np.int64)
    if room:
        keys.sort()
        np.cumsum(keys & ((1 << room) - 1), out=until[1:])
    else:
        order = np.argsort(keys)
        keys = keys[order]
        np.cumsum(sizes[order], out=until[1:])
    before = starts_of(records)
    median = keys[np.searchsorted(until[1:], before + (records + 1) // 2)] >> room
    first, beyond = (np.searchsorted(keys, (median + step) << room) for step in (0, 1))
    return Medians(median & ((1 << bits) - 1), until[beyond] - before, until[first] - before)


def _keys(
    parts: Partitions, which: Numbers, dimension: Whole, rows: Numbers, bits: int, room: int
) -> tuple[Numbers, Whole]:
    """Pack partition, rank and, if there is room, size of each row into one number; return the sizes as well."""
    keys, sizes = np.empty(int(rows.sum()), np.int64), np.empty(int(rows.sum()), parts.sizes.dtype)
    filled = 0
    for column in np.unique(dimension):
        here = np.flatnonzero(dimension == column)
        places = ranges(parts.starts[which[here]], rows[here])
        filling = slice(filled, filled + len(places))
        packed, sizes[filling] = keys[filling], parts.sizes[places]
        packed[:] = parts.columns[column][places]
        packed <<= room
        packed |= np.repeat(here << (bits + room), rows[here])
        if room:
            packed |= sizes[filling]
        filled += len(places)
    return keys, sizes
