"""The names of locally recoded classes: the values that occur in a class, written as briefly as possible."""

from __future__ import annotations

import numpy as np
from sqlalchemy import Integer, cast, func, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.methods.arrays.grouping import paired, unpaired
from toolbox.methods.arrays.naming import interval_rows, next_interval, range_ends, with_intervals
from toolbox.methods.arrays.types import Numbers, Whole
from toolbox.methods.mondrian.sets import Sets, sets_of
from toolbox.queries.dialect import sorted_list
from toolbox.queries.ends import is_nameable, named_by_ends
from toolbox.queries.labels import category_set_label, told_apart
from toolbox.queries.query import Query, Table
from toolbox.store.tables import QuasiIdentifierTables, Tables


def name_values(
    tables: Tables, column: QuasiIdentifierTables, ranks: Whole, starts: Numbers
) -> tuple[Whole, QuasiIdentifierTables]:
    """Name each class by the narrowest name that covers its values.

    One value keeps its own name. Several numbers become ``[min:max]``, several ordered categories ``low..mid``. Several
    other categories become the label of the hierarchy's node that covers just these of all that occur in the table,
    otherwise the set ``{a,b}``.

    Parameters
    ----------
    ranks : array
        The rank of each value, class by class.
    starts : array
        Where each class begins.

    Returns
    -------
    intervals : array
        The interval of each class.
    quasi_identifier : QuasiIdentifierTables
        With the new intervals among its own.
    """
    intervals = np.minimum.reduceat(ranks, starts).astype(np.int32)
    highest = np.maximum.reduceat(ranks, starts)
    several = np.flatnonzero(intervals < highest)
    if not len(several):
        return intervals, column
    first = next_interval(tables, column)
    if column.kind == "number" or are_named_by_ends(tables, column):
        intervals[several], named, new = _name_ranges(tables, column, intervals[several], highest[several], first)
    else:
        intervals[several], named, new = _name_sets(tables, column, sets_of(ranks, starts, several), first)
    extended = with_intervals(tables, column, new)
    tables.store.drop(named)
    return intervals, extended


def are_named_by_ends(tables: Tables, column: QuasiIdentifierTables) -> bool:
    """Return whether ranges of categories are named by their ends: they have an order, and none looks like a range."""
    label = column.ground.c.label
    lacking = select(func.count()).where(~is_nameable(label))
    return column.is_ordered and not column.has_hierarchy and not tables.store.scalar(lacking)


def _name_ranges(
    tables: Tables, column: QuasiIdentifierTables, lowest: Whole, highest: Whole, first: int
) -> tuple[Whole, Table, Query]:
    """Name ranges of numbers ``[min:max]``, in the texts of the two values, and those of categories by both."""
    pairs, places = np.unique(paired(lowest, highest, column.values), return_inverse=True)
    numbers = np.arange(first, first + len(pairs), dtype=np.int32)
    lowest, highest = unpaired(pairs, column.values)
    ranges = tables.store.from_arrays("ranges", {"interval_id": numbers, "lowest": lowest, "highest": highest})
    low, high, joined = range_ends(ranges, column)
    bounds: ColumnElement[str] = func.concat("[", low.c.label, ":", high.c.label, "]")
    if column.kind == "category":
        bounds = named_by_ends(low.c.label, high.c.label)
    nodes = column.intervals.alias()
    label = told_apart(bounds, nodes, or_(nodes.c.low != low.c.value, nodes.c.high != high.c.value))
    new = interval_rows(ranges, label, low.c.value, high.c.value).select_from(joined)
    return numbers[places], ranges, new


def _name_sets(tables: Tables, column: QuasiIdentifierTables, sets: Sets, first: int) -> tuple[Whole, Table, Query]:
    """Name sets of categories by a node of the hierarchy, or else one by one, numbered in the order of their lists."""
    store = tables.store
    known = _nodes_of(tables, column, sets)
    is_new = known < 0
    members = store.from_arrays(
        "members",
        {
            "number": np.repeat(np.arange(len(known))[is_new], sets.lengths[is_new]),
            "level_0": sets.members[np.repeat(is_new, sets.lengths)],
        },
    )
    described = store.create("sets", _described(members, column))
    rank = func.row_number().over(order_by=described.c.members) - 1
    named = store.create("sets", select(cast(rank + first, Integer).label("interval_id"), *described.c))
    rows = store.to_arrays(select(named.c.number, named.c.interval_id))
    known[rows["number"]] = rows["interval_id"]
    store.drop(members, described)
    label = told_apart(named.c.label, column.intervals.alias())
    new = interval_rows(named, label, named.c.low, named.c.high, members=named.c.members)
    return known[sets.of_class], named, new


def _nodes_of(tables: Tables, column: QuasiIdentifierTables, sets: Sets) -> Whole:
    """Find for each set the lowest node that stands for just these of the values that occur; -1 where there is none.

    The values below a node are neighbours. Nodes are numbered from the root down.
    """
    known = np.full(len(sets.starts), -1, np.int32)
    if not column.has_hierarchy:
        return known
    values = tables.store.to_arrays(select(column.ground.c.value).order_by(column.ground.c.level_0))["value"]
    interval = column.intervals.c
    bounds = select(interval.interval_id, interval.low, interval.high, interval.low_closed, interval.high_closed)
    node = tables.store.to_arrays(
        bounds.where(interval.interval_id >= column.root).order_by(interval.interval_id.desc())
    )
    low, high = ([np.searchsorted(values, node[end], side) for side in ("left", "right")] for end in ("low", "high"))
    lowest, beyond = np.where(node["low_closed"], *low), np.where(~node["high_closed"], *high)
    ends, lowest_node = np.unique(paired(lowest, beyond, column.values + 1), return_index=True)
    pairs = paired(sets.lowest, sets.highest, column.values + 1) + 1
    position = np.minimum(np.searchsorted(ends, pairs), len(ends) - 1)
    is_node = (ends[position] == pairs) & (sets.highest - sets.lowest + 1 == sets.lengths)
    known[is_node] = node["interval_id"][lowest_node[position[is_node]]]
    return known


def _described(members: Table, column: QuasiIdentifierTables) -> Query:
    """Name the members of each set one by one: ``number, members, label, low, high``."""
    ground = column.ground
    joined = select(members.c.number, ground.c.level_0, ground.c.label, ground.c.value)
    each = joined.join_from(members, ground, ground.c.level_0 == members.c.level_0).subquery()
    return select(
        each.c.number,
        sorted_list(each.c.level_0).label("members"),
        category_set_label(each).label("label"),
        func.min(each.c.value).label("low"),
        func.max(each.c.value).label("high"),
    ).group_by(each.c.number)
