"""Rows that are kept until all types are known."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from toolbox.store.input.formats.table import MARK, Spool


def test_batches_become_one_file_with_one_type_for_each_column(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.add([], 1)
    spool.add([pa.array([1, 2**60]), pa.array(["1.5", None])], 2)
    spool.add([pa.array([0.5]), pa.array([2]), pa.array([1.0])], 1)
    schema = spool.finish(tmp_path / "all.parquet", ["a", "b", "c", "d"], {2: {1.0: "one"}})
    assert parquet.read_table(tmp_path / "all.parquet").to_pydict() == {
        "a": [None, "1", str(2**60), "0.5"],
        "b": [None, "1.5", None, "2"],
        "c": [None, None, None, "one"],
        "d": [None, None, None, None],
    }
    assert [field.metadata for field in schema] == [MARK, None, None, None]
    assert [path.name for path in tmp_path.iterdir()] == ["all.parquet"]
    assert spool.rows == 4
