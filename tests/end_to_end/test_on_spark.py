"""Whole runs on a cluster of Spark: the records stay there, and the release is that of a run on a file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import duckdb
from helpers import spark_server
from helpers.census import CENSUS, configuration, on_file
from helpers.running import run_as_program


def test_the_release_on_the_cluster_is_that_of_a_run_on_the_file(tmp_path: Path) -> None:
    url = spark_server.sail()
    (tmp_path / "people").mkdir()
    duckdb.sql(f"COPY (FROM read_csv('{CENSUS}')) TO '{tmp_path}/people/part.parquet'")
    places = "<input filename='people'/>", f"<output filename='release'/><engine name='spark' url='{url}'/>"
    config = configuration(tmp_path, *places)
    summary = run_as_program("-config", config, "--json", cwd=tmp_path).succeeded().document

    released = duckdb.sql(f"SELECT COLUMNS(*)::VARCHAR FROM '{tmp_path}/release/*.parquet'").fetchall()
    assert Counter(released) == Counter(on_file(tmp_path))
    assert summary["records_released"] == 5000
    assert summary["release"] == [str(tmp_path / "release")]
    assert "The records have no order: an engine keeps none." in summary["notes"]
