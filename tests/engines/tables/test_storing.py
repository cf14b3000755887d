"""Where a table is written is told by its URL."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from engines.postgresql_bench import PostgreSQLBench

from toolbox.engines.tables.tables import fetch_table, store_table


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_what_is_stored_is_fetched_again(database: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    url, name = f"sqlite:///{tmp_path / 'd'}", "r"
    if database == "postgresql":
        bench: PostgreSQLBench = request.getfixturevalue("bench")
        url, name = bench.server.url.replace("postgresql:", "postgresql+psycopg:"), bench.quoted("r")
    table = pa.table({"a": [1, None], "select": ["x", ""]})
    store_table(table, url, name)
    assert fetch_table(url, table=name).equals(table)
    store_table(table.slice(0, 0), url, name, replace=True)
    assert fetch_table(url, table=name).num_rows == 0
