"""The combinations as arrays, and what each of their values is generalised to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sqlalchemy import select

from toolbox.methods.arrays.types import Numbers
from toolbox.store.tables import QuasiIdentifierTables, Tables


@dataclass(frozen=True)
class Column:
    """One quasi-identifier."""

    codes: list[Numbers]
    """At each level, from 0 to that of the root, the interval of each value."""
    counts: Numbers
    """Records of each value."""

    @property
    def height(self) -> int:
        """The level of the root."""
        return len(self.codes) - 1


@dataclass(frozen=True)
class Rows:
    """The initial combinations."""

    combination_ids: Numbers
    sizes: Numbers
    """Records of each."""
    values: list[Numbers]
    """The rank of the value in each quasi-identifier."""
    columns: list[Column]

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.sizes.sum())

    def some(self, which: Numbers) -> Rows:
        """Return the rows of these numbers."""
        values = [value[which] for value in self.values]
        return Rows(self.combination_ids[which], self.sizes[which], values, self.columns)

    def histograms(self, levels: Numbers) -> list[Numbers]:
        """Count, for each quasi-identifier, the records of each value (axis 0) at each level (axis 1).

        Parameters
        ----------
        levels : array
            The level of each quasi-identifier (axis 0) in each row (axis 1).
        """
        return [
            _counted(value * (column.height + 1) + level, self.sizes, len(column.counts) * (column.height + 1)).reshape(
                len(column.counts), -1
            )
            for column, value, level in zip(self.columns, self.values, levels, strict=True)
        ]


def rows_of(tables: Tables) -> Rows:
    """Fetch the combinations of a table, in an order that does not depend on that of its records."""
    combination = tables.combinations.c
    names = tables.interval_names
    fetched = tables.store.to_arrays(
        select(combination.combination_id, combination.size, *(combination[name] for name in names))
    )
    order = np.lexsort([fetched[name] for name in reversed(names)])
    sorted_ = {name: given[order].astype(np.int64) for name, given in fetched.items()}
    sizes, values = sorted_["size"], [sorted_[name] for name in names]
    columns = [
        Column(_codes(tables, one), _counted(value, sizes, one.values))
        for one, value in zip(tables.quasi_identifiers, values, strict=True)
    ]
    return Rows(sorted_["combination_id"], sizes, values, columns)


def _counted(places: Numbers, sizes: Numbers, length: int) -> Numbers:
    counted: Numbers = np.bincount(places, sizes, length).astype(np.int64)
    return counted


def _codes(tables: Tables, one: QuasiIdentifierTables) -> list[Numbers]:
    if not one.height:
        return _codes_of_uneven(tables, one)
    named = [one.level(level) for level in range(one.height + 1)]
    fetched = tables.store.to_arrays(select(*named).order_by(one.ground.c.level_0))
    return [fetched[column.name].astype(np.int64) for column in named]


def _codes_of_uneven(tables: Tables, one: QuasiIdentifierTables) -> list[Numbers]:
    """Climb a hierarchy whose leaves lie at different depths: below its leaf a value stays as it is.

    Levels count down from the root to the deepest leaf, and nodes are numbered parents first, each before what is below
    it: so of the nodes of one level the last that does not come after a leaf is above it. Of leaves that share a
    boundary the first takes the value there.
    """
    ground, nodes = one.ground.c, one.intervals.c
    values = tables.store.to_arrays(select(ground.value).order_by(ground.level_0))["value"]
    listed = select(nodes.interval_id, nodes.level, nodes.low, nodes.high, nodes.low_closed, nodes.high_closed)
    node = tables.store.to_arrays(listed.where(nodes.interval_id >= one.values).order_by(nodes.interval_id))
    ids, levels = node["interval_id"].astype(np.int64), node["level"].astype(np.int64)
    below, to_low = (np.searchsorted(values, node["low"], side) for side in ("left", "right"))
    to_high, to_end = (np.searchsorted(values, node["high"], side) for side in ("left", "right"))
    first, end = np.where(node["low_closed"], below, to_low), np.where(node["high_closed"], to_end, to_high)
    leaf = np.full(one.values, -1)
    for number in np.flatnonzero(np.append(levels[1:] >= levels[:-1], True))[::-1]:
        leaf[first[number] : end[number]] = number
    top = int(levels.max())
    codes = [np.arange(one.values)]
    for level in range(1, top + 1):
        last = np.maximum.accumulate(np.where(levels == level, np.arange(len(levels)), 0))
        # What is in no leaf is below the root alone.
        is_below = (leaf >= 0) & (levels[leaf] <= level) | (level == top)
        codes.append(np.where(is_below, ids[last[leaf]], codes[-1]))
    return codes
