"""Bins with round ends."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from toolbox.report.round_bins import round_bins

NUMBERS = st.floats(-1e12, 1e12).map(lambda number: round(number, 3))


def labels(low: float, high: float, most: int, *, whole: bool) -> list[str]:
    return [each.label for each in round_bins(low, high, most, whole=whole)]


def test_ends_are_round_and_read_as_people_say_them() -> None:
    assert labels(17, 38, 5, whole=True) == ["15 to 19", "20 to 24", "25 to 29", "30 to 34", "35 to 39"]
    assert labels(1, 3, 9, whole=True) == ["1", "2", "3"]
    assert labels(0.1, 0.7, 2, whole=False) == ["0 to below 0.5", "0.5 to below 1"]
    assert labels(-5, 900_000, 3, whole=True) == ["-500,000 to -1", "0 to 499,999", "500,000 to 999,999"]
    assert labels(5, 5, 9, whole=True) == ["5"]
    assert labels(1e300, 1e301, 2, whole=False)[0] == "0 to below 1e+301"


@given(NUMBERS, NUMBERS, st.integers(2, 40), st.booleans())
@example(-1.0, 1.0, 2, True)
def test_bins_hold_every_number_and_are_few(low: float, high: float, most: int, whole: bool) -> None:
    low, high = sorted([float(round(low)), float(round(high))] if whole else [low, high])
    bins = round_bins(low, high, most, whole=whole)
    assert bins[0].low <= low < bins[0].high
    assert bins[-1].low <= high < bins[-1].high
    assert all(first.high == second.low for first, second in pairwise(bins))
    assert len(bins) <= most
