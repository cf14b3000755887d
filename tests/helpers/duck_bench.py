"""A DuckDB as a place where an engine is tried: the quickest there is."""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa
from helpers.duck_engine import INPUT, RELEASE, DuckEngine


class DuckBench:
    """A database of its own.

    Parameters
    ----------
    double : type of DuckEngine
        A mutant takes the place of the engine that does as it should.
    """

    def __init__(self, double: type[DuckEngine] = DuckEngine) -> None:
        self._double = double
        self.database = duckdb.connect()
        self.database.execute("SET TimeZone = 'UTC'")

    def fill(self, records: pa.Table) -> pa.Table:
        self.database.register("given", records)
        self.database.execute(f"CREATE OR REPLACE TABLE {INPUT} AS FROM given")
        self.database.unregister("given")
        self.database.execute(f"DROP TABLE IF EXISTS {RELEASE}")
        return records

    def engine(self, *, replace: bool = False) -> DuckEngine:
        return self._double(self.database, replace=replace)

    def tables(self) -> set[str]:
        """Return the names of all tables."""
        return {name for (name,) in self.database.sql("SELECT table_name FROM duckdb_tables()").fetchall()}

    def released(self) -> list[tuple[Any, ...]] | None:
        if RELEASE not in self.tables():
            return None
        table = self.database.sql(f"FROM {RELEASE}").to_arrow_table()
        return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
