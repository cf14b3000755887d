"""Which rows of two tables fit in every column: values on one side, and cells on the other, which cover some of them.

The work is a join along prefixes. Columns are taken one after the other; the pairs of distinct beginnings that fit are
kept. So rows that begin alike are compared once, and beginnings that do not fit are never continued. Where the first
column leaves few rows to each other, as where nearly all rows are different, these are compared at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import BigInteger, Double, FromClause, Integer, and_, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.dialect import Query, Table
from toolbox.store.engine.store import Store

_MOST_TRIED: Final = 64
"""Most pairs of rows that are compared at once, for each row of both sides."""


@dataclass(frozen=True)
class Side:
    """One of the tables, with a number for each distinct row."""

    table: Table
    """``id, weight, code_1 ..`` in the order in which columns are taken, and the number as ``prefix_<depth>``."""
    depth: int
    """Number of columns."""

    @property
    def last(self) -> str:
        """Name of the number."""
        return f"prefix_{self.depth}"

    def rows(self) -> FromClause:
        """List the distinct rows with their numbers."""
        codes = (self.table.c[f"code_{depth}"] for depth in range(1, self.depth + 1))
        return select(*codes, self.table.c[self.last]).distinct().subquery()

    def number_beginnings(self, store: Store) -> Side:
        """Return the side with a number for each beginning of its rows, too, as ``prefix_2 ..``."""
        codes = [self.table.c[f"code_{depth}"] for depth in range(1, self.depth)]
        numbers = [
            cast(func.dense_rank().over(order_by=codes[:depth]), Integer).label(f"prefix_{depth}")
            for depth in range(2, self.depth)
        ]
        return replace(self, table=store.create("side", select(*self.table.c, *numbers)))

    def steps(self, depth: int) -> FromClause:
        """List the continuations of beginnings: ``before, after, code``, each once; at depth 1 nothing comes before."""
        before = self._number(depth - 1) if depth > 1 else cast(0, Integer)
        after, code = self._number(depth), self.table.c[f"code_{depth}"]
        return select(before.label("before"), after.label("after"), code.label("code")).distinct().subquery()

    def _number(self, depth: int) -> ColumnElement[int]:
        # The first column numbers its own beginnings.
        return self.table.c[f"code_{depth}" if depth == 1 < self.depth else f"prefix_{depth}"]


def build_side(
    store: Store, table: FromClause, key: str, columns: Sequence[str], where: ColumnElement[bool] | None = None
) -> Side:
    """Assign numbers to distinct rows, which are compared by the columns in this order.

    Parameters
    ----------
    table : FromClause
        The key, ``size`` and the columns.
    """
    depth, named = len(columns), [table.c[name] for name in columns]
    codes = [column.label(f"code_{place}") for place, column in enumerate(named, start=1)]
    number = cast(func.dense_rank().over(order_by=named), Integer).label(f"prefix_{depth}")
    rows = select(table.c[key].label("id"), table.c.size.label("weight"), *codes, number)
    return Side(store.create("side", rows if where is None else rows.where(where)), depth)


def pair_fitting_rows(store: Store, values: Side, cells: Side, spans: Sequence[FromClause]) -> Table:
    """Pair the rows of both sides that fit: ``value, cell``, the numbers of the rows.

    Parameters
    ----------
    spans : sequence of FromClause
        For each column ``cell_id, first, last``: the values that a cell covers, in ranges that do not overlap.
    """
    first, *others = spans
    begun = store.create("pairs", _extend_pairs(None, values, cells, first, 1))
    if not others:
        return begun
    most = _MOST_TRIED * (store.count(values.table) + store.count(cells.table))
    if store.scalar(_count_candidates(begun, values, cells, others)) <= most:
        pairs = store.create_joined("pairs", _compare_rows(begun, values, cells, others))
        store.drop(begun)
        return pairs
    people, shown = values.number_beginnings(store), cells.number_beginnings(store)
    for depth, covered in enumerate(others, start=2):
        longer = store.create("pairs", _extend_pairs(begun, people, shown, covered, depth))
        store.drop(begun)
        begun = longer
    store.drop(people.table, shown.table)
    return begun


def _count_candidates(begun: Table, values: Side, cells: Side, spans: Sequence[FromClause]) -> Query:
    """Count the pairs of rows whose first columns fit; a cell counts once for each choice of its ranges."""
    code_of_value, code_of_cell = values.table.c.code_1, cells.table.c.code_1
    people = select(code_of_value, func.count().label("rows")).group_by(code_of_value).subquery()
    ranged: FromClause = cells.table
    choices: ColumnElement[float] = cast(1, Double)
    for depth, span in enumerate(spans, start=2):
        # These are multiplied, and not joined: cells of several ranges in several columns have very many choices.
        counted = select(span.c.cell_id, func.count().label("ranges")).group_by(span.c.cell_id).subquery()
        ranged = ranged.join(counted, counted.c.cell_id == cells.table.c[f"code_{depth}"])
        choices = choices * counted.c.ranges
    shown = select(code_of_cell, func.sum(choices).label("rows")).select_from(ranged).group_by(code_of_cell).subquery()
    joined = begun.join(people, people.c.code_1 == begun.c.value).join(shown, shown.c.code_1 == begun.c.cell)
    return select(func.coalesce(func.sum(people.c.rows * shown.c.rows), 0)).select_from(joined)


def _compare_rows(begun: Table, values: Side, cells: Side, spans: Sequence[FromClause]) -> Query:
    """Compare the rows whose first columns fit in all others."""
    value, cell = values.rows(), cells.rows()
    joined: FromClause = begun.join(cell, cell.c.code_1 == begun.c.cell)
    fits = []
    for depth, span in enumerate(spans, start=2):
        ranges = span.alias()
        joined = joined.join(ranges, ranges.c.cell_id == cell.c[f"code_{depth}"])
        fits.append(value.c[f"code_{depth}"].between(ranges.c.first, ranges.c.last))
    joined = joined.join(value, and_(value.c.code_1 == begun.c.value, *fits))
    return select(value.c[values.last].label("value"), cell.c[cells.last].label("cell")).select_from(joined)


def sum_covered_weights(values: Side, cells: Side, pairs: Table, depth: int) -> Query:
    """Add up the weights of the values that fit each row of cells: ``id, weight, covered``.

    Parameters
    ----------
    pairs : Table
        From `pair_fitting_rows`.
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
