"""The combinations as arrays, and what each of their values is generalised to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from toolbox.store.tables import QuasiIdentifierTables, Tables

Numbers = NDArray[np.int64]
Reals = NDArray[np.float64]
Flags = NDArray[np.bool_]


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

    A node's level is counted from the root, and nodes are numbered parents first. Of leaves that share a boundary the
    first takes the value there; of the nodes of one level that reach to the boundary the last before that leaf is above
    it.
    """
    ground, nodes = one.ground.c, one.intervals.c
    values = tables.store.to_arrays(select(ground.value).order_by(ground.level_0))["value"]
    listed = select(nodes.interval_id, nodes.level, nodes.low, nodes.high, nodes.low_closed, nodes.high_closed)
    node = tables.store.to_arrays(listed.where(nodes.interval_id >= one.values).order_by(nodes.interval_id))
    ids, levels = node["interval_id"].astype(np.int64), node["level"].astype(np.int64)
    is_leaf = np.append(levels[1:] >= levels[:-1], True)
    codes = [np.arange(one.values)] + [np.empty(one.values, np.int64) for _ in range(levels.max())]
    for rank, value in enumerate(values):
        above = np.where(node["low_closed"], node["low"] <= value, node["low"] < value)
        above &= np.where(node["high_closed"], value <= node["high"], value < node["high"])
        leaves = np.flatnonzero(above & is_leaf)
        path = np.flatnonzero(above)[np.flatnonzero(above) <= leaves[0]] if len(leaves) else np.zeros(1, np.int64)
        of_level = dict(zip(levels[path].tolist(), ids[path].tolist(), strict=True))
        for level in range(1, len(codes)):
            codes[level][rank] = of_level.get(level, codes[level - 1][rank])
    return codes
