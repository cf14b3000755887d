"""Tables that a caller has in memory, taken as Arrow."""

import datetime

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from toolbox.errors import InputError
from toolbox.store.input.memory import as_arrow, build_callers_table, take_rows

PEOPLE = {"age": [31, 45], "town": ["Graz", None]}


@pytest.mark.parametrize(
    ("source", "maker"),
    [
        (pd.DataFrame(PEOPLE), "pandas"),
        (pa.table(PEOPLE), "arrow"),
        (pa.RecordBatch.from_pydict(PEOPLE), "arrow"),
        (PEOPLE, "arrow"),
        (pl.DataFrame(PEOPLE), "polars"),
        (pl.LazyFrame(PEOPLE), "polars"),
    ],
    ids=["pandas", "arrow", "batch", "dict", "polars", "lazy"],
)
def test_a_table_of_any_maker_has_the_same_records(source, maker):
    table = build_callers_table(source, ["age", "town"])
    assert table.maker == maker
    assert table.arrow.to_pydict() == PEOPLE
    assert not table.has_index


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (pd.Series([1]), r"cannot be read \(\w+\)"),
        ([1, 2], r"cannot be read \(\w+\)"),
        ({"a": [1, 2], "b": [1]}, r"cannot be read \(\w+\)"),
        ("in.csv", "is of type str"),
        (3, "is of type int"),
        (None, "is None"),
    ],
    ids=["series", "list", "uneven dict", "path", "number", "nothing"],
)
def test_what_is_no_table_is_refused_without_its_cells(source, said):
    with pytest.raises(InputError, match=rf"^The table {said}\. Give a pandas DataFrame"):
        build_callers_table(source, [])


def test_names_of_pandas_are_texts_and_may_be_equal():
    assert as_arrow(pd.DataFrame([[1, 2, 3]], columns=["a", 7, "a"])).column_names == ["a", "7", "a"]


def test_a_declared_column_of_several_types_is_refused_and_another_passes_by():
    frame = pd.DataFrame({"age": [31, 45], "note": ["secret", 7]})
    table = build_callers_table(frame, ["age"])
    assert table.arrow.to_pydict() == {"age": [31, 45], "note": [None, None]}
    assert table.given is frame
    with pytest.raises(InputError, match="column 'note' holds values of several types") as caught:
        build_callers_table(frame, ["age", "note"])
    assert "secret" not in str(caught.value)
    with pytest.raises(InputError, match="column 'note'"):
        as_arrow(frame)


def test_a_mixed_column_is_one_of_texts_as_the_engine_writes_them_where_it_may():
    frame = pd.DataFrame({"age": [31, "*", 2.0, True, None]}, dtype=object)
    assert as_arrow(frame, mixed_as_texts=True)["age"].to_pylist() == ["31", "*", "2", "true", None]


def test_intervals_and_sparse_columns_of_pandas_are_read():
    ages = pd.cut(pd.Series([25, 35, 25]), [20, 30, 40])
    frame = pd.DataFrame({"age": ages, "children": pd.arrays.SparseArray([0, 2, 0])})
    table = as_arrow(frame)
    assert list(map(str, table["age"].to_pylist())) == ["(20, 30]", "(30, 40]", "(20, 30]"]
    assert table["children"].to_pylist() == [0, 2, 0]


@pytest.mark.parametrize(
    ("index", "says_more"),
    [(None, False), (["x", "y"], True), (pd.RangeIndex(2, name="id"), True), ([0, 1], True)],
)
def test_an_index_says_more_than_the_places_unless_it_counts_from_nothing(index, says_more):
    assert build_callers_table(pd.DataFrame(PEOPLE, index=index), []).has_index is says_more


def test_an_index_that_became_a_column_of_arrow_is_found_unless_it_is_named():
    named = pa.Table.from_pandas(pd.DataFrame(PEOPLE, index=pd.Index(["x", "y"], name="id")))
    nameless = pa.table({"__index_level_0__": ["x", "y"], "age": [31, 45]})
    assert build_callers_table(named, ["age"]).index_columns == (2,)
    assert build_callers_table(named, ["age", "id"]).index_columns == ()
    assert build_callers_table(named, ["age"], ["id"]).index_columns == ()
    assert build_callers_table(nameless, ["age"]).index_columns == (0,)
    assert not build_callers_table(pa.Table.from_pandas(pd.DataFrame(PEOPLE)), ["age"]).has_index


@pytest.mark.parametrize(
    "column",
    [
        pa.array([10, None, 30]),
        pa.array(["a", None, "c"], pa.string_view()),
        pa.array([b"a", None, b"c"], pa.binary_view()),
        pa.RunEndEncodedArray.from_arrays([1, 2, 3], [7, None, 9]),
        pa.array([[1], None, [2, 3]], pa.list_view(pa.int64())),
        pa.array([datetime.date(2020, 2, 29), None, datetime.date(2021, 1, 1)]).dictionary_encode(),
    ],
    ids=lambda column: str(column.type),
)
def test_rows_are_taken_of_every_type_in_their_new_order(column):
    values = column.to_pylist()
    taken = take_rows(pa.chunked_array([column]), pa.array([2, 0, 1, 2]))
    assert taken.type == column.type
    assert taken.to_pylist() == [values[2], values[0], values[1], values[2]]
