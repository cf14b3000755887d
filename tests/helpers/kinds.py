"""Tables of all kinds of columns, with names that are hard to handle, and whether two columns are the same bit by bit."""

from __future__ import annotations

import datetime as dt
import decimal
import pickle
import uuid
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import compute

ROWS = 4
AGES = [20, 21, 60, 61]
D = decimal.Decimal
NAN = np.array([0x7FF8000000000001], "uint64").view("float64")[0]
"""No number, with a payload that is not the usual one."""
HOSTILE = (
    "",
    "select",
    '"',
    "'; drop table x; --",
    "a b",
    "A",
    "a",
    "c0",
    "record_id",
    "toolbox row",
    "label_1",
    "ü\u2028",
)


def named(columns: list[Any]) -> list[str]:
    """Give columns names, the hostile ones first."""
    return [HOSTILE[place] if place < len(HOSTILE) else f"column {place}" for place, _ in enumerate(columns)]


def arrow_table(*, in_parquet: bool = False) -> pa.Table:
    """Make a table of every type of Arrow, behind the column ``age``."""
    instants = [0, None, 1, 2**40 + 1]
    text = ["a", None, "", "\0é"]
    columns = [
        *(pa.array([0, None, 1, 100], kind) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.uint8(), pa.uint16())),
        pa.array([9007199254740995, None, -(2**63), 2**63 - 1], pa.int64()),
        pa.array([2**64 - 1, None, 0, 9007199254740995], pa.uint64()),
        pa.array([0, None, 1, 2**32 - 1], pa.uint32()),
        pa.array([np.float16(1.5), None, np.float16("nan"), np.float16(-0.0)], pa.float16()),
        pa.array([1.1, None, float("nan"), -0.0], pa.float32()),
        pa.array([1e308, None, NAN, -0.0], pa.float64()),
        pa.array([True, None, False, True]),
        pa.array([D("1.10"), None, D("-2"), D("0")], pa.decimal128(38, 10)),
        pa.array([D("1.10"), None, D(10) ** 39, D("0")], pa.decimal256(60, 10)),
        *(pa.array(text, kind) for kind in (pa.string(), pa.large_string())),
        *(pa.array([b"\0\xff", None, b"", b"a"], kind) for kind in (pa.binary(), pa.large_binary())),
        pa.array([b"\0a", None, b"aa", b"bb"], pa.binary(2)),
        pa.array([dt.date(1, 1, 1), None, dt.date(1970, 1, 1), dt.date(9999, 12, 31)], pa.date32()),
        *(pa.array(instants, pa.timestamp(unit)) for unit in ("ms", "us", "ns")),
        *(pa.array(instants, pa.timestamp(unit, "Europe/Vienna")) for unit in ("ms", "us", "ns")),
        pa.array(instants, pa.timestamp("ns", "UTC")),
        *(pa.array([0, None, 1, 999], kind) for kind in (pa.time32("ms"), pa.time64("us"), pa.time64("ns"))),
        *(pa.array(instants, pa.duration(unit)) for unit in ("s", "ms", "us", "ns")),
        *(pa.array([[1, None], None, [], [2**53 + 1]], kind(pa.int64())) for kind in (pa.list_, pa.large_list)),
        pa.array([[1, 2], None, [3, None], [4, 5]], pa.list_(pa.int64(), 2)),
        pa.array([{"a": 1, "b": [{"c": None}]}, None, {"a": None, "b": []}, {"a": 2, "b": None}]),
        pa.array([[("k", 1)], None, [], [("l", None)]], pa.map_(pa.string(), pa.int64())),
        pa.array(["x", None, "y", "x"]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, None, 2, 0], pa.int8()), ["low", "middle", "high"], ordered=True),
        pa.nulls(ROWS),
    ]
    if not in_parquet:
        columns += [
            pa.array([0, None, 1, 2**30], pa.timestamp("s")),
            pa.array([0, None, 1, 9], pa.time32("s")),
            pa.array([0, None, 86_400_000, 0], pa.date64()),
            pa.array([(1, 2, 3), None, (0, 0, 0), (0, 0, 1)], pa.month_day_nano_interval()),
            pa.ExtensionArray.from_storage(pa.uuid(), pa.array([uuid.uuid4().bytes, None] * 2, pa.binary(16))),
            pa.array(text, pa.string_view()),
            compute.run_end_encode(pa.array([1, 1, None, None])),
        ]
    return pa.table([pa.array(AGES), *columns], names=["age", *named(columns)])


