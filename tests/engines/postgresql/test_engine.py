"""One transaction: a release is there as a whole, or nothing is; and no value leaves by a log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pytest
from engines.contract import FLAG, ID, TEXT, hard_records, publish_all, recoding, rows_of
from engines.postgresql_bench import COLUMNS, REQUEST, PostgreSQLBench, staged
from helpers.postgres_server import Server

from toolbox.engines.engine import CountRequest, Lacking, RecordRecoding
from toolbox.engines.postgresql.engine import PostgreSQL
from toolbox.errors import InputError, OutputError, UnknownColumnError, UnsatisfiableError, UsageError
from toolbox.treatments.treatment import ReleasedColumn


def tables_of(server: Server) -> set[str]:
    """Return all tables and views of the server that no system made."""
    schemas = "('pg_catalog', 'information_schema', 'pg_toast')"
    found = server.rows(f"SELECT relname::text FROM pg_class WHERE relnamespace::regnamespace::text NOT IN {schemas}")
    return {name for (name,) in found}


def test_another_writer_between_the_steps_is_not_seen(bench: PostgreSQLBench) -> None:
    records = hard_records()
    bench.fill(records)
    table = bench.quoted("the people")
    with bench.engine() as engine:
        engine.schema()
        counted = engine.count(REQUEST)
        keys = {row[1:2]: row[0] for row in rows_of(counted.combinations)}
        bench.server.run(
            f"INSERT INTO {table} ({ID}) SELECT generate_series(1000, 2000)",
            f"DELETE FROM {table} WHERE {ID} < 100",
            f'UPDATE {table} SET "{FLAG}" = NOT "{FLAG}", "{TEXT}" = NULL',
        )
        written = engine.write(recoding(REQUEST, keys, dict.fromkeys(keys, 0), [["all"]], COLUMNS))
        assert rows_of(engine.count(REQUEST).combinations) != []
        assert sorted(rows_of(engine.count(REQUEST).combinations), key=str) == sorted(
            rows_of(counted.combinations), key=str
        )
        engine.publish(written)
    assert sorted(bench.released() or []) == [("all", number) for number in range(400)]


def test_nothing_but_the_release_is_left(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records())
    before = tables_of(bench.server)
    publish_all(bench, "all")
    assert tables_of(bench.server) - before == {"Release"}


def test_a_reader_of_the_old_release_reads_on(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records())
    old = publish_all(bench, "old")
    with bench.engine(replace=True) as engine:
        written = staged(engine, "new")
        # While all but the last moment of the run passes, nobody who reads has to wait.
        with bench.server.connect() as reader:
            reader.execute("SET statement_timeout = '5s'")
            assert len(reader.execute(f"SELECT * FROM {bench.quoted('Release')}").fetchall()) == len(old)
        engine.publish(written)
    assert {row[0] for row in bench.released() or []} == {"new"}


def test_columns_that_pass_keep_their_types_and_labels_are_texts(bench: PostgreSQLBench) -> None:
    bench.server.run(
        f"CREATE TABLE {bench.quoted('the people')} (q text, a numeric(9, 3), b varchar(7), c char(3), d integer[], e interval)",
        f"INSERT INTO {bench.quoted('the people')} VALUES ('x', 1, 'b', 'c', '{{1}}', '1 day')",
    )
    passed = ("a", "b", "c", "d", "e")
    request = CountRequest(by=("q",), passed=passed)
    columns = (ReleasedColumn("q", text="text_0"), *(ReleasedColumn(name, source=name) for name in passed))
    with bench.engine() as engine:
        engine.schema()
        keys = {row[1:2]: row[0] for row in rows_of(engine.count(request).combinations)}
        engine.publish(engine.write(recoding(request, keys, dict.fromkeys(keys, 0), [["*"]], columns)))
    kinds = bench.server.rows(
        f"SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attnum > 0 AND attrelid = '{bench.quoted('Release')}'::regclass"
        " ORDER BY attnum"
    )
    expected = ["text", "numeric(9,3)", "character varying(7)", "character(3)", "integer[]", "interval"]
    assert [kind for (kind,) in kinds] == expected


def test_a_column_that_is_not_there_is_named(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records(3))
    with bench.engine() as engine:
        engine.schema()
        with pytest.raises(UnknownColumnError, match=r"has no column 'idd'. Did you mean 'id'"):
            engine.count(CountRequest(by=("idd",)))


def test_too_many_pairs_of_a_judged_column_are_refused(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records())
    with bench.engine() as engine:
        engine.schema()
        assert engine.count(CountRequest(by=(FLAG,), judged=(ID,), most=400)).held[0].num_rows == 400
        with pytest.raises(UnsatisfiableError, match="hold more than 399 values of id"):
            engine.count(CountRequest(by=(FLAG,), judged=(ID,), most=399))


def test_the_setting_of_combinations_takes_the_place_of_those_of_a_request(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records())
    with bench.engine(combinations="2") as engine:
        engine.schema()
        with pytest.raises(UnsatisfiableError, match="3 combinations, more than the 2 that are fetched"):
            engine.count(CountRequest(by=(FLAG,)))


def test_the_column_with_most_values_is_named_also_where_the_server_sorts_to_group(bench: PostgreSQLBench) -> None:
    """The first rows in the order of the columns have one value of the first, and many of the second."""
    ages, towns = [place % 50 for place in range(200)], [f"town {place % 4}" for place in range(200)]
    bench.fill(pa.table({"town": towns, "age": pa.array(ages, pa.int64()), "many": pa.array(range(200), pa.int64())}))
    with bench.engine() as engine:
        engine.schema()
        engine._connection._connection.execute("SET LOCAL enable_hashagg = off")
        with pytest.raises(UnsatisfiableError, match=r"Most values have age \(50 values\), town \(4 values\)"):
            engine.count(CountRequest(by=("town", "age"), most=20))


# Queries


def test_a_query_is_read_like_a_table(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records())
    query = f"""SELECT {ID}, '100%' AS "a;b", "{FLAG}" AS "{FLAG}", "{TEXT}" FROM {bench.quoted("the people")} WHERE {ID} < 10 ; """
    with bench.engine(query=query) as engine:
        assert engine.schema().names == [ID, "a;b", FLAG, TEXT]
        engine.publish(staged(engine))
    assert sorted(bench.released() or []) == [("all", number) for number in range(10)]


def test_a_query_may_end_in_a_comment_and_begin_with_a_table_expression(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records())
    query = f'WITH p AS (SELECT * FROM {bench.quoted("the people")}) SELECT {ID}, "{FLAG}", "{TEXT}" FROM p -- all'
    with bench.engine(query=query) as engine:
        engine.publish(staged(engine))
    assert len(bench.released() or []) == 400


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT 1 AS a; DROP TABLE {people}", "is no SELECT that PostgreSQL reads"),
        ("SELECT 1 AS a; COMMIT", "is no SELECT that PostgreSQL reads"),
        ("DELETE FROM {people} RETURNING id", "is no SELECT that PostgreSQL reads"),
        ("WITH gone AS (DELETE FROM {people} RETURNING *) SELECT * FROM gone", "was refused|does what a view cannot"),
        ("SELECT * INTO other FROM {people}", "was refused|does what a view cannot"),
        ("SELEKT 1", "is no SELECT that PostgreSQL reads"),
        ("", "is no SELECT that PostgreSQL reads"),
        ("SELECT * FROM nowhere", "names a table that is not there"),
        ("SELECT nobody FROM {people}", "names a column that is not there"),
        ("SELECT id, id FROM {people}", "gives two columns one name"),
        ("SELECT '\0'", "holds the character U\\+0000"),
        ("SELECT '\ud800'", "is no Unicode"),
    ],
)
def test_a_query_that_is_no_select_is_refused(bench: PostgreSQLBench, query: str, message: str) -> None:
    bench.fill(hard_records())
    with (
        bench.engine(query=query.format(people=bench.quoted("the people"))) as engine,
        pytest.raises(UsageError, match=message) as caught,
    ):
        engine.schema()
    assert caught.value.exit_status == 2
    assert len(bench.server.rows(f"SELECT FROM {bench.quoted('the people')}")) == 400


@pytest.mark.parametrize("way", ["query", "view"])
def test_a_query_or_view_that_writes_is_refused_and_has_not_written(bench: PostgreSQLBench, way: str) -> None:
    bench.fill(hard_records())
    people, spy = bench.quoted("the people"), bench.quoted("spy")
    query = f"SELECT *, {spy}() AS x FROM {people}"
    bench.server.run(
        f"CREATE FUNCTION {spy}() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN DELETE FROM {people}; RETURN 1; END $$",
        f"CREATE VIEW {bench.quoted('seen')} AS {query}",
    )
    given = {"query": query} if way == "query" else {"table": bench.quoted("seen")}
    with PostgreSQL(bench.server.url, release="r", **given) as engine:
        assert engine.schema().names[-1] == "x"
        with pytest.raises(UsageError, match="writes to the database") as caught:
            engine.count(CountRequest(by=("x",)))
    assert ("The query" in str(caught.value)) == (way == "query")
    assert len(bench.server.rows(f"SELECT FROM {people}")) == 400


def test_a_query_that_locks_rows_is_refused(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records())
    with bench.engine(query=f"SELECT * FROM {bench.quoted('the people')} FOR UPDATE") as engine:
        engine.schema()
        with pytest.raises(UsageError, match="or locks rows"):
            engine.count(CountRequest(by=(FLAG,)))


def test_a_query_that_fails_on_a_value_does_not_show_it(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records())
    query = f'SELECT CAST("{TEXT}" AS integer) AS n FROM {bench.quoted("the people")}'
    with bench.engine(query=query) as engine:
        engine.schema()
        with pytest.raises(InputError, match=r"cannot be computed for one of its rows \(SQLSTATE 22P02\)") as caught:
            engine.count(CountRequest(by=("n",)))
    assert "Neil" not in str(caught.value)


def test_a_table_and_a_query_at_once_or_neither_are_refused() -> None:
    for given in ({}, {"table": "a", "query": "SELECT 1"}):
        with pytest.raises(UsageError, match="is a table or a query"):
            PostgreSQL("postgresql://localhost/d", release="r", **given)


# Leaks


def test_no_value_is_written_to_the_log_of_the_server(bench: PostgreSQLBench) -> None:
    draw = [f"sentinel{number}" for number in range(40)]
    numbers = [777000111 + number for number in range(40)]
    records = pa.table(
        {"city": draw, "age": numbers, "illness": [f"secret{number % 7}" for number in range(40)], "id": range(40)}
    )
    with bench.server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {bench.quoted('the people')} (city text, age bigint, illness text, id bigint)")
        with cursor.copy(f"COPY {bench.quoted('the people')} FROM STDIN") as copy:
            for row in records.to_pylist():
                copy.write_row(tuple(row.values()))
    request = CountRequest(
        by=("city", "age"),
        judged=("illness",),
        passed=("illness", "id"),
        lacking=(Lacking(column="illness", marks=("",)),),
    )
    with bench.engine() as engine:
        engine.schema()
        counted = engine.count(request)
        classes = pa.table(
            {"class_id": list(range(40)), "city": [f"{city}.." for city in counted.combinations["by_1"].to_pylist()]}
        )
        mapping = pa.table({"key": counted.combinations["key"], "class_id": list(range(40))})
        columns = (ReleasedColumn("city", text="city"), ReleasedColumn("illness", source="illness"))
        written = engine.write(RecordRecoding(request=request, mapping=mapping, classes=classes, columns=columns))
        engine.recount(written, CountRequest(by=("city",), judged=("illness",), passed=("illness",)))
        engine.publish(written)
    with bench.engine(combinations="3", replace=True) as engine, pytest.raises(UnsatisfiableError) as caught:
        engine.schema()
        engine.count(request)
    log = bench.server.log
    assert "CREATE TEMPORARY TABLE" in log
    for secret in ("sentinel", "777000", "secret"):
        assert secret not in log
        assert secret not in str(caught.value)
    assert sorted(row[1] for row in bench.released() or []) == sorted(records["illness"].to_pylist())


def test_a_label_that_the_database_cannot_write_is_shown_nowhere(postgres: Server) -> None:
    with database(postgres, "latin", "ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0") as url:
        with PostgreSQL(url, table="people", release="r") as engine:
            engine.schema()
            counted = engine.count(CountRequest(by=("q",)))
            mapping = pa.table({"key": counted.combinations["key"], "class_id": pa.array([0])})
            classes = pa.table({"class_id": [0], "q": ["sentinel \u2603"]})
            recode = RecordRecoding(
                request=CountRequest(by=("q",)),
                mapping=mapping,
                classes=classes,
                columns=(ReleasedColumn("q", text="q"),),
            )
            with pytest.raises(OutputError, match="a label has a character that the encoding of the database lacks"):
                engine.write(recode)
        assert counted.combinations["by_1"].to_pylist() == ["caf\u00e9"]
    assert "sentinel" not in postgres.log


@contextmanager
def database(server: Server, name: str, options: str) -> Iterator[str]:
    import psycopg

    server.run(f"CREATE DATABASE {name} {options}")
    try:
        with psycopg.connect(server.url_of(database=name), autocommit=True) as connection:
            connection.execute("CREATE TABLE people (q text)")
            connection.execute("INSERT INTO people VALUES (chr(99) || chr(97) || chr(102) || chr(233))")
        yield server.url_of(database=name)
    finally:
        server.run(f"DROP DATABASE {name} WITH (FORCE)")


def test_a_release_is_counted_by_what_it_holds_and_not_by_what_was_to_be_written(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records())
    with bench.engine() as engine:
        written = staged(engine)
        connection: Any = engine._connection._connection
        connection.execute(f"UPDATE {bench.quoted(written.name)} SET label = 'other' WHERE {ID} < 5")
        counted = engine.recount(written, CountRequest(by=("label",), passed=(ID,))).combinations
    assert {row[1]: row[3] for row in rows_of(counted)} == {"all": 395, "other": 5}
