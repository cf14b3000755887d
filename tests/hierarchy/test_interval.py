"""Intervals: their notation, and which numbers lie in them."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from toolbox.hierarchy.hierarchy import Interval, IntervalSyntaxError, format_number

numbers = st.floats(allow_nan=False, allow_infinity=False)


small = st.integers(0, 5).map(float)


@st.composite
def intervals(draw, bounds=numbers):
    low, high = sorted((draw(bounds), draw(bounds)))
    interval = Interval(low, high, draw(st.booleans()), draw(st.booleans()))
    assume(not interval.is_empty)
    return interval


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("[0:100]", Interval(0.0, 100.0)),
        ("[0:100)", Interval(0.0, 100.0, True, False)),
        ("(0:100]", Interval(0.0, 100.0, False, True)),
        ("(0:100)", Interval(0.0, 100.0, False, False)),
        ("[7]", Interval(7.0, 7.0)),
        (" [ -1.5 : +.5e1 ) ", Interval(-1.5, 5.0, True, False)),
    ],
)
def test_an_interval_is_read(text, interval):
    assert Interval.parse(text) == interval


@pytest.mark.parametrize(
    "text", ["", "0:1", "[0,1]", "[0:1", "[0:1:2]", "[a:b]", "[nan]", "[:1]", "(5)", "{0:1}", "[0x1:2]", "[1 2]"]
)
def test_what_is_no_interval_is_told_how_to_write_one(text):
    with pytest.raises(IntervalSyntaxError, match=r"is not an interval\. Write it as \[a:b\]"):
        Interval.parse(text)


@pytest.mark.parametrize("text", ["[2:1]", "(1:1)", "[1:1)", "(1:1]"])
def test_an_interval_without_numbers_is_refused(text):
    with pytest.raises(IntervalSyntaxError, match="contains no number"):
        Interval.parse(text)


def test_a_bound_beyond_all_numbers_is_refused():
    with pytest.raises(IntervalSyntaxError, match="bound beyond the largest number"):
        Interval.parse("[0:1e999]")


@given(intervals())
def test_an_interval_reads_back_as_it_was_written(interval):
    assert Interval.parse(str(interval)) == interval


@given(numbers)
def test_a_number_reads_back_as_it_was_written(number):
    assert float(format_number(number)) == number


@given(intervals(small), intervals(small))
def test_an_interval_covers_another_if_it_has_all_its_numbers(wide, narrow):
    halves = [number / 2 for number in range(-1, 12)]  # between two whole bounds, a half is like any other number
    assert wide.covers(narrow) == all(number in wide for number in halves if number in narrow)


def test_bounds_belong_to_an_interval_or_not():
    interval = Interval.parse("[1:2)")
    assert [number in interval for number in (0.9, 1.0, 1.5, 2.0)] == [False, True, True, False]
    assert Interval.parse("[1:2]").covers(interval)
    assert not interval.covers(Interval.parse("[1:2]"))
    assert not Interval.parse("(1:2)").covers(interval)
