"""What an engine is asked, and what its answers are here: one row of usable records for each key."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pyarrow as pa
import pytest
from helpers.small_tables import declared
from sqlalchemy import select

from toolbox.config.model import Attribute, Column, EngineChoice, OnMissing
from toolbox.engines.engine import CountedRecords, CountRequest, Lacking
from toolbox.errors import EngineError
from toolbox.flows.release.engine import EngineQuestion, count_in_engine
from toolbox.store.engine.store import Store
from toolbox.store.input.layout import find_columns
from toolbox.store.load.counted import CountedSource

REQUEST = CountRequest(by=("age",), judged=("sick",), salt=5)


def counted(
    rows: list[tuple[object, ...]], held: list[tuple[object, ...]], of: pa.DataType | None = None
) -> CountedRecords:
    """Return ``key, by_1, unusable, size, sum_1, sum_2`` and ``key, value, size``."""
    kinds = [pa.int64(), of or pa.string(), pa.bool_(), *[pa.int64()] * 3]
    names = ["key", "by_1", "unusable", "size", "sum_1", "sum_2"]
    combinations = [pa.array([row[place] for row in rows], kind) for place, kind in enumerate(kinds)]
    kinds = [pa.int64(), pa.string(), pa.int64()]
    values = [pa.array([row[place] for row in held], kind) for place, kind in enumerate(kinds)]
    return CountedRecords(pa.table(combinations, names=names), (pa.table(values, names=["key", "value", "size"]),))


# Keys


def test_an_answer_holds_the_texts_of_values_and_all_numbers(store: Store) -> None:
    given = counted([(-1, 20, False, 3, 7, 8), (2, None, False, 1, 0, 4)], [(-1, "flu", 3), (2, None, 1)], pa.int64())
    answer = count_in_engine(store, REQUEST, lambda _: given)
    assert answer.request == REQUEST
    assert sorted(store.rows(select(answer.combinations))) == [(-1, "20", False, 3, 7, 8), (2, None, False, 1, 0, 4)]
    assert sorted(store.rows(select(answer.held["sick"]))) == [(-1, "flu", 3), (2, None, 1)]


def test_rows_of_one_key_and_text_are_one_row_because_a_key_has_one_class(store: Store) -> None:
    """An engine may tell apart what is written alike, such as two zeros, and give both one key."""
    given = counted(
        [(4, "0", False, 3, 7, 8), (4, "0", False, 2, 1, 1), (4, "0", True, 5, 2, 2)],
        [(4, "flu", 3), (4, "flu", 1), (4, None, 1)],
    )
    answer = count_in_engine(store, REQUEST, lambda _: given)
    assert sorted(store.rows(select(answer.combinations))) == [(4, "0", False, 5, 8, 9), (4, "0", True, 5, 2, 2)]
    assert set(store.rows(select(answer.held["sick"]))) == {(4, "flu", 4), (4, None, 1)}
    assert store.count(answer.held["sick"]) == 2


def test_values_that_are_written_in_two_ways_keep_two_keys(store: Store) -> None:
    """1.0 and 1.00 are texts of two; that they are one number is found out where values are read."""
    given = counted([(4, "1.0", False, 3, 0, 0), (5, "1.00", False, 2, 0, 0)], [])
    answer = count_in_engine(store, REQUEST, lambda _: given)
    assert store.count(answer.combinations) == 2


def test_one_key_of_two_texts_is_two_combinations_of_one_key(store: Store) -> None:
    """Even if they are one number: a record that is looked up by the key would be in two classes."""
    salts = []

    def count(request: CountRequest) -> CountedRecords:
        salts.append(request.salt)
        other = 4 if request.salt == 5 else 6
        return counted(
            [(4, "1.0", False, 3, 0, 0), (other, "1.00", False, 2, 0, 0)], [(4, "flu", 3), (other, "flu", 2)]
        )

    answer = count_in_engine(store, REQUEST, count)
    assert salts == [5, 6]
    assert answer.request == replace(REQUEST, salt=6)
    assert sorted(store.rows(select(answer.held["sick"]))) == [(4, "flu", 3), (6, "flu", 2)]


def test_a_null_and_an_empty_text_are_two(store: Store) -> None:
    given = counted([(4, None, False, 3, 0, 0), (4, "", False, 2, 0, 0)], [])
    with pytest.raises(EngineError, match="one key, with each of 8 salts"):
        count_in_engine(store, REQUEST, lambda _: given)


def test_a_decimal_is_its_text(store: Store) -> None:
    given = counted([(4, Decimal("1.50"), False, 3, 0, 0)], [], pa.decimal128(18, 2))
    assert [row[1] for row in store.rows(select(count_in_engine(store, REQUEST, lambda _: given).combinations))] == [
        "1.50"
    ]


def test_sums_may_grow_beyond_64_bits_here(store: Store) -> None:
    largest = 2**63 - 1
    given = counted([(4, "0", False, 1, largest, -largest), (4, "0", False, 1, largest, -largest)], [])
    ((*_, first, second),) = store.rows(select(count_in_engine(store, REQUEST, lambda _: given).combinations))
    assert (int(first), int(second)) == (2 * largest, -2 * largest)


# Requests

SCHEMA = pa.schema(
    [("name", pa.string()), ("age", pa.int64()), ("sick", pa.string()), ("pay", pa.int64()), ("note", pa.string())]
)


def question(on_missing: OnMissing = "skip", *judged: str, **sensitive: Attribute) -> EngineQuestion:
    attributes = list(sensitive.values()) or [
        Attribute(column=Column(index=None, name=name), kind=None) for name in ("sick", "pay")
    ]
    config = declared("age", sensitive=attributes, identifiers="name", missing="?", on_missing=on_missing)
    layout = find_columns(config, CountedSource("people", SCHEMA))
    return EngineQuestion(config, layout, dict.fromkeys(judged, False))


def test_the_input_is_counted_by_quasi_identifiers_with_all_that_passes() -> None:
    request = question().input_count
    assert (request.by, request.passed) == (("age",), ("sick", "pay", "note"))


def test_the_values_are_counted_that_a_model_judges_or_that_must_fit_their_declaration() -> None:
    """Numbers must be numbers; texts that nobody judges stay where they are."""
    assert question().input_count.judged == ("pay",)
    assert question("skip", "sick").input_count.judged == ("sick", "pay")
    listed = Attribute(column=Column(index=2, name="illness"), kind="category", categories={"flu": 0})
    assert question("skip", sick=listed).input_count.judged == ("sick",)


def test_a_record_lacks_a_declared_value_where_it_is_null_empty_or_marked() -> None:
    lacking = tuple(Lacking(column=name, marks=("", "?")) for name in ("age", "sick", "pay"))
    assert question("skip").input_count.lacking == lacking
    assert question("fail").input_count.lacking == lacking
    assert question("keep").input_count.lacking == ()


def test_a_declared_category_is_no_mark() -> None:
    listed = Attribute(column=Column(index=None, name="sick"), kind="category", categories={"?": 0, "flu": 1})
    assert question("skip", sick=listed).input_count.lacking[1] == Lacking(column="sick", marks=("",))


def test_no_more_combinations_are_fetched_than_usual_or_than_the_setting_says() -> None:
    asked_for = question()
    assert asked_for.input_count.most == 5_000_000
    choice = EngineChoice(name="spark", url="sc://host", settings={"combinations": "77"})
    assert replace(asked_for, config=replace(asked_for.config, engine=choice)).input_count.most == 77
