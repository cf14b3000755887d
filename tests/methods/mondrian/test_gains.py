"""What a cut gains, beside a judge in plain Python that cuts the records and adds up the cells on both sides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.methods.mondrian import gains
from toolbox.methods.mondrian.gains import Gains, RangePrice, SetPrice, order_rows
from toolbox.methods.mondrian.partitions import Partitions

# The first column is named by its ends, and costs their distance; the second by its values, and costs their number.
PLACES = np.array([0.0, 1.0, 3.0, 4.0, 9.0])
PRICES = (
    (RangePrice(((PLACES, PLACES),), lambda width: width), 1.0),
    (SetPrice((np.ones(4),), lambda count: np.where(count > 1, count, 0.0)), 0.5),
)
Row = tuple[int, int, int]
"""Records, and the ranks of two values."""
PARTS = st.lists(
    st.lists(st.tuples(st.integers(1, 3), st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=8),
    min_size=1,
    max_size=4,
)


def partitions(parts: Sequence[Sequence[Row]]) -> Partitions:
    rows = np.array([row for part in parts for row in part], np.int32)
    starts = np.cumsum([0, *map(len, parts[:-1])])
    return Partitions(np.arange(len(rows)), rows[:, 0], [rows[:, 1], rows[:, 2]], starts)


def cost(rows: Sequence[Row]) -> float:
    first, second = ({row[column] for row in rows} for column in (1, 2))
    each = PLACES[max(first)] - PLACES[min(first)] + 0.5 * (len(second) if len(second) > 1 else 0)
    return float(each * sum(row[0] for row in rows))


def gain(rows: Sequence[Row], column: int, least: int) -> float:
    """Cut at the median, or below it, and return what that takes off the cost; 0 where a side is too small."""
    values = sorted(value for row in rows for value in [row[column]] * row[0])
    median = values[(len(values) + 1) // 2 - 1]
    for last in (median, median - 1):
        left, right = ([row for row in rows if (row[column] <= last) == is_left] for is_left in (True, False))
        if all(sum(row[0] for row in side) >= least for side in (left, right)):
            return cost(rows) - cost(left) - cost(right)
    return 0.0


def measured(parts: Partitions, least: int) -> list[list[float]]:
    found = Gains(PRICES, least)(parts, parts.lowest(), parts.highest())
    return [[round(value, 9) for value in column] for column in found.tolist()]


@given(PARTS, st.integers(1, 4))
def test_a_gain_is_what_both_sides_cost_less(parts: list[list[Row]], least: int) -> None:
    expected = [[gain(rows, column, least) for rows in parts] for column in (1, 2)]
    assert measured(partitions(parts), least) == [[round(value, 9) for value in column] for column in expected]


def test_block_by_block_it_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    parts = partitions([[tuple(row) for row in rng.integers(1, (4, 5, 4), (9, 3)).tolist()] for _ in range(6)])
    at_once = measured(parts, 2)
    monkeypatch.setattr(gains, "_BLOCK", 10)
    assert measured(parts, 2) == at_once


def test_of_a_large_partition_some_rows_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of six rows the first, the third and the fifth; the median of their six records is 1.
    rows = [(2, 0, 0), (9, 4, 3), (2, 1, 0), (9, 4, 3), (2, 4, 1), (9, 4, 3)]
    monkeypatch.setattr(gains, "_SEEN", 3)
    assert measured(partitions([rows]), 1) == [[gain(rows[::2], column, 1)] for column in (1, 2)]


def test_ranks_beyond_a_packed_number_are_put_in_order_too(monkeypatch: pytest.MonkeyPatch) -> None:
    column, starts = np.array([7, 2, 7, 1, 9, 1]), np.array([0, 3])
    packed = order_rows(column, starts)
    monkeypatch.setattr(gains, "_BITS", 3)
    for found in (packed, order_rows(column, starts)):
        assert found.rows.tolist() == [1, 0, 2, 3, 5, 4]
        assert (found.values.tolist(), found.starts.tolist()) == ([2, 7, 1, 9], [0, 1, 3, 5])
        assert (found.parts.tolist(), found.lengths.tolist()) == ([0, 2], [1, 2, 2, 1])
