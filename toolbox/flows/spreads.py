"""How the records of each value of a column spread over classes of all sizes, so that any k is answered at once."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Double, Subquery, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.flows.axes import KeptAxis
from toolbox.queries.query import Table
from toolbox.store.kept import KeptSource
from toolbox.store.source import column_text
from toolbox.store.store import Store


def spread_of(store: Store, source: KeptSource, rows: Table, position: int, axis: KeptAxis) -> Table:
    """Count the records of each value in classes of each size.

    Parameters
    ----------
    rows : Table
        ``row, records, size``.

    Returns
    -------
    Table
        ``place, size, records``; the place of a missing value is null.
    """
    joined = rows.join(source.relation(), source.row_number() == rows.c.row)
    text = column_text(source.relation(), position)
    joined = joined.outerjoin(axis.texts, axis.texts.c.text.is_not_distinct_from(text))
    group = axis.texts.c.place, rows.c.size
    records = cast(func.sum(rows.c.records), BigInteger).label("records")
    return store.create("spread", select(*group, records).select_from(joined).group_by(*group))


def counts_at(spread: Table, k: int) -> Subquery:
    """Count the records of each value in classes of at least k, and in smaller ones: ``place, first, second``."""
    is_small = spread.c.size < k
    sums = (func.coalesce(func.sum(spread.c.records).filter(test), 0) for test in (~is_small, is_small))
    safe, at_risk = (cast(total, BigInteger) for total in sums)
    counted = select(spread.c.place, safe.label("first"), at_risk.label("second"))
    return counted.group_by(spread.c.place).subquery()


def order_of(counts: Subquery, sort: str) -> list[ColumnElement[Any]]:
    """Return what values are sorted by: themselves, the number of their records, or first the share at risk."""
    records = counts.c.first + counts.c.second
    if sort == "count":
        return [records]
    return [cast(counts.c.second, Double) / cast(records, Double), records] if sort == "risk" else []
