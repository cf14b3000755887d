"""Any database that SQLAlchemy reads is an input and an output, tried on SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from engines.contract import hard_records, shown
from engines.postgresql_bench import PostgreSQLBench

from toolbox.engines.tables.tables import (
    fetch_from_database,
    fetch_table,
    require_place,
    store_in_database,
    store_table,
)
from toolbox.errors import InputError, OutputError, UsageError

HARD = 'Say "hi" 100%: a.b'
QUOTED = '"Say ""hi"" 100%: a.b"'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "people.db"


def url_of(path: Path) -> str:
    return f"sqlite:///{path}"


def run(path: Path, *statements: str) -> None:
    with sqlite3.connect(path) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def rows(path: Path, statement: str) -> list[Sequence[Any]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


def test_a_table_is_fetched_with_its_types(path: Path) -> None:
    run(
        path,
        f"CREATE TABLE {QUOTED} (id INTEGER, {QUOTED} TEXT, day DATE, moment DATETIME, share FLOAT, flag BOOLEAN)",
        f"INSERT INTO {QUOTED} VALUES (1, '', '2024-02-29', '2024-02-29 12:00:00', 0.5, 1), (NULL, NULL, NULL, NULL, NULL, NULL)",
    )
    table = fetch_table(url_of(path), table=QUOTED)
    kinds = [pa.int64(), pa.string(), pa.date32(), pa.timestamp("us"), pa.float64(), pa.bool_()]
    assert (table.column_names[1], table.schema.types) == (HARD, kinds)
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        (1, "", date(2024, 2, 29), datetime(2024, 2, 29, 12), 0.5, True),
        (None,) * 6,
    ]


def test_a_query_is_sent_as_it_is(path: Path) -> None:
    run(path, "CREATE TABLE people (a TEXT)", "INSERT INTO people VALUES ('x:y %s 100%'), ('z')")
    table = fetch_table(
        url_of(path),
        query="  WITH p AS (SELECT a AS \"b:c %\" FROM people WHERE a LIKE '%:y %s%') SELECT * FROM p -- %(x)s :q",
    )
    assert table.to_pydict() == {"b:c %": ["x:y %s 100%"]}


@pytest.mark.slow
def test_many_rows_are_fetched_in_parts(path: Path) -> None:
    run(
        path,
        "CREATE TABLE people AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 25000) SELECT i FROM n",
    )
    table = fetch_table(url_of(path), table="people")
    assert table["i"].to_pylist() == list(range(1, 25_001))
    store_table(table, url_of(path), "copied")
    assert rows(path, "SELECT count(*), sum(i) FROM copied") == [(25_000, 25_000 * 25_001 // 2)]


@pytest.mark.parametrize(
    "query",
    ["DELETE FROM people", "DROP TABLE people", "SELECT 1; DROP TABLE people", "WITH x AS (SELECT 1) DELETE FROM people", "", "PRAGMA table_info(people)"],
)  # fmt: skip
def test_a_query_that_is_no_select_changes_nothing(path: Path, query: str) -> None:
    run(path, "CREATE TABLE people (a TEXT)", "INSERT INTO people VALUES ('secret')")
    with pytest.raises((UsageError, InputError)) as caught:
        fetch_table(url_of(path), query=query)
    assert "secret" not in str(caught.value)
    assert rows(path, "SELECT * FROM people") == [("secret",)]


def test_a_table_that_is_not_there_is_refused_with_the_nearest(path: Path) -> None:
    run(path, "CREATE TABLE people (a TEXT)")
    with pytest.raises(InputError, match=r"no table peopel in the database. Did you mean 'people'"):
        fetch_table(url_of(path), table="peopel")


def test_a_query_that_fails_shows_the_kind_of_its_error_only(path: Path) -> None:
    run(path, "CREATE TABLE people (a TEXT)")
    with pytest.raises(InputError, match=r"the query: the database failed \(OperationalError\)") as caught:
        fetch_table(url_of(path), query="SELECT secret_column FROM people")
    assert "secret" not in str(caught.value)


def test_a_table_is_written_with_all_types(path: Path) -> None:
    table = pa.table(
        {
            HARD: ["a", None],
            "n": pa.array([2**63 - 1, None]),
            "f": [0.5, -0.0],
            "d": [date(2024, 2, 29), None],
            "m": pa.array([datetime(2024, 2, 29, 1), None], pa.timestamp("us")),
            "b": [True, None],
            "c": pa.array(["x", "y"]).dictionary_encode(),
            "bytes": [b"\0", None],
            "nothing": pa.nulls(2),
        }
    )
    store_table(table, url_of(path), QUOTED)
    again = fetch_table(url_of(path), table=QUOTED)
    assert again.to_pydict() == {**table.to_pydict(), "c": ["x", "y"]}
    assert [name for (name,) in rows(path, "SELECT name FROM sqlite_master")] == [HARD]


def test_a_decimal_is_not_rounded_where_a_database_has_none(path: Path) -> None:
    numbers = pa.array([Decimal("12345678901234567.50"), None], pa.decimal128(20, 2))
    store_table(pa.table({"n": numbers, "u": pa.array([2**64 - 1, None], pa.uint64())}), url_of(path), "r")
    assert rows(path, "SELECT n, u FROM r") == [("12345678901234567.50", "18446744073709551615"), (None, None)]


def test_a_table_that_exists_is_refused_unless_it_may_be_replaced(path: Path) -> None:
    run(path, "CREATE TABLE r (old TEXT)", "INSERT INTO r VALUES ('x')")
    new = pa.table({"new": [1]})
    for refused in (lambda: require_place(url_of(path), "r"), lambda: store_table(new, url_of(path), "r")):
        with pytest.raises(OutputError, match=r"r exists. Write --replace"):
            refused()
    require_place(url_of(path), "r", replace=True)
    assert rows(path, "SELECT old FROM r") == [("x",)]
    store_table(new, url_of(path), "r", replace=True)
    assert rows(path, "SELECT new FROM r") == [(1,)]
    assert rows(path, "SELECT name FROM sqlite_master") == [("r",)]


def test_a_table_that_fails_to_be_written_leaves_the_old_one_and_nothing_else(path: Path) -> None:
    run(path, "CREATE TABLE r (old TEXT)", "INSERT INTO r VALUES ('x')")
    with pytest.raises(OutputError, match=r"r: the database refuses to write the release \(OperationalError\)"):
        store_table(pa.table({"a": [1], "A": [2]}), url_of(path), "r", replace=True)
    # The last step fails, as the view would lose its table.
    run(path, "CREATE VIEW v AS SELECT old FROM r")
    for rows_written in (1, 0):
        with pytest.raises(OutputError, match="refuses to write"):
            store_table(pa.table({"new": [1]}).slice(0, rows_written), url_of(path), "r", replace=True)
    assert rows(path, "SELECT old FROM r") == [("x",)]
    assert rows(path, "SELECT name FROM sqlite_master") == [("r",), ("v",)]


@pytest.mark.parametrize(
    ("name", "message"),
    [("v", "is there, and is no plain table"), ("people", "is the input, and would be lost"), ("nowhere.r", "There is no schema nowhere")],
)  # fmt: skip
def test_a_place_that_cannot_be_is_refused_early(path: Path, name: str, message: str) -> None:
    run(path, "CREATE TABLE people (a TEXT)", "CREATE VIEW v AS SELECT 1 AS a")
    with pytest.raises(OutputError, match=message):
        require_place(url_of(path), name, replace=True, source="people")


def test_two_columns_of_one_name_are_refused(path: Path) -> None:
    with pytest.raises(OutputError, match="Two columns of the release have one name"):
        store_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]), url_of(path), "r")


def test_a_type_that_no_database_has_is_refused_before_anything_is_written(path: Path) -> None:
    with pytest.raises(OutputError, match="The column 'v' is of type list"):
        store_table(pa.table({"v": [[1]]}), url_of(path), "r")
    assert not path.exists()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nonsense", "is not one that SQLAlchemy reads"),
        ("sqlite://u:s3cret@h:x/", "is not one that SQLAlchemy reads"),
        ("nosuch://h/d", "SQLAlchemy knows no database 'nosuch'"),
        ("mysql+pymysql_://h/d", "SQLAlchemy knows no database|is not installed"),
        ("mssql+pymssql://ada:s3cret@h/d", "holds a password|is not installed"),
    ],
)
def test_a_url_that_leads_nowhere_is_refused_and_its_password_not_shown(url: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        fetch_table(url, table="people")
    assert "s3cret" not in str(caught.value)


def test_a_folder_that_is_not_there_is_an_error_of_the_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the database failed \(OperationalError\)"):
        fetch_table(f"sqlite:///{tmp_path}/nowhere/people.db", table="people")


def test_a_database_whose_driver_writes_percent_signs_twice_is_read_the_same(bench: PostgreSQLBench) -> None:
    """PostgreSQL is read here as any other database is."""
    bench.fill(hard_records())
    url = bench.server.url.replace("postgresql:", "postgresql+psycopg:")
    # Its driver knows no infinite dates, and finds no text for a null of another type.
    records = fetch_from_database(url, table=bench.quoted("the people"), query=None)
    assert [tuple(map(shown, row.values())) for row in records.to_pylist()] == [
        tuple(map(shown, row.values())) for row in hard_records().to_pylist()
    ]
    assert records.schema.types == hard_records().schema.types
    query = f"SELECT '100% %s %(a)s :x' AS \"b%\", 1.50 AS n FROM {bench.quoted('the people')} WHERE id % 399 = 0"
    assert fetch_from_database(url, table=None, query=query).to_pydict() == {
        "b%": ["100% %s %(a)s :x"] * 2,
        "n": [Decimal("1.50")] * 2,
    }
    store_in_database(records, url, bench.quoted("Release"), replace=False)
    store_in_database(records, url, bench.quoted("Release"), replace=True)
    assert [tuple(map(shown, row)) for row in bench.released() or []] == [
        tuple(map(shown, row.values())) for row in hard_records().to_pylist()
    ]
