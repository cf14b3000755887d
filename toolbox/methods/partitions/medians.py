"""The medians of many partitions at once, each in a dimension of its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toolbox.methods.partitions.partitions import Partitions, Places, Whole, bits_of, ranges, starts_of


class Medians(NamedTuple):
    """The median is the first value with half of the records up to it."""

    rank: Places
    up_to: Places
    """Records with the median or a lower value."""
    below: Places
    """Records with a lower value."""


def find_medians(parts: Partitions, which: Places, dimension: Whole, records: Places) -> Medians:
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
    bits = bits_of(max(int(parts.columns[one].max()) for one in np.unique(dimension)))
    room = bits_of(int(parts.sizes.max()))
    packed = bits_of(len(which)) + bits + room < 63
    if not packed:
        room = 0
    keys, sizes = np.empty(int(rows.sum()), np.int64), []
    filled = 0
    for number in np.unique(dimension):
        here = np.flatnonzero(dimension == number)
        places = ranges(parts.starts[which[here]], rows[here])
        part = np.repeat(here << (bits + room), rows[here])
        part |= parts.columns[number][places].astype(np.int64) << room
        held = parts.sizes[places]
        if packed:
            part |= held
        else:
            sizes.append(held)
        keys[filled : filled + len(part)] = part
        filled += len(part)
    if packed:
        keys.sort()
        up_to = np.cumsum(keys & ((1 << room) - 1))
    else:
        order = np.argsort(keys)
        keys, up_to = keys[order], np.cumsum(np.concatenate(sizes)[order], dtype=np.int64)
    before = starts_of(records)
    median = keys[np.searchsorted(up_to, before + (records + 1) // 2)] >> room
    first, beyond = (np.searchsorted(keys, (median + step) << room) for step in (0, 1))
    until = np.concatenate([np.zeros(1, np.int64), up_to])
    return Medians(median & ((1 << bits) - 1), until[beyond] - before, until[first] - before)
