"""Tables as sources: Parquet files and the caller's Arrow tables, whose columns have types and any names."""

import datetime
import decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from sqlalchemy import literal, select, union_all

from toolbox.errors import InputError
from toolbox.store.engine.store import Store
from toolbox.store.input.files import ParquetSource
from toolbox.store.input.source import Account, RecordPlace, TableSource, open_arrow_source

TYPES = pa.table(
    {
        "int": pa.array([1, None], pa.int8()),
        "unsigned": pa.array([1, 2], pa.uint64()),
        "float": pa.array([0.5, None], pa.float32()),
        "decimal": pa.array([decimal.Decimal("1.50"), None], pa.decimal128(10, 2)),
        "text": ["a", None],
        "bool": [True, None],
        "date": [datetime.date(2020, 2, 29), None],
        "word": pa.array(["a", "b"]).dictionary_encode(),
        "list": [[1, 2], None],
    }
)
KINDS = ("number",) * 4 + ("category", "category", "date", "category", "category")


def as_source(kind: str, store: Store, given: pa.Table, folder: Path) -> TableSource:
    if kind == "arrow":
        return open_arrow_source(store, given)
    path = folder / "in [1]*.parquet"
    parquet.write_table(given, path)
    return ParquetSource([path], store)


both = pytest.mark.parametrize("kind", ["arrow", "parquet"])


@both
def test_columns_keep_their_names_and_tell_numbers_dates_and_categories_apart(
    own_store: Store, tmp_path: Path, kind: str
) -> None:
    source = as_source(kind, own_store, TYPES, tmp_path)
    assert (source.headers, source.kinds, source.width) == (tuple(TYPES.schema.names), KINDS, 9)


@both
def test_rows_come_in_their_order_more_than_once(own_store: Store, tmp_path: Path, kind: str) -> None:
    source = as_source(kind, own_store, pa.table({"a b": [3, 1, 2], "select": ["x", None, ""]}), tmp_path)
    for _ in range(2):
        relation = source.relation()
        assert [column.name for column in relation.c] == ["c0", "c1"]
        assert own_store.rows(select(relation)) == [(3, "x"), (1, None), (2, "")]


@both
def test_the_places_of_a_value_are_its_rows_from_1(own_store: Store, tmp_path: Path, kind: str) -> None:
    source = as_source(kind, own_store, pa.table({"a": ["x", None, "z", "x", "z"], "n": [1, 2, 3, None, 1]}), tmp_path)
    known = union_all(select(literal("x").label("text")), select(literal("1"))).subquery()
    assert source.place == "row"
    assert source.places(0, select(known.c.text)) == [RecordPlace(2), RecordPlace(3), RecordPlace(5)]
    assert source.places(1, select(known.c.text)) == [RecordPlace(2), RecordPlace(3), RecordPlace(4)]


@both
def test_all_rows_of_a_table_are_read(own_store: Store, tmp_path: Path, kind: str) -> None:
    source = as_source(kind, own_store, pa.table({"a": [1, 2, 3]}), tmp_path)
    assert source.account(3) == Account()
    with pytest.raises(InputError, match=r"2 of 3 rows could be read"):
        source.account(2)


def test_an_arrow_table_may_have_columns_of_one_name(own_store: Store) -> None:
    source = open_arrow_source(own_store, pa.table([[1], ["x"], [2]], names=["a", "A", "a"]))
    assert source.headers == ("a", "A", "a")
    assert own_store.rows(select(source.relation())) == [(1, "x", 2)]
