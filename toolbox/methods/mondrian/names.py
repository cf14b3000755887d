"""What a locally recoded class is called: the values that occur in it, as briefly as they can be named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sqlalchemy import ARRAY, Integer, Table, cast, func, literal, null, or_, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.methods.mondrian.arrays import Places, Whole
from toolbox.methods.mondrian.sets import Sets, sets_of
from toolbox.queries.dialect import sorted_list
from toolbox.queries.ends import is_nameable, named_by_ends
from toolbox.queries.labels import category_set_label, told_apart
from toolbox.queries.query import Query
from toolbox.store.tables import QuasiIdentifierTables, Tables


def name_values(
    tables: Tables, one: QuasiIdentifierTables, ranks: Whole, starts: Places
) -> tuple[Whole, QuasiIdentifierTables]:
    """Give each class the narrowest name that covers its values.

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
        return intervals, one
    first = 1 + tables.store.scalar(select(func.max(one.intervals.c.interval_id)))
    if one.kind == "number" or _are_named_by_ends(tables, one):
        intervals[several], named, new = _name_ranges(tables, one, intervals[several], highest[several], first)
    else:
        intervals[several], named, new = _name_sets(tables, one, sets_of(ranks, starts, several), first)
    listed = tables.store.create("intervals", select(union_all(select(one.intervals), new).subquery()), lasting=True)
    tables.store.drop(named)
    return intervals, replace(one, intervals=listed)


def _are_named_by_ends(tables: Tables, one: QuasiIdentifierTables) -> bool:
    """Tell whether a range of categories is named by its ends: they have an order, and none looks like such a name."""
    label = one.ground.c.label
    lacking = select(func.count()).where(~is_nameable(label))
    return one.is_ordered and not one.has_hierarchy and not tables.store.scalar(lacking)


def _name_ranges(
    tables: Tables, one: QuasiIdentifierTables, lowest: Whole, highest: Whole, first: int
) -> tuple[Whole, Table, Query]:
    """Name ranges of numbers ``[min:max]``, in the texts of the two values, and those of categories by both."""
    pairs, places = np.unique(lowest.astype(np.int64) * one.values + highest, return_inverse=True)
    numbers = np.arange(first, first + len(pairs), dtype=np.int32)
    ends = {"interval_id": numbers, "lowest": pairs // one.values, "highest": pairs % one.values}
    ranges = tables.store.from_arrays("ranges", ends)
    low, high = one.ground.alias(), one.ground.alias()
    joined = ranges.join(low, low.c.level_0 == ranges.c.lowest).join(high, high.c.level_0 == ranges.c.highest)
    bounds: ColumnElement[str] = func.concat("[", low.c.label, ":", high.c.label, "]")
    if one.kind == "category":
        bounds = named_by_ends(low.c.label, high.c.label)
    others = one.intervals.alias()
    label = told_apart(bounds, others, or_(others.c.low != low.c.value, others.c.high != high.c.value))
    members = cast(null(), ARRAY(Integer))
    new = _interval(ranges, label, low.c.value, high.c.value, members).select_from(joined)
    return numbers[places], ranges, new


def _name_sets(tables: Tables, one: QuasiIdentifierTables, sets: Sets, first: int) -> tuple[Whole, Table, Query]:
    """Name sets of categories by a node of the hierarchy, or else one by one, numbered in the order of their lists."""
    store = tables.store
    known = _nodes_of(tables, one, sets)
    is_new = known < 0
    members = store.from_arrays(
        "members",
        {
            "number": np.repeat(np.arange(len(known))[is_new], sets.lengths[is_new]),
            "level_0": sets.members[np.repeat(is_new, sets.lengths)],
        },
    )
    described = store.create("sets", _described(members, one))
    rank = func.row_number().over(order_by=described.c.members) - 1
    named = store.create("sets", select(cast(rank + first, Integer).label("interval_id"), *described.c))
    given = store.to_arrays(select(named.c.number, named.c.interval_id))
    known[given["number"]] = given["interval_id"]
    store.drop(members, described)
    new = _interval(named, told_apart(named.c.label, one.intervals.alias()), named.c.low, named.c.high, named.c.members)
    return known[sets.of_class], named, new


def _nodes_of(tables: Tables, one: QuasiIdentifierTables, sets: Sets) -> Whole:
    """Find for each set the lowest node that stands for just these of the values that occur; -1 where there is none.

    The values below a node are neighbours. Nodes are numbered from the root down.
    """
    known = np.full(len(sets.starts), -1, np.int32)
    if not one.has_hierarchy:
        return known
    values = tables.store.to_arrays(select(one.ground.c.value).order_by(one.ground.c.level_0))["value"]
    interval = one.intervals.c
    bounds = select(interval.interval_id, interval.low, interval.high, interval.low_closed, interval.high_closed)
    node = tables.store.to_arrays(bounds.where(interval.interval_id >= one.root).order_by(interval.interval_id.desc()))
    low, high = ([np.searchsorted(values, node[end], side) for side in ("left", "right")] for end in ("low", "high"))
    lowest, beyond = np.where(node["low_closed"], *low), np.where(~node["high_closed"], *high)
    ends, lowest_node = np.unique(lowest * (one.values + 1) + beyond, return_index=True)
    wanted = sets.lowest.astype(np.int64) * (one.values + 1) + sets.highest + 1
    found = np.minimum(np.searchsorted(ends, wanted), len(ends) - 1)
    is_node = (ends[found] == wanted) & (sets.highest - sets.lowest + 1 == sets.lengths)
    known[is_node] = node["interval_id"][lowest_node[found[is_node]]]
    return known


def _described(members: Table, one: QuasiIdentifierTables) -> Query:
    """Name the members of each set one by one: ``number, members, label, low, high``."""
    ground = one.ground
    joined = select(members.c.number, ground.c.level_0, ground.c.label, ground.c.value)
    each = joined.join_from(members, ground, ground.c.level_0 == members.c.level_0).subquery()
    return select(
        each.c.number,
        sorted_list(each.c.level_0).label("members"),
        category_set_label(each).label("label"),
        func.min(each.c.value).label("low"),
        func.max(each.c.value).label("high"),
    ).group_by(each.c.number)


def _interval(
    given: Table,
    label: ColumnElement[str],
    low: ColumnElement[float],
    high: ColumnElement[float],
    members: ColumnElement[Any],
) -> Query:
    """List new names among the intervals."""
    true = literal(True)
    return select(
        given.c.interval_id,
        cast(null(), Integer).label("level"),
        label.label("label"),
        low.label("low"),
        high.label("high"),
        true.label("low_closed"),
        true.label("high_closed"),
        members.label("members"),
    )
