"""Tables of SQLite: what its values are, whoever else has the file open, and views that want more than to read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.file_tables import FileReader


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "p.sqlite"


@pytest.fixture
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(path)
    yield connection
    connection.close()


def test_values_are_what_they_are_whatever_their_columns_declare(
    read: FileReader, path: Path, opened: sqlite3.Connection
) -> None:
    opened.execute('CREATE TABLE "select ""*" ("a b" INTEGER, r REAL, t TEXT, x, d DATE, b BLOB)')
    values = [(1, 1.0, "ü", 1, "2020-01-02", b"\x01"), (2**62, 2.5, "", "one", None, None)]
    opened.executemany('INSERT INTO "select ""*" VALUES (?, ?, ?, ?, ?, ?)', values)
    opened.commit()
    assert read.rows(path) == [
        ("a b", "r", "t", "x", "d", "b"),
        (1, 1.0, "ü", "1", "2020-01-02", b"\x01"),
        (2**62, 2.5, "", "one", None, None),
    ]


def test_a_view_is_read_like_a_table(read: FileReader, path: Path, opened: sqlite3.Connection) -> None:
    opened.executescript(
        "CREATE TABLE a (n); INSERT INTO a VALUES (1), (2); CREATE VIEW b AS SELECT sum(n) AS s FROM a"
    )
    assert read.rows(path, table="b") == [("s",), (3,)]


@pytest.mark.parametrize("query", ["SELECT load_extension('x')", "SELECT * FROM pragma_table_info('a')"])
def test_a_view_that_does_more_than_read_is_refused(
    query: str, read: FileReader, path: Path, opened: sqlite3.Connection
) -> None:
    opened.executescript(f"CREATE TABLE a (n); CREATE VIEW b AS {query}")
    said = "p.sqlite has a view that does more than read its tables. Read a table, or export the view."
    assert read.refusal(path, table="b") == said


def test_a_view_that_makes_values_without_end_is_refused(
    read: FileReader, path: Path, opened: sqlite3.Connection
) -> None:
    opened.executescript("CREATE VIEW b AS SELECT zeroblob(900000000) AS n")
    said = "p.sqlite has a value of more than 64 MB. Leave that column out of a view."
    assert read.refusal(path, table="b") == said


def test_nothing_is_written_and_what_is_not_yet_in_the_file_is_read(
    read: FileReader, path: Path, opened: sqlite3.Connection
) -> None:
    opened.execute("PRAGMA journal_mode = WAL")
    opened.executescript("CREATE TABLE a (n); INSERT INTO a VALUES (1)")
    assert path.with_name("p.sqlite-wal").stat().st_size
    assert read.rows(path) == [("n",), (1,)]
    opened.close()
    before = sorted(path.parent.glob("p.sqlite*"))
    content = path.read_bytes()
    assert read.rows(path) == [("n",), (1,)]
    assert sorted(path.parent.glob("p.sqlite*")) == before
    assert path.read_bytes() == content


def test_text_that_is_none_and_a_damaged_file_are_told(
    read: FileReader, path: Path, opened: sqlite3.Connection
) -> None:
    opened.executescript("CREATE TABLE a (n); INSERT INTO a VALUES (CAST(x'ff41' AS TEXT))")
    assert read.refusal(path) == "p.sqlite holds text that is not UTF-8. Write it again as UTF-8, or as a blob."
    opened.close()
    path.write_bytes(path.read_bytes()[:100] + bytes(4000))
    assert "p.sqlite cannot be read: it is damaged, or a view of it is wrong." in read.refusal(path)


def test_a_database_without_tables_is_told(read: FileReader, path: Path, opened: sqlite3.Connection) -> None:
    opened.executescript("CREATE TABLE a (n); DROP TABLE a")
    assert read.refusal(path) == "p.sqlite is a database without a table."
