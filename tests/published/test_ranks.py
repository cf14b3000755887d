"""Where intervals begin and end among ascending numbers."""

import math

from hypothesis import given
from hypothesis import strategies as st

from toolbox.hierarchy.hierarchy import Interval
from toolbox.published.domains import find_interval_ranks

SMALL = st.integers(0, 6)


@st.composite
def intervals(draw):
    low, width = draw(SMALL), draw(SMALL)
    closed = (draw(st.booleans()), draw(st.booleans())) if width else (True, True)
    return Interval(low, low + width, *closed)


@given(st.lists(SMALL, max_size=6).map(sorted), st.lists(intervals(), max_size=4))
def test_each_interval_holds_the_numbers_from_its_first_to_its_last(numbers, several):
    first, last = find_interval_ranks(numbers, several)
    for interval, start, end in zip(several, first, last, strict=True):
        within = [place for place, number in enumerate(numbers) if number in interval]
        assert list(range(start, end + 1)) == within


def test_an_interval_without_numbers_ends_before_it_begins():
    first, last = find_interval_ranks(
        [17.0, 20.0, 25.0], [Interval(18, 19), Interval(17, 20, False, False), Interval(26, 30)]
    )
    assert [end - start for start, end in zip(first, last, strict=True)] == [-1, -1, -1]


def test_bounds_may_be_infinite():
    everything, from_20 = Interval(-math.inf, math.inf, False, False), Interval(20, math.inf, True, False)
    assert find_interval_ranks([17.0, 20.0], [everything, from_20]) == ([0, 1], [1, 1])
