"""From the arrays of a search to the classes of a release, and new names for classes that no level has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ARRAY, FromClause, Integer, Select, cast, func, literal, null, or_, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.methods.arrays.combinations import Flags, Whole
from toolbox.queries.dialect import Query, Table
from toolbox.queries.labels import mark_apart, name_range
from toolbox.store.tables import QuasiIdentifierTables, Tables

# New names among the intervals of a quasi-identifier, for classes that no level of a hierarchy names.

_NO_LEVEL: ColumnElement[Any] = cast(null(), Integer)
_NO_MEMBERS: ColumnElement[Any] = cast(null(), ARRAY(Integer))
_TRUE: ColumnElement[bool] = literal(True)


class RangeBounds(NamedTuple):
    """The least and the largest value of each range."""

    low: FromClause
    high: FromClause
    joined: FromClause
    """The ranges, each with the rows of `ground` of both."""


def find_next_interval(tables: Tables, column: QuasiIdentifierTables) -> int:
    """Return the first number that no interval of a quasi-identifier has."""
    return 1 + int(tables.store.scalar(select(func.max(column.intervals.c.interval_id))))


def find_range_ends(ranges: Table, column: QuasiIdentifierTables) -> RangeBounds:
    """Look up the two ends of ranges of values.

    Parameters
    ----------
    ranges : Table
        ``lowest, highest``, as in ``level_0`` of `ground`.
    """
    low, high = column.ground.alias(), column.ground.alias()
    joined = ranges.join(low, low.c.level_0 == ranges.c.lowest).join(high, high.c.level_0 == ranges.c.highest)
    return RangeBounds(low, high, joined)


def build_range_label(column: QuasiIdentifierTables, ends: RangeBounds) -> ColumnElement[str]:
    """Name ranges of numbers ``[min:max]`` and of categories by both ends, apart from all that means something else."""
    low, high, nodes = ends.low.c, ends.high.c, column.intervals.alias()
    bounds: ColumnElement[str] = func.concat("[", low.label, ":", high.label, "]")
    if column.kind == "category":
        bounds = name_range(low.label, high.label)
    return mark_apart(
        bounds, nodes, or_(nodes.c.low != low.value, nodes.c.high != high.value, nodes.c.members.is_not(None))
    )


def select_interval_rows(
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


def add_intervals(tables: Tables, column: QuasiIdentifierTables, rows: Query) -> QuasiIdentifierTables:
    """Return a quasi-identifier with new rows added to its intervals."""
    intervals = union_all(select(column.intervals), rows).subquery()
    return replace(column, intervals=tables.store.create("intervals", select(intervals), lasting=True))


# From the arrays of a search to the classes of a release.


def recode(
    tables: Tables,
    combination_ids: Whole,
    sizes: Whole,
    intervals: Sequence[Whole],
    *,
    classes: Whole | None = None,
    suppressed: Flags | None = None,
    quasi_identifiers: Sequence[QuasiIdentifierTables] | None = None,
) -> Tables:
    """Recode the combinations of a table to their generalised values; see `Tables.recoded`.

    Parameters
    ----------
    combination_ids : array
        Each combination once.
    sizes : array
        The records of each combination; with classes, those of each class.
    intervals : sequence of array
        For each quasi-identifier the interval of each combination; with classes, that of each class.
    classes : array, optional
        The class of each combination, numbered from 0. By default each combination has intervals of its own.
    suppressed : array, optional
        Whether each combination, or each class, is suppressed. By default none is.
    quasi_identifiers : sequence, optional
        With the intervals that are named, where the method has made new ones.
    """
    store, names = tables.store, tables.interval_names
    part = combination_ids if classes is None else np.arange(len(sizes), dtype=classes.dtype)
    columns: dict[str, NDArray[Any]] = {"combination_id" if classes is None else "part": part, "size": sizes}
    columns |= {name: column.astype(np.int32, copy=False) for name, column in zip(names, intervals, strict=True)}
    if suppressed is not None:
        columns["suppressed"] = suppressed
    parts = store.from_arrays("parts", columns)
    is_suppressed = literal(False).label("suppressed") if suppressed is None else parts.c.suppressed
    numbered, size = list(parts.c)[:2]
    assignment = select(numbered, size, is_suppressed, *(parts.c[name] for name in names))
    if classes is None:
        recoded = tables.recoded(assignment, quasi_identifiers=quasi_identifiers)
    else:
        members = store.from_arrays("members", {"combination_id": combination_ids, "part": classes})
        recoded = tables.recoded(assignment, members=select(members), quasi_identifiers=quasi_identifiers)
        store.drop(members)
    store.drop(parts)
    return recoded
