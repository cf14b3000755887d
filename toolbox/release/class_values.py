"""The numbers of each class on a grid: whole steps from its smallest value, of which its statistics are sums."""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import BigInteger, FromClause, Subquery, cast, func, select

from toolbox.queries.dialect import any_value
from toolbox.store.store import Store
from toolbox.store.tables import QuasiIdentifierTables, Tables

_DECIMALS = 2
"""Most digits behind the point of numbers that are looked at; with more there are too many values to try."""
_LARGEST_SUM = 2**63 - 1


class ClassValues(NamedTuple):
    """The classes that are not suppressed, each with its numbers in steps from its smallest one."""

    equivalence_id: NDArray[np.int64]
    low: NDArray[np.float64]
    """The smallest value."""
    step: float
    records: NDArray[np.int64]
    total: NDArray[np.int64]
    squares: NDArray[np.int64]
    width: NDArray[np.int64]
    """The largest value."""
    inner: NDArray[np.int64]
    """Three values of records at about a quarter, the half and three quarters of the class, one row for each class."""
    shows_ends: bool
    """Whether released intervals begin and end with values of the class, so that two values are known."""


def class_values(tables: Tables, values: FromClause, index: int) -> ClassValues | None:
    """Fetch the sums of the numbers of all classes; None if the numbers lie on no grid, or one too fine.

    Parameters
    ----------
    values : FromClause
        ``equivalence_id, value, records``.
    index : int
        Which quasi-identifier, from 1.
    """
    store, attribute = tables.store, tables.quasi_identifiers[index - 1]
    step = _step(store, attribute, tables.record_count)
    if step is None:
        return None
    shown, interval = tables.equivalence, attribute.intervals
    row = _placed(values, step).c
    quarters = [
        cast(func.max(row.place).filter(row.before <= func.floor(row.size * quarter / 4)), BigInteger).label(
            f"q{quarter}"
        )
        for quarter in (1, 2, 3)
    ]
    sums = [cast(func.sum(term * row.records), BigInteger) for term in (1, row.place, row.place * row.place)]
    named = ("records", "total", "squares")
    measures = [sum_.label(name) for sum_, name in zip(sums, named, strict=True)]
    grouped = select(
        row.equivalence_id,
        any_value(row.low).label("low"),
        *measures,
        func.max(row.place).label("width"),
        *quarters,
    ).group_by(row.equivalence_id)
    classes = grouped.subquery()
    joined = classes.join(shown, shown.c.equivalence_id == classes.c.equivalence_id)
    joined = joined.join(interval, interval.c.interval_id == shown.c[f"interval_{index}"])
    is_end = (interval.c.low == classes.c.low) & (
        func.round((interval.c.high - classes.c.low) / step) == classes.c.width
    )
    rows = select(*classes.c, func.coalesce(is_end, False).label("is_end")).select_from(joined)
    arrays = store.to_arrays(rows.where(~shown.c.suppressed).order_by(classes.c.equivalence_id))
    return ClassValues(
        equivalence_id=arrays["equivalence_id"].astype(np.int64),
        low=arrays["low"],
        step=step,
        records=arrays["records"],
        total=arrays["total"],
        squares=arrays["squares"],
        width=arrays["width"],
        inner=np.stack([arrays[f"q{quarter}"] for quarter in (1, 2, 3)], axis=1),
        shows_ends=bool(arrays["is_end"].all()),
    )


def _placed(values: FromClause, step: float) -> Subquery:
    """Count the steps of each value from the smallest of its class, and the records before it."""
    ends = select(values.c.equivalence_id, func.min(values.c.value).label("low")).group_by(values.c.equivalence_id)
    low = ends.subquery()
    position = cast(func.round((values.c.value - low.c.low) / step), BigInteger).label("place")
    before = func.sum(values.c.records).over(partition_by=values.c.equivalence_id, order_by=values.c.value)
    placed = select(
        values.c.equivalence_id,
        low.c.low,
        position,
        cast(values.c.records, BigInteger).label("records"),
        (before - values.c.records).label("before"),
        func.sum(values.c.records).over(partition_by=values.c.equivalence_id).label("size"),
    )
    return placed.join_from(values, low, low.c.equivalence_id == values.c.equivalence_id).subquery()


def _step(store: Store, attribute: QuasiIdentifierTables, records: int) -> float | None:
    """Find the largest step of which all differences of the values are multiples."""
    scale: int = 10**_DECIMALS
    with np.errstate(over="ignore"):
        numbers = store.to_arrays(select(attribute.ground.c.value))["value"] * scale
    whole = np.rint(numbers)
    if not np.isfinite(numbers).all() or np.abs(numbers).max() > 2**52 or np.abs(whole - numbers).max() > 1e-6:
        return None
    step = gcd(*np.unique(whole - whole.min()).astype(np.int64).tolist()) or scale
    largest = int(whole.max() - whole.min()) // step
    return step / scale if largest**2 * records <= _LARGEST_SUM else None
