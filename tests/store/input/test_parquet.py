"""Parquet files as one source: the same columns in all of them, each of one type."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from sqlalchemy import select

from toolbox.errors import InputError
from toolbox.store.engine.store import Store
from toolbox.store.input.files import ParquetSource
from toolbox.store.input.source import RecordPlace


def write(folder: Path, *tables: pa.Table) -> list[Path]:
    paths = [folder / f"part {number}.parquet" for number, _ in enumerate(tables)]
    for path, table in zip(paths, tables, strict=True):
        parquet.write_table(table, path)
    return paths


def test_what_only_is_called_parquet_is_no_parquet(own_store: Store, tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("a,b\n1,2\n")
    for name in ("text.parquet", "absent.parquet"):
        with pytest.raises(InputError, match=rf"{name} is not a readable Parquet file\. "):
            ParquetSource([tmp_path / name], own_store)


def test_records_follow_each_other_in_the_order_of_the_files(own_store: Store, tmp_path: Path) -> None:
    paths = write(tmp_path, *(pa.table({"a": [number]}) for number in (3, 1, 2)))
    source = ParquetSource(paths, own_store)
    assert [value for (value,) in own_store.rows(select(source.relation()))] == [3, 1, 2]
    assert source.headers == ("a",)


def test_a_place_is_a_row_of_the_file_that_holds_it(own_store: Store, tmp_path: Path) -> None:
    paths = write(
        tmp_path, pa.table({"a": [1, 2]}), pa.table({"a": []}, pa.schema([("a", pa.int64())])), pa.table({"a": [3]})
    )
    source = ParquetSource(paths, own_store)
    assert [source.place_of(row) for row in (1, 2, 3)] == [
        RecordPlace(1, paths[0]),
        RecordPlace(2, paths[0]),
        RecordPlace(1, paths[2]),
    ]
    assert ParquetSource(paths[:1], own_store).place_of(2) == RecordPlace(2)


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        (pa.array([1], pa.int8()), pa.array([70_000], pa.int32()), "int8"),
        (pa.array(["a"]), pa.array(["b"], pa.large_string()), "string"),
        (pa.array(["a"]).dictionary_encode(), pa.array(["b"]), "dictionary<values=string, indices=int32, ordered=0>"),
        (pa.nulls(1), pa.array([0.5]), "double"),
    ],
    ids=["whole numbers", "texts", "words", "nothing"],
)
def test_types_that_hold_the_same_values_are_one(
    first: pa.Array, second: pa.Array, kind: str, own_store: Store, tmp_path: Path
) -> None:
    source = ParquetSource(write(tmp_path, pa.table({"a": first}), pa.table({"a": second})), own_store)
    assert [value for (value,) in own_store.rows(select(source.relation()))] == [first[0].as_py(), second[0].as_py()]
    assert str(source.schema.field("a").type) == kind


@pytest.mark.parametrize("second", [pa.array(["1"]), pa.array([1.0]), pa.array([1], pa.uint64()), pa.array([True])])
def test_a_column_of_another_type_is_named_with_both_files(second: pa.Array, own_store: Store, tmp_path: Path) -> None:
    paths = write(tmp_path, pa.table({"x": [1], "a": [1]}), pa.table({"x": [1], "a": second}))
    with pytest.raises(InputError) as caught:
        ParquetSource(paths, own_store)
    assert str(caught.value) == (
        f"{paths[1]}: the column 'a' is of type {second.type}, but in {paths[0]} of type int64. "
        "Write it as one type in all files."
    )


def test_other_columns_than_those_of_the_first_file_are_named(own_store: Store, tmp_path: Path) -> None:
    paths = write(tmp_path, pa.table({"a": [1], "b": [1]}), pa.table({"b": [1], "a": [1]}))
    with pytest.raises(InputError, match="its columns are in another order than those of"):
        ParquetSource(paths, own_store)


def test_rows_are_numbered_from_0_through_all_files(own_store: Store, tmp_path: Path) -> None:
    source = ParquetSource(write(tmp_path, pa.table({"a": [7, 8]}), pa.table({"a": [9]})), own_store)
    source.number_rows()
    assert own_store.rows(select(source.relation())) == [(7, 0), (8, 1), (9, 2)]
    assert (source.headers, source.added) == (("a", "toolbox row"), 1)
