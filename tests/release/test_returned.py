"""A release as the caller's own kind of table."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from toolbox.release.returned import ReleasedPart, build_returned_table, remove_lost_values, take_column_rows
from toolbox.store.input.memory import build_callers_table

ROWS = np.array([2, 0])
MADE = pa.table({"age": ["[30:39]", "[20:29]"]})


def release(caller, headers=("age", "note"), passed=(None, 1), made=MADE, *, keeps_index=False):
    return build_returned_table(
        ReleasedPart(headers, passed, made, ROWS), build_callers_table(caller, []), keeps_index=keeps_index
    )


def test_each_maker_gets_its_own_kind_with_the_types_of_what_passes_through():
    ages, notes = [21, 22, 33], ["a", "b", "c"]
    frame = release(pd.DataFrame({"age": ages, "note": notes}))
    assert isinstance(frame, pd.DataFrame)
    assert frame.to_dict("list") == {"age": ["[30:39]", "[20:29]"], "note": ["c", "a"]}
    arrow = release(pa.table({"age": ages, "note": pa.array(notes, pa.large_string())}))
    assert arrow.schema == pa.schema([("age", pa.string()), ("note", pa.large_string())])
    assert arrow.to_pydict() == {"age": ["[30:39]", "[20:29]"], "note": ["c", "a"]}
    polars = release(pl.DataFrame({"age": ages, "note": notes}))
    assert polars.equals(pl.DataFrame({"age": ["[30:39]", "[20:29]"], "note": ["c", "a"]}))


def test_whole_numbers_that_were_made_keep_their_digits_beside_missing_ones():
    made = pa.table({"age": pa.array([9007199254740995, None], pa.int64())})
    frame = release(pd.DataFrame({"age": [21, 22, 33], "note": ["a", "b", "c"]}), made=made)
    assert frame["age"].tolist() == [9007199254740995, pd.NA]
    assert frame["age"].dtype == "Int64"


def test_what_arrow_cannot_hold_passes_through_pandas_untouched():
    thing = object()
    frame = release(pd.DataFrame({"age": [21, 22, 33], "note": [thing, "b", 3.0]}, dtype=object))
    assert frame["note"].tolist() == [3.0, thing]
    assert frame["note"].iloc[1] is thing


def test_the_index_stays_with_its_records_or_goes():
    frame = pd.DataFrame({"age": [21, 22, 33], "note": ["a", "b", "c"]}, index=pd.Index(["x", "y", "z"], name="id"))
    assert release(frame, keeps_index=True).index.tolist() == ["z", "x"]
    assert release(frame, keeps_index=True).index.name == "id"
    assert release(frame).index.equals(pd.RangeIndex(2))
    arrow = pa.Table.from_pandas(frame)
    headers, passed = ("age", "note", "id"), (None, 1, 2)
    assert release(arrow, headers, passed).column_names == ["age", "note"]
    assert release(arrow, headers, passed, keeps_index=True)["id"].to_pylist() == ["z", "x"]
    assert not (release(arrow, headers, passed).schema.metadata or {}).get(b"pandas")


def test_an_index_of_several_levels_or_categories_keeps_no_lost_value():
    frame = pd.DataFrame({"age": [21, 22, 33], "note": ["a", "b", "c"]})
    levels = frame.set_index(pd.MultiIndex.from_tuples([("x", 1), ("secret", 2), ("z", 3)]))
    assert release(levels, keeps_index=True).index.levels[0].sort_values().tolist() == ["x", "z"]
    words = frame.set_index(pd.CategoricalIndex(["x", "secret", "z"], categories=["secret", "x", "z", "never"]))
    assert set(release(words, keeps_index=True).index.categories) == {"x", "z", "never"}


def test_columns_are_named_as_the_caller_names_them():
    frame = pd.DataFrame([[21, "a"], [22, "b"], [33, "c"]], columns=[7, ("a", "b")])
    assert list(release(frame, ("7", "('a', 'b')")).columns) == [7, ("a", "b")]
    assert list(release(frame, ("7", "group"), (None, None), MADE.append_column("g", [[1, 2]])).columns) == [7, "group"]


@pytest.mark.parametrize("kind", ["pandas", "arrow", "pandas of arrow"])
def test_no_category_stays_that_only_left_out_records_had_and_those_of_nobody_do(kind):
    words = pd.Categorical(["a", "secret", "c"], categories=["never", "secret", "c", "a"], ordered=True)
    if kind == "pandas":
        note = release(pd.DataFrame({"age": [1, 2, 3], "note": words}))["note"]
        assert (note.cat.categories.tolist(), note.cat.ordered) == (["never", "c", "a"], True)
        assert note.tolist() == ["c", "a"]
        return
    column = pa.array(words)
    if kind == "arrow":
        note = release(pa.table({"age": [1, 2, 3], "note": column}))["note"]
    else:
        frame = pd.DataFrame({"age": [1, 2, 3], "note": pd.array(column, dtype=pd.ArrowDtype(column.type))})
        note = pa.chunked_array([pa.array(release(frame)["note"])])
    assert note.combine_chunks().dictionary.to_pylist() == ["never", "c", "a"]
    assert note.to_pylist() == ["c", "a"]
    assert note.type == column.type


def test_a_dictionary_within_a_list_keeps_no_lost_value_either():
    inner = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], pa.int8()), ["a", "secret", "c"])
    column = pa.chunked_array([pa.ListArray.from_arrays([0, 1, 2, 3], inner)])
    taken = take_column_rows(column, ROWS)
    assert taken.to_pylist() == [["c"], ["a"]]
    assert taken.type == column.type
    assert "secret" not in taken.combine_chunks().values.dictionary.to_pylist()


def test_missing_categories_and_chunks_of_other_dictionaries_are_no_hindrance():
    chunks = [pa.array(["a", None]).dictionary_encode(), pa.array(["secret", "a"]).dictionary_encode()]
    taken = take_column_rows(pa.chunked_array(chunks), np.array([3, 1]))
    assert taken.to_pylist() == ["a", None]
    assert taken.combine_chunks().dictionary.to_pylist() == ["a"]
    series = pd.Series(["a", None, "secret"], dtype="category")
    assert remove_lost_values(series.take([0, 1]), series).cat.categories.tolist() == ["a"]


def test_categories_that_stay_keep_their_order_where_one_is_lost():
    series = pd.Series(pd.Categorical(["small", "mid", "odd"], categories=["small", "mid", "large", "odd"]))
    kept = remove_lost_values(series.take([0, 1]), series)
    assert kept.cat.categories.tolist() == ["small", "mid", "large"]
    assert kept.tolist() == ["small", "mid"]
