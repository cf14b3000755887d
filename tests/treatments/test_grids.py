"""What becomes of numbers and dates on a grid or within a cap, and that a release with others is found."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor

import pyarrow as pa
import pytest
from helpers.treated import broken, told, treated
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import column, select, table

import toolbox
from toolbox.store.engine.store import Store
from toolbox.treatments.treatment import ReleasedColumn, TreatmentError, parse_treatment


@pytest.mark.sampled(9)
@pytest.mark.parametrize(
    ("words", "value", "shown"),
    [
        ("truncate:1000", "1999", "1000"),
        ("truncate:1000", "-1", "-1000"),
        ("truncate:1000", "2e3", "2000"),
        ("truncate:0.1", "0.3", "0.3"),
        ("truncate:0.1", "-0.05", "-0.1"),
        ("round:1000", "1499.99", "1000"),
        ("round:1000", "1500", "2000"),
        ("round:1000", "-1500", "-1000"),
        ("round:1000", "-0", "0"),
        ("round:0.25", "0.130", "0.25"),
        ("round:1000", " 12 ", "0"),
        ("round:1000", None, None),
        ("round:1000", "?", "?"),
        ("round:1000", "", ""),
        # No number, or one whose rest no arithmetic of ours tells.
        ("round:1000", "NaN", None),
        ("round:1000", "inf", None),
        ("round:1000", "1e308", None),
        ("round:0.5", "1e12", None),
        ("round:1000", "1_000", None),
        ("round:1000", "9007199254740992", "9007199254741000"),
        ("round:499999999.5", "999999999", "999999999.0"),
        # What it would make has ten digits before its decimals.
        ("round:350000000.5", "999999999", None),
        ("truncate:0.7", "-999999999.9", None),
        ("truncate:0.7", "-999999999", "-999999999.6"),
        ("truncate:month", "2024-02-29", "2024-02"),
        ("truncate:year", "0001-01-01", "0001"),
        ("truncate:quarter", "2024-12-31 23:59:59", "2024-Q4"),
        ("truncate:week", "2021-01-03", "2020-W53"),
        ("truncate:decade", "1999-12-31", "1990s"),
        ("truncate:day", "2024-02-29T13:14", "2024-02-29"),
        ("truncate:hour", "2024-02-29 13:14:15", "2024-02-29 13h"),
        ("truncate:month:%d.%m.%Y", "29.02.2024", "2024-02"),
        ("truncate:month", "2023-02-29", None),
        ("truncate:month", "infinity", None),
        ("truncate:month", "12024-01-01", None),
        ("top:90", "90.5", "90"),
        ("top:90", "1e308", "90"),
        ("top:90", "89.50", "89.50"),
        ("top:90", "NaN", None),
        ("bottom:-5", "-5.5", "-5"),
        ("bottom:1930-01-01", "1929-12-31", "1930-01-01"),
        ("top:2000-01-01", "2000-01-01", "2000-01-01"),
    ],
)
def test_what_a_value_becomes(store: Store, words: str, value: str | None, shown: str | None) -> None:
    assert treated(store, words, [value]) == [shown]


def test_numbers_are_read_and_written_as_their_table_does(store: Store) -> None:
    assert treated(store, "round:0.5", ["1.234,30"], decimal=",", thousands=".") == ["1234,5"]
    assert treated(store, "top:1000.5", ["1.234,30"], decimal=",", thousands=".") == ["1000,5"]


def test_a_column_of_numbers_stays_one(store: Store) -> None:
    assert treated(store, "round:1000", [1499.5, None, -700.0], float) == [1000.0, None, -1000.0]
    assert treated(store, "top:5", [4, 9, 2**60], int) == [4, 5, 5]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("words", "value", "kind", "shown"),
    [
        ("round:1000", 2**31 - 1, pa.int32(), None),
        ("round:1000", 2**31 - 1, pa.int64(), 2_147_484_000),
        ("bottom:1000", 5, pa.uint8(), None),
        ("bottom:-1000", 5, pa.uint8(), 5),
        ("top:1.4", 5, pa.int64(), None),
        ("top:1.5", 5, pa.float32(), 1.5),
        ("noise:gaussian:100000000", 5, pa.int8(), None),
        ("round:1000", Decimal("999.99"), pa.decimal128(5, 2), None),
    ],
)
def test_what_the_type_of_the_column_does_not_hold_is_null(
    store: Store, words: str, value: object, kind: pa.DataType, shown: object
) -> None:
    rows = table(
        store.register("typed", pa.table({"c0": pa.array([value], kind), "record_id": [0]})),
        column("c0"),
        column("record_id"),
    )
    shows = ReleasedColumn("x", source="x", position=0, treatment=told(words, kind="number"))
    assert store.scalar(select(shows.select_from_records(rows)).select_from(rows)) == shown


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("top:1.4", "2 cells of 'x' are no value that 'top' can read. .* a whole number for whole numbers"),
        ("truncate:0.7", "4 cells of 'x' are rounded by the type of the column. .* a whole number behind 'truncate'"),
        ("round:200", "1 cell of 'x' is no value that 'round' can read. .* must fit the type of the column"),
        (
            "bottom:1000",
            "4 cells of 'x' are no value that 'bottom' can read. .* a cap that the type of the column holds",
        ),
    ],
)
def test_what_does_not_fit_is_told_with_its_remedy(words: str, message: str) -> None:
    people = pa.table({"age": [20, 20, 30, 30], "x": pa.array([127, 3, 1, -1], pa.int8())})
    with pytest.raises(toolbox.UsageError, match=message):
        toolbox.anonymize(people, quasi_identifiers=["age"], k=2, treatments={"x": words})


@pytest.mark.slow
@given(
    number=st.decimals(-(10**8), 10**8, places=3),
    base=st.sampled_from(["1", "7", "1000", "0.5", "0.1", "0.003"]),
    how=st.sampled_from(["nearest", "random"]),
)
def test_a_number_on_the_grid_is_less_than_the_base_away(store: Store, number: object, base: str, how: str) -> None:
    (rounded,) = treated(store, f"round:{base}:{how}", [str(number)])
    (below,) = treated(store, f"truncate:{base}", [str(number)])
    exact, step = Fraction(str(number)), Fraction(base)
    assert Fraction(below) == floor(exact / step) * step
    assert Fraction(rounded) in (Fraction(below), Fraction(below) + step)
    if how == "nearest":
        assert abs(Fraction(rounded) - exact) <= step / 2


def test_at_random_the_expected_value_is_the_number(store: Store) -> None:
    shown = [int(text) for text in treated(store, "round:1000:random", ["250"] * 4000)]
    assert set(shown) == {0, 1000}
    # 1000 with a chance of one in four: three standard deviations are 0.0205.
    assert abs(sum(shown) / 4000 / 1000 - 0.25) < 0.0205
    assert treated(store, "round:1000:random", ["250"] * 9) == [str(number) for number in shown[:9]]
    assert treated(store, "round:1000:random", ["3000"] * 9) == ["3000"] * 9


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("words", "read", "shown", "cells"),
    [
        ("round:1000", "1499", "1000", 0),
        # A file with types writes the same number in another way.
        ("round:1000", "1499", "1000.0", 0),
        ("round:1000", "1499", "2000", 2),
        ("round:1000", "1499", "1499", 3),
        ("truncate:month", "2024-02-29", "2024-02", 0),
        ("truncate:month", "2024-02-29", "2024-02-29", 3),
        # What cannot be read is no empty cell.
        ("round:1000", "many", None, 2),
    ],
)
def test_a_release_with_others_breaks_the_promise(
    store: Store, words: str, read: str, shown: str | None, cells: int
) -> None:
    assert broken(store, words, [(read, 1)], [(shown, 1)]) == cells


def test_a_cap_stands_for_k_records_or_for_none(store: Store) -> None:
    two, shown = [("91", 1), ("95", 1), ("3", 4)], [("90", 2), ("3", 4)]
    assert broken(store, "top:90", two, shown) == 0
    assert broken(store, "top:90", two, shown, k=3) == 2
    assert broken(store, "top:99", two, two, k=3) == 0
    # Whoever has exactly the cap hides nobody.
    assert broken(store, "top:91", two, [("91", 2), ("3", 4)]) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("rond:1", "there is no treatment 'rond'. Did you mean 'round'? Write one of: pass, drop, escape, "),
        ("round", "the treatment 'round' is wrong: base lacks; write a number above 0 with at most 9 decimals"),
        ("round:0", "base is '0'; write a number above 0"),
        ("round:1e3", "base is '1e3'; write a number above 0"),
        ("round:500000000.5", "write a number above 0 with at most 9 decimals, and then below 500,000,000, such"),
        ("round:1:twice", "how is 'twice'; write nearest or random. Write round:BASE[:how=..]."),
        ("round:1:nearest:2", "'2' is one setting too many"),
        ("round:1:base=2", "base is there twice"),
        ("truncate:moon", "to is 'moon'; write a number above 0, such as 1000, or one of decade, year, quarter, month"),
        ("truncate:month:%Q", "format is '%Q'; write how dates are written, such as %d.%m.%Y"),
        ("top:many", "cap is 'many'; write a number such as 100000, or a date such as 1930-01-01"),
        ("mask:0", "keep is '0'; write how many characters stay at the end, such as 4"),
        ("redact: ", "text is empty; write the text that takes the place of each value"),
        ("pass:1", "'1' is one setting too many. It has no settings. Write pass."),
        ("", "there is no treatment ''"),
    ],
)
def test_what_is_wrong_is_told(words: str, message: str) -> None:
    with pytest.raises(TreatmentError) as caught:
        parse_treatment(words)
    assert message in str(caught.value)


def test_settings_have_names_too() -> None:
    assert parse_treatment("round:how=random:base=5") == parse_treatment("round:5:random")
    assert told("top:5").facts.k == 2
