"""The rows of a histogram."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toolbox.charts.rows import count_in_bins

COUNTS = st.lists(st.tuples(st.integers(0, 10_000), st.integers(1, 100)), max_size=30)


def test_small_numbers_stand_alone_and_large_ones_together() -> None:
    rows = count_in_bins([(0, 1), (1, 2), (5, 3), (6, 4), (9, 5), (10, 6), (999, 7), (1000, 8), (10**9, 9)])
    assert [(one.name, one.amount) for one in rows] == [
        ("0", 1),
        ("1", 2),
        ("5", 3),
        ("6 to 9", 9),
        ("10 to 19", 6),
        ("100 to 999", 7),
        ("1,000 or more", 17),
    ]


def test_nothing_has_no_rows() -> None:
    assert count_in_bins([]) == []


@given(COUNTS)
def test_everything_is_in_one_row(counts: list[tuple[int, int]]) -> None:
    rows = count_in_bins(counts)
    assert sum(one.amount for one in rows) == sum(amount for _, amount in counts)
    assert [one.first for one in rows] == sorted({one.first for one in rows})
