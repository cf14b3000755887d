"""What a locally recoded class is called: the values that occur in it, as briefly as they can be named."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import (
    ARRAY,
    FromClause,
    Integer,
    Table,
    and_,
    case,
    cast,
    func,
    literal,
    null,
    select,
    union_all,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.labels import category_set_label, within_bounds
from toolbox.queries.query import Query
from toolbox.store.tables import QuasiIdentifierTables, Tables


def name_classes(tables: Tables, partitions: Table) -> tuple[Query, list[QuasiIdentifierTables]]:
    """Give each class, in each quasi-identifier, the narrowest name that covers its values.

    One value keeps its own name. Several numbers become ``[min:max]``. Several categories become the label of the
    hierarchy's node that covers just these of all that occur in the table, otherwise the set ``{a,b}``.

    Parameters
    ----------
    partitions : Table
        ``combination_id, part``: each initial combination once.

    Returns
    -------
    assignment : Select
        As `Tables.recoded` takes it.
    quasi_identifiers : list of QuasiIdentifierTables
        With the new intervals among their own.
    """
    store = tables.store
    extents = store.create("extents", _extents(tables, partitions))
    joined: FromClause = partitions.join(
        tables.combinations, tables.combinations.c.combination_id == partitions.c.combination_id
    ).join(extents, extents.c.part == partitions.c.part)
    intervals, quasi_identifiers = [], []
    for number, one in enumerate(tables.quasi_identifiers):
        make = _name_ranges if one.kind == "number" else _name_sets
        extent = extents.c[f"extent_{number}"]
        names, named = make(tables, one, extents, extent)
        joined = joined.join(names, names.c.extent == extent)
        intervals.append(names.c.interval_id.label(tables.interval_names[number]))
        quasi_identifiers.append(named)
    combination = tables.combinations.c
    suppressed = literal(False).label("suppressed")
    assignment = select(combination.combination_id, combination.size, suppressed, *intervals).select_from(joined)
    return assignment, quasi_identifiers


def _extents(tables: Tables, partitions: Table) -> Query:
    """Describe each class by its values: of numbers the lowest and the highest rank, of categories the list of all."""
    combinations = tables.combinations
    columns = []
    for number, (one, name) in enumerate(zip(tables.quasi_identifiers, tables.interval_names, strict=True)):
        value = combinations.c[name]
        ends = func.list_value(func.min(value), func.max(value))
        members = func.list(aggregate_order_by(value.distinct(), value))
        columns.append(cast(ends if one.kind == "number" else members, ARRAY(Integer)).label(f"extent_{number}"))
    joined = partitions.join(combinations, combinations.c.combination_id == partitions.c.combination_id)
    return select(partitions.c.part, *columns).select_from(joined).group_by(partitions.c.part)


def _first(values: ColumnElement[list[int]]) -> ColumnElement[int]:
    return func.list_extract(values, 1)


def _last(values: ColumnElement[list[int]]) -> ColumnElement[int]:
    return func.list_extract(values, -1)


def _name_ranges(
    tables: Tables, one: QuasiIdentifierTables, extents: Table, extent: ColumnElement[list[int]]
) -> tuple[Table, QuasiIdentifierTables]:
    """Name ranges of numbers ``[min:max]``, in the texts of the two values."""
    distinct = select(extent.label("extent")).distinct().subquery()
    low, high = one.ground.alias(), one.ground.alias()
    joined = distinct.join(low, low.c.level_0 == _first(distinct.c.extent)).join(
        high, high.c.level_0 == _last(distinct.c.extent)
    )
    is_single = low.c.level_0 == high.c.level_0
    label = func.concat("[", low.c.label, ":", high.c.label, "]")
    rows = select(
        distinct.c.extent,
        case((is_single, low.c.level_0)).label("known_id"),
        label.label("label"),
        low.c.value.label("low"),
        high.c.value.label("high"),
        cast(null(), ARRAY(Integer)).label("members"),
    ).select_from(joined)
    return _number(tables, one, rows)


def _name_sets(
    tables: Tables, one: QuasiIdentifierTables, extents: Table, extent: ColumnElement[list[int]]
) -> tuple[Table, QuasiIdentifierTables]:
    """Name sets of categories by a node of the hierarchy, or else one by one."""
    sets = tables.store.create("sets", select(extent.label("extent")).distinct())
    described, nodes = _described_sets(sets, one).subquery(), _node_extents(one).subquery()
    single = case((func.len(described.c.extent) == 1, _first(described.c.extent)))
    rows = select(
        described.c.extent,
        func.coalesce(single, nodes.c.interval_id).label("known_id"),
        described.c.label,
        described.c.low,
        described.c.high,
        described.c.extent.label("members"),
    ).join_from(described, nodes, nodes.c.extent == described.c.extent, isouter=True)
    return _number(tables, one, rows)


def _node_extents(one: QuasiIdentifierTables) -> Query:
    """List what each node stands for among the values that occur: ``extent, interval_id``.

    Of several nodes that stand for the same the lowest is named; nodes are numbered from the root down.
    """
    interval, ground = one.intervals, one.ground
    members = func.list(aggregate_order_by(ground.c.level_0, ground.c.level_0))
    is_node = and_(interval.c.interval_id >= one.root, literal(one.has_hierarchy))
    each = (
        select(interval.c.interval_id, members.label("extent"))
        .join_from(interval, ground, within_bounds(interval, ground.c.value))
        .where(is_node)
        .group_by(interval.c.interval_id)
        .subquery()
    )
    return select(each.c.extent, func.max(each.c.interval_id).label("interval_id")).group_by(each.c.extent)


def _described_sets(sets: Table, one: QuasiIdentifierTables) -> Query:
    """Name the members of each set one by one: ``extent, label, low, high``."""
    each = select(sets.c.extent, func.unnest(sets.c.extent).label("level_0")).subquery()
    ground = one.ground
    joined = select(each.c.extent, ground.c.level_0, ground.c.label, ground.c.value)
    members = joined.join_from(each, ground, ground.c.level_0 == each.c.level_0).subquery()
    return select(
        members.c.extent,
        category_set_label(members).label("label"),
        func.min(members.c.value).label("low"),
        func.max(members.c.value).label("high"),
    ).group_by(members.c.extent)


def _number(tables: Tables, one: QuasiIdentifierTables, rows: Query) -> tuple[Table, QuasiIdentifierTables]:
    """Give names that are new an id after all others, and list them among the intervals.

    Parameters
    ----------
    rows : Select
        ``extent, known_id, label, low, high, members``; the id is null where the name is new.
    """
    store, given = tables.store, rows.subquery()
    highest = select(func.max(one.intervals.c.interval_id)).scalar_subquery()
    rank = func.row_number().over(partition_by=given.c.known_id.is_(None), order_by=given.c.extent)
    names = store.create(
        "names", select(given, func.coalesce(given.c.known_id, cast(highest + rank, Integer)).label("interval_id"))
    )
    true = literal(True)
    new = select(
        names.c.interval_id,
        cast(null(), Integer).label("level"),
        names.c.label,
        names.c.low,
        names.c.high,
        true.label("low_closed"),
        true.label("high_closed"),
        names.c.members,
    ).where(names.c.known_id.is_(None))
    both = union_all(select(one.intervals), new).subquery()
    return names, replace(one, intervals=store.create("intervals", select(both), lasting=True))
