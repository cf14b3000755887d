"""The contract of ordered columns: what is written as a text is read back as the same number."""

import struct

import pytest
from sqlalchemy import select

from toolbox.queries.scales import PLAIN, Calendar, Figures, Scale, write_shortest
from toolbox.store.engine.store import Store

NUMBERS = [0.0, 1.0, -2.5, 0.1, 0.1 + 0.2, 1 / 3, 1e22, 123456789.125, 5e-324, 1.7976931348623157e308, -1e-7, 2.0**53]
DAYS = [0.0, -1.0, 18321.0, 11016.0]


def numbers(store: Store, values):
    return store.create_constant("numbers", {"number": (float, values)}).c.number


def test_the_shortest_text_of_a_number_reads_back_as_the_same_bits(store: Store) -> None:
    column = numbers(store, NUMBERS)
    texts = [text for (text,) in store.rows(select(write_shortest(column)))]
    assert [struct.pack("d", float(text)) for text in texts] == [struct.pack("d", number) for number in NUMBERS]
    assert texts[:6] == ["0.0", "1.0", "-2.5", "0.1", "0.30000000000000004", "0.3333333333333333"]


@pytest.mark.parametrize(
    ("scale", "values"),
    [
        (PLAIN, NUMBERS),
        (Figures(decimal=","), NUMBERS),
        (Figures(decimal=",", thousands="."), NUMBERS),
        (Calendar("date"), DAYS),
        (Calendar("date", format="%d.%m.%Y"), DAYS),
    ],
    ids=["plain", "comma", "thousands", "dates", "dates with points"],
)
def test_what_a_scale_writes_it_reads_back(store: Store, scale: Scale, values: list[float]) -> None:
    column = numbers(store, values)
    assert store.rows(select(scale.value(scale.text(column)))) == [(value,) for value in values]


@pytest.mark.parametrize("scale", [PLAIN, Figures(decimal=",", thousands="."), Calendar("date")])
def test_what_is_none_of_its_values_is_null_and_never_infinite(store: Store, scale: Scale) -> None:
    texts = ["", "x", "inf", "nan", "1e999", "2020-02-30", "-", None]
    column = store.create_constant("texts", {"text": (str, texts)}).c.text
    read = [value for (value,) in store.rows(select(scale.value(column)))]
    assert read == [None] * len(texts)
