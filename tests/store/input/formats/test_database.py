"""What a database is."""

from __future__ import annotations

from pathlib import Path

import duckdb
from helpers.file_tables import FileReader


def test_what_a_database_is_its_bytes_say_and_not_its_name(read: FileReader, tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "p.db") as opened:
        opened.execute("CREATE TABLE people AS SELECT 1 AS a")
    assert read.rows(tmp_path / "p.db") == [("a",), (1,)]
    (tmp_path / "q.db").write_text("a,b\n1,2\n")
    assert read.refusal(tmp_path / "q.db") == (
        "q.db has the name of a database, and is text. Give it a name that ends in .csv, say."
    )
