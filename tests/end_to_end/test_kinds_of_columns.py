"""Columns that pass through come back equal bit by bit: all types of pandas, Arrow and Parquet, under hostile names."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from helpers import in_order
from helpers.kinds import AGES, HOSTILE, arrow_table, pandas_frame, same_bits
from pyarrow import parquet

import toolbox

GIVEN = {"quasi_identifiers": ["age"], "k": 2}
SHOWN = ["[20:21]", "[20:21]", "[60:61]", "[60:61]"]


def differing(found: pa.Table, given: pa.Table) -> list[str]:
    columns = zip(given.schema, found.columns[1:], given.columns[1:], strict=False)
    return [str(field) for field, one, other in columns if not same_bits(one, other)]


@pytest.mark.slow
def test_a_dataframe_of_all_kinds_of_columns_comes_back() -> None:
    frame = pandas_frame()
    release = in_order.anonymize(frame, **GIVEN).release
    assert frame.shape[1] > 40
    assert set(HOSTILE) <= set(frame.columns)
    assert release.columns.tolist() == frame.columns.tolist()
    assert release["age"].tolist() == SHOWN
    both = [(release.iloc[:, place], frame.iloc[:, place]) for place in range(1, frame.shape[1])]
    assert [(str(given.dtype), list(given)) for found, given in both if not same_bits(found, given)] == []
    names = {"quasi_identifiers": ["age"]}
    consistency = toolbox.risk(release, original=frame, k=2, **names).risk.consistency
    assert consistency is not None
    assert (consistency.unmatched, consistency.below_k) == (0, 0)
    assert toolbox.measure(frame, release, **names).value("number of classes") == 2


def test_a_table_of_all_types_of_arrow_comes_back() -> None:
    table = arrow_table()
    release = in_order.anonymize(table, **GIVEN).to_arrow()
    assert table.num_columns > 40
    assert (release.column_names, release["age"].to_pylist()) == (table.column_names, SHOWN)
    assert differing(release, table) == []


@pytest.mark.slow
def test_a_file_of_all_types_of_parquet_comes_back_as_one(tmp_path: Path) -> None:
    parquet.write_table(arrow_table(in_parquet=True), tmp_path / "in.parquet")
    given = parquet.read_table(tmp_path / "in.parquet")
    (tmp_path / "c.xml").write_text(
        "<config k='2'><input filename='in.parquet'/><output filename='out.parquet'/>"
        "<qid><att name='age'/></qid></config>",
        encoding="utf-8",
    )
    in_order.anonymize(tmp_path / "c.xml")
    found = parquet.read_table(tmp_path / "out.parquet")
    assert given.num_columns > 40
    assert found["age"].to_pylist() == SHOWN
    assert differing(found, given) == []
    in_memory = in_order.anonymize(tmp_path / "in.parquet", **GIVEN).to_arrow()
    assert in_memory.column_names == given.column_names
    assert differing(in_memory, given) == []


@pytest.mark.slow
def test_a_table_of_polars_comes_back() -> None:
    polars = pytest.importorskip("polars")
    table = polars.DataFrame(
        {
            "age": AGES,
            "n": polars.Series([9007199254740995, None, 1, 2], dtype=polars.Int64),
            "u": polars.Series([2**64 - 1, None, 1, 2], dtype=polars.UInt64),
            "kind": polars.Series(["a", None, "b", "a"], dtype=polars.Enum(["b", "never", "a"])),
            "category": polars.Series(["a", None, "b", "a"], dtype=polars.Categorical),
            "list": [[1, None], None, [], [2]],
            "struct": [{"a": 1}, None, {"a": None}, {"a": 3}],
            "when": polars.Series([1, None, 2, 3], dtype=polars.Datetime("ns", "Europe/Vienna")),
            "for": polars.Series([1, None, 2, 3], dtype=polars.Duration("ms")),
            "price": polars.Series(["1.10", None, "2", "3"]).cast(polars.Decimal(10, 2)),
            "bytes": [b"\0", None, b"", b"a"],
            "time": polars.Series([1, None, 2, 3], dtype=polars.Time),
            "object": polars.Series([object(), None, {1}, ...], dtype=polars.Object),
        }
    )
    for given in (table, table.lazy()):
        release = in_order.anonymize(given.drop("object") if given is not table else given, **GIVEN).to_polars()
        assert release["age"].to_list() == SHOWN
        known = table.select(release.columns)
        assert release.schema == {**known.schema, "age": polars.String}
        assert [name for name in known.columns[1:] if release[name].to_list() != known[name].to_list()] == []


@pytest.mark.slow
def test_records_that_are_left_out_take_their_categories_along_and_no_others() -> None:
    kinds = pd.Categorical(["x", "rare", "y", "x"], categories=["y", "never", "rare", "x"], ordered=True)
    frame = pd.DataFrame({"age": [20, None, 60, 61], "kind": kinds, "nested": [["x"], ["rare"], ["y"], ["x"]]})
    nested = pa.array([["x"], ["rare"], ["y"], ["x"]], pa.list_(pa.dictionary(pa.int8(), pa.string())))
    table = pa.table({"age": frame["age"], "kind": pa.array(kinds), "nested": nested})
    with pytest.warns(UserWarning, match="1 record is not in the release: a declared column has no value"):
        from_pandas = in_order.anonymize(frame, **GIVEN, on_missing="skip").release
        from_arrow = in_order.anonymize(table, **GIVEN, on_missing="skip").to_arrow()
    assert from_pandas["kind"].cat.categories.tolist() == ["y", "never", "x"]
    assert from_pandas["kind"].cat.ordered
    assert from_pandas["nested"].tolist() == [["x"], ["y"], ["x"]]
    kind = from_arrow["kind"].combine_chunks()
    assert (kind.type, kind.dictionary.to_pylist()) == (table["kind"].type, ["y", "never", "x"])
    assert kind.to_pylist() == ["x", "y", "x"]
    assert from_arrow["nested"].type == nested.type
    assert "rare" not in str(from_arrow["nested"].combine_chunks().values.dictionary)
