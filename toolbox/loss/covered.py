"""What the cells of a released column cover, counted without looking at a record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from sqlalchemy import Subquery, case, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.loss.metric import cache_by_comparison
from toolbox.published.tables import Comparison
from toolbox.queries.query import Table

Amount: TypeAlias = Callable[[Table], ColumnElement[Any]]
"""From `Domain.values` to an amount for each value."""
Ends: TypeAlias = tuple[float, float]


def count_if_present(values: Table) -> ColumnElement[int]:
    """Count 1 for a value that people have, and 0 for one that only the hierarchy lists."""
    return case((values.c.records > 0, 1), else_=0)


def sum_covered_amounts(comparison: Comparison, index: int, amounts: Mapping[str, Amount]) -> Subquery:
    """Sum amounts over the values that each cell covers: ``cell_id, <name> ..``.

    A sum over a range of values is the difference of two running sums.
    """
    values, spans = comparison.people.domains[index].values, comparison.cells[index].spans
    amount_of = {name: amount(values) for name, amount in amounts.items()}
    until = (
        func.sum(amount).over(order_by=values.c.value_id).label(f"until_{name}") for name, amount in amount_of.items()
    )
    running = select(values.c.value_id, *(amount.label(name) for name, amount in amount_of.items()), *until).subquery()
    start, end = running.alias(), running.alias()
    joined = spans.join(start, start.c.value_id == spans.c.first).join(end, end.c.value_id == spans.c.last)
    sums = (func.sum(end.c[f"until_{name}"] - start.c[f"until_{name}"] + start.c[name]).label(name) for name in amounts)
    sums_of_cells = select(spans.c.cell_id, *sums).select_from(joined).group_by(spans.c.cell_id).subquery()
    # A cell may cover no value at all.
    cells = comparison.release.cells[index]
    filled = (func.coalesce(sums_of_cells.c[name], 0).label(name) for name in amounts)
    return (
        select(cells.c.cell_id, *filled)
        .join_from(cells, sums_of_cells, sums_of_cells.c.cell_id == cells.c.cell_id, isouter=True)
        .subquery()
    )


def sum_column_amount(comparison: Comparison, index: int, amount: Amount) -> float:
    """Sum an amount over all values of a column."""
    return _sum_covered(comparison, amount)[index]


@cache_by_comparison
def _sum_covered(comparison: Comparison, amount: Amount) -> list[float]:
    domains = comparison.people.domains
    return [float(total) for total in comparison.store.each(select(func.sum(amount(each.values))) for each in domains)]
