"""The cuts of partitions: where they could be cut, and which of these cuts is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BigInteger, Double, FromClause, Table, and_, cast, func, literal, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.methods.partitions.regions import half_width
from toolbox.queries.query import Query
from toolbox.store.tables import Tables


def measured(tables: Tables, regions: Table | None) -> Query:
    """Measure the whole table in each dimension: ``dimension, half_range, distinct_values``, and ``half_domain``."""
    each = (
        select(
            literal(number).label("dimension"),
            (func.max(one.ground.c.value) / 2 - func.min(one.ground.c.value) / 2).label("half_range"),
            func.count().label("distinct_values"),
        )
        for number, one in enumerate(tables.quasi_identifiers)
    )
    scale = union_all(*each).subquery()
    if regions is None:
        return select(scale)
    half_domain = half_width(regions).label("half_domain")
    return select(*scale.c, half_domain).join_from(scale, regions, regions.c.dimension == scale.c.dimension)


def candidates(
    current: Table,
    scale: Table,
    names: Sequence[str],
    regions: Table | None,
    *,
    dimension: str,
    tries_below: bool,
    least: int,
) -> Query:
    """List the cuts of every partition whose sides have enough records.

    Parameters
    ----------
    current : Table
        ``combination_id, size, part, part_size`` and a value for each of the names.
    scale : Table
        What `measured` found of the whole table.
    regions : Table, optional
        The region of every partition, where it counts.
    dimension : {'range', 'distinct', 'interval'}
        What measures how wide a partition is.
    tries_below : bool
        Whether to cut below the median, too.
    least : int
        Fewest records of a side.

    Returns
    -------
    Select, one row per cut
        ``candidate, part, dimension, median, inclusive, left_size, right_size, width``: values up to the median, or
        only those below it, go to the left.
    """
    middle = _medians(current, names, at_least=2 * least).subquery()
    measured: FromClause = middle.join(scale, scale.c.dimension == middle.c.dimension)
    if regions is not None:
        same = and_(regions.c.part == middle.c.part, regions.c.dimension == middle.c.dimension)
        measured = measured.join(regions, same)
    ways = [(True, middle.c.up_to_median), *([(False, middle.c.below_median)] if tries_below else [])]
    each = union_all(
        *(
            select(
                middle.c.part,
                middle.c.dimension,
                middle.c.median,
                literal(inclusive).label("inclusive"),
                left.label("left_size"),
                (middle.c.size - left).label("right_size"),
                _width(middle, scale, regions, dimension).label("width"),
            )
            .select_from(measured)
            .where(left >= least, middle.c.size - left >= least)
            for inclusive, left in ways
        )
    ).subquery()
    return select(func.row_number().over().label("candidate"), *each.c)


def _width(medians: FromClause, scale: FromClause, regions: FromClause | None, dimension: str) -> ColumnElement[Any]:
    """Measure how wide a partition is in a dimension, as a share of the whole table, or of the declared domain."""
    if regions is not None and dimension == "interval":
        return half_width(regions) / scale.c.half_domain
    if dimension == "distinct":
        return medians.c.distinct_values / cast(scale.c.distinct_values, Double)
    # Halves, because the difference of two large numbers may be beyond the largest.
    return (medians.c.highest / 2 - medians.c.lowest / 2) / scale.c.half_range


def _medians(current: Table, names: Sequence[str], *, at_least: int) -> Query:
    """Find the median of every partition in every dimension.

    Returns
    -------
    Select, one row per partition and dimension
        ``part, dimension, size, lowest, highest, distinct_values, median, up_to_median, below_median``: the last two
        as numbers of records. The median is the first value with half of the records up to it.
    """
    histograms = union_all(
        *(
            select(
                current.c.part,
                literal(number).label("dimension"),
                current.c.part_size.label("size"),
                current.c[name].label("value"),
                func.sum(current.c.size).label("records"),
            )
            .where(current.c.part_size >= at_least)
            .group_by(current.c.part, current.c.part_size, current.c[name])
            for number, name in enumerate(names)
        )
    ).subquery()
    up_to = func.sum(histograms.c.records).over(
        partition_by=(histograms.c.part, histograms.c.dimension), order_by=histograms.c.value
    )
    columns = (histograms.c.part, histograms.c.dimension, histograms.c.size, histograms.c.value)
    running = select(*columns, cast(up_to, BigInteger).label("up_to")).subquery()
    upper_half = 2 * running.c.up_to >= running.c.size
    keys = (running.c.part, running.c.dimension, running.c.size)
    return select(
        *keys,
        func.min(running.c.value).label("lowest"),
        func.max(running.c.value).label("highest"),
        func.count().label("distinct_values"),
        func.min(running.c.value).filter(upper_half).label("median"),
        func.min(running.c.up_to).filter(upper_half).label("up_to_median"),
        func.coalesce(func.max(running.c.up_to).filter(~upper_half), 0).label("below_median"),
    ).group_by(*keys)


def chosen(current: Table, proposed: Table, refused: Query | None = None) -> Query:
    """Choose the cut of every partition: on its widest dimension, at best with the median to the left.

    Returns
    -------
    Select, one row per partition that is cut
        ``part, dimension, median, inclusive, left_size, right_size, left_part, right_part``.
    """
    order = (proposed.c.width.desc(), proposed.c.dimension, proposed.c.inclusive.desc())
    allowed = select(proposed, func.row_number().over(partition_by=proposed.c.part, order_by=order).label("rank"))
    if refused is not None:
        allowed = allowed.where(proposed.c.candidate.not_in(refused))
    ranked = allowed.subquery()
    names = ("part", "dimension", "median", "inclusive", "left_size", "right_size")
    # New parts are numbered above all of this round, so that finished ones of different rounds never meet.
    right = select(func.max(current.c.part)).scalar_subquery() + 2 * func.row_number().over()
    parts = ((right - 1).label("left_part"), right.label("right_part"))
    return select(*(ranked.c[name] for name in names), *parts).where(ranked.c.rank == 1)
