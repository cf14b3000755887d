"""The roundest number between two others."""

import pytest
from helpers.built import NUMBERS
from hypothesis import assume, example, given

from toolbox.hierarchy.builders.automatic import _find_roundest_number


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (17, 23, 20),
        (18.2, 18.9, 18.5),
        (-3, 4, 0),
        (31, 32, 32),
        (999, 1001, 1000),
        (-23, -17, -20),
        (0, 7, 5),
        (-7, 0, 0),
    ],
)
def test_the_roundest_number_has_the_fewest_digits(low, high, found):
    assert _find_roundest_number(low, high) == found


@given(NUMBERS, NUMBERS)
@example(1.0, 1.0000000000000002)
@example(-1.7e308, 1.7e308)
@example(5e-324, 1e-323)
@example(1.7976931348623155e308, 1.7976931348623157e308)
def test_it_is_above_the_one_and_not_above_the_other(one, other):
    low, high = sorted((one, other))
    assume(low < high)
    assert low < _find_roundest_number(low, high) <= high
