"""A table of two million records: what small ones cannot show, such as an order lost between threads."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from helpers import children
from pyarrow import csv

TOP = Path(__file__).parents[2]
RECORDS = 2_000_000
LIMIT = 3_600
QUASI_IDENTIFIERS = [
    "age",
    "sex",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]


@pytest.fixture(scope="module")
def census(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("census") / "census.csv"
    generator = TOP / "scripts" / "generate_census.py"
    children.run(
        [sys.executable, generator, "--records", str(RECORDS), "--seed", "7", "--output", path],
        check=True,
        capture_output=True,
        limit=LIMIT,
    )
    return path


def read(path: Path) -> pa.Table:
    return csv.read_csv(
        path, convert_options=csv.ConvertOptions(column_types=dict.fromkeys(QUASI_IDENTIFIERS, "string"))
    )


@pytest.mark.slow
@pytest.mark.parametrize("method", ["Mondrian", "Datafly"])
def test_two_million_records_keep_their_order_and_hide_among_five(method: str, census: Path, tmp_path: Path) -> None:
    release = tmp_path / "release.csv"
    config = TOP / "configs" / "census_datafly.xml"
    command = [sys.executable, "-m", "toolbox", "-config", config, "-input", census, "-output", release, "--json"]
    run = children.run(
        [*command, "-method", method, "--order", "input", "--memory-limit", "1GB", "--threads", "2"],
        check=True,
        capture_output=True,
        limit=LIMIT,
    )
    summary = json.loads(run.stdout)
    before, after = read(census), read(release)
    assert after["diagnosis"].equals(before["diagnosis"])
    assert after["visits"].equals(before["visits"])
    classes = after.group_by(QUASI_IDENTIFIERS).aggregate([([], "count_all")])
    is_suppressed = [
        all(value == "*" for value in row)
        for row in zip(*(classes[name].to_pylist() for name in QUASI_IDENTIFIERS), strict=True)
    ]
    sizes = [size for size, gone in zip(classes["count_all"].to_pylist(), is_suppressed, strict=True) if not gone]
    assert min(sizes) == summary["smallest_class"] >= 5
    assert len(sizes) == summary["classes"]
    assert RECORDS - sum(sizes) == summary["records_suppressed"]
