"""Names stand in statements as names, whatever they hold, and the server reads them so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from engines.postgresql_bench import PostgreSQLBench
from sqlalchemy import Column, MetaData, Table, Text, column, select

from toolbox.engines.postgresql.connection import PostgresConnection
from toolbox.engines.postgresql.tables import (
    Analyze,
    CopyIn,
    CopyOut,
    DropView,
    TableAs,
    ViewOf,
    _GivenQuery,
    _Grant,
    _RenameTable,
)

HOSTILE = ['say "hi"', "100% %s %%", "a.b; DROP TABLE x --", "select", "UPPER", "größe", "a:b", "back\\slash", "it's"]
READING = "reading the input"


@pytest.fixture
def connection(bench: PostgreSQLBench) -> Iterator[PostgresConnection]:
    made = PostgresConnection(bench.server.url, name="people", settings={})
    yield made
    made.close()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_read_as_it_is(bench: PostgreSQLBench, connection: PostgresConnection, name: str) -> None:
    first = Table(name, MetaData(), Column(name, Text), Column("n", Text), schema="pg_temp")
    one = Table("one", MetaData(), Column("a"), Column("b"), schema="pg_temp")
    connection.run(ViewOf(one, "SELECT 'it''s' AS a, null AS b"), doing=READING)
    rows = select(one.c.a.label(name), one.c.b.label("n"))
    connection.run(TableAs(first, rows, is_temporary=True), doing=READING)
    connection.run(Analyze(first), doing=READING)
    connection.copy_in(CopyIn(first), [b"\\N\tsecond\n"], doing=READING)
    out = CopyOut(select(first.c[name].label(name), first.c.n), [name])
    assert b"".join(connection.copy_out(out, doing=READING)) == b'"it\'s",\n,second\n'
    assert connection.columns(select(first), doing=READING)[0][0] == name
    connection.run(DropView(one), doing=READING)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_table_gets_a_name_and_a_role_a_right(
    bench: PostgreSQLBench, connection: PostgresConnection, name: str
) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    bench.server.run(f"CREATE ROLE {quoted}")
    try:
        old = Table("old", MetaData(), schema=bench.schema)
        bench.server.run(f"CREATE TABLE {bench.quoted('old')} (a text)")
        connection.run(_Grant(old, "SELECT", name, may_grant=True), doing=READING)
        connection.run(_Grant(old, "UPDATE", None, may_grant=False), doing=READING)
        connection.run(_RenameTable(old, name), doing=READING)
        connection.commit(doing=READING)
        ((rights,),) = bench.server.rows(
            "SELECT relacl::text FROM pg_class WHERE relname = %s AND relnamespace = %s::regnamespace",
            [name, bench.quoted("x").rpartition(".")[0]],
        )
        assert "=r*/keeper" in rights
        assert "{=w/keeper" in rights or ",=w/keeper" in rights
    finally:
        bench.server.run(f"DROP OWNED BY {quoted}", f"DROP ROLE {quoted}")


def test_a_query_is_selected_from_in_the_words_of_its_author(connection: PostgresConnection) -> None:
    given = _GivenQuery("SELECT ':x' AS \"a:b\", '100%' AS c, 'it''s'::text AS d -- and a comment")
    selected = select(column("a:b"), column("c"), column("d")).select_from(given)
    assert connection.rows(selected, doing=READING) == [(":x", "100%", "it's")]


def test_an_empty_table_has_the_columns_of_its_select(connection: PostgresConnection) -> None:
    view = Table("one", MetaData(), Column("a"), schema="pg_temp")
    connection.run(ViewOf(view, "SELECT 1 AS a"), doing=READING)
    made = Table("made", MetaData(), Column("a"), schema="pg_temp")
    connection.run(TableAs(made, select(view.c.a), is_temporary=True, is_empty=True), doing=READING)
    assert connection.rows(select(made.c.a), doing=READING) == []
    assert connection.columns(select(made), doing=READING) == [("a", 23, None, None)]
