"""A MariaDB server as a place where an engine is tried: names that need quotes, values sent by PyMySQL alone."""

from __future__ import annotations

import math
import secrets
from datetime import datetime
from typing import Any, Literal

import pyarrow as pa
from engines.contract import ILLNESS
from helpers.mariadb_server import MariaDB

from toolbox.engines.engine import Engine, Staged
from toolbox.engines.mysql.engine import MySQL

TYPES = {
    pa.string(): "varchar(99)",
    pa.int64(): "bigint",
    pa.float64(): "double",
    pa.date32(): "date",
    pa.timestamp("us"): "datetime(6)",
    pa.decimal128(18, 2): "decimal(18, 2)",
}
TABLE, RELEASE = "the `people`", "Release %s"


class MariaDBBench:
    """A database of its own on a server, whose texts are compared without regard to capital letters."""

    def __init__(self, server: MariaDB) -> None:
        self.server = server
        self.database = f'Bench "{secrets.token_hex(4)}" %s.'
        self.run(f"CREATE DATABASE {quoted(self.database)} COLLATE utf8mb4_general_ci")

    def close(self) -> None:
        self.run(f"DROP DATABASE {quoted(self.database)}")

    def run(self, statement: str, rows: list[tuple[Any, ...]] | None = None) -> None:
        with self.server.connect() as connection, connection.cursor() as cursor:
            cursor.execute("SET SESSION sql_mode = 'STRICT_ALL_TABLES'")
            if rows is None:
                cursor.execute(statement)
            else:
                cursor.executemany(statement, rows)

    def named(self, name: str) -> str:
        return f"{quoted(self.database)}.{quoted(name)}"

    def fill(self, records: pa.Table) -> pa.Table:
        kept = keep(records)
        columns = [f"{quoted(each.name)} {self._choose_type(each)}" for each in kept.schema]
        self.run(f"CREATE OR REPLACE TABLE {self.named(TABLE)} ({', '.join(columns)})")
        marks = ", ".join(["%s"] * kept.num_columns)
        rows = [tuple(row.values()) for row in kept.to_pylist()]
        if rows:
            self.run(f"INSERT INTO {self.named(TABLE).replace('%', '%%')} VALUES ({marks})", rows)
        return kept

    def _choose_type(self, of: pa.Field) -> str:
        return "text" if of.name == ILLNESS else TYPES[of.type]

    def engine(
        self, *, replace: bool = False, query: str | None = None, url: str | None = None, **settings: str
    ) -> MySQL:
        return MySQL(
            url or self.server.url,
            table=self.written(TABLE) if query is None else None,
            query=query,
            release=self.written(RELEASE),
            replace=replace,
            settings=settings,
        )

    def written(self, name: str) -> str:
        """Return a name as a configuration writes it."""
        return ".".join('"' + part.replace('"', '""') + '"' for part in (self.database, name))

    def tables(self) -> set[str]:
        found = "SELECT table_name FROM information_schema.tables WHERE table_schema = %s"
        return {name for (name,) in self.server.rows(found, [self.database])}

    def released(self) -> list[tuple[Any, ...]] | None:
        if RELEASE not in self.tables():
            return None
        with self.server.connect() as connection, connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {self.named(RELEASE)}")
            return list(cursor.fetchall())

    def spoil(self, engine: Engine, staged: Staged, how: Literal["double", "lose"]) -> None:
        assert isinstance(engine, MySQL)
        part = self.named(staged.name)
        double, lose = f"INSERT INTO {part} SELECT * FROM {part} LIMIT 30", f"DELETE FROM {part} LIMIT 30"
        engine._connection.run(double if how == "double" else lose, doing="writing the release")


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def keep(records: pa.Table) -> pa.Table:
    """Return records as MariaDB can hold them: truth values as 0 and 1, moments without a zone, no NaN and
    infinity, and -0, which no statement can name, as 0.
    """
    for place, each in enumerate(records.schema):
        values = records.column(place).to_pylist()
        if pa.types.is_boolean(each.type):
            column = pa.array([None if value is None else int(value) for value in values], pa.int64())
        elif pa.types.is_floating(each.type):
            column = pa.array([value + 0.0 if value is not None and math.isfinite(value) else None for value in values])
            column = column.cast(pa.float64())
        elif pa.types.is_timestamp(each.type):
            naive = [value.replace(tzinfo=None) if isinstance(value, datetime) else None for value in values]
            column = pa.array(naive, pa.timestamp("us"))
        else:
            continue
        records = records.set_column(place, each.name, column)
    return records
