"""An engine that is a DuckDB of its own: what the contract of engines asks, in the plainest way."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

import duckdb
import pyarrow as pa
from sqlalchemy import literal_column
from sqlalchemy.dialects import postgresql

from toolbox.engines.engine import (
    CountedPersons,
    CountedRecords,
    CountRequest,
    Lacking,
    RecordRecoding,
    Staged,
    make_combinations_error,
)
from toolbox.errors import InputError, OutputError
from toolbox.treatments.treatment import ReleasedColumn

INPUT, RELEASE, STAGED = "people", "release", "staged"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class DuckEngine:
    """Holds the table ``people`` and gets the table ``release``, in one transaction."""

    name = "the table people"
    keeps_order = False
    counts_persons = True

    def __init__(
        self, database: duckdb.DuckDBPyConnection, *, replace: bool = False, people: str = INPUT, release: str = RELEASE
    ) -> None:
        self.database = database
        self.replace = replace
        self._people, self._release = people, release
        self.calls: list[str] = []

    @classmethod
    def of(cls, table: pa.Table, **options: bool) -> Self:
        """Return an engine with a table of its own."""
        database = duckdb.connect()
        database.execute("SET TimeZone = 'UTC'")
        database.register("given", table)
        database.execute(f"CREATE TABLE {INPUT} AS FROM given")
        database.unregister("given")
        return cls(database, **options)

    def __enter__(self) -> Self:
        self.database.execute("BEGIN")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if "publish" not in self.calls:
            self.database.execute("ROLLBACK")

    def schema(self) -> pa.Schema:
        self.calls.append("schema")
        if self._exists(self._release) and not self.replace:
            raise OutputError("There is a release.")
        if not self._exists(self._people):
            raise InputError("There are no people.")
        return self.database.sql(f"FROM {quoted(self._people)} LIMIT 0").to_arrow_table().schema

    def _exists(self, name: str) -> bool:
        return self.database.execute(
            "SELECT count(*) FROM duckdb_tables() WHERE table_name = ?", [name]
        ).fetchone() != (0,)

    def count(self, request: CountRequest) -> CountedRecords:
        self.calls.append("count")
        return self._counted(quoted(self._people), request)

    def recount(self, staged: Staged, request: CountRequest) -> CountedRecords:
        self.calls.append("recount")
        return self._counted(staged.name, request)

    def write(self, recoding: RecordRecoding) -> Staged:
        self.calls.append("write")
        columns = ", ".join(
            f"{_show(column, 'p.')} AS {quoted(column.header)}"
            if column.source is not None
            else f"c.{quoted(str(column.text))} AS {quoted(column.header)}"
            for column in recoding.columns
        )
        if recoding.person is not None:
            columns += f", {_person(recoding.request, 'p.')} AS {quoted(recoding.person)}"
        self.database.register("mapping", recoding.mapping)
        self.database.register("classes", recoding.classes)
        self.database.execute(
            f"CREATE TABLE {STAGED} AS SELECT {columns} FROM {quoted(self._people)} p JOIN mapping m ON m.key = {_key(recoding.request, 'p.')} "
            f"JOIN classes c USING (class_id) WHERE NOT {_unusable(recoding.request, 'p.')}"
        )
        return Staged(STAGED)

    def remove_column(self, staged: Staged, header: str) -> Staged:
        self.calls.append("remove_column")
        self.database.execute(f"ALTER TABLE {staged.name} DROP COLUMN {quoted(header)}")
        return staged

    def publish(self, staged: Staged) -> None:
        self.calls.append("publish")
        self.database.execute(f"DROP TABLE IF EXISTS {quoted(self._release)}")
        self.database.execute(f"ALTER TABLE {staged.name} RENAME TO {quoted(self._release)}")
        self.database.execute("COMMIT")

    def discard(self, staged: Staged) -> None:
        self.database.execute(f"DROP TABLE {staged.name}")

    def released(self) -> pa.Table:
        """Return what was published."""
        return self.database.sql(f"FROM {quoted(self._release)}").to_arrow_table()

    def _counted(self, table: str, request: CountRequest) -> CountedRecords:
        key, unusable = _key(request), _unusable(request)
        by = [f"{quoted(name)} AS by_{index}" for index, name in enumerate(request.by, start=1)]
        names = [quoted(name) for name in request.by]
        groups = ", ".join([key, *names])
        sums = ", ".join(_sum(request, shift) for shift in (0, 32))
        persons = (
            f", count(DISTINCT coalesce({_person(request)}::VARCHAR, 'nobody')) AS persons" if request.person else ""
        )
        rows = f"SELECT {key} AS key, {', '.join(by)}, false AS unusable, count(*) AS size, {sums}{persons}"
        combinations = self.database.sql(f"{rows} FROM {table} WHERE NOT {unusable} GROUP BY {groups}").to_arrow_table()
        if combinations.num_rows > request.most:
            values = {name: self._one(f"SELECT count(DISTINCT {quoted(name)}) FROM {table}") for name in request.by}
            raise make_combinations_error(self.name, combinations.num_rows, request.most, values)
        held = []
        for name in request.judged:
            grouped = f"SELECT {key} AS key, {quoted(name)} AS value, count(*) AS size{persons} FROM {table} WHERE NOT {unusable}"
            held.append(self.database.sql(f"{grouped} GROUP BY ALL").to_arrow_table())
        names = [
            "key",
            *(f"by_{index}" for index, _ in enumerate(request.by, start=1)),
            "unusable",
            "size",
            "sum_1",
            "sum_2",
            *(["persons"] if request.person else []),
        ]
        persons = self._count_persons(table, request)
        counted = CountedRecords(combinations.rename_columns(names), tuple(held), persons)
        return counted.add_unusable(self._one(f"SELECT count(*) FROM {table} WHERE {unusable}"))

    def _count_persons(self, table: str, request: CountRequest) -> CountedPersons | None:
        if not request.person:
            return None
        each = f"SELECT {_person(request)} AS who, count(DISTINCT {_key(request)}) AS keys, count(*) AS size"
        counted = f"({each} FROM {table} WHERE NOT {_unusable(request)} GROUP BY {_person(request)})"
        numbers = "count(*), count_if(keys > 1), sum(size) FILTER (who IS NULL), max(keys) FILTER (who IS NULL)"
        found = self.database.sql(f"SELECT {numbers} FROM {counted}").fetchone()
        assert found is not None
        return CountedPersons(found[0], found[1], int(found[2] or 0), (found[3] or 0) > 1)

    def _one(self, query: str) -> Any:
        found = self.database.sql(query).fetchone()
        assert found is not None
        return found[0]


def _key(request: CountRequest, alias: str = "") -> str:
    values = ", ".join(alias + quoted(name) for name in request.by)
    return f"(hash({request.salt}, {values}) // 2)::BIGINT"


def _show(column: ReleasedColumn, alias: str = "") -> str:
    """Write the value of a column that is released record by record; DuckDB reads what PostgreSQL does."""
    name = alias + quoted(str(column.source))
    if column.is_unmodified:
        return name
    treated = column.select_in_postgresql(literal_column(name))
    written = treated.compile(dialect=postgresql.dialect(paramstyle="named"), compile_kwargs={"literal_binds": True})
    # DuckDB takes NUMERIC for a type of three decimals.
    sql = str(written).replace("AS NUMERIC)", "AS DECIMAL(38, 9))")
    # The literal columns have no type, to which a treatment could return.
    return f"cast_to_type({sql}, {name})" if column.treatment.keeps_type else sql


def _unusable(request: CountRequest, alias: str = "") -> str:
    return _lacks(request.lacking, alias)


def _person(request: CountRequest, alias: str = "") -> str:
    """Write the number of the person of a record, null where a value lacks."""
    values = ", ".join(alias + quoted(each.column) for each in request.person)
    return f"CASE WHEN NOT {_lacks(request.person, alias)} THEN hash({request.secret}, {values}) END"


def _lacks(columns: Sequence[Lacking], alias: str) -> str:
    tests = ["false"]
    for lacking in columns:
        name = alias + quoted(lacking.column)
        marks = ", ".join("'" + mark.replace("'", "''") + "'" for mark in lacking.marks)
        tests.append(
            f"{name} IS NULL" + (f" OR typeof({name}) = 'VARCHAR' AND {name}::VARCHAR IN ({marks})" if marks else "")
        )
    return "(" + " OR ".join(tests) + ")"


def _sum(request: CountRequest, shift: int) -> str:
    if not request.passed:
        return "0::BIGINT"
    row = ", ".join(_show(request.treated.get(name, ReleasedColumn(name, source=name))) for name in request.passed)
    return f"sum(((hash({row}) >> {shift}) & 4294967295)::BIGINT)::BIGINT"
