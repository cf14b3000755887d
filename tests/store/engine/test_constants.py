"""Python values as a query: whatever they are, they come back as they went in."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

import pytest
from sqlalchemy import func, select

from toolbox.store.engine.store import Store, build_constant_rows

# Few values are written one by one, many as one text that the engine cuts up.
FEW_OR_MANY = pytest.mark.parametrize("times", [1, 200], ids=["few", "many"])


def read(store: Store, **columns: tuple[type, Sequence[object]]) -> list[tuple[object, ...]]:
    return [tuple(row) for row in store.rows(build_constant_rows(columns))]


@FEW_OR_MANY
def test_values_keep_their_types_and_their_order(store: Store, times: int) -> None:
    rows = [(True, 2**62, 0.1, "it's"), (None, None, None, None), (False, -3, 1e308, "")] * times
    flags, numbers, reals, texts = zip(*rows, strict=True)
    query = build_constant_rows({"b": (bool, flags), "i": (int, numbers), "f": (float, reals), "s": (str, texts)})
    assert store.rows(query) == rows
    kinds = store.row(select(*(func.any_value(func.typeof(one)) for one in query.subquery().c)))
    assert kinds == ("BOOLEAN", "BIGINT", "DOUBLE", "VARCHAR")


@FEW_OR_MANY
def test_a_missing_text_is_not_an_empty_one(store: Store, times: int) -> None:
    assert read(store, s=(str, ["", None, "="] * times)) == [("",), (None,), ("=",)] * times


@FEW_OR_MANY
def test_texts_may_hold_what_ends_a_statement_or_separates_values(store: Store, times: int) -> None:
    texts = ["a\0b", "\0", "\x1f", "\x1e\x1f|", "'; DROP TABLE x; --", "%s :name \\ {}", "\ue000🦆", "\n"] * times
    assert read(store, s=(str, texts), n=(int, range(len(texts)))) == list(zip(texts, range(len(texts)), strict=True))


def test_a_text_with_every_character_that_could_separate_comes_back(store: Store) -> None:
    every = "".join(map(chr, range(32)))
    assert read(store, s=(str, [every, None, every[::-1]])) == [(every,), (None,), (every[::-1],)]


@FEW_OR_MANY
def test_reals_come_back_to_the_last_digit(store: Store, times: int) -> None:
    reals = [0.1 + 0.2, 5e-324, -0.0, math.pi, math.inf, -math.inf, 1.7976931348623157e308]
    found = [value for (value,) in read(store, x=(float, reals * times))]
    assert list(map(repr, found)) == list(map(repr, reals * times))


@FEW_OR_MANY
def test_whole_numbers_may_be_larger_than_eight_bytes_hold(store: Store, times: int) -> None:
    numbers = [2**63, -(2**100), 7, None]
    assert read(store, n=(int, numbers * times)) == [(number,) for number in numbers * times]


def test_without_rows_there_are_still_columns_with_their_types(store: Store) -> None:
    query = build_constant_rows({"n": (int, []), "s": (str, [])})
    assert store.rows(query) == []
    made = store.create("nothing", query)
    assert made.columns.keys() == ["n", "s"]
    assert store.row(select(func.typeof(func.any_value(made.c.n)))) == ("BIGINT",)


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        build_constant_rows({"n": (int, [1, 2]), "s": (str, ["a"])})


@pytest.mark.parametrize("lacks_arrow", [False, True])
def test_more_rows_than_a_statement_holds_come_as_they_went_in(
    store: Store, lacks_arrow: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if lacks_arrow:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    rows = [(True, 2**62, 2**70, 0.1, "it's"), (None, None, None, None, None), (False, -3, -1, -math.inf, "a\0b")]
    count = 7_000
    kinds = (bool, int, int, float, str)
    columns = {f"c{place}": (kinds[place], [row[place] for row in rows] * count) for place in range(5)}
    numbers = {"n": (int, range(3 * count))}
    made = store.create_constant("many", columns | numbers)
    read = store.rows(select(*(made.c[name] for name in columns)).order_by(made.c.n))
    assert read == rows * count
    told = store.row(select(*(func.any_value(func.typeof(column)) for column in made.c)))
    assert told == ("BOOLEAN", "BIGINT", "HUGEINT", "DOUBLE", "VARCHAR", "BIGINT")
