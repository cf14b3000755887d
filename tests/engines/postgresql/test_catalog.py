"""What stands in the way of a run is found before it begins, and named with its remedy."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from engines.contract import FLAG, ID, hard_records, recoding, rows_of
from engines.postgresql_bench import PostgreSQLBench
from helpers.postgres_server import Server

from toolbox.engines.engine import CountRequest
from toolbox.engines.postgresql.engine import PostgreSQL
from toolbox.errors import InputError, OutputError, UsageError
from toolbox.treatments.treatment import ReleasedColumn

LIMITED = "limited"


@pytest.mark.slow
def test_a_table_that_is_not_there_is_refused_with_the_nearest(bench: PostgreSQLBench) -> None:
    bench.server.run(f"CREATE TABLE {bench.quoted('people_2020')} (a text)")
    with (
        PostgreSQL(bench.server.url, table=bench.quoted("people_2021"), release="r") as engine,
        pytest.raises(
            InputError, match=r"There is no table .*people_2021 in the database. Did you mean '.*people_2020'"
        ) as caught,
    ):
        engine.schema()
    assert caught.value.exit_status == 4


@pytest.mark.slow
def test_a_name_without_a_schema_is_looked_for_in_the_search_path(postgres: Server) -> None:
    postgres.run("DROP TABLE IF EXISTS villages", "CREATE TABLE villages (name text)")
    with PostgreSQL(postgres.url, table="VILLAGES", release="r") as engine:
        assert engine.schema().names == ["name"]
    with (
        PostgreSQL(postgres.url, table="vilages", release="r") as engine,
        pytest.raises(InputError, match="Did you mean 'villages'"),
    ):
        engine.schema()


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "made"), [
    ("view", "CREATE VIEW {} AS SELECT 1 AS a"),
    ("materialised view", "CREATE MATERIALIZED VIEW {} AS SELECT 1 AS a"),
    ("partitioned table", "CREATE TABLE {} (a integer) PARTITION BY LIST (a)"),
])  # fmt: skip
def test_whatever_can_be_read_like_a_table_is_an_input_and_no_release(
    bench: PostgreSQLBench, kind: str, made: str
) -> None:
    name = bench.quoted("made")
    bench.server.run(made.format(name), f"CREATE TABLE {bench.quoted('other')} (a integer)")
    with PostgreSQL(bench.server.url, table=name, release="r") as engine:
        assert engine.schema().names == ["a"]
    with (
        PostgreSQL(bench.server.url, table=bench.quoted("other"), release=name, replace=True) as engine,
        pytest.raises(OutputError, match="is there, and is no plain table"),
    ):
        engine.schema()


def test_an_index_is_no_input(bench: PostgreSQLBench) -> None:
    bench.server.run(f"CREATE TABLE {bench.quoted('t')} (a integer)", f"CREATE INDEX made ON {bench.quoted('t')} (a)")
    with (
        PostgreSQL(bench.server.url, table=bench.quoted("made"), release="r") as engine,
        pytest.raises(InputError, match="neither a table nor a view"),
    ):
        engine.schema()


def test_a_release_never_takes_the_place_of_its_input(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records(3))
    table = bench.quoted("the people")
    with (
        PostgreSQL(bench.server.url, table=table, release=table, replace=True) as engine,
        pytest.raises(OutputError, match="is the input, and would be lost"),
    ):
        engine.schema()


def test_a_schema_that_is_not_there_is_named(bench: PostgreSQLBench) -> None:
    bench.fill(hard_records(3))
    table = bench.quoted("the people")
    with (
        PostgreSQL(bench.server.url, table=table, release="publik.r") as engine,
        pytest.raises(OutputError, match=r"no schema publik. Did you mean 'public'"),
    ):
        engine.schema()


@pytest.fixture
def limited(bench: PostgreSQLBench) -> Iterator[str]:
    """Give a role the least rights of the documentation, in a database where nobody has more."""
    bench.fill(hard_records())
    schema = bench.quoted("x").rpartition(".")[0]
    bench.server.run(
        f"CREATE ROLE {LIMITED} LOGIN PASSWORD '{bench.server.password}'",
        "REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC",
        f"GRANT TEMPORARY ON DATABASE postgres TO {LIMITED}",
        f"GRANT USAGE ON SCHEMA {schema} TO {LIMITED}",
        f"GRANT SELECT ON {bench.quoted('the people')} TO {LIMITED}",
        "CREATE SCHEMA released",
        f"GRANT USAGE, CREATE ON SCHEMA released TO {LIMITED}",
    )
    yield bench.server.url_of(LIMITED)
    bench.server.run(
        "DROP SCHEMA released CASCADE",
        f"DROP OWNED BY {LIMITED}",
        f"DROP ROLE {LIMITED}",
        "GRANT TEMPORARY ON DATABASE postgres TO PUBLIC",
    )


def engine_of(bench: PostgreSQLBench, url: str, *, replace: bool = False) -> PostgreSQL:
    return PostgreSQL(url, table=bench.quoted("the people"), release="released.r", replace=replace)


def test_the_least_rights_are_enough(bench: PostgreSQLBench, limited: str) -> None:
    request = CountRequest(by=(FLAG,), passed=(ID,))
    columns = (ReleasedColumn("label", text="text_0"), ReleasedColumn(ID, source=ID))
    for replace in (False, True):
        with engine_of(bench, limited, replace=replace) as engine:
            engine.schema()
            keys = {row[1:2]: row[0] for row in rows_of(engine.count(request).combinations)}
            engine.publish(engine.write(recoding(request, keys, dict.fromkeys(keys, 0), [["*"]], columns)))
    assert bench.server.rows("SELECT count(*) FROM released.r") == [(400,)]


@pytest.mark.parametrize(
    ("taken", "kind", "message"),
    [
        (
            "SELECT ON {table}",
            InputError,
            'the people": you may not read it. The right SELECT is needed on all its columns',
        ),
        ("USAGE ON SCHEMA {schema}", InputError, "you may not read it. .* USAGE on its schema"),
        (
            "CREATE ON SCHEMA released",
            OutputError,
            "may not create tables in the schema released. Ask for the right CREATE",
        ),
        ("TEMPORARY ON DATABASE postgres", OutputError, "may not create temporary tables. Ask for the right TEMPORARY"),
    ],
)
def test_a_right_that_lacks_is_named(
    bench: PostgreSQLBench, limited: str, taken: str, kind: type[Exception], message: str
) -> None:
    schema = bench.quoted("x").rpartition(".")[0]
    bench.server.run(f"REVOKE {taken.format(table=bench.quoted('the people'), schema=schema)} FROM {LIMITED}")
    with engine_of(bench, limited) as engine, pytest.raises(kind, match=message):
        engine.schema()


def test_a_query_of_what_one_may_not_read_is_refused(bench: PostgreSQLBench, limited: str) -> None:
    bench.server.run(f"CREATE TABLE {bench.quoted('closed')} (a integer)")
    query = f"SELECT * FROM {bench.quoted('closed')}"
    with (
        PostgreSQL(limited, query=query, release="released.r") as engine,
        pytest.raises(UsageError, match="The query reads what you may not read"),
    ):
        engine.schema()
        engine.count(CountRequest(by=("a",)))


def test_a_query_of_the_columns_that_one_may_read_is_enough(bench: PostgreSQLBench, limited: str) -> None:
    table = bench.quoted("the people")
    bench.server.run(
        f"REVOKE SELECT ON {table} FROM {LIMITED}", f'GRANT SELECT ({ID}, "{FLAG}") ON {table} TO {LIMITED}'
    )
    with PostgreSQL(limited, query=f'SELECT {ID}, "{FLAG}" FROM {table}', release="released.r") as engine:
        engine.schema()
        assert engine.count(CountRequest(by=(FLAG,))).combinations.num_rows == 3


def test_the_release_of_another_role_is_not_replaced(bench: PostgreSQLBench, limited: str) -> None:
    bench.server.run("CREATE TABLE released.r (a integer)")
    with engine_of(bench, limited, replace=True) as engine, pytest.raises(OutputError, match="belongs to another role"):
        engine.schema()
