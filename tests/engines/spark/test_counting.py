"""Too much to be fetched is refused, and nothing is computed more often than it must be."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from engines.spark_bench import SparkBench
from helpers import spark_server

from toolbox.engines.engine import CountRequest, Lacking
from toolbox.errors import UnsatisfiableError


def test_more_pairs_with_a_judged_column_than_four_for_each_combination_are_refused(tmp_path: Path) -> None:
    bench = SparkBench(spark_server.sail(), tmp_path)
    bench.fill(pa.table({"q": ["x"] * 9, "salary": list(range(9))}))
    found = r"9 different values of 'salary' among them, more than the 8"
    with bench.engine() as engine, pytest.raises(UnsatisfiableError, match=found):
        engine.count(CountRequest(by=("q",), judged=("salary",), most=2))


def test_the_second_judged_column_is_counted_as_the_first_is(tmp_path: Path) -> None:
    bench = SparkBench(spark_server.sail(), tmp_path)
    records = {"q": ["x", "x", "y", "y"], "a": ["1", "2", "1", None], "b": [1, 1, 2, 2], "w": ["", "k", "k", None]}
    bench.fill(pa.table(records))
    request = CountRequest(by=("q",), judged=("a", "b"), passed=("a", "b"), lacking=(Lacking(column="w", marks=("",)),))
    with bench.engine() as engine:
        combinations, (first, second), _ = engine.count(request)
    names = {row["key"]: row["by_1"] for row in combinations.to_pylist()}
    sizes = {(row["by_1"], row["unusable"]): row["size"] for row in combinations.to_pylist()}
    assert sizes == {("x", False): 1, ("y", False): 1, (None, True): 2}
    assert sorted((names[row["key"]], row["value"], row["size"]) for row in first.to_pylist()) == [
        ("x", "2", 1),
        ("y", "1", 1),
    ]
    assert sorted((names[row["key"]], row["value"], row["size"]) for row in second.to_pylist()) == [
        ("x", 1, 1),
        ("y", 2, 1),
    ]
