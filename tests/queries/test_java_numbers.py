"""Numbers as Java's Double.toString writes them."""

from __future__ import annotations

import struct
from decimal import ROUND_HALF_EVEN, Decimal

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import Double, cast, literal, select

from toolbox.queries.cells import format_java_number
from toolbox.store.engine.store import Store


def written(store: Store, values: list[float]) -> list[str]:
    """Write numbers that come out of a table."""
    numbers = store.create_constant("numbers", {"place": (int, range(len(values))), "value": (float, values)})
    return [text for (text,) in store.rows(select(format_java_number(numbers.c.value)).order_by(numbers.c.place))]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (1.0, "1.0"),
        (58.0, "58.0"),
        (-1.0, "-1.0"),
        (0.1, "0.1"),
        (-10.5, "-10.5"),
        (123456.789, "123456.789"),
        (100.0, "100.0"),
        (2 / 3, "0.6666666666666666"),
        (1 / 3, "0.3333333333333333"),
        (0.001, "0.001"),
        (0.00123, "0.00123"),
        (0.0009999999999999998, "9.999999999999998E-4"),
        (1e-4, "1.0E-4"),
        (0.00012345, "1.2345E-4"),
        (0.00001, "1.0E-5"),
        (-0.00005, "-5.0E-5"),
        (1.5e-10, "1.5E-10"),
        (9999999.0, "9999999.0"),
        (9999999.999999998, "9999999.999999998"),
        (1e7, "1.0E7"),
        (-1e7, "-1.0E7"),
        (12345678.9, "1.23456789E7"),
        (10000000.5, "1.00000005E7"),
        (1e15, "1.0E15"),
        (999999999999999.9, "9.999999999999999E14"),
        (1e16, "1.0E16"),
        (9007199254740992.0, "9.007199254740992E15"),
        (1e22, "1.0E22"),
        (1e23, "1.0E23"),
        (1.2345678901234568e18, "1.2345678901234568E18"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (-1.7976931348623157e308, "-1.7976931348623157E308"),
        (2.2250738585072014e-308, "2.2250738585072014E-308"),
        (4.9e-324, "4.9E-324"),
        (-4.9e-324, "-4.9E-324"),
        (1e-323, "9.9E-324"),
        (1.5e-323, "1.5E-323"),
        (2e-323, "2.0E-323"),
    ],
)
def test_a_number_is_written_as_java_writes_it(store: Store, value: float, text: str) -> None:
    assert written(store, [value]) == [text]


@pytest.mark.parametrize(("name", "text"), [("inf", "Infinity"), ("-inf", "-Infinity"), ("nan", "NaN")])
def test_what_is_no_number_any_more_has_its_name(store: Store, name: str, text: str) -> None:
    assert store.scalar(select(format_java_number(cast(literal(name), Double)))) == text


def by_definition(value: float) -> str:
    """Follow the documentation of Double.toString.

    Of the decimals that round to the number, those with the fewest digits; of these, one digit counting as two, the
    closest one.
    """
    shortest = Decimal(repr(abs(value)))
    digits = shortest.normalize().as_tuple().digits
    if len(digits) == 1 and value:
        exact = Decimal(abs(value))
        shortest = exact.quantize(Decimal(1).scaleb(exact.adjusted() - 1), rounding=ROUND_HALF_EVEN)
        digits = shortest.normalize().as_tuple().digits
    sign, point = "-" if value < 0 else "", shortest.adjusted()
    figures = "".join(map(str, digits))
    if value and not 1e-3 <= abs(value) < 1e7:
        return f"{sign}{figures[0]}.{figures[1:] or '0'}E{point}"
    plain = f"{shortest.normalize():f}"
    return sign + (plain if "." in plain else f"{plain}.0")


finite = st.floats(allow_nan=False, allow_infinity=False).map(lambda value: value + 0.0)
of_bits = st.integers(0, 0x7FEF_FFFF_FFFF_FFFF).map(lambda bits: struct.unpack(">d", struct.pack(">Q", bits))[0])
decimals = st.builds(lambda digits, places: digits / 10**places, st.integers(-(10**9), 10**9), st.integers(0, 12))


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(finite, of_bits, decimals), min_size=1, max_size=200))
@example([number * 5e-324 for number in range(1, 400)])
def test_any_number_is_written_by_the_definition(store: Store, values: list[float]) -> None:
    assert written(store, values) == [by_definition(value) for value in values]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(finite, of_bits), min_size=1, max_size=100))
def test_what_is_written_is_read_back_as_the_same_number(store: Store, values: list[float]) -> None:
    assert list(map(float, written(store, values))) == values
