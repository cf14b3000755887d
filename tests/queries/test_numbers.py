"""Texts as numbers: decimal commas, thousands set apart, and codes that are no numbers."""

import pytest
from sqlalchemy import select

from toolbox.queries.scales import Figures, is_code
from toolbox.store.engine.store import Store

COMMAS = Figures(",", ".")


def values(store: Store, figures: Figures, *texts: str) -> list[float | None]:
    given = store.create_constant("given", {"place": (int, range(len(texts))), "text": (str, texts)})
    rows = store.rows(select(figures.value(given.c.text)).order_by(given.c.place))
    return [value for (value,) in rows]


def test_a_decimal_comma_stands_for_a_point(store: Store) -> None:
    found = values(store, Figures(","), "1,5", "-0,25", "7", ",5", "1,", "1,5e3", " 2,5 ")
    assert found == [1.5, -0.25, 7.0, 0.5, 1.0, 1500.0, 2.5]


def test_thousands_are_read_where_three_digits_follow(store: Store) -> None:
    assert values(store, COMMAS, "1.234,5", "1234,5", "-1.234.567", "12.345") == [1234.5, 1234.5, -1234567.0, 12345.0]
    assert values(store, Figures(".", ","), "1,234.5") == [1234.5]
    assert values(store, Figures(",", "\u202f"), "1\u202f234,5") == [1234.5]


@pytest.mark.parametrize("text", ["1.5", "1.23", "12.3456", "1.2345,6", ".123", "1,2,3", "1,234.5", ",", "", "1_000,5"])
def test_what_is_written_otherwise_is_no_number(store: Store, text: str) -> None:
    assert values(store, COMMAS, text) == [None]


def test_a_point_is_no_decimal_where_a_comma_is(store: Store) -> None:
    assert values(store, Figures(","), "1.5", "1.234") == [None, None]


def test_numbers_are_written_as_they_are_read(store: Store) -> None:
    given = store.create_constant("given", {"number": (float, [1234.5])})
    assert store.row(select(COMMAS.text(given.c.number), Figures().text(given.c.number))) == ("1234,5", "1234.5")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("01067", True), ("00", True), ("0", False), ("10", False), ("0.5", False), ("-01", False), ("01.02.1971", False)],
)
def test_digits_with_a_leading_zero_are_a_code(store: Store, text: str, expected: bool) -> None:
    given = store.create_constant("given", {"text": (str, [text])})
    assert store.scalar(select(is_code(given.c.text))) is expected
