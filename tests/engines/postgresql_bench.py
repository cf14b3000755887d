"""A PostgreSQL server as a place where an engine is tried: names that need quotes, values sent by psycopg alone."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import Any, Literal

import pyarrow as pa
from engines.contract import FLAG, ID, TEXT, recoding, rows_of
from helpers.postgres_server import Server

from toolbox.engines.engine import CountRequest, Engine, Staged
from toolbox.engines.postgresql.engine import PostgreSQL
from toolbox.treatments.treatment import ReleasedColumn

with suppress(ImportError):  # the fixture of the server says so
    from psycopg import sql

REQUEST = CountRequest(by=(FLAG,), judged=(TEXT,), passed=(ID, TEXT))
UNJUDGED = CountRequest(by=(FLAG,), passed=(ID, TEXT))
COLUMNS = (ReleasedColumn("label", text="text_0"), ReleasedColumn(ID, source=ID))
TYPES = {
    pa.string(): "text",
    pa.int64(): "bigint",
    pa.float64(): "double precision",
    pa.date32(): "date",
    pa.timestamp("us"): "timestamp",
    pa.timestamp("us", "UTC"): "timestamptz",
    pa.bool_(): "boolean",
    pa.decimal128(18, 2): "numeric(18, 2)",
}


class PostgreSQLBench:
    """A schema of its own on a server."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.schema = f'Bench "{secrets.token_hex(4)}" %s.'
        self.input = sql.Identifier(self.schema, "the people")
        self.release = sql.Identifier(self.schema, "Release")
        self._run(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(self.schema)))

    def close(self) -> None:
        self._run(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(self.schema)))

    def _run(self, statement: sql.Composed) -> None:
        with self.server.connect() as connection:
            connection.execute(statement)

    def quoted(self, name: str) -> str:
        schema = self.schema.replace('"', '""')
        return f'"{schema}"."{name}"'

    def fill(self, records: pa.Table) -> pa.Table:
        columns = [
            sql.SQL("{} {}").format(sql.Identifier(field.name), sql.SQL(TYPES[field.type])) for field in records.schema
        ]
        names = sql.SQL(", ").join(columns)
        with self.server.connect() as connection, connection.cursor() as cursor:
            cursor.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(self.input))
            cursor.execute(sql.SQL("CREATE TABLE {} ({})").format(self.input, names))
            with cursor.copy(sql.SQL("COPY {} FROM STDIN").format(self.input)) as copy:
                for row in records.to_pylist():
                    copy.write_row(tuple(row.values()))
        return records

    def engine(
        self, *, replace: bool = False, query: str | None = None, url: str | None = None, **settings: str
    ) -> PostgreSQL:
        return PostgreSQL(
            url or self.server.url,
            table=self.quoted("the people") if query is None else None,
            query=query,
            release=self.quoted("Release"),
            replace=replace,
            settings=settings,
        )

    def released(self) -> list[tuple[Any, ...]] | None:
        with self.server.connect() as connection:
            there = connection.execute("SELECT to_regclass(%s) IS NOT NULL", [self.quoted("Release")]).fetchone()
            if there == (False,):
                return None
            return list(connection.execute(sql.SQL("SELECT * FROM {}").format(self.release)).fetchall())

    def spoil(self, engine: Engine, staged: Staged, how: Literal["double", "lose"]) -> None:
        assert isinstance(engine, PostgreSQL)
        table = sql.Identifier(self.schema, staged.name)
        part = sql.SQL("ctid IN (SELECT ctid FROM {} LIMIT 30)").format(table)
        double = sql.SQL("INSERT INTO {} SELECT * FROM {} WHERE {}").format(table, table, part)
        lose = sql.SQL("DELETE FROM {} WHERE {}").format(table, part)
        engine._connection._connection.execute(double if how == "double" else lose)


def staged(engine: PostgreSQL, label: str = "all") -> Staged:
    """Count the input, and write all of it as one class."""
    engine.schema()
    return write_all(engine, REQUEST, label)


def write_all(engine: Engine, request: CountRequest = UNJUDGED, label: str = "all") -> Staged:
    """Count the input of an engine that has been asked for its schema, and write all of it as one class."""
    keys = {row[1:2]: row[0] for row in rows_of(engine.count(request).combinations)}
    return engine.write(recoding(request, keys, dict.fromkeys(keys, 0), [[label]], COLUMNS))
