"""Partitions of combinations, and the two sides of a cut."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import BigInteger, FromClause, Table, and_, case, cast, func, literal, or_, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.query import Query
from toolbox.store.tables import Tables

WHOLE = 0
"""The partition of all records."""


def value_names(tables: Tables) -> list[str]:
    """Name the columns that hold the values of the quasi-identifiers."""
    return [f"value_{number}" for number, _ in enumerate(tables.quasi_identifiers, start=1)]


def one_partition(tables: Tables) -> Query:
    """Put all combinations into one partition: ``combination_id, size, part, part_size, value_1 ..``."""
    combinations = tables.combinations
    joined: FromClause = combinations
    values = []
    for one, interval, name in zip(tables.quasi_identifiers, tables.interval_names, value_names(tables), strict=True):
        joined = joined.join(one.ground, one.ground.c.level_0 == combinations.c[interval])
        values.append(one.ground.c.value.label(name))
    return select(
        combinations.c.combination_id,
        combinations.c.size,
        cast(literal(WHOLE), BigInteger).label("part"),
        cast(literal(tables.record_count), BigInteger).label("part_size"),
        *values,
    ).select_from(joined)


def uncut(current: Table, cuts: Table | None) -> Query:
    """Take the combinations of the partitions that stay as they are."""
    finished = select(current.c.combination_id, current.c.part)
    return finished if cuts is None else finished.where(current.c.part.not_in(select(cuts.c.part)))


def sides(current: Table, cuts: Table, names: Sequence[str]) -> Query:
    """Send every combination of a partition that is cut to its side, a partition of the next round."""
    is_left = _is_left(current, cuts, names)
    return select(
        current.c.combination_id,
        current.c.size,
        case((is_left, cuts.c.left_part), else_=cuts.c.right_part).label("part"),
        case((is_left, cuts.c.left_size), else_=cuts.c.right_size).label("part_size"),
        *(current.c[name] for name in names),
    ).join_from(current, cuts, current.c.part == cuts.c.part)


def side_sizes(candidates: Table) -> Query:
    """Count the records on both sides of every cut: ``equivalence_id, size``."""
    left = select((2 * candidates.c.candidate + 1).label("equivalence_id"), candidates.c.left_size.label("size"))
    right = select((2 * candidates.c.candidate).label("equivalence_id"), candidates.c.right_size.label("size"))
    return select(union_all(left, right).subquery())


def side_values(current: Table, candidates: Table, held: Table, names: Sequence[str]) -> Query:
    """Count the sensitive values on both sides of every cut: ``equivalence_id, value, records``."""
    is_left = _is_left(current, candidates, names)
    side = (2 * candidates.c.candidate + case((is_left, 1), else_=0)).label("equivalence_id")
    records = cast(func.sum(held.c.records), BigInteger).label("records")
    return (
        select(side, held.c.value, records)
        .join_from(current, candidates, candidates.c.part == current.c.part)
        .join(held, held.c.combination_id == current.c.combination_id)
        .group_by(side, held.c.value)
    )


def _is_left(current: FromClause, cuts: FromClause, names: Sequence[str]) -> ColumnElement[bool]:
    """Test whether a combination goes to the left of a cut."""
    value = case(*((cuts.c.dimension == number, current.c[name]) for number, name in enumerate(names)))
    return or_(value < cuts.c.median, and_(cuts.c.inclusive, value == cuts.c.median))
