"""Which categories an interval of codes holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.hierarchy.hierarchy import CodeBook, Interval

SIZES = CodeBook.of({"large": 5, "small": -1, "middle": 2})


def test_categories_stand_in_the_order_of_their_codes():
    assert CodeBook((-1, 2, 5), ("small", "middle", "large")) == SIZES


@pytest.mark.parametrize(
    ("interval", "names"),
    [
        ("[-1:5]", ("small", "middle", "large")),
        ("(-1:5)", ("middle",)),
        ("[2:5)", ("middle",)),
        ("(2:5]", ("large",)),
        ("[2]", ("middle",)),
        ("[3:4]", ()),
        ("(2:2.5)", ()),
        ("[6:9]", ()),
        ("[-9:-1]", ("small",)),
    ],
)
def test_an_end_belongs_to_an_interval_where_its_bracket_says_so(interval, names):
    assert SIZES.names(SIZES.within(Interval.parse(interval))) == names


@given(st.sets(st.integers(-9, 9)), st.integers(-10, 10), st.integers(0, 9), st.booleans(), st.booleans())
def test_what_lies_within_is_what_comparing_each_code_says(codes, low, width, low_closed, high_closed):
    interval = Interval(low, low + width, low_closed, high_closed) if width else Interval(low, low)
    book = CodeBook.of({str(code): code for code in codes})
    above = [code for code in sorted(codes) if code > interval.low or (code == interval.low and interval.low_closed)]
    both = [code for code in above if code < interval.high or (code == interval.high and interval.high_closed)]
    assert book.names(book.within(interval)) == tuple(map(str, both))
