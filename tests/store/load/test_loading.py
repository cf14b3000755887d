"""What all ways of loading share: counted texts become combinations of values, whoever has counted them."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from helpers.amounts import times
from helpers.joined import N
from helpers.small_tables import declared, quasi_identifier
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from toolbox.config.model import Config
from toolbox.errors import InputError
from toolbox.release.returned import prepare_for_engine
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.counted import WeightedLoader
from toolbox.store.load.loading import Loaded, Loader

AGES = ["1", "1.0", "01", "2", None]
SEXES = ["F", "M", "?", None]


def config(**options: object) -> Config:
    return declared([quasi_identifier("age", kind="number"), quasi_identifier("sex")], missing="", **options)


def texts(rows: list[tuple[object, ...]]) -> pa.Table:
    return pa.table([pa.array([row[place] for row in rows], pa.string()) for place in (0, 1)], names=["age", "sex"])


def both_ways(store: Store, rows: list[tuple[object, ...]], **options: object) -> tuple[Loaded, Loaded]:
    """Load records, and their counts."""
    records, counted = texts(rows), Counter(rows)
    counts = texts(list(counted)).append_column(N, pa.array(list(counted.values())))
    source = open_arrow_source(store, prepare_for_engine(counts, counts.column_names), added=1)
    return (
        Loader(config(**options), open_arrow_source(store, records), store).load(),
        WeightedLoader(config(**options), source, store, 2).load(),
    )


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.sampled_from(AGES), st.sampled_from(SEXES)), min_size=1, max_size=30),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=times(6, slow=60))
def test_counts_are_loaded_as_their_records_are(store: Store, rows: list[tuple[object, ...]]) -> None:
    if all(None in row for row in rows):
        rows = [*rows, ("1", "F")]
    by_records, by_counts = both_ways(store, rows)
    for found in ("combinations", "equivalence"):
        tables = [getattr(loaded.tables, found) for loaded in (by_records, by_counts)]
        assert Counter(store.rows(select(tables[0]))) == Counter(store.rows(select(tables[1])))
    assert (by_counts.records_read, by_counts.records_skipped) == (len(rows), sum(None in row for row in rows))
    assert by_counts.notes == by_records.notes


def test_a_value_that_is_written_in_several_ways_is_one_with_a_key_for_each(store: Store) -> None:
    for loaded in both_ways(store, [("1", "F"), ("1.0", "F"), ("01", "F"), ("2", "F")]):
        tables = loaded.tables
        assert store.rows(select(tables.combinations)) == [(0, 3, 0, 0), (1, 1, 1, 0)]
        assert tables.keys is not None
        assert Counter(number for (number,) in store.rows(select(tables.keys.c.combination_id))) == {0: 3, 1: 1}


def test_a_table_of_which_nothing_is_left_is_refused(store: Store) -> None:
    counts = pa.table({"age": pa.array([None], pa.string()), "sex": ["F"], "n": [7]})
    source = open_arrow_source(store, prepare_for_engine(counts, counts.column_names), added=1)
    with pytest.raises(InputError, match="all 7 records lack a declared value"):
        WeightedLoader(config(), source, store, 2).load()
