"""What is handed to Spark as data, and a release without records."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from toolbox.engines.spark.counting import _narrow_numbers, make_empty_file
from toolbox.engines.spark.input import TextOptions


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [([], pa.int32()), ([0, 2**31 - 1], pa.int32()), ([0, 2**31], pa.int64()), ([-(2**31) - 1], pa.int64())],
)
def test_numbers_of_classes_take_four_bytes_where_they_fit(numbers: list[int], kind: pa.DataType) -> None:
    narrowed = _narrow_numbers(pa.chunked_array([pa.array(numbers, pa.int64())]))
    assert narrowed.type == kind
    assert narrowed.to_pylist() == numbers


def test_a_file_without_records_has_the_columns() -> None:
    schema = pa.schema([("q", pa.string()), ("a,b", pa.int64())])
    assert pq.read_schema(io.BytesIO(make_empty_file(schema, "parquet", TextOptions()))).equals(schema)
    assert make_empty_file(schema, "csv", TextOptions()) == b'q,"a,b"\n'
    assert make_empty_file(schema, "csv", TextOptions(header=False)) == b""
