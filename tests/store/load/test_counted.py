"""Combinations that were counted elsewhere are loaded as their records would be."""

from __future__ import annotations

import pyarrow as pa
import pytest
from helpers.small_tables import declared
from sqlalchemy import BigInteger, Boolean, String, Table, cast, select

from toolbox.config.model import Attribute, Column, OnMissing
from toolbox.errors import InputError
from toolbox.messages import name_python_arguments
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.counted import CountedLoader, CountedSource, CountedTables

KINDS = {"key": pa.int64(), "unusable": pa.bool_(), "size": pa.int64()}
ILL = Attribute(column=Column(index=None, name="ill"), kind=None)


def table(store: Store, names: str, rows: list[tuple[object, ...]]) -> Table:
    held = zip(names.split(), zip(*rows, strict=True), strict=True)
    given = pa.table({name: pa.array(values, KINDS.get(name, pa.string())) for name, values in held})
    relation = open_arrow_source(store, given).relation()
    columns = {"key": BigInteger, "unusable": Boolean, "size": BigInteger}
    typed = [cast(relation.c[f"c{place}"], columns.get(name, String)) for place, name in enumerate(given.column_names)]
    return store.create(
        "given", select(*(one.label(name) for one, name in zip(typed, given.column_names, strict=True)))
    )


def loader(store: Store, *, on_missing: OnMissing = "skip") -> CountedLoader:
    """Load ages and cities with keys that an engine has made, two of them for one combination of texts.

    Four records are unusable, two have no city.
    """
    combinations = [
        (-7, "20", "Graz", False, 3),
        (5, "30", "Linz", False, 1),
        (6, "30", "Linz", False, 1),
        (5, "30", "Linz", True, 4),
        (9, "30", None, False, 2),
    ]
    held = [(-7, "flu", 2), (-7, "cold", 1), (5, "flu", 1), (6, "gout", 1)]
    given = CountedTables(
        table(store, "key text_1 text_2 unusable size", combinations), {2: table(store, "key text size", held)}
    )
    schema = pa.schema([("age", pa.int64()), ("city", pa.string()), ("ill", pa.string())])
    config = declared("age city", sensitive=[ILL], on_missing=on_missing, missing="")
    return CountedLoader(config, CountedSource("public.people", schema), store, given, {"ill": False})


def test_the_tables_are_those_of_the_records(store: Store) -> None:
    loaded = loader(store).load()
    tables = loaded.tables
    assert (loaded.records_read, loaded.records_skipped, tables.record_count) == (11, 6, 5)
    assert sorted(store.rows(select(tables.combinations))) == [(0, 3, 0, 0), (1, 2, 1, 1)]
    assert tables.records is None


def test_keys_are_those_of_the_engine(store: Store) -> None:
    keys = loader(store).load().tables.keys
    assert keys is not None
    assert sorted(store.rows(select(keys.c.key, keys.c.combination_id))) == [(-7, 0), (5, 1), (6, 1)]


def test_sensitive_values_are_those_of_usable_records(store: Store) -> None:
    ill = loader(store).load().tables.sensitive["ill"]
    held = select(ill.histogram.c.combination_id, ill.codes.c.text, ill.histogram.c.records)
    joined = held.join_from(ill.histogram, ill.codes, ill.codes.c.value == ill.histogram.c.value)
    assert sorted(store.rows(joined)) == [(0, "cold", 1), (0, "flu", 2), (1, "flu", 1), (1, "gout", 1)]


def test_what_was_counted_may_be_loaded_again(store: Store) -> None:
    again = loader(store)
    assert again.load().records_read == again.load().records_read == 11


def test_missing_values_are_refused_by_their_number_because_no_row_is_known(store: Store) -> None:
    with pytest.raises(InputError, match=r"6 records lack a declared value\. Complete them, or write onMissing='skip'"):
        loader(store, on_missing="fail").load()
    with name_python_arguments(), pytest.raises(InputError, match=r"or write on_missing='skip' or 'keep'"):
        loader(store, on_missing="fail").load()


def test_of_records_that_stay_elsewhere_only_the_columns_are_known() -> None:
    """Messages say how many, and name no place."""
    moment = pa.timestamp("us", "Europe/Vienna")
    source = CountedSource("public.people", pa.schema([("age", pa.int64()), ("born", pa.date32()), ("seen", moment)]))
    assert (source.name, source.headers, source.width) == ("public.people", ("age", "born", "seen"), 3)
    assert (source.kinds, source.zones) == (("number", "date", "timestamp"), (None, None, "Europe/Vienna"))
    with pytest.raises(ValueError, match="the records stay where they are"):
        source.relation()