def pandas_frame() -> pd.DataFrame:
    """Make a DataFrame of every type of pandas, behind the column ``age``."""
    instants = pd.DatetimeIndex(np.array([-(2**62), np.iinfo("int64").min, 1, 2**62], "datetime64[ns]"))
    columns: list[Any] = [
        *(pd.array([0, None, 1, 100], dtype=name) for name in ("Int8", "Int16", "Int32", "UInt8", "UInt16", "UInt32")),
        pd.array([9007199254740995, None, -(2**63), 2**63 - 1], dtype="Int64"),
        pd.array([2**64 - 1, None, 0, 9007199254740995], dtype="UInt64"),
        *(np.array([0, 1, 2, 100], name) for name in ("int8", "int16", "int32", "int64", "uint64")),
        *(np.array([1.5, NAN, -0.0, 2.0], name) for name in ("float16", "float32", "float64")),
        pd.array([1.5, None, -0.0, 2.0], dtype="Float64"),
        pd.array([True, None, False, True], dtype="boolean"),
        np.array([True, False, True, False]),
        np.array([1 + 2j, np.nan, -0.0, 0], "complex128"),
        pd.Series(["a", None, "", "\0é"], dtype="object"),
        pd.array(["a", None, "", "é"], dtype="string"),
        pd.array(["a", None, "", "é"], dtype="str"),
        pd.Categorical(["x", None, "y", "x"], categories=["y", "never", "x"]),
        pd.Categorical(["low", None, "high", "low"], categories=["low", "middle", "high"], ordered=True),
        pd.cut([1, 2, 30, 40], [0, 10, 20, 50]),
        pd.arrays.IntervalArray.from_tuples([(0, 1), None, (1, 2), (2, 3)], closed="both"),
        pd.PeriodIndex(["2020-01", None, "2021-05", "1999-12"], freq="M"),
        instants,
        instants.tz_localize("Europe/Vienna"),
        instants.as_unit("ms"),
        pd.to_timedelta([1, None, 2**53 + 1, 0], unit="ns"),
        pd.arrays.SparseArray([0, 0, 1, 0]),
        pd.array([D("1.10"), None, D("2"), D("3")], dtype=pd.ArrowDtype(pa.decimal128(10, 2))),
        pd.array([[1, None], None, [], [2**53 + 1]], dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
        *(pd.Series(values, dtype="object") for values in _objects()),
    ]
    frame = pd.concat([pd.Series(values) for values in columns], axis=1, keys=range(len(columns)))
    frame.insert(0, "age", AGES)
    return frame.set_axis(["age", *named(columns)[:-2], 7, ("a", 1)], axis=1)


def _objects() -> list[list[object]]:
    return [
        [D("1.10"), None, D("NaN"), D("1E+3")],
        [dt.date(1, 1, 1), None, dt.date(9999, 12, 31), dt.date(1970, 1, 1)],
        [dt.time(1, 2, 3, 4), None, dt.time(0), dt.time(23, 59)],
        [uuid.UUID(int=1), None, uuid.UUID(int=2), uuid.UUID(int=3)],
        [[1, [2, None]], None, [], [{"a": (1,)}]],
        [{"a": 1}, None, {}, {"a": {"b": 2}}],
        [b"\0\xff", None, b"", b"a"],
        [1, "x", None, 2.5],
        [2**70, None, -(2**70), 0],
        [{1, 2}, None, frozenset(), ...],
    ]


def same_bits(one: pd.Series | pa.ChunkedArray, other: pd.Series | pa.ChunkedArray) -> bool:
    """Tell whether two columns have one type and the same values, down to the sign of zero and what NaN holds."""
    if isinstance(one, pa.ChunkedArray):
        # What lies beneath a null is nobody's value.
        return one.type == other.type and _plain(one) == _plain(other)
    return one.dtype == other.dtype and pickle.dumps(_values(one)) == pickle.dumps(_values(other))


def _plain(column: pa.ChunkedArray) -> str:
    if pa.types.is_floating(column.type):
        numbers = column.fill_null(0).to_numpy().tobytes()
        return repr((numbers, column.is_null().to_pylist()))
    dictionary = [chunk.dictionary.to_pylist() for chunk in column.chunks if pa.types.is_dictionary(column.type)]
    return repr((column.to_pylist(), dictionary))


def _values(column: pd.Series) -> object:
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "fciub":
        return column.to_numpy().tobytes()
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.codes.tolist(), repr(column.cat.categories), column.cat.ordered
    return [repr(value) for value in column]
