"""New names among the intervals of a quasi-identifier, for classes that no level of a hierarchy names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from sqlalchemy import ARRAY, FromClause, Integer, Select, cast, func, literal, null, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.query import Query, Table
from toolbox.store.tables import QuasiIdentifierTables, Tables

_NO_LEVEL: ColumnElement[Any] = cast(null(), Integer)
_NO_MEMBERS: ColumnElement[Any] = cast(null(), ARRAY(Integer))
_TRUE: ColumnElement[bool] = literal(True)


class Ends(NamedTuple):
    """The least and the largest value of each range."""

    low: FromClause
    high: FromClause
    joined: FromClause
    """The ranges, each with the rows of `ground` of both."""


def next_interval(tables: Tables, column: QuasiIdentifierTables) -> int:
    """Return the first number that no interval of a quasi-identifier has."""
    return 1 + int(tables.store.scalar(select(func.max(column.intervals.c.interval_id))))


def range_ends(ranges: Table, column: QuasiIdentifierTables) -> Ends:
    """Look up the two ends of ranges of values.

    Parameters
    ----------
    ranges : Table
        ``lowest, highest``, as in ``level_0`` of `ground`.
    """
    low, high = column.ground.alias(), column.ground.alias()
    joined = ranges.join(low, low.c.level_0 == ranges.c.lowest).join(high, high.c.level_0 == ranges.c.highest)
    return Ends(low, high, joined)


def interval_rows(
    named: Table,
    label: ColumnElement[str],
    low: ColumnElement[float],
    high: ColumnElement[float],
    *,
    low_closed: ColumnElement[bool] = _TRUE,
    high_closed: ColumnElement[bool] = _TRUE,
    members: ColumnElement[Any] = _NO_MEMBERS,
) -> Select[*tuple[Any, ...]]:
    """Return rows for the table `intervals` of a quasi-identifier; no hierarchy has them.

    Parameters
    ----------
    named : Table
        ``interval_id`` and whatever the other columns are made of.
    members : ColumnElement, optional
        The ``level_0`` of a set of categories; by default the bounds say it all.
    """
    return select(
        cast(named.c.interval_id, Integer).label("interval_id"),
        _NO_LEVEL.label("level"),
        label.label("label"),
        low.label("low"),
        high.label("high"),
        low_closed.label("low_closed"),
        high_closed.label("high_closed"),
        members.label("members"),
    )


def with_intervals(tables: Tables, column: QuasiIdentifierTables, rows: Query) -> QuasiIdentifierTables:
    """Return a quasi-identifier with new rows added to its intervals."""
    intervals = union_all(select(column.intervals), rows).subquery()
    return replace(column, intervals=tables.store.create("intervals", select(intervals), lasting=True))
