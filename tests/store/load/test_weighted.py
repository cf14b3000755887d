"""Rows that stand for several records are loaded as these records would be."""

from __future__ import annotations

import pyarrow as pa
import pytest
from helpers.small_tables import arrow, declared, load
from sqlalchemy import select

from toolbox.config.model import Attribute, Column, OnMissing
from toolbox.errors import InputError, UsageError
from toolbox.release.returned import prepare_for_engine
from toolbox.store.engine.store import Store
from toolbox.store.input.source import TableSource, open_arrow_source
from toolbox.store.load.counted import MOST_RECORDS, WeightedLoader, require_weights
from toolbox.store.load.loading import Loaded
from toolbox.store.tables import Tables

RECORDS = "age city ill\n20 Graz flu\n20 Graz flu\n20 Graz cold\n30 Linz flu\n30 Graz cold\n30 Linz gout\n"
COUNTS = "age n city ill\n30 2 Graz cold\n20 1 Graz flu\n30 1 Linz flu\n20 0 Linz gout\n20 1 Graz cold\n"
COUNTS += "20 1 Graz flu\n30 1 Linz gout\n"
ILL = Attribute(column=Column(index=None, name="ill"), kind=None)


def loader(store: Store, table: str | pa.Table, *, on_missing: OnMissing = "skip") -> WeightedLoader:
    given = arrow(table) if isinstance(table, str) else table
    config = declared("age city", sensitive=[ILL], on_missing=on_missing, missing="")
    source = open_arrow_source(store, prepare_for_engine(given, given.column_names), added=1)
    return WeightedLoader(config, source, store, given.column_names.index("n"), {"ill": False})


def contents(tables: Tables) -> dict[str, list[tuple[object, ...]]]:
    """Return what a method reads, with the texts of sensitive values."""
    ill, combinations = tables.sensitive["ill"], tables.combinations
    held = select(ill.histogram.c.combination_id, ill.codes.c.text, ill.histogram.c.records)
    held = held.join_from(ill.histogram, ill.codes, ill.codes.c.value == ill.histogram.c.value)
    rows = tables.store.rows
    return {
        "combinations": sorted(rows(select(combinations))),
        "classes": sorted(rows(select(tables.equivalence))),
        "held": sorted(rows(held)),
        "overall": sorted(rows(select(ill.overall))),
    }


@pytest.mark.slow
def test_the_tables_are_those_of_the_records(store: Store) -> None:
    loaded = loader(store, COUNTS.replace("30 2 Graz", "30 1 Graz")).load()
    assert contents(loaded.tables) == {
        "combinations": [(0, 3, 0, 0), (1, 1, 1, 0), (2, 2, 1, 1)],
        "classes": [(0, 3, False, 0, 0), (1, 1, False, 1, 0), (2, 2, False, 1, 1)],
        "held": [(0, "cold", 1), (0, "flu", 2), (1, "cold", 1), (2, "flu", 1), (2, "gout", 1)],
        "overall": [(0.0, 2), (1.0, 3), (2.0, 1)],
    }
    assert (loaded.records_read, loaded.records_skipped, loaded.tables.record_count) == (6, 0, 6)
    expected = load(store, RECORDS, "age city")
    assert contents(loaded.tables)["combinations"] == sorted(store.rows(select(expected.tables.combinations)))


def test_no_records_are_there_and_whoever_looks_at_them_is_told(store: Store) -> None:
    tables = loader(store, COUNTS).load().tables
    assert tables.records is None
    with pytest.raises(UsageError, match=r"only combinations were counted.*toolbox\.anonymize"):
        _ = tables.anon_record


def test_each_combination_has_the_row_where_it_stands_first(store: Store) -> None:
    weighted = loader(store, COUNTS)
    tables = weighted.load().tables
    first, keys = weighted.find_first_rows(), tables.keys
    assert keys is not None
    joined = select(keys.c.combination_id, first.c.row).join_from(keys, first, first.c.key == keys.c.key)
    assert sorted(store.rows(joined)) == [(0, 1), (1, 0), (2, 2)]


MISSING = pa.table(
    {
        "age": [20, None, 20, 30, 20],
        "city": ["Graz", "Graz", None, "", "Graz"],
        "ill": ["flu", "flu", "flu", "flu", None],
        "n": [1, 2, 4, 8, 16],
    }
)


def counts_of(loaded: Loaded) -> tuple[int, int]:
    return loaded.records_read, loaded.records_skipped


def test_rows_without_a_value_are_skipped_with_all_their_records(store: Store) -> None:
    weighted = loader(store, MISSING)
    loaded = weighted.load()
    assert counts_of(loaded) == (31, 30)
    assert contents(loaded.tables)["held"] == [(0, "flu", 1)]
    assert [row for _, row in store.rows(select(weighted.find_first_rows()))] == [0]


def test_rows_without_a_value_are_refused_by_their_numbers(store: Store) -> None:
    with pytest.raises(InputError, match=r"column age: missing \(row 2\)\n  column city: missing \(rows 3, 4\)"):
        loader(store, MISSING, on_missing="fail").load()


@pytest.mark.slow
def test_rows_of_nobody_are_not_there(store: Store) -> None:
    """Also not where a value is missing, or none of its column."""
    nobody = pa.table({"age": [20, None], "city": ["Graz", None], "ill": ["flu", "x"], "n": [1, 0]})
    loaded = loader(store, nobody, on_missing="fail").load()
    assert counts_of(loaded) == (1, 0)
    with pytest.raises(InputError, match="the table holds no record"):
        loader(store, nobody.slice(1)).load()


# Weights


def source_of(store: Store, counts: pa.Array) -> TableSource:
    return open_arrow_source(store, prepare_for_engine(pa.table({"n": counts}), {"n"}), added=1)


def test_the_most_records_are_counted_exactly(store: Store) -> None:
    require_weights(store, source_of(store, pa.array([MOST_RECORDS - 1, 1, 0])), 0)
    with pytest.raises(InputError, match=r"counts more than 9,007,199,254,740,992 records"):
        require_weights(store, source_of(store, pa.array([MOST_RECORDS, 1])), 0)


def test_only_the_first_wrong_rows_are_named(store: Store) -> None:
    with pytest.raises(InputError, match=r"in rows 2, 3, 4, 5, 6\. Write whole numbers"):
        require_weights(store, source_of(store, pa.array([1.0, -1, 0.5, None, float("nan"), 1e30, -2])), 0)
