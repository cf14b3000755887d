"""Parquet files, Arrow tables and DataFrames with odd columns, and odd arguments."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from helpers import in_order
from helpers.hostile import CATEGORY, configuration, read_fields, run_here, write

import toolbox

# Parquet and Arrow.

COLUMNS = {
    "day": pa.array([datetime.date(2020, 2, 29), None], pa.date32()),
    "moment": pa.array([datetime.datetime(2020, 2, 29, 12, 30, 15, 123456), None], pa.timestamp("us")),
    "amount": pa.array([Decimal("12345678901234567890.10"), None], pa.decimal128(38, 2)),
    "flag": pa.array([True, None]),
    "list": pa.array([[1, 2, None], None], pa.list_(pa.int64())),
    "struct": pa.array([{"x": 1, "y": "z"}, None]),
    "large": pa.array([2**64 - 1, None], pa.uint64()),
    "small": pa.array([-128, None], pa.int8()),
    "real": pa.array([0.1, None]),
    "text": pa.array(["", None]),
    "bytes": pa.array([b"\xff\x00", None]),
    "nothing": pa.nulls(2, pa.int32()),
    "Ä%": pa.array(["100%", None]),
}


@pytest.mark.slow
def test_parquet_columns_keep_their_values_and_types(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = pa.table({"a": ["x", "x"], **COLUMNS})
    pa.parquet.write_table(table, tmp_path / "in.parquet")
    config = configuration("<att name='a'/>", source="in.parquet", target="out.parquet", given="")
    assert run_here(["-config", write(tmp_path / "c.xml", config), "--quiet"], capsys).status == 0
    release = pa.parquet.read_table(tmp_path / "out.parquet")
    assert release.to_pylist() == table.to_pylist()
    changed = [name for name in COLUMNS if release.schema.field(name).type != table.schema.field(name).type]
    assert changed == []


@pytest.mark.slow
def test_parquet_columns_may_have_any_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["a", "A", "b", "B", "", "%", 'say "b"', "c0"]
    columns = [["x", "x"], *([2 * place, 2 * place + 1] for place in range(1, len(names)))]
    pa.parquet.write_table(pa.table(list(map(pa.array, columns)), names=names), tmp_path / "in.parquet")
    config = configuration(CATEGORY, source="in.parquet", given="")
    assert run_here(["-config", write(tmp_path / "c.xml", config), "--quiet"], capsys).status == 0
    assert read_fields((tmp_path / "out.csv").read_text(), ",") == [
        names,
        *([str(column[row]) for column in columns] for row in (0, 1)),
    ]


def test_a_parquet_release_tells_apart_names_that_differ_in_case(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "in.csv", "a,A,a b\nx,1,2\nx,3,4\n")
    path = write(tmp_path / "c.xml", configuration(target="out.parquet"))
    assert run_here(["-config", path, "--quiet"], capsys).status == 0
    assert len(set(map(str.lower, pa.parquet.read_schema(tmp_path / "out.parquet").names))) == 3
    assert duckdb.read_parquet(str(tmp_path / "out.parquet")).fetchall() == [("x", "1", "2"), ("x", "3", "4")]


@pytest.mark.slow
def test_dates_are_ordered_and_booleans_are_categories_as_quasi_identifiers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    days = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]
    pa.parquet.write_table(pa.table({"a": days, "b": [True, True]}), tmp_path / "in.parquet")
    config = configuration("<att name='a'/><att name='b'/>", source="in.parquet", given="")
    assert run_here(["-config", write(tmp_path / "c.xml", config), "--quiet"], capsys).status == 0
    assert (
        read_fields((tmp_path / "out.csv").read_text(), ",") == [["a", "b"]] + [["[2020-01-01:2020-01-02]", "true"]] * 2
    )


# DataFrames.


def _released(source: object, **given: object) -> toolbox.Result:
    return in_order.anonymize(source, **{"quasi_identifiers": ["a"], "k": 2, **given})


@pytest.mark.slow
def test_columns_of_a_data_frame_may_share_a_name() -> None:
    release = _released(pd.DataFrame([["x", 2, 3], ["x", 4, 5]], columns=["a", "b", "b"])).release
    assert list(release.columns) == ["a", "b", "b"]
    assert release.to_numpy().tolist() == [["x", 2, 3], ["x", 4, 5]]


def test_a_quasi_identifier_that_two_columns_are_called_is_an_error() -> None:
    frame = pd.DataFrame([["x", 2], ["x", 4]], columns=["a", "a"])
    with pytest.raises(toolbox.ConfigurationError, match="2 columns named 'a'"):
        _released(frame)


@pytest.mark.slow
def test_columns_of_a_data_frame_need_not_be_named_by_text() -> None:
    release = _released(pd.DataFrame([["x", 2], ["x", 3]], columns=[0, "b"]), quasi_identifiers=[0]).release
    assert release.to_dict("list") == {0: ["x", "x"], "b": [2, 3]}


@pytest.mark.slow
def test_the_index_of_a_data_frame_is_not_released() -> None:
    frame = pd.DataFrame({"a": ["x", "x"], "b": [1, 2]}, index=pd.Index([7, 7], name="person"))
    assert _released(frame).release.to_dict("list") == {"a": ["x", "x"], "b": [1, 2]}


@pytest.mark.slow
def test_nan_is_missing_in_a_quasi_identifier_and_passes_through_elsewhere() -> None:
    frame = pd.DataFrame({"a": [1.5, np.nan, 1.5], "b": [np.nan, 5.0, 7.0]})
    result = _released(frame, on_missing="skip")
    assert result.summary.records_skipped == 1
    assert result.release["a"].tolist() == ["1.5", "1.5"]
    assert np.array_equal(result.release["b"], [np.nan, 7.0], equal_nan=True)


@pytest.mark.slow
def test_a_categorical_column_is_one_of_categories_even_if_they_are_numbers() -> None:
    frame = pd.DataFrame({"a": pd.Categorical([3, 5, 3, 5]), "b": pd.Categorical(["p", None, "q", "p"])})
    result = _released(frame, k=4)
    assert result.release["a"].tolist() == ["{3,5}"] * 4
    assert result.release["b"].astype(object).where(result.release["b"].notna(), None).tolist() == ["p", None, "q", "p"]


def test_a_column_of_mixed_objects_is_an_error_that_names_a_remedy() -> None:
    with pytest.raises(toolbox.InputError, match="cannot be read"):
        _released(pd.DataFrame({"a": ["x", "x"], "b": [1, "y"]}), quasi_identifiers=["b"])


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "source",
    [
        pd.DataFrame({"a": [], "b": []}),
        pd.DataFrame({"a": pd.Series([], dtype="int64")}),
        pd.DataFrame(index=[1, 2]),
        pa.table({"a": pa.array([], pa.string())}),
        pa.table({}),
        pd.DataFrame({"a": [None, None]}),
        pd.Series(["x", "x"], name="a"),
        [1, 2],
        "no such file.xml",
        None,
        5,
    ],
    ids=[
        *("no rows", "no typed rows", "no columns", "an empty table", "a table of nothing", "all missing"),
        *("a series", "a list", "a file that is not there", "None", "a number"),
    ],
)
def test_what_is_no_table_with_records_is_an_error_of_ours(source: object) -> None:
    with pytest.raises(toolbox.ToolboxError):
        _released(source) if not isinstance(source, str) else in_order.anonymize(source)


@pytest.mark.slow
@pytest.mark.parametrize(
    "column",
    [pa.array(np.array([1, 2], "float16")), pa.array([Decimal(10) ** 50] * 2, pa.decimal256(60, 0))],
    ids=["half floats", "decimals of 60 digits"],
)
def test_a_type_that_the_engine_lacks_is_an_error_that_names_the_column_or_passes_through(column: pa.Array) -> None:
    try:
        shown = _released(pa.table({"a": ["x", "x"], "odd": column})).release["odd"].tolist()
    except toolbox.InputError as error:
        assert "odd" in str(error)
    else:
        assert shown == column.to_pylist()


@pytest.mark.slow
def test_arrow_tables_are_released_as_data_frames_are() -> None:
    words = pa.array(["x", "y", "x", "y"]).dictionary_encode()
    table = pa.table([words, pa.array([1, None, 3, 4]), pa.array(["p", "q", None, ""])], names=["a", "b", "b"])
    release = _released(table, k=4).release
    assert list(release.columns) == ["a", "b", "b"]
    assert release["a"].tolist() == ["{x,y}"] * 4
    assert release.iloc[:, 2].astype(object).where(release.iloc[:, 2].notna(), None).tolist() == ["p", "q", None, ""]


@pytest.mark.slow
def test_a_moment_keeps_its_place_in_time() -> None:
    moments = pd.Series(pd.to_datetime(["2020-03-01 12:00", "2020-08-01 12:00"])).dt.tz_localize("Europe/Berlin")
    release = _released(pd.DataFrame({"a": ["x", "x"], "moment": moments})).release
    assert [moment == given for moment, given in zip(release["moment"], moments, strict=True)] == [True, True]


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"k": 0}, "k is 0"),
        ({"k": 5}, "2 records"),
        ({"quasi_identifiers": []}, "quasi_identifiers"),
        ({"quasi_identifiers": ["c"]}, "no column 'c'"),
        ({"quasi_identifiers": "ab"}, "quasi_identifiers"),
        ({"method": "Mondrain"}, "Did you mean 'Mondrian'"),
        ({"method": "Datafly"}, "needs a hierarchy for 'a'"),
        ({"hierarchies": {"b": [(1, "*"), (2, "*")]}}, "no column 'b'"),
        ({"hierarchies": {"a": [("x", "*"), ("x", "*")]}}, "line 1 already"),
        ({"output_format": "csv"}, "genVals"),
        ({"on_missing": "drop"}, "skip"),
        ({"suppressed": "no"}, "keep"),
        ({"kinds": {"a": "text"}}, "category"),
        ({"dimension": "both"}, "range, distinct"),
        ({"dimenson": "range"}, "dimenson"),
    ],
    ids=lambda value: ascii(value) if isinstance(value, dict) else "",
)
def test_a_wrong_argument_is_an_error_that_says_what_to_write(given: dict[str, object], says: str) -> None:
    with pytest.raises(toolbox.ToolboxError) as caught:
        _released(pd.DataFrame({"a": ["x", "x"], "b": [1, 2]}), **given)
    assert says in str(caught.value)
