"""MariaDB as an engine: one moment of the records, a release as a whole or none, and no value in a log."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from engines.contract import FLAG, ID, TEXT, hard_records, publish_all, recoding, rows_of
from engines.mariadb_bench import RELEASE, TABLE, MariaDBBench, quoted
from helpers.mariadb_server import MariaDB

from toolbox.engines.engine import CountRequest, Lacking, RecordRecoding, Staged
from toolbox.engines.mysql.engine import MySQL
from toolbox.errors import InputError, OutputError, SettingError, UsageError
from toolbox.treatments.treatment import ReleasedColumn, parse_treatment

REQUEST = CountRequest(by=(FLAG,), judged=(TEXT,), passed=(ID, TEXT))
COLUMNS = (ReleasedColumn("label", text="text_0"), ReleasedColumn(ID, source=ID))


def stage(engine: MySQL, label: str = "all") -> Staged:
    """Count the input, and write all of it as one class."""
    engine.schema()
    keys = {row[1:2]: row[0] for row in rows_of(engine.count(REQUEST).combinations)}
    return engine.write(recoding(REQUEST, keys, dict.fromkeys(keys, 0), [[label]], COLUMNS))


def make(bench: MariaDBBench, columns: str, *rows: str) -> None:
    bench.run(f"CREATE OR REPLACE TABLE {bench.named(TABLE)} ({columns})")
    for row in rows:
        bench.run(f"INSERT INTO {bench.named(TABLE)} VALUES ({row})")


def release_all(bench: MariaDBBench, request: CountRequest, columns: tuple[ReleasedColumn, ...]) -> pa.Table:
    """Release all records as one class; return what was counted."""
    with bench.engine() as engine:
        engine.schema()
        counted = engine.count(request).combinations
        mapping = pa.table({"key": counted["key"], "class_id": pa.array([0] * counted.num_rows, pa.int64())})
        classes = pa.table({"class_id": pa.array([0], pa.int64()), "text": ["*"]})
        engine.publish(engine.write(RecordRecoding(request=request, mapping=mapping, classes=classes, columns=columns)))
    return counted


@pytest.mark.slow
def test_another_writer_between_the_steps_is_neither_seen_nor_kept_waiting(mariadb_bench: MariaDBBench) -> None:
    mariadb_bench.fill(hard_records())
    table = mariadb_bench.named(TABLE)
    with mariadb_bench.engine() as engine:
        engine.schema()
        counted = engine.count(REQUEST)
        keys = {row[1:2]: row[0] for row in rows_of(counted.combinations)}
        mariadb_bench.run(f"DELETE FROM {table} WHERE {ID} < 100")
        written = engine.write(recoding(REQUEST, keys, dict.fromkeys(keys, 0), [["all"]], COLUMNS))
        mariadb_bench.run(f"UPDATE {table} SET {quoted(TEXT)} = NULL")
        assert rows_of(engine.count(REQUEST).combinations) == rows_of(counted.combinations)
        engine.publish(written)
    assert sorted(mariadb_bench.released() or []) == [("all", number) for number in range(400)]


@pytest.mark.slow
def test_rows_are_committed_only_when_they_are_published(mariadb_bench: MariaDBBench) -> None:
    mariadb_bench.fill(hard_records())
    with mariadb_bench.engine() as engine:
        staged = stage(engine)
        (name,) = mariadb_bench.tables() - {TABLE}
        assert name == staged.name
        assert mariadb_bench.server.rows(f"SELECT count(*) FROM {mariadb_bench.named(name).replace('%', '%')}") == [
            (0,)
        ]
        engine.publish(staged)
    assert mariadb_bench.tables() == {TABLE, RELEASE}


@pytest.mark.slow
def test_what_a_killed_run_has_left_goes_and_what_a_running_one_needs_stays(mariadb_bench: MariaDBBench) -> None:
    mariadb_bench.fill(hard_records())
    left = ["toolbox_run_0123456789abcdef", "toolbox_run_0123456789abcdef_old"]
    others = {"toolbox_run_mine", "toolbox_running"}
    for name in (*left, *others):
        mariadb_bench.run(f"CREATE TABLE {mariadb_bench.named(name)} (a int)")
    with mariadb_bench.engine() as running:
        staged = stage(running)
        publish_all(mariadb_bench, "all")
        assert mariadb_bench.tables() == {TABLE, RELEASE, staged.name, *others}
    assert mariadb_bench.tables() == {TABLE, RELEASE, *others}


@pytest.mark.slow
def test_texts_that_a_collation_takes_for_the_same_are_different(mariadb_bench: MariaDBBench) -> None:
    make(mariadb_bench, "q char(9), t text, id int", "'a', 'x', 1", "'A', 'x ', 2", "'á', 'X', 3", "'a ', 'x', 4")
    request = CountRequest(by=("q",), judged=("t",), passed=("t", "id"), lacking=(Lacking(column="t", marks=("X",)),))
    with mariadb_bench.engine() as engine:
        engine.schema()
        counted = engine.count(request)
    # Of the records with a missing value one row tells the number; char(n) has no blanks at its end.
    sizes = {(row["by_1"], row["unusable"]): row["size"] for row in counted.combinations.to_pylist()}
    assert sizes == {("a", False): 2, ("A", False): 1, (None, True): 1}
    assert sorted(row[1:] for row in rows_of(counted.held[0])) == [("x", 2), ("x ", 1)]


@pytest.mark.slow
def test_every_type_is_counted_as_its_values_are_and_passes_with_its_type(mariadb_bench: MariaDBBench) -> None:
    kinds = {
        "flag": ("tinyint(1)", "2", 2),
        "large": ("bigint(20) unsigned", "18446744073709551615", 18446744073709551615),
        "bits": ("bit(5)", "b'101'", 5),
        "wide": ("decimal(50,3)", "1.5", "1.500"),
        "short": ("float", "0.1", 0.10000000149011612),
        "zero": ("double", "0e0 * -1", 0.0),
        "year": ("year(4)", "2020", 2020),
        "clock": ("time(3)", "'25:00:00.5'", "25:00:00.500"),
        "one": ("enum('x','Y')", "'Y'", "Y"),
        "some": ("set('a','b')", "'a,b'", "a,b"),
        "doc": ("longtext", "'{\"a\": 1}'", '{"a": 1}'),
        "raw": ("blob", "x'00ff'", "\\x00ff"),
        "address": ("inet6", "'::1'", "::1"),
        "latin": ("varchar(9)", "'ß€'", "ß€"),
    }
    make(
        mariadb_bench,
        ", ".join(f"{quoted(name)} {kind}" for name, (kind, *_) in kinds.items()),
        ", ".join(value for _, value, _ in kinds.values()),
    )
    request = CountRequest(by=tuple(kinds), passed=tuple(kinds))
    columns = (ReleasedColumn("label", text="text"), *(ReleasedColumn(name, source=name) for name in kinds))
    counted = release_all(mariadb_bench, request, columns)
    row = counted.to_pylist()[0]
    assert {name: row[f"by_{place}"] for place, name in enumerate(kinds, start=1)} == {
        name: value for name, (*_, value) in kinds.items()
    }
    types = {
        name: kind for name, kind, *_ in mariadb_bench.server.rows(f"SHOW COLUMNS FROM {mariadb_bench.named(RELEASE)}")
    }
    assert types == {"label": "varchar(1)", **{name: kind for name, (kind, *_) in kinds.items()}}


@pytest.mark.slow
def test_a_moment_is_told_in_utc(mariadb_bench: MariaDBBench) -> None:
    mariadb_bench.run(f"CREATE TABLE {mariadb_bench.named(TABLE)} (m timestamp(6))")
    with mariadb_bench.server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SET time_zone = '+05:00'")
        cursor.execute(f"INSERT INTO {mariadb_bench.named(TABLE)} VALUES ('2024-03-01 02:00:00')")
    counted = release_all(mariadb_bench, CountRequest(by=("m",), passed=("m",)), (ReleasedColumn("m", source="m"),))
    assert str(counted["by_1"][0]) == "2024-02-29 21:00:00"


def test_a_date_that_is_none_is_refused(mariadb_bench: MariaDBBench) -> None:
    make(mariadb_bench, "day date", "'0000-00-00'")
    with mariadb_bench.engine() as engine, pytest.raises(InputError, match=r"such as 0000-00-00.*nullif\(day, 0\)"):
        engine.count(CountRequest(by=("day",)))


@pytest.mark.slow
def test_no_value_is_in_a_statement(mariadb_bench: MariaDBBench) -> None:
    make(mariadb_bench, "q varchar(20), s varchar(20)", "'Sentinella', 'sentinelitis'")
    before = len(mariadb_bench.server.log)
    columns = (ReleasedColumn("q", text="text"), ReleasedColumn("s", source="s"))
    release_all(mariadb_bench, CountRequest(by=("q",), judged=("s",), passed=("s",)), columns)
    log = mariadb_bench.server.log[before:]
    assert "CREATE TEMPORARY TABLE" in log
    assert "entinel" not in log
    assert mariadb_bench.server.password not in log


# What is refused


def refuse(engine: MySQL, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words), engine:
        engine.count(CountRequest(by=(ID,)))


@pytest.mark.slow
def test_a_table_that_is_not_there_is_told_with_its_near_name(mariadb: MariaDB, mariadb_bench: MariaDBBench) -> None:
    mariadb_bench.fill(hard_records(3))
    near = MySQL(mariadb.url, table=mariadb_bench.written("the people"), release="r")
    refuse(near, InputError, "There is no table .* Did you mean 'the `people`'")
    refuse(
        MySQL(mariadb.url, table=mariadb_bench.written(TABLE), release="nowhere.r"), OutputError, "no database nowhere"
    )


@pytest.mark.slow
def test_a_view_is_read_and_never_replaced(mariadb_bench: MariaDBBench) -> None:
    mariadb_bench.fill(hard_records())
    mariadb_bench.run(f"CREATE VIEW {mariadb_bench.named('v')} AS SELECT * FROM {mariadb_bench.named(TABLE)} LIMIT 7")
    view, release = mariadb_bench.written("v"), mariadb_bench.written(RELEASE)
    with MySQL(mariadb_bench.server.url, table=view, release=release) as engine:
        assert sum(engine.count(REQUEST).combinations["size"].to_pylist()) == 7
    replaced = MySQL(mariadb_bench.server.url, table=mariadb_bench.written(TABLE), release=view, replace=True)
    refuse(replaced, OutputError, "is no plain table")
    same = MySQL(mariadb_bench.server.url, table=release, release=release, replace=True)
    publish_all(mariadb_bench, "all")
    refuse(same, OutputError, "is the input, and would be lost")


@pytest.mark.slow
def test_a_table_to_which_others_refer_is_not_replaced(mariadb_bench: MariaDBBench) -> None:
    mariadb_bench.fill(hard_records())
    mariadb_bench.run(f"CREATE TABLE {mariadb_bench.named(RELEASE)} (a int PRIMARY KEY)")
    parent = mariadb_bench.named(RELEASE)
    mariadb_bench.run(f"CREATE TABLE {mariadb_bench.named('child')} (a int, FOREIGN KEY (a) REFERENCES {parent} (a))")
    refuse(mariadb_bench.engine(replace=True), OutputError, "foreign keys of other tables refer to")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT 1 AS a, 2 AS a", "gives two columns one name"),
        ("SELECT * FROM nothing.nowhere", "names a table that is not there"),
        ("DELETE FROM people", "is no SELECT that the server reads"),
        ("SELECT 1; SELECT 2", "is no SELECT that the server reads"),
    ],
)
def test_a_query_that_cannot_be_read_is_refused(mariadb_bench: MariaDBBench, query: str, words: str) -> None:
    refuse(mariadb_bench.engine(query=query), UsageError, words)


@pytest.mark.slow
def test_a_query_that_writes_is_refused(mariadb_bench: MariaDBBench) -> None:
    mariadb_bench.run(f"CREATE TABLE {mariadb_bench.named('log')} (a int)")
    made = f"CREATE FUNCTION {mariadb_bench.named('f')}() RETURNS int BEGIN INSERT INTO {mariadb_bench.named('log')} "
    mariadb_bench.run(f"{made}VALUES (1); RETURN 1; END")
    query = f"SELECT {mariadb_bench.named('f')}() AS {ID} -- all;"
    refuse(mariadb_bench.engine(query=query), UsageError, "writes to the database")
    assert mariadb_bench.server.rows(f"SELECT count(*) FROM {mariadb_bench.named('log')}") == [(0,)]


@pytest.mark.slow
def test_whoever_lacks_a_right_is_told_which(mariadb: MariaDB, mariadb_bench: MariaDBBench) -> None:
    mariadb_bench.fill(hard_records(3))
    user, database = "half", quoted(mariadb_bench.database)
    mariadb.run(f"CREATE OR REPLACE USER {user}@'127.0.0.1' IDENTIFIED BY '{mariadb.password}'")
    mariadb.run(f"GRANT SELECT ON {database}.* TO {user}@'127.0.0.1'", f"GRANT USAGE ON *.* TO {user}@'127.0.0.1'")
    mariadb.run(f"GRANT SELECT ON census.* TO {user}@'127.0.0.1'")
    refuse(mariadb_bench.engine(url=mariadb.url_of(user)), OutputError, "you may not write there.* CREATE, ALTER, DROP")
    mariadb.run(f"GRANT CREATE, DROP, ALTER, INSERT, CREATE TEMPORARY TABLES ON {database}.* TO {user}@'127.0.0.1'")
    with mariadb_bench.engine(url=mariadb.url_of(user)) as engine:
        engine.publish(stage(engine))
    assert len(mariadb_bench.released() or []) == 3


@pytest.mark.slow
def test_columns_and_treatments_that_the_server_has_not_are_refused(mariadb_bench: MariaDBBench) -> None:
    make(mariadb_bench, "q int, zip varchar(9)", "1, '8010'")
    for columns, kind, words in (
        ((ReleasedColumn("a", source="zip"), ReleasedColumn("A", source="q")), OutputError, "capital letters do not"),
        ((ReleasedColumn("a" * 65, source="zip"),), OutputError, "1 to 64 characters"),
        (
            (ReleasedColumn("zip", source="zip", treatment=parse_treatment("prefix:2")),),
            UsageError,
            "Let a query or a view",
        ),
    ):
        with pytest.raises(kind, match=words):
            release_all(mariadb_bench, CountRequest(by=("q",), passed=("zip", "q")), columns)
    assert mariadb_bench.tables() == {TABLE}


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({"sort_bufer_size": "1"}, UsageError),
        ({"sort_buffer_size": "256MB"}, SettingError),
        ({"combinations": "0"}, SettingError),
    ],
)
def test_a_setting_that_is_none_is_refused(settings: dict[str, str], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        MySQL("mysql://h/d", table="t", release="r", settings=settings)


@pytest.mark.slow
def test_a_connection_that_is_lost_leaves_nothing(mariadb_bench: MariaDBBench) -> None:
    mariadb_bench.fill(hard_records())
    old = publish_all(mariadb_bench, "old")

    def lose(engine: MySQL) -> Any:
        staged = stage(engine, "new")
        ((number,),) = engine._connection.rows(_number(), doing="reading the input")
        mariadb_bench.server.run(f"KILL {number}")
        return engine.publish(staged)

    with (
        pytest.raises(InputError, match="connection to the database was lost while the release was published"),
        mariadb_bench.engine(replace=True) as engine,
    ):
        lose(engine)
    assert mariadb_bench.released() == old
    assert mariadb_bench.tables() == {TABLE, RELEASE}


def _number() -> Any:
    from sqlalchemy import func, select

    return select(func.connection_id())
