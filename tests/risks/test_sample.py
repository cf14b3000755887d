"""Some records of a table: all of a small one, and never more than a look may cost."""

import pyarrow as pa
import pytest
from helpers.small_tables import declared, load
from sqlalchemy import select

from toolbox.queries.dialect import Query, Table
from toolbox.release.returned import prepare_for_engine
from toolbox.risks import unmodified_columns as sampling
from toolbox.risks.unmodified_columns import sample_of
from toolbox.store.engine.store import Store


def table(count: int) -> pa.Table:
    """Make records of which each column tells the number."""
    numbers = range(count)
    return pa.table(
        {
            "age": [number % 5 for number in numbers],
            "note": [f"n{number}" for number in numbers],
            "town": ["Graz", ""] * (count // 2),
        }
    )


def test_of_a_small_table_all_records_are_looked_at(store: Store) -> None:
    loaded = load(store, table(10), declared("age"))
    sample = sample_of(loaded.tables, [1, 2])
    rows = [tuple(texts) for (texts,) in store.rows(select(sample.table.c.texts))]
    assert sorted(rows) == [(f"n{number}", "Graz" if number % 2 == 0 else None) for number in range(10)]
    assert (sample.rows, sample.records, sample.is_whole, sample.positions) == (10, 10, True, (1, 2))


def test_a_wide_table_is_looked_at_in_narrow_ones(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    # The engine holds a block of 256 KB for each column of a table that it makes, on every thread.
    wide = pa.table({"age": [1, 2] * 30, **{f"x{index}": [f"{index}"] * 60 for index in range(300)}})
    loaded = load(store, wide, declared("age"))
    monkeypatch.setattr(sampling, "_CELLS", 3_000)
    made: list[int] = []
    create = Store.create

    def noted(self: Store, name: str, rows: Query) -> Table:
        table = create(self, name, rows)
        made.append(len(table.c))
        return table

    monkeypatch.setattr(Store, "create", noted)
    sample = sample_of(loaded.tables, range(1, 301))
    assert max(made) <= 3
    assert {tuple(texts) for (texts,) in store.rows(select(sample.table.c.texts))} == {tuple(map(str, range(300)))}


def test_each_record_stands_beside_its_own_quasi_identifier(store: Store) -> None:
    loaded = load(store, table(10), declared("age"))
    sample = sample_of(loaded.tables, [1])
    codes = {}
    for code, (note,) in store.rows(select(sample.table.c.interval_1, sample.table.c.texts)):
        codes.setdefault(code, set()).add(int(note[1:]) % 5)
    assert sorted(map(sorted, codes.values())) == [[0], [1], [2], [3], [4]]


@pytest.mark.parametrize(("positions", "least", "most"), [([1], 60, 160), ([1, 2], 20, 90)])
def test_of_a_large_table_some_records_fewer_of_a_wide_one(
    store: Store, monkeypatch: pytest.MonkeyPatch, positions: list[int], least: int, most: int
) -> None:
    monkeypatch.setattr(sampling, "_RECORDS", 100)
    monkeypatch.setattr(sampling, "_CELLS", 100)
    sample = sample_of(load(store, table(1000), declared("age")).tables, positions)
    assert least < sample.rows < most
    assert (sample.records, sample.is_whole) == (1000, False)


def test_different_values_are_counted_among_all_records_and_missing_ones_are_none(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "_RECORDS", 10)
    sample = sample_of(load(store, table(1000), declared("age")).tables, [1])
    assert not sample.is_estimated
    assert sample.distinct(1) == (1000, 1000)


def test_of_many_records_those_with_some_values_are_counted_all_of_each(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "_COUNTED_EXACTLY", 200)
    caller = table(2000).append_column("pair", pa.array([number // 2 for number in range(2000)]))
    sample = sample_of(load(store, caller, declared("age")).tables, [1, 3])
    assert sample.is_estimated
    assert sample.distinct(1) == (2000, 2000)
    assert sample.distinct(3) == (1000, 2000)


def test_columns_that_went_around_the_engine_are_the_caller_s_own(store: Store) -> None:
    caller = table(10)
    loaded = load(store, prepare_for_engine(caller, ["age"]), declared("age"))
    sample = sample_of(loaded.tables, [1], caller)
    rows = store.rows(select(sample.table.c.texts, sample.table.c.interval_1))
    values = {text: code for (text,), code in rows}
    assert set(values) == {f"n{number}" for number in range(10)}
    assert all(values[f"n{number}"] == values[f"n{number + 5}"] for number in range(5))
    assert sample.distinct(1) == (10, 10)
