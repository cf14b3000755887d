"""Which rows of two tables fit in every column: values on one side, and cells on the other, which cover some of them.

The work is a join along prefixes. Columns are taken one after the other; the pairs of distinct beginnings that fit are
kept. So rows that begin alike are compared once, and beginnings that do not fit are never continued.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import BigInteger, FromClause, Integer, and_, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.dialect import Query, Table
from toolbox.store.engine.store import Store


@dataclass(frozen=True)
class Side:
    """One of the tables, with a number for each distinct beginning of its rows."""

    table: Table
    """``id, weight, code_1 .., prefix_1 ..`` in the order in which columns are taken."""

    def steps(self, depth: int) -> FromClause:
        """List the continuations of beginnings: ``before, after, code``, each once; at depth 1 nothing comes before."""
        columns = self.table.c
        before = columns[f"prefix_{depth - 1}"].label("before") if depth > 1 else cast(0, Integer).label("before")
        rows = select(before, columns[f"prefix_{depth}"].label("after"), columns[f"code_{depth}"].label("code"))
        return rows.distinct().subquery()


def build_side(
    store: Store, table: FromClause, key: str, columns: Sequence[str], where: ColumnElement[bool] | None = None
) -> Side:
    """Assign numbers to the beginnings of rows, by the columns in this order.

    Parameters
    ----------
    table : FromClause
        The key, ``size`` and the columns.
    """
    codes = [table.c[name].label(f"code_{depth}") for depth, name in enumerate(columns, start=1)]
    prefixes = [
        cast(func.dense_rank().over(order_by=[table.c[name] for name in columns[:depth]]), Integer).label(
            f"prefix_{depth}"
        )
        for depth, _ in enumerate(columns, start=1)
    ]
    rows = select(table.c[key].label("id"), table.c.size.label("weight"), *codes, *prefixes)
    return Side(store.create("side", rows if where is None else rows.where(where)))


def pair_fitting_rows(store: Store, values: Side, cells: Side, spans: Sequence[FromClause]) -> Table:
    """Pair the rows of both sides that fit: ``value, cell``, the numbers of their longest beginnings.

    Parameters
    ----------
    spans : sequence of FromClause
        For each column ``cell_id, first, last``: the values that a cell covers, in ranges that do not overlap.
    """
    pairs: Table | None = None
    for depth, covered in enumerate(spans, start=1):
        longer = store.create("pairs", _extend_pairs(pairs, values, cells, covered, depth))
        if pairs is not None:
            store.drop(pairs)
        pairs = longer
    assert pairs is not None, "there is at least one column"
    return pairs


def sum_covered_weights(values: Side, cells: Side, pairs: Table, depth: int) -> Query:
    """Add up the weights of the values that fit each row of cells: ``id, weight, covered``.

    Parameters
    ----------
    pairs : Table
        From `fitting`.
    depth : int
        Number of columns.
    """
    value, cell, last = values.table, cells.table, f"prefix_{depth}"
    joined = cell.outerjoin(pairs, pairs.c.cell == cell.c[last]).outerjoin(value, value.c[last] == pairs.c.value)
    covered = cast(func.coalesce(func.sum(value.c.weight), 0), BigInteger).label("covered")
    return select(cell.c.id, cell.c.weight, covered).select_from(joined).group_by(cell.c.id, cell.c.weight)


def _extend_pairs(pairs: Table | None, values: Side, cells: Side, spans: FromClause, depth: int) -> Query:
    """Continue pairs of beginnings by one column."""
    value, cell = values.steps(depth), cells.steps(depth)
    fits: ColumnElement[bool] = value.c.code.between(spans.c.first, spans.c.last)
    if pairs is None:
        joined: FromClause = value.join(spans, fits).join(cell, cell.c.code == spans.c.cell_id)
    else:
        joined = pairs.join(value, value.c.before == pairs.c.value).join(cell, cell.c.before == pairs.c.cell)
        joined = joined.join(spans, and_(spans.c.cell_id == cell.c.code, fits))
    return select(value.c.after.label("value"), cell.c.after.label("cell")).select_from(joined)
