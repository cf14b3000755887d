"""A sample of the records, and what is counted among all of them, by hand."""

from __future__ import annotations

import pyarrow as pa
import pytest
from helpers.profiled import drawn_of

from toolbox.errors import InputError
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.suggestions import texts as drawing
from toolbox.suggestions.texts import Drawn


def test_of_a_small_table_all_records_are_looked_at(store: Store) -> None:
    drawn = drawn_of(store, {"a": ["x", "y", "x", None, ""], "b": [1, 2, 3, 4, 5]})
    assert (drawn.records, drawn.rows, drawn.is_whole) == (5, 5, True)
    assert [(dict(texts.counts), texts.missing) for texts in drawn.columns] == [
        ({"x": 2, "y": 1}, 2),
        ({"1": 1, "2": 1, "3": 1, "4": 1, "5": 1}, 0),
    ]


def test_texts_are_numbered_record_by_record_and_a_missing_one_is_none(store: Store) -> None:
    drawn = drawn_of(store, {"a": ["x", "y", "x", None, ""]})
    assert drawn.codes(0).tolist() == [0, 1, 0, -1, -1]


def test_records_that_lack_a_value_are_told_by_column(store: Store) -> None:
    drawn = drawn_of(store, {"a": ["x", "?", None], "b": ["x", "y", "z"], "c": ["?", "?", "z"]})
    assert {index: flags.tolist() for index, flags in drawn.absent("?").items()} == {
        0: [False, True, True],
        2: [True, True, False],
    }
    assert {index: flags.tolist() for index, flags in drawn.absent(None).items()} == {0: [False, False, True]}


@pytest.fixture
def large(store: Store, monkeypatch: pytest.MonkeyPatch) -> Drawn:
    """Draw from a table of which one record in ten or so is looked at."""
    monkeypatch.setattr(drawing, "_RECORDS", 100)
    monkeypatch.setattr(drawing, "_AT_ONCE", 2)
    count = 1000
    table = {
        "number": [f"n{row}" for row in range(count)],
        "pair": [f"p{row // 2}" for row in range(count)],
        "few": [None if row % 10 == 0 else f"f{row % 3}" for row in range(count)],
    }
    return drawn_of(store, table)


def test_of_a_large_table_a_sample_is_looked_at(large: Drawn) -> None:
    assert not large.is_whole
    assert 50 < large.rows < 200
    assert all(sum(texts.counts.values()) + texts.missing == large.rows for texts in large.columns)


def test_what_differs_is_counted_among_all_records(large: Drawn) -> None:
    assert large.distinct([0, 1, 2]) == {0: (1000, 1000, 1000), 1: (500, 0, 1000), 2: (3, 0, 900)}


def test_tests_are_counted_among_all_records(large: Drawn) -> None:
    found = large.counted({0: [lambda text: text == "n7"], 2: [lambda text: text.is_(None), lambda text: text == "f1"]})
    # Of 334 rows with a remainder of 1, 34 have a number that ends in 0.
    assert found == {0: (1,), 2: (100, 300)}
    assert large.records == 1000


def test_a_table_without_records_is_refused(store: Store) -> None:
    with pytest.raises(InputError, match="holds no record"):
        drawn_of(store, {"a": []})


def test_a_column_that_is_not_the_callers_is_not_looked_at(store: Store) -> None:
    source = open_arrow_source(store, pa.table({"a": ["x"], "row": [1]}), added=1)
    assert Drawn(store, source).width == 1
