"""From Arrow to pandas without a change of a value."""

import datetime
import decimal

import pandas as pd
import pyarrow as pa
import pytest

from toolbox.release.returned import to_pandas

LARGE = 2**53 + 1  # a double cannot hold it


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        (pa.int64(), "Int64"),
        (pa.int8(), "Int8"),
        (pa.uint16(), "UInt16"),
        (pa.uint64(), "UInt64"),
        (pa.bool_(), "boolean"),
    ],
)
def test_whole_numbers_and_truth_values_may_be_missing(kind, dtype):
    column = to_pandas(pa.table({"n": pa.array([1, None, 0], pa.int64()).cast(kind)}))["n"]
    assert str(column.dtype) == dtype
    assert column.tolist() == [1, pd.NA, 0]


def test_no_digit_is_lost_beside_a_missing_number():
    frame = to_pandas(pa.table({"n": [LARGE, None], "m": [LARGE, LARGE]}))
    assert frame["n"].tolist() == [LARGE, pd.NA]
    assert str(frame["m"].dtype) == "int64"
    assert frame["m"].tolist() == [LARGE, LARGE]


def test_lists_and_structs_become_those_of_python():
    frame = to_pandas(pa.table({"l": [[1, None], None], "s": [{"a": 1}, None]}))
    assert frame["l"].tolist() == [[1, None], None]
    assert frame["s"].tolist() == [{"a": 1}, None]


def test_columns_of_one_name_and_of_any_name_stay_apart():
    frame = to_pandas(pa.Table.from_arrays([pa.array([1]), pa.array(["x"]), pa.array([2])], names=["a", "a", ""]))
    assert list(frame.columns) == ["a", "a", ""]
    assert frame.iloc[0].tolist() == [1, "x", 2]


@pytest.mark.parametrize(
    "values",
    [
        pa.array([datetime.date(1, 1, 1), datetime.date(9999, 12, 31), None]),
        pa.array([decimal.Decimal("1.50"), None]),
        pa.array(["a", None, "b"]).dictionary_encode(),
        pa.array([0.5, None]),
        pa.array([datetime.datetime(1066, 10, 14), datetime.datetime(9999, 12, 31)], pa.timestamp("us")),
        pa.array([b"a", None], pa.binary()),
    ],
    ids=lambda values: str(values.type)[:20],
)
def test_every_value_comes_back_as_itself(values):
    column = to_pandas(pa.table({"v": values}))["v"]
    assert [None if pd.isna(value) else value for value in column] == values.to_pylist()
