"""Whole runs on a PostgreSQL server: the records stay there, and the release is that of a run on a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from helpers import postgres_server
from helpers.census import CENSUS, configuration, on_file
from helpers.postgres_server import Server
from helpers.running import run_as_program


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    if reason := postgres_server.why_not():
        pytest.skip(reason)
    with postgres_server.running() as running:
        yield running


@pytest.fixture(scope="module")
def census(server: Server) -> Server:
    """Put 5,000 records into the table ``people``."""
    rows = duckdb.sql(f"FROM read_csv('{CENSUS}', types={{'age': 'INTEGER'}})")
    kinds = ["text" if str(kind) == "VARCHAR" else "bigint" for kind in rows.types]
    columns = ", ".join(f'"{name}" {kind}' for name, kind in zip(rows.columns, kinds, strict=True))
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE people ({columns})")
        with cursor.copy("COPY people FROM STDIN") as copy:
            for row in rows.fetchall():
                copy.write_row(row)
    return server


def test_the_release_in_the_database_is_that_of_a_run_on_the_file(census: Server, tmp_path: Path) -> None:
    places = f"<input url='{census.url}' table='people'/>", f"<output url='{census.url}' table='release'/>"
    config = configuration(tmp_path, *places)
    summary = run_as_program("-config", config, "--json", cwd=tmp_path).succeeded().document
    released = [tuple(map(str, row)) for row in census.rows("SELECT * FROM release")]

    assert Counter(released) == Counter(on_file(tmp_path))
    assert summary["records_released"] == 5000
    assert summary["release"] == [f"{census.url} release"]
    assert "The records have no order: an engine keeps none." in summary["notes"]
