"""The generalisations of each value of a quasi-identifier at every level, as arrays."""

from __future__ import annotations

import numpy as np
from sqlalchemy import select

from toolbox.methods.arrays.types import Whole
from toolbox.store.tables import QuasiIdentifierTables, Tables


def codes_of(tables: Tables, column: QuasiIdentifierTables) -> list[Whole]:
    """Return, for each level from 0 to the root, the interval of each value that occurs.

    Parameters
    ----------
    tables : Tables
    column : QuasiIdentifierTables
        The leaves of its hierarchy may lie at different depths.
    """
    if not column.height:
        return _codes_of_uneven(tables, column)
    levels = [column.level(level) for level in range(column.height + 1)]
    fetched = tables.store.to_arrays(select(*levels).order_by(column.ground.c.level_0))
    return [fetched[level.name] for level in levels]


def _codes_of_uneven(tables: Tables, column: QuasiIdentifierTables) -> list[Whole]:
    """Return the codes where leaves lie at different depths: below its leaf a value stays as it is.

    Levels count down from the root to the deepest leaf, and nodes are numbered parents first, each before what is below
    it: so of the nodes of one level the last that does not come after a leaf is above it. Of leaves that share a
    boundary the first takes the value there.
    """
    ground, nodes = column.ground.c, column.intervals.c
    values = tables.store.to_arrays(select(ground.value).order_by(ground.level_0))["value"]
    listed = select(nodes.interval_id, nodes.level, nodes.low, nodes.high, nodes.low_closed, nodes.high_closed)
    node = tables.store.to_arrays(listed.where(nodes.interval_id >= column.values).order_by(nodes.interval_id))
    ids, levels = node["interval_id"].astype(np.int64), node["level"].astype(np.int64)
    below, to_low = (np.searchsorted(values, node["low"], side) for side in ("left", "right"))
    to_high, to_end = (np.searchsorted(values, node["high"], side) for side in ("left", "right"))
    first, end = np.where(node["low_closed"], below, to_low), np.where(node["high_closed"], to_end, to_high)
    leaf = np.full(column.values, -1)
    for index in np.flatnonzero(np.append(levels[1:] >= levels[:-1], True))[::-1]:
        leaf[first[index] : end[index]] = index
    top = int(levels.max())
    codes: list[Whole] = [np.arange(column.values)]
    for level in range(1, top + 1):
        last = np.maximum.accumulate(np.where(levels == level, np.arange(len(levels)), 0))
        # What is in no leaf is below the root alone.
        is_below = (leaf >= 0) & (levels[leaf] <= level) | (level == top)
        codes.append(np.where(is_below, ids[last[leaf]], codes[-1]))
    return codes
