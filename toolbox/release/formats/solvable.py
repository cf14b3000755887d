"""Statistics of classes from which values follow, found by what fits a grid, and told more coarsely."""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import BigInteger, FromClause, Subquery, cast, func, select

from toolbox.queries.dialect import choose_any_value
from toolbox.release.files.part import Solved
from toolbox.risks.statistics.fitting import WantedSums, can_count, count_multisets
from toolbox.store.engine.store import Store
from toolbox.store.tables import QuasiIdentifierTables, Tables

# The numbers of each class on a grid: whole steps from its smallest value, of which its statistics are sums.

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


def fetch_class_values(tables: Tables, values: FromClause, index: int) -> ClassValues | None:
    """Fetch the sums of the numbers of all classes; None if the numbers lie on no grid, or one too fine.

    Parameters
    ----------
    values : FromClause
        ``equivalence_id, value, records``.
    index : int
        Which quasi-identifier, from 1.
    """
    store, attribute = tables.store, tables.quasi_identifiers[index - 1]
    step = _find_largest_step(store, attribute, tables.record_count)
    if step is None:
        return None
    shown, interval = tables.equivalence, attribute.intervals
    row = _count_steps(values, step).c
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
        choose_any_value(row.low).label("low"),
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


def _count_steps(values: FromClause, step: float) -> Subquery:
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


def _find_largest_step(store: Store, attribute: QuasiIdentifierTables, records: int) -> float | None:
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


# Statistics of classes so coarse that several multisets of values have them.

_FEWEST = 5
"""Records of the smallest class with three values between its ends."""
_REACH = 6
"""Steps by which each of the three is moved to find other multisets."""
_FINEST, _COARSEST = -3, 12
"""Widths of a rounded mean that are tried, in steps, as powers of two."""
_MOST_BLANK = 0.1
_AT_ONCE = 2_000


class Rounded(NamedTuple):
    """The statistics of each class; NaN where too few multisets have them."""

    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    width: float
    """Of the mean, in steps of the values. That of the variance is as many times half the width of a class."""


def round_statistics(values: ClassValues, k: int) -> Rounded:
    """Round mean and variance of all classes to one width, with which at least k multisets have those of a class.

    The width is the finest with which nine tenths of the classes have that many; the other classes are left blank. It
    is one for all classes, since a width that was chosen for each would itself tell something about it. Other multisets
    are found by moving three values of a class, so that there are at least as many as are counted.
    """
    usable = np.flatnonzero(values.records >= _FEWEST)
    best: tuple[float, NDArray[np.bool_]] | None = None
    for power in range(_FINEST, _COARSEST + 1):
        fits = np.zeros(len(values.records), bool)
        for start in range(0, len(usable), _AT_ONCE):
            some = usable[start : start + _AT_ONCE]
            fits[some] = _count_other_multisets(values, some, 2.0**power) >= k
        if best is None or fits.sum() > best[1].sum():
            best = 2.0**power, fits
        if fits.sum() >= (1 - _MOST_BLANK) * len(fits):
            break
    assert best is not None, "some width is tried"
    width, fits = best
    mean, variance = _round_classes(values.records, values.total, values.squares, values.width, width)
    shown = np.where(fits, mean, np.nan), np.where(fits, variance, np.nan)
    return Rounded(
        mean=values.low + values.step * width * shown[0],
        variance=values.step**2 * width * _compute_spread(values.width) * shown[1],
        width=width,
    )


def _compute_spread(width: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how much more the variance changes than the mean when one value changes."""
    return np.maximum(1.0, width / 2)


def _round_classes(
    records: NDArray[np.int64],
    total: NDArray[np.int64],
    squares: NDArray[np.int64],
    width: NDArray[np.int64],
    step: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Round mean and variance, and number the results."""
    mean = total / records
    variance = np.maximum(0.0, squares / records - mean * mean)
    return np.rint(mean / step), np.rint(variance / (step * _compute_spread(width)))


def _count_other_multisets(values: ClassValues, some: NDArray[np.int64], step: float) -> NDArray[np.int64]:
    """Count multisets with the rounded statistics of a class, its own among them, that differ in three values."""
    reach = np.arange(-_REACH, _REACH + 1)
    moves = np.stack(np.meshgrid(reach, reach, reach, indexing="ij"), axis=-1).reshape(-1, 3)
    width, inner = values.width[some, None], values.inner[some, None, :]
    moved = inner + moves[None, :, :]
    # In their order each multiset is counted once.
    is_one = (np.diff(moved, axis=2) >= 0).all(axis=2) & (moved[..., 0] >= 0) & (moved[..., 2] <= width)
    records, total, squares = values.records[some, None], values.total[some, None], values.squares[some, None]
    shifted = (total + moves.sum(axis=1)[None, :], squares + (moved**2 - inner**2).sum(axis=2))
    own = _round_classes(records, total, squares, width, step)
    cells = _round_classes(records, *shifted, width, step)
    counts: NDArray[np.int64] = (is_one & (cells[0] == own[0]) & (cells[1] == own[1])).sum(axis=1)
    return counts


# Classes whose values follow from the statistics of genValsDist: only one multiset has these statistics.


def count_solved_classes(column: str, values: ClassValues) -> Solved:
    """Count the classes of which only one multiset of values fits what is released."""
    known = 2 if values.shows_ends else 0
    ends = values.width if values.shows_ends else np.zeros_like(values.width)
    free, total, squares = values.records - known, values.total - ends, values.squares - ends * ends
    can = can_count(free, values.width)
    wanted = WantedSums(free, values.width, total, (squares - total) // 2)
    # Where the interval leaves one multiset, statistics tell nothing.
    ways = count_multisets(wanted.at(np.flatnonzero(can & (free > 0) & (values.width > 0))))
    return Solved(column, len(values.records), int(can.sum()), int((ways == 1).sum()))
