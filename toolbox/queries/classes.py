"""Queries over classes: what they become one level up, and how many records are in small ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import FromClause, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.query import Query


def roll_up(frequency_set: FromClause, keys: Sequence[str], raised: Mapping[str, FromClause]) -> Query:
    """Generalise columns of a frequency set and merge the rows that become equal.

    Parameters
    ----------
    frequency_set : FromClause
        The keys and ``size``, in records.
    keys : sequence of str
    raised : mapping of key to FromClause
        For each key to generalise, a table ``(lower, upper)`` that names each value's generalisation once.

    Returns
    -------
    Select, one row per class
        The keys, generalised, then ``size``.
    """
    joined: FromClause = frequency_set
    columns: list[ColumnElement[int]] = []
    for key in keys:
        if key in raised:
            step = raised[key].alias()
            joined = joined.join(step, step.c.lower == frequency_set.c[key])
            columns.append(step.c.upper.label(key))
        else:
            columns.append(frequency_set.c[key])
    grouping = [column.element if hasattr(column, "element") else column for column in columns]
    return select(*columns, _sum_sizes(frequency_set.c.size)).select_from(joined).group_by(*grouping)


def count_records_below(frequency_set: FromClause, size: int) -> Query:
    """Count the records in classes smaller than a size: one row, one column."""
    small = frequency_set.c.size < size
    return select(func.coalesce(func.sum(frequency_set.c.size).filter(small), 0))


def count_placed_combinations(anon_record: FromClause) -> Query:
    """Count the records of each pair of class and initial combination: the one look at the records.

    Returns
    -------
    Select, one row per pair
        ``combination_id, equivalence_id, size``, in records.
    """
    keys = (anon_record.c.combination_id, anon_record.c.equivalence_id)
    return select(*keys, func.count().label("size")).group_by(*keys)


def _sum_sizes(size: ColumnElement[int]) -> ColumnElement[int]:
    """Add sizes up without leaving the type of a size: sums of 64-bit integers are 128 bits wide otherwise."""
    return cast(func.sum(size), size.type).label("size")
