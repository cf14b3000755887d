"""The regions that cuts leave of the declared domains: how wide they are, and what they are called."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    FromClause,
    Integer,
    Table,
    and_,
    case,
    cast,
    false,
    func,
    literal,
    null,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.java_numbers import java_number
from toolbox.queries.query import Query
from toolbox.store.tables import QuasiIdentifierTables, Tables

_BOUNDS = ("low", "high", "low_closed", "high_closed")


def whole_region(tables: Tables, part: int) -> Query:
    """Start with the roots of all quasi-identifiers.

    Returns
    -------
    Select, one row per dimension
        ``part, dimension, low, high, low_closed, high_closed, is_cut``. A missing value that is kept as a category
        lies outside the declared root, which is widened for it.
    """
    each = []
    for number, one in enumerate(tables.quasi_identifiers):
        root, value = one.intervals, one.ground.c.value
        lowest, highest = (select(end(value)).scalar_subquery() for end in (func.min, func.max))
        each.append(
            select(
                cast(literal(part), BigInteger).label("part"),
                literal(number).label("dimension"),
                func.least(root.c.low, lowest).label("low"),
                func.greatest(root.c.high, highest).label("high"),
                or_(root.c.low_closed, lowest <= root.c.low).label("low_closed"),
                or_(root.c.high_closed, highest >= root.c.high).label("high_closed"),
                false().label("is_cut"),
            ).where(root.c.interval_id == one.root)
        )
    return select(union_all(*each).subquery())


def half_width(region: FromClause) -> ColumnElement[Any]:
    """Measure half of a region, because the difference of two large numbers may be beyond the largest."""
    return region.c.high / 2 - region.c.low / 2


def cut_regions(regions: Table, cuts: Table) -> Query:
    """Cut the regions of partitions in two: ``<= median`` and ``> median``, or ``< median`` and ``>= median``.

    Parameters
    ----------
    cuts : Table
        ``part, dimension, median, inclusive, left_part, right_part``.
    """
    halves = []
    for is_left, part in ((True, cuts.c.left_part), (False, cuts.c.right_part)):
        ends, starts = (and_(is_here, cuts.c.dimension == regions.c.dimension) for is_here in _sides(is_left=is_left))
        halves.append(
            select(
                part.label("part"),
                regions.c.dimension,
                case((starts, cuts.c.median), else_=regions.c.low).label("low"),
                case((ends, cuts.c.median), else_=regions.c.high).label("high"),
                case((starts, ~cuts.c.inclusive), else_=regions.c.low_closed).label("low_closed"),
                case((ends, cuts.c.inclusive), else_=regions.c.high_closed).label("high_closed"),
                or_(regions.c.is_cut, cuts.c.dimension == regions.c.dimension).label("is_cut"),
            ).join_from(regions, cuts, cuts.c.part == regions.c.part)
        )
    return select(union_all(*halves).subquery())


def _sides(*, is_left: bool) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Tell which end of a region a cut moves: the upper one of the left side, the lower one of the right side."""
    return (true(), false()) if is_left else (false(), true())


def name_regions(tables: Tables, partitions: Table, regions: Table) -> tuple[Query, list[QuasiIdentifierTables]]:
    """Give each class, in each quasi-identifier, the name of its region: ``(34.0:100.0]``; that of the root if uncut.

    Parameters
    ----------
    partitions : Table
        ``combination_id, part``: each initial combination once.
    regions : Table
        As `whole_region` makes them, of all these partitions.

    Returns
    -------
    assignment : Select
        As `Tables.recoded` takes it.
    quasi_identifiers : list of QuasiIdentifierTables
        With the regions among their intervals.
    """
    combination = tables.combinations
    joined: FromClause = partitions.join(combination, combination.c.combination_id == partitions.c.combination_id)
    intervals, quasi_identifiers = [], []
    for number, (one, name) in enumerate(zip(tables.quasi_identifiers, tables.interval_names, strict=True)):
        is_finished = regions.c.part.in_(select(partitions.c.part))
        finished = select(regions).where(regions.c.dimension == number, is_finished)
        named = tables.store.create("regions", _numbered(one, finished))
        joined = joined.join(named, named.c.part == partitions.c.part)
        intervals.append(named.c.interval_id.label(name))
        both = union_all(select(one.intervals), _new_intervals(named)).subquery()
        listed = tables.store.create("intervals", select(both), lasting=True)
        quasi_identifiers.append(replace(one, intervals=listed))
    suppressed = literal(False).label("suppressed")
    sized = select(combination.c.combination_id, combination.c.size, suppressed, *intervals)
    return sized.select_from(joined), quasi_identifiers


def _numbered(one: QuasiIdentifierTables, given: Query) -> Query:
    """Give every region an id after those of all other intervals, and regions with equal bounds the same."""
    region = given.subquery()
    bounds = [region.c[name] for name in _BOUNDS]
    highest = select(func.max(one.intervals.c.interval_id)).scalar_subquery()
    rank = func.dense_rank().over(order_by=bounds)
    number = case((region.c.is_cut, cast(highest + rank, Integer)), else_=one.root)
    return select(region.c.part, region.c.is_cut, number.label("interval_id"), *bounds)


def _new_intervals(named: Table) -> Query:
    """List the regions that a cut has made as intervals."""
    label = func.concat(
        case((named.c.low_closed, "["), else_="("),
        java_number(named.c.low),
        ":",
        java_number(named.c.high),
        case((named.c.high_closed, "]"), else_=")"),
    )
    return (
        select(
            named.c.interval_id,
            cast(null(), Integer).label("level"),
            label.label("label"),
            *(named.c[name] for name in _BOUNDS),
            cast(null(), ARRAY(Integer)).label("members"),
        )
        .where(named.c.is_cut)
        .distinct()
    )
