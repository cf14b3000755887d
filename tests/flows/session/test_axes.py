"""The values of a column in their order, and the bins of many numbers or dates."""

from __future__ import annotations

import pandas as pd
import pytest

import toolbox


def bars(values: list[object], most: int = 20, **options: object) -> list[tuple[str | None, int, int]]:
    """Return label, number of values and of records of each bar."""
    frame = pd.DataFrame({"a": values})
    with toolbox.open(frame, quasi_identifiers=["a"], **options) as session:
        histogram = session.histogram("a", bars=most)
    assert histogram.is_binned == (len(set(values)) > 60 and not isinstance(values[0], str))
    return [(bar.label, bar.values, bar.safe) for bar in histogram.bars]


def test_few_numbers_are_shown_one_by_one_in_their_order() -> None:
    assert bars([10, 9, 9, 100]) == [("9", 1, 2), ("10", 1, 1), ("100", 1, 1)]


@pytest.mark.slow
def test_many_numbers_are_put_into_bins_with_round_ends_also_where_there_is_none() -> None:
    values = [*range(100), 199]
    expected = [(f"{low} to {low + 9}", 10, 10) for low in range(0, 100, 10)]
    expected += [(f"{low} to {low + 9}", 0, 0) for low in range(100, 190, 10)] + [("190 to 199", 1, 1)]
    assert bars(values) == expected
    assert bars([value / 10 for value in range(70)], 7)[:2] == [("0 to below 1", 10, 10), ("1 to below 2", 10, 10)]


def test_the_bins_of_large_numbers_that_differ_by_little_hold_what_they_say() -> None:
    found = bars([1_700_000_000_000 + number for number in range(1, 81)])
    assert found[0] == ("1700000000000 to 1700000000004", 4, 4)
    assert found[1:16] == [(f"{low} to {low + 4}", 5, 5) for low in range(1_700_000_000_005, 1_700_000_000_080, 5)]
    assert found[16:] == [("1700000000080 to 1700000000084", 1, 1)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "first", "count"),
    [("D", ("2020-01", 31, 31), 4), ("31D", ("2020", 12, 12), 9), ("366D", ("2020s", 10, 10), 10)],
)
def test_many_dates_are_put_into_the_shortest_periods_that_are_few(
    step: str, first: tuple[str, int, int], count: int
) -> None:
    dates = pd.date_range("2020-01-01", periods=100, freq=step)
    found = bars([date.date() for date in dates], 12)
    assert (found[0], len(found)) == (first, count)


def test_categories_are_in_the_order_of_their_texts_and_of_their_type() -> None:
    assert bars(["b", "a", "10", "9"]) == [("10", 1, 1), ("9", 1, 1), ("a", 1, 1), ("b", 1, 1)]
    sizes = pd.Series(["large", "small", "large"], dtype=pd.CategoricalDtype(["small", "large"], ordered=True))
    with toolbox.open(pd.DataFrame({"a": sizes}), quasi_identifiers=["a"]) as session:
        assert [value.value for value in session.values("a").values] == ["small", "large"]


@pytest.mark.slow
def test_one_number_that_is_written_in_two_ways_is_one_value() -> None:
    with toolbox.open(
        pd.DataFrame({"a": ["1", "1.0", "2"]}), quasi_identifiers=["a"], kinds={"a": "number"}
    ) as session:
        assert [tuple(value) for value in session.values("a", 2).values] == [("1", 2, 0), ("2", 0, 1)]
