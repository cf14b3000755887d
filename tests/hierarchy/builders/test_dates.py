"""Dates by their periods."""

from datetime import date, datetime

import pytest
from helpers.built import assert_is_hierarchy, assert_is_stable, built, wrong
from hypothesis import given
from hypothesis import strategies as st

from toolbox.hierarchy.builders.builder import BuilderError


def test_each_period_has_the_name_that_a_release_shows():
    moments = [datetime(1971, 3, 5, 14, 30), "2000-02-29", date(1, 1, 1)]
    assert built("dates:hour,day,month,quarter,year,decade").rows(moments) == [
        ("0001-01-01", "0001-01-01T00", "0001-01-01", "0001-01", "0001-Q1", "0001", "0000s", "*"),
        ("1971-03-05 14:30:00", "1971-03-05T14", "1971-03-05", "1971-03", "1971-Q1", "1971", "1970s", "*"),
        ("2000-02-29", "2000-02-29T00", "2000-02-29", "2000-02", "2000-Q1", "2000", "2000s", "*"),
    ]
    assert built("dates:week").rows(["2021-01-03", "2021-01-04"]) == [
        ("2021-01-03", "2020-W53", "*"),
        ("2021-01-04", "2021-W01", "*"),
    ]


def test_what_is_wrong_is_told():
    assert wrong("dates:year,month")[0].startswith("periods= is not in order. Write the shortest period first: hour,")
    assert wrong("dates:moth") == [
        "periods='moth' holds 'moth', which is no period. Did you mean 'month'? Write some of: hour,day,week,month,"
        "quarter,year,decade."
    ]
    assert wrong("dates:week,year")[0].startswith("periods= has longer periods than weeks")
    with pytest.raises(BuilderError, match="A value is not a date"):
        built("dates:year").rows(["today"])


@given(st.lists(st.dates(), min_size=1, max_size=20))
def test_every_date_has_its_place(values):
    build = built("dates:month,quarter,year,decade")
    assert_is_hierarchy(build.rows(values), list(map(str, values)))
    assert_is_stable(lambda: build, values[:4], values[4:])
