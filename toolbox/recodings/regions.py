"""Classes of a saved recoding that are regions between cuts, in another table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import Double, and_, cast, func, select

from toolbox.methods.arrays.combinations import (
    Flags,
    Numbers,
    Reals,
    Whole,
)
from toolbox.methods.arrays.recoding import add_intervals, find_next_interval, select_interval_rows
from toolbox.queries.dialect import Query, Table, collect_sorted
from toolbox.recodings.places import ClassPlaces, ClassQuestion, choose_smallest, refuse_damaged
from toolbox.store.tables import QuasiIdentifierTables, Tables


class RegionPlaces(ClassPlaces):
    """Classes that are nodes of a tree of cuts.

    Parameters
    ----------
    tables : Tables
    values : sequence of arrays
        For each quasi-identifier the rank of the value of each combination.
    regions : mapping
        As in the document.
    """

    def __init__(self, tables: Tables, values: Sequence[Whole], regions: Any) -> None:
        if len(regions["columns"]) != len(tables.quasi_identifiers):
            raise refuse_damaged("it has not the names of each column")
        self._tree = _RegionTree(regions, len(tables.quasi_identifiers))
        named, keys, self.unseen = [], [], []
        for index, (column, said) in enumerate(zip(tables.quasi_identifiers, regions["columns"], strict=True)):
            key, unseen = _find_keys(tables, column, said)
            extended, ids = _name_regions(tables, column, said["names"], key)
            named.append((extended, ids[self._tree.names[:, index]]))
            keys.append(key[values[index]])
            self.unseen.append(unseen[values[index]])
        self.quasi_identifiers = [column for column, _ in named]
        self._ids = [ids for _, ids in named]
        self._node = self._tree.locate(keys, self.unseen)

    @property
    def names(self) -> list[Whole]:
        return [ids[self._node] for ids in self._ids]

    def number(self) -> tuple[Numbers, int]:
        nodes, classes = np.unique(self._node, return_inverse=True)
        return classes, len(nodes)

    def settle(self, left: Flags, question: ClassQuestion) -> tuple[Flags, Flags]:
        before = self._node.copy()
        everybody = np.arange(len(left))
        while left.any() and (self._node[left] > 0).any():
            self._node[left] = self._tree.parent[self._node[left]]
            self._take_in(question)
            classes, count = self.number()
            left = question.mark_refused(everybody, classes, count)[classes]
        return left, self._node != before

    def _take_in(self, question: ClassQuestion) -> None:
        """Let the smallest class within each one that is too small join it."""
        nodes, classes = np.unique(self._node, return_inverse=True)
        failing = question.mark_refused(np.arange(len(classes)), classes, len(nodes))
        of_node = np.full(len(self._tree.parent), -1)
        of_node[nodes[failing]] = np.flatnonzero(failing)
        holder = np.full(len(nodes), -1)
        open_, above = np.flatnonzero(~failing), self._tree.parent[nodes[~failing]]
        while len(open_):
            found = of_node[above]
            holder[open_[found >= 0]] = found[found >= 0]
            goes_on = (found < 0) & (above > 0)
            open_, above = open_[goes_on], self._tree.parent[above[goes_on]]
        sizes = np.bincount(classes, question.sizes, len(nodes)).astype(np.int64)
        inner = choose_smallest(holder, sizes, len(nodes))
        takes = inner >= 0
        new = nodes.copy()
        new[inner[takes]] = nodes[takes]
        self._node = new[classes]


class _RegionTree:
    """The nodes of a document as arrays."""

    def __init__(self, regions: Any, columns: int) -> None:
        nodes = regions["nodes"]
        cut = np.array([len(node) > 0 for node in nodes])
        if any(len(node) not in (0, 4) or not _is_cut(node, columns) for node in nodes):
            raise refuse_damaged("a node is neither empty nor a column, a value, true or false, and a node")
        told = [node for node in nodes if node]
        self.dimension, self.left = np.full(len(nodes), -1), np.full(len(nodes), -1)
        self.at, self.inclusive = np.zeros(len(nodes)), np.zeros(len(nodes), np.bool_)
        self.dimension[cut] = [node[0] for node in told]
        self.at[cut] = [float(node[1]) for node in told]
        self.inclusive[cut] = [node[2] for node in told]
        self.left[cut] = [node[3] for node in told]
        sides = np.sort(np.concatenate([self.left[cut], self.left[cut] + 1]))
        here = np.flatnonzero(cut)
        if (self.left[cut] <= here).any() or not np.array_equal(sides, np.arange(1, len(nodes))):
            raise refuse_damaged("its nodes are no tree")
        self.parent = np.zeros(len(nodes), np.int64)
        self.parent[self.left[cut]] = self.parent[self.left[cut] + 1] = here
        names = regions["names"]
        if len(names) != len(nodes) or any(len(row) != columns for row in names):
            raise refuse_damaged("a node lacks a name, or has too many")
        self.names = np.array(names, np.int64)
        most = [len(column["names"]) for column in regions["columns"]]
        if (self.names >= most).any():
            raise refuse_damaged("a node has a name that no column has")

    def locate(self, keys: Sequence[Reals], unseen: Sequence[Flags]) -> Numbers:
        """Return the node of each combination: a leaf, or the node that asks for a value which is not known."""
        node = np.zeros(len(keys[0]), np.int64)
        open_ = np.arange(len(node))
        while len(open_):
            dimension, here = self.dimension[node[open_]], node[open_]
            goes_on = dimension >= 0
            value = np.zeros(len(open_))
            for index in np.unique(dimension[goes_on]):
                which = dimension == index
                value[which] = keys[index][open_[which]]
                goes_on[which] &= ~unseen[index][open_[which]]
            at = self.at[here]
            is_left = (value < at) | (self.inclusive[here] & (value == at))
            node[open_[goes_on]] = (self.left[here] + ~is_left)[goes_on]
            open_ = open_[goes_on]
        return node


def _is_cut(node: Sequence[Any], columns: int) -> bool:
    """Return whether a node is empty, or has a column, a value, true or false, and a node."""
    if not node:
        return True
    column, at, inclusive, left = node
    whole = all(isinstance(number, int) and not isinstance(number, bool) for number in (column, left))
    return whole and 0 <= column < columns and not isinstance(at, bool) and isinstance(inclusive, bool)


def _find_keys(tables: Tables, column: QuasiIdentifierTables, said: Any) -> tuple[Reals, Flags]:
    """Return for each rank the number by which it is found in the cuts, and whether the recoding does not know it."""
    store, ground = tables.store, column.ground
    if ("values" in said) == (column.kind == "number"):
        raise refuse_damaged(f"{column.name} has {'categories' if 'values' in said else 'numbers'} in it, and not here")
    if "values" not in said:
        values: Reals = store.to_arrays(select(ground.c.value).order_by(ground.c.level_0))["value"]
        low, high, whole = said.get("low", -np.inf), said.get("high", np.inf), said["names"][0]
        is_below = (values < low) if whole.get("lowClosed", True) else (values <= low)
        is_above = (values > high) if whole.get("highClosed", True) else (values >= high)
        return values, is_below | is_above
    known = _create_categories(tables, said["values"])
    place = func.coalesce(func.min(known.c.place), -1).label("place")
    joined = select(ground.c.level_0, cast(place, Double).label("place")).join_from(
        ground, known, known.c.label == ground.c.label, isouter=True
    )
    places: Reals = store.to_arrays(joined.group_by(ground.c.level_0).order_by(ground.c.level_0))["place"]
    store.drop(known)
    return places, places < 0


def _create_categories(tables: Tables, values: Sequence[str]) -> Any:
    columns: dict[str, tuple[type, Sequence[Any]]] = {
        "place": (int, list(range(len(values)))),
        "label": (str, list(values)),
    }
    return tables.store.create_constant("categories", columns)


def _name_regions(
    tables: Tables, column: QuasiIdentifierTables, names: Sequence[Any], keys: Reals
) -> tuple[QuasiIdentifierTables, Numbers]:
    """Add the names of regions to the intervals of a column; return the interval of each name, of the whole the root.

    Parameters
    ----------
    keys : array
        By which each rank is found; of categories their places.
    """
    first = find_next_interval(tables, column)
    ids = first + np.arange(len(names))
    ids[0] = column.root
    bounds = ("low", "high") if column.kind == "number" else ("first", "last")
    if any(bound not in name for bound in bounds for name in names[1:]):
        raise refuse_damaged(f"a name of {column.name} has no {bounds[0]} or {bounds[1]}")
    regions = tables.store.create_constant(
        "regions",
        {
            "interval_id": (int, ids[1:].tolist()),
            "label": (str, [name["label"] for name in names[1:]]),
            "low": (float, [float(name[bounds[0]]) for name in names[1:]]),
            "high": (float, [float(name[bounds[1]]) for name in names[1:]]),
            "low_closed": (bool, [name.get("lowClosed", True) for name in names[1:]]),
            "high_closed": (bool, [name.get("highClosed", True) for name in names[1:]]),
        },
    )
    region = regions.c
    closed = {"low_closed": region.low_closed, "high_closed": region.high_closed}
    rows = select_interval_rows(regions, region.label, region.low, region.high, **closed)
    if column.kind == "category":
        rows = _select_listed_rows(tables, column, regions, keys)
    extended = add_intervals(tables, column, rows)
    tables.store.drop(regions)
    return extended, ids


def _select_listed_rows(tables: Tables, column: QuasiIdentifierTables, regions: Table, keys: Reals) -> Query:
    """Return the rows of intervals of regions in categories: each lists those of its categories that occur."""
    placed = tables.store.from_arrays("placed", {"level_0": np.arange(len(keys), dtype=np.int32), "place": keys})
    ground = column.ground
    joined = ground.join(placed, placed.c.level_0 == ground.c.level_0)
    joined = joined.join(regions, and_(placed.c.place >= regions.c.low, placed.c.place <= regions.c.high))
    each = (
        select(
            regions.c.interval_id,
            regions.c.label,
            collect_sorted(ground.c.level_0).label("members"),
            func.min(ground.c.value).label("low"),
            func.max(ground.c.value).label("high"),
        )
        .select_from(joined)
        .group_by(regions.c.interval_id, regions.c.label)
        .subquery()
    )
    listed = tables.store.create("listed", select(each))
    return select_interval_rows(listed, listed.c.label, listed.c.low, listed.c.high, members=listed.c.members)
