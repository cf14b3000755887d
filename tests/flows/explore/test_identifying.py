"""Columns that clearly identify, which `detect` need not elect."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from toolbox.flows.explore.detect import find_clear_identifiers
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source

COUNT = 60
TABLE = {
    # Two people of one household share a telephone.
    "Telefon": [f"+43 664 1234{row - (row == 1):03}" for row in range(COUNT)],
    "card": [str(row) for row in range(COUNT)],
    "name": [f"person {row % 50}" for row in range(COUNT)],
    "age": [str(20 + row % 30) for row in range(COUNT)],
    "amount": [f"{row * 1.5 - (row == 1)}" for row in range(COUNT)],
    "flag": ["yes" if row % 3 else "no" for row in range(COUNT)],
}


@pytest.fixture
def store() -> Iterator[Store]:
    with Store() as opened:
        yield opened


def found(store: Store, *positions: int) -> dict[int, str]:
    return find_clear_identifiers(store, open_arrow_source(store, pa.table(TABLE)), positions)[0]


def test_an_identifier_of_persons_with_several_records_is_told_and_no_category_or_name(store: Store) -> None:
    table = pa.table({**TABLE, "patient_id": [f"P{row // 5:04}" for row in range(COUNT)]})
    assert find_clear_identifiers(store, open_arrow_source(store, table), range(7))[1] == [
        (
            "patient_id",
            "12 of 60 values differ, 5 records for each on average: an identifier of persons with several records, it seems, so "
            "that records are not people",
        )
    ]


def test_what_names_or_reaches_a_person_is_found_and_the_reason_is_told(store: Store) -> None:
    assert found(store, *range(6)) == {
        0: "its values look like telephone numbers",
        2: "its name says names of people",
    }


def test_only_the_columns_that_are_looked_at_count(store: Store) -> None:
    assert list(found(store, 2, 3)) == [2]
