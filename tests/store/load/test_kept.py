"""Combinations that are kept: counted once, then loaded for any of their columns as the records would be."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.small_tables import arrow, declared, load
from sqlalchemy import select

from toolbox.config.model import Attribute, Column, Config, Input
from toolbox.errors import InputError
from toolbox.queries.dialect import find_row_place
from toolbox.release.returned import prepare_for_engine
from toolbox.steps import Steps
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.layout import MissingValues, find_columns
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.loading import Loaded
from toolbox.store.load.session import KeptLoader, KeptSource, keep

RECORDS = "age city ill\n20 Graz flu\n20 Graz flu\n20 Graz cold\n30 Linz flu\n30 ? cold\n30 Linz ?\n"
ILL = Attribute(column=Column(index=None, name="ill"), kind=None)


def candidates(names: str, **options: object) -> Config:
    return declared(names, sensitive=[ILL], missing="?", **options)


def kept(store: Store, text: str = RECORDS, *, with_records: bool = False, **options: object) -> KeptSource:
    table = arrow(text)
    source = open_arrow_source(store, prepare_for_engine(table, table.column_names), added=1)
    config = candidates("age city", **options)
    missing = MissingValues.of(config)
    return keep(store, source, find_columns(config, source), missing, Steps(), with_records=with_records)


def combinations(loaded: Loaded) -> list[tuple[int, ...]]:
    return sorted(loaded.tables.store.rows(select(loaded.tables.combinations)))


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("names", ["age city", "city age", "age", "city"])
@pytest.mark.parametrize("on_missing", ["skip", "keep"])
def test_any_columns_are_loaded_as_the_records_would_be(store: Store, names: str, on_missing: str) -> None:
    config = candidates(names, on_missing=on_missing)
    ours = KeptLoader(config, kept(store, on_missing=on_missing), store).load()
    theirs = load(store, RECORDS, config)
    assert combinations(ours) == combinations(theirs)
    assert (ours.records_read, ours.records_skipped) == (theirs.records_read, theirs.records_skipped)
    assert ours.tables.records is None


def test_a_record_that_lacks_a_column_which_is_no_quasi_identifier_stays(store: Store) -> None:
    source = kept(store)
    skipped = {
        names: KeptLoader(candidates(names), source, store).load().records_skipped for names in ("age city", "age")
    }
    # One lacks its city, one its illness.
    assert skipped == {"age city": 2, "age": 1}


def test_the_texts_of_each_combination_and_its_rows_are_known_by_its_key(store: Store) -> None:
    source = kept(store)
    loader = KeptLoader(candidates("age"), source, store)
    rows = loader.select_usable_texts().subquery()
    keys = dict(map(tuple, store.rows(select(rows.c.key, rows.c.text_1))))
    assert sorted(store.rows(select(rows.c.text_1, rows.c.size))) == [("20", 3), ("30", 2)]
    numbered, kept_rows = loader.select_numbered_rows().subquery(), source.relation()
    joined = select(numbered.c.key, kept_rows.c.c1, numbered.c.size)
    joined = joined.join_from(numbered, kept_rows, source.row_number() == numbered.c.row)
    found = [(keys[key], city, size) for key, city, size in store.rows(joined)]
    assert sorted(found) == [("20", "Graz", 1), ("20", "Graz", 2), ("30", "?", 1), ("30", "Linz", 1)]


def test_each_record_has_the_key_of_its_row_and_the_order_of_the_input(store: Store) -> None:
    source = kept(store, with_records=True)
    rows, records = source.relation(), source.records
    assert records is not None
    joined = select(rows.c.c0, rows.c.c1, rows.c.c2).join_from(records, rows, rows.c.key == records.c.key)
    found = store.rows(joined.order_by(find_row_place(records)))
    assert "age city ill\n" + "".join(" ".join(row) + "\n" for row in found) == RECORDS


def test_a_wrong_value_is_found_in_the_input_as_long_as_it_is_there(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age\n20\nold\n")
    config = declared("age")
    with Store(tmp_path) as own:
        source = InputFiles(Input(path=path, header=True)).source(own)
        again = keep(own, source, find_columns(config, source), MissingValues.of(config), Steps())
        with pytest.raises(InputError, match=r"line 3"):
            KeptLoader(config, again, own).load()
        path.unlink()
        with pytest.raises(InputError) as caught:
            KeptLoader(config, again, own).load()
        assert "line 3" not in str(caught.value)


def test_only_the_columns_that_were_asked_for_are_there(store: Store) -> None:
    source = kept(store, "name age city ill\nAda 20 Graz flu\n")
    assert [source.has(position) for position in range(4)] == [False, True, True, True]
