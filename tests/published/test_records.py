"""Reading a table that is to be judged: its distinct records, and each record by its key."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from sqlalchemy import func, select

from toolbox.config.model import Input
from toolbox.errors import InputError
from toolbox.published.tables import Records
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.input.text import DelimitedSource

ROWS = [("9", "Graz"), ("10", ""), ("9", "Graz"), ("9", None), (None, "Wien")]


def records(store: Store, rows=ROWS, positions=(0, 1), **options) -> Records:
    ages, towns = zip(*rows, strict=True)
    table = pa.table({"age": pa.array(ages, pa.string()), "town": pa.array(towns, pa.string())})
    return Records(store, open_arrow_source(store, table), positions, **options)


def counts(store: Store, found: Records) -> dict[tuple[object, ...], int]:
    rows = [tuple(row) for row in store.rows(select(found.counted))]
    assert len(rows) == len({row[:-1] for row in rows})
    return {row[:-1]: row[-1] for row in rows}


def test_distinct_records_are_counted_and_an_empty_text_is_a_missing_one(store: Store) -> None:
    expected = {("9", "Graz"): 2, ("10", None): 1, ("9", None): 1, (None, "Wien"): 1}
    assert counts(store, records(store)) == expected


def test_texts_stand_in_the_order_in_which_their_columns_are_asked_for(store: Store) -> None:
    assert counts(store, records(store, positions=(1,))) == {("Graz",): 2, (None,): 2, ("Wien",): 1}
    assert ("Graz", "9") in counts(store, records(store, positions=(1, 0)))


def test_records_that_play_no_part_are_left_out_by_key_too(store: Store) -> None:
    found = records(store, is_left_out=lambda relation: func.coalesce(relation.c.c1, "") == "Graz")
    assert counts(store, found) == {("10", None): 1, ("9", None): 1, (None, "Wien"): 1}
    keys, _ = found.find_record_keys()
    assert store.count(keys) == 3


def test_a_value_may_be_read_as_another_text(store: Store) -> None:
    found = records(store, value=lambda place, text: func.upper(text) if place == 1 else text)
    assert ("9", "GRAZ") in counts(store, found)


def test_each_record_in_its_order_has_the_key_of_its_texts(store: Store) -> None:
    keys, counted = records(store).find_record_keys()
    texts = {key: (age, town) for age, town, _, key in store.rows(select(counted))}
    assert len(texts) == 4
    assert [texts[key] for (key,) in store.rows(select(keys))] == [(age, town or None) for age, town in ROWS]


def test_a_table_of_which_no_record_is_left_is_an_error(store: Store) -> None:
    with pytest.raises(InputError, match=r"holds no record\. A table needs at least one\."):
        records(store, is_left_out=lambda relation: func.length(func.coalesce(relation.c.c0, "")) >= 0)


@pytest.fixture
def file_of_one(tmp_path: Path) -> Iterator[tuple[Path, DelimitedSource, Store]]:
    """Return a file, and it as the source of a store of its own, which knows all its files before it reads."""
    path = tmp_path / "in.csv"
    path.write_text("9,Graz\n10\n")
    with Store(tmp_path) as store:
        yield path, DelimitedSource(Input(path=path), store), store


def test_lines_that_are_no_records_are_an_error_unless_they_are_left_out(file_of_one) -> None:
    _, source, store = file_of_one
    found = Records(store, source, [0, 1], tolerant=True)
    assert counts(store, found) == {("9", "Graz"): 1}
    with pytest.raises(InputError, match="line 2"):
        Records(store, source, [0, 1])


def test_a_file_that_grows_between_two_readings_stops_the_judgement(file_of_one) -> None:
    path, source, store = file_of_one
    found = Records(store, source, [0, 1], tolerant=True)
    path.write_text("9,Graz\n9,Graz\n")
    with pytest.raises(InputError, match=r"changed while it was read\. Run again when nothing writes to it\."):
        found.find_record_keys()
