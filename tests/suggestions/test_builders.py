"""How a quasi-identifier is generalised, by what it holds."""

from __future__ import annotations

from itertools import pairwise

import pytest
from helpers.profiled import WHOLE, column
from hypothesis import given
from hypothesis import strategies as st

from toolbox.hierarchy.builders.words import make_builder
from toolbox.suggestions.plan import choose_generalisation, choose_widths
from toolbox.suggestions.profile import Numbers, Profile
from toolbox.suggestions.texts import DateFormats

AGES = Numbers(17, 90, 20, 75, is_whole=True)


@pytest.mark.parametrize(
    ("profile", "attributes", "words"),
    [
        (column("age", numbers=AGES), {"type": "number"}, "intervals:5,10,20"),
        (column("age", numbers=Numbers(0, 104, 3, 88, True)), {"type": "number"}, "intervals:5,10,20:top=90"),
        (column("c1", numbers=WHOLE), {"type": "number"}, "intervals:5,10,20"),
        (column("lat", numbers=Numbers(46.1, 49, 47, 48, False)), {"type": "number"}, "intervals:0.1,0.5,1"),
        (
            column("born", kind="date", dates=DateFormats(("%d.%m.%Y",), False)),
            {"type": "date", "format": "%d.%m.%Y", "hierarchy": "month,year,decade"},
            "dates:month,year,decade",
        ),
        (
            column("admitted", kind="date", dates=DateFormats((), False)),
            {"type": "date", "hierarchy": "month,quarter,year"},
            "dates:month,quarter,year",
        ),
        (
            column("seen", kind="timestamp"),
            {"type": "timestamp", "hierarchy": "day,month,year"},
            "dates:day,month,year",
        ),
        (column("plz", shapes=frozenset({4})), {"type": "category"}, "prefix:2,1"),
        (column("zip", numbers=WHOLE, shapes=frozenset({5})), {"type": "category"}, "prefix:3,1"),
        (column("postcode", shapes=frozenset({6, 7, 8})), {"type": "category"}, "prefix:4,2"),
        (column("c2", looks_like="icd"), {"type": "category"}, "icd10:other=root"),
        (column("c2", looks_like="ip"), {"type": "category"}, "ip:other=root"),
        (column("c2", looks_like="email"), {"type": "category"}, "email:other=root"),
        (column("c2", looks_like="telephone"), {"type": "category"}, "telephone:other=root"),
        (column("sex", different=2), {"type": "category"}, "auto:0"),
        (column("town", different=80), {"type": "category"}, "auto:0"),
        (column("country", different=40, longest=2), {"type": "category"}, "countries:other=root"),
        (column("country", different=40, longest=11), {"type": "category"}, "countries:other=root"),
        (column("nuts3", different=35, longest=5), {"type": "category"}, "prefix:4,3,2"),
        (column("nuts2", different=9, longest=4), {"type": "category"}, "prefix:3,2"),
    ],
)
def test_each_kind_of_column_has_its_builder(profile: Profile, attributes: dict[str, str], words: str) -> None:
    found = choose_generalisation(profile)
    assert (found.attributes, found.words) == (attributes, words)


def test_a_person_is_told_where_the_guess_may_mislead() -> None:
    unclear = column("seen", kind="date", dates=DateFormats(("%d/%m/%Y", "%m/%d/%Y"), False))
    assert "day and month may change places" in choose_generalisation(unclear).remark
    assert "a value, or nothing" in choose_generalisation(column("town", different=80)).remark
    assert choose_generalisation(column("sex", different=2)).remark == ""


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (Numbers(0, 1e6, 1e4, 9e5, True), ["50000", "100000", "200000"]),
        (Numbers(1, 7, 1, 7, True), ["1", "5", "10"]),
        (Numbers(3, 3, 3, 3, True), ["1", "5", "10"]),
        (Numbers(0, 1e-3, 0, 1e-3, False), ["0.00005", "0.0001", "0.0002"]),
        (Numbers(-500, 500, -400, 400, True), ["50", "100", "200"]),
    ],
)
def test_widths_are_round(numbers: Numbers, expected: list[str]) -> None:
    assert choose_widths(numbers) == expected


@pytest.mark.parametrize(
    ("name", "numbers", "words"),
    [
        ("lat", Numbers(-4e18, 7e19, 40, 60, False), "intervals:1,5,10:bottom=30:top=80"),
        ("age", Numbers(0, 1e18, 20, 75, True), "intervals:2,10,20:top=100"),
        ("c1", Numbers(1e18, 1e18 + 2048, 1e18, 1e18 + 2048, True), "intervals:1000,5000,10000"),
    ],
)
def test_numbers_that_are_no_such_thing_have_intervals_all_the_same(name: str, numbers: Numbers, words: str) -> None:
    assert choose_generalisation(column(name, numbers=numbers)).words == words


@given(st.lists(st.floats(-1e299, 1e299) | st.integers(0, 9).map(float), min_size=1, max_size=9))
def test_all_numbers_have_a_place_in_the_intervals_that_are_suggested(values: list[float]) -> None:
    numbers = sorted(values)
    usual = numbers[len(numbers) // 4], numbers[-1 - len(numbers) // 4]
    made = choose_generalisation(column("c1", numbers=Numbers(numbers[0], numbers[-1], *usual, False)))
    builder = make_builder(made.hierarchy)
    assert len(builder.rows(values)) == len({value + 0.0 for value in values})


@given(st.floats(-1e12, 1e12), st.floats(0, 1e12), st.booleans())
def test_each_width_is_a_multiple_of_the_one_before_and_whole_numbers_have_whole_widths(
    low: float, span: float, is_whole: bool
) -> None:
    from decimal import Decimal

    found = [Decimal(width) for width in choose_widths(Numbers(low, low + span, low, low + span, is_whole))]
    assert all(wide % narrow == 0 and wide > narrow for narrow, wide in pairwise(found))
    assert not is_whole or all(width == int(width) for width in found)
