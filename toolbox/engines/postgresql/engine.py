"""PostgreSQL as an engine: it holds the records, counts them by their combinations, and gets the release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from sqlalchemy import BigInteger, Column, MetaData, Select, Table, Text, column, select, table, type_coerce
from sqlalchemy.schema import CreateTable, DropTable

from toolbox.engines.engine import (
    CountedRecords,
    CountRequest,
    RecordRecoding,
    ReleasedColumn,
    Staged,
    parse_table_name,
)
from toolbox.engines.postgresql.connection import PostgresConnection
from toolbox.engines.postgresql.tables import (
    Analyze,
    CopyIn,
    CopyOut,
    DropView,
    TableAs,
    ViewOf,
    check_output_place,
    find_input_table,
    make_staged_table,
    put_in_place,
    read_column_types,
    require_headers,
)
from toolbox.engines.postgresql.types import (
    RowHashes,
    as_text,
    encode_copy_rows,
    encode_sent_value,
    make_arrow_field,
    normalise_value,
    read_copy_rows,
)
from toolbox.engines.records import (
    COMBINATIONS,
    Doing,
    Expression,
    ReadTable,
    RowHashing,
    SQLEngine,
    parse_most_combinations,
    select_released_records,
)
from toolbox.errors import UsageError, did_you_mean, quote

if TYPE_CHECKING:
    import pyarrow as pa


# The records of a table of PostgreSQL, with the types of its columns, as they are counted.


@dataclass(frozen=True)
class _PostgresTable(ReadTable):
    """Something that is read, and the types of its columns."""

    is_plain: bool
    """Whether reading it runs nobody's expressions."""
    hashing: ClassVar[RowHashing] = RowHashes()

    def compare(self, name: str) -> Expression:
        return normalise_value(self.table.c[name], self.types[name])

    def field(self, name: str, label: str) -> pa.Field:
        return make_arrow_field(label, self.types[name])

    def release(self, column: ReleasedColumn) -> Expression:
        name = str(column.source)
        return column.select_in_postgresql(type_coerce(self.table.c[name], self.types[name].sql))

    def compare_released(self, column: ReleasedColumn) -> Expression:
        treated = self.release(column)
        of = self.types[str(column.source)]
        return normalise_value(treated, of) if column.treatment.keeps_type else as_text(treated)


# The settings of the engine on PostgreSQL: our own, and those of the server that a run may change.

SERVER_SETTINGS: Final = (
    "work_mem",
    "statement_timeout",
    "lock_timeout",
    "temp_tablespaces",
    "max_parallel_workers_per_gather",
)
"""The settings of the server that a configuration may change, for the transaction of the run."""


def check_server_settings(given: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of the server.

    Raises
    ------
    UsageError
        If one of them is none that may be changed.
    """
    known = (COMBINATIONS, *SERVER_SETTINGS)
    for name in given:
        if name not in known:
            raise UsageError(
                f"There is no setting {quote(name)} of PostgreSQL here.{did_you_mean(name, known)} "
                f"These are: {', '.join(known)}."
            )
    return dict(given)


# PostgreSQL as an engine: it holds the records, and gets the release, in one transaction.
#
# Whatever is asked between `PostgreSQL.schema` and `PostgreSQL.publish` sees the records as they were when it began,
# and the commit is what publishes. What leaves it are counted combinations.

_LONGEST_NAME: Final = 63
_WRITING: Final = "writing the release"
_PUBLISHING: Final = "publishing the release"


class PostgreSQL(SQLEngine):
    """A database that holds the records of one input; see `toolbox.engines.engine.Engine` for the calls.

    Parameters
    ----------
    url : str
        ``postgresql://USER@HOST:PORT/DATABASE?sslmode=verify-full``; the password is found as libpq finds it. To
        another machine the connection is encrypted, or there is none.
    table : str, optional
        The input, as ``schema.table``.
    query : str, optional
        One select in its place. It may not write.
    release : str
        The table that becomes the release, as ``schema.table``. Its columns that pass have the types of the input,
        labels are texts. It takes over the rights that were granted on the table that it replaces, but no indexes.
    replace : bool
        Whether a table by this name is replaced.
    settings : mapping of str to str
        ``combinations``: most combinations that are fetched, in place of those of a request. `SERVER_SETTINGS` as in
        postgresql.conf.

    Raises
    ------
    UsageError
        If these do not fit together.
    """

    def __init__(
        self,
        url: str,
        *,
        table: str | None = None,
        query: str | None = None,
        release: str,
        replace: bool = False,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        if (table is None) == (query is None):
            raise UsageError("The input of a database is a table or a query. Give one of them.")
        self._url = url
        self._table = None if table is None else parse_table_name(table, folded=True)
        self._query = query
        self._release = parse_table_name(release, folded=True)
        self._replace = replace
        given = dict(settings or {})
        self._most = parse_most_combinations(given.pop(COMBINATIONS, None))
        self._settings = check_server_settings(given)
        self.name = "the query" if self._table is None else str(self._table)
        self._numbers = 0
        self._input: _PostgresTable | None = None
        self._open: PostgresConnection | None = None

    def __enter__(self) -> Self:
        self._open = PostgresConnection(self._url, name=self.name, settings=self._settings)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._open is not None:
            self._open.close()

    @property
    def _connection(self) -> PostgresConnection:
        if self._open is None:
            raise RuntimeError("an engine is entered before it is asked")
        return self._open

    def schema(self) -> pa.Schema:
        """Return names and types of the columns of the input; `toolbox.engines.postgresql.types` has the list."""
        import pyarrow as pa

        origin = None
        if self._table is not None:
            relation = find_input_table(self._connection, self._table)
            origin = relation.oid
            self._input = self._described(
                relation.name, relation.schema, doing="reading the input", is_plain=relation.is_plain
            )
        self._release = check_output_place(self._connection, self._release, replace=self._replace, origin=origin)
        if self._query is not None:
            view = self._name_temporary_table("query")
            # What follows the query on its line may be a comment.
            self._connection.run(ViewOf(view, f"{self._query.rstrip().removesuffix(';')}\n"), doing="reading the query")
            self._input = self._described(view.name, view.schema, doing="reading the query", is_plain=False)
        return pa.schema([make_arrow_field(name, of) for name, of in self._read.types.items()])

    @property
    def _read(self) -> _PostgresTable:
        if self._input is None:
            self.schema()
        assert self._input is not None
        return self._input

    def _described(self, name: str, schema: str | None, *, doing: Doing, is_plain: bool) -> _PostgresTable:
        types = read_column_types(self._connection, table(name, schema=schema), doing=doing)
        read = table(name, *map(column, types), schema=schema)
        return _PostgresTable(self.name, read, types, doing, is_plain)

    def count(self, request: CountRequest) -> CountedRecords:
        """Count the records of the input."""
        return self._count(self._read, request)

    def recount(self, staged: Staged, request: CountRequest) -> CountedRecords:
        """Read back what was written, and count it; the mapping has no part in it."""
        written = self._described(staged.name, self._release.schema, doing=_WRITING, is_plain=True)
        return self._count(written, request)

    def _fetch_rows(self, statement: Select[Any], doing: Doing) -> list[Any]:
        return self._connection.rows(statement, doing=doing)

    def _fetch(
        self, relation: ReadTable, rows: Select[Any], fields: list[pa.Field], columns: list[str], most: int
    ) -> pa.Table | None:
        grouped, size = self._grouped(relation, rows, most)
        return None if size > most else self._fetched(grouped, fields, columns, relation.doing)

    def _grouped(self, relation: ReadTable, rows: Select[Any], most: int) -> tuple[Table, int]:
        """Keep the first rows of a select in a temporary table; return that and their number, at most one too many."""
        rows = rows.limit(most + 1)
        names = [label.name for label in rows.selected_columns]
        kept = self._name_temporary_table("counted", *(Column(name) for name in names))
        assert isinstance(relation, _PostgresTable)
        if relation.is_plain:
            # A table that is created from a select is filled by several processes, others are not.
            return kept, self._connection.run(TableAs(kept, rows, is_temporary=True), doing=relation.doing)
        self._connection.run(TableAs(kept, rows, is_temporary=True, is_empty=True), doing=relation.doing)
        with self._connection.read_only(doing=relation.doing):
            return kept, self._connection.run(kept.insert().from_select(names, rows), doing=relation.doing)

    def _fetched(self, grouped: Table, fields: list[pa.Field], columns: list[str], doing: Doing) -> pa.Table:
        """Fetch a temporary table, whose columns messages call otherwise, and drop it."""
        import pyarrow as pa

        shown = [encode_sent_value(grouped.c[each.name], each.type).label(each.name) for each in fields]
        texts = [each.name for each in fields if pa.types.is_string(each.type)]
        blocks = self._connection.copy_out(CopyOut(select(*shown), texts), doing=doing)
        result = read_copy_rows(blocks, pa.schema(fields), self.name, columns)
        self._connection.run(DropTable(grouped), doing=doing)
        return result

    def write(self, recoding: RecordRecoding) -> Staged:
        """Write the release as a table of another name, which nobody sees before the commit."""
        require_headers([*(each.header for each in recoding.columns), *filter(None, [recoding.person])])
        relation = self._read
        mapping = self._filled("mapping", recoding.mapping.select(["key", "class_id"]))
        texts = [name for name in recoding.classes.column_names if name != "class_id"]
        classes = self._filled("classes", recoding.classes.select(["class_id", *texts]))
        staged = make_staged_table(self._release)
        rows = select_released_records(relation, recoding, mapping, classes)
        self._connection.run(TableAs(staged, rows, is_temporary=False), doing=_WRITING)
        self._connection.run(Analyze(staged), doing=_WRITING)
        for done in (mapping, classes):
            self._connection.run(DropTable(done), doing=_WRITING)
        return Staged(staged.name)

    def _filled(self, name: str, rows: pa.Table) -> Table:
        """Fill a temporary table; a column of texts may have any name."""
        import pyarrow as pa

        columns = [
            Column(f"column_{place}", BigInteger() if pa.types.is_integer(each.type) else Text(), key=each.name)
            for place, each in enumerate(rows.schema)
        ]
        filled = self._name_temporary_table(name, *columns)
        self._connection.run(CreateTable(filled), doing=_WRITING)
        self._connection.copy_in(CopyIn(filled), encode_copy_rows(rows), doing=_WRITING)
        self._connection.run(Analyze(filled), doing=_WRITING)
        return filled

    def remove_column(self, staged: Staged, header: str) -> Staged:
        """Write all other columns into another table: one that is dropped stays in the pages of its table."""
        written = self._described(staged.name, self._release.schema, doing=_WRITING, is_plain=True)
        kept, old = make_staged_table(self._release), Table(staged.name, MetaData(), schema=self._release.schema)
        rows = select(*(each for each in written.table.c if each.name != header)).select_from(written.table)
        self._connection.run(TableAs(kept, rows, is_temporary=False), doing=_WRITING)
        self._connection.run(Analyze(kept), doing=_WRITING)
        self._connection.run(DropTable(old), doing=_WRITING)
        return Staged(kept.name)

    def publish(self, staged: Staged) -> None:
        """Give the release its name, in the place of an old one where that may go, and commit."""
        connection = self._connection
        put_in_place(connection, staged.name, self._release, replace=self._replace)
        if self._query is not None:
            connection.run(DropView(self._read.table), doing=_PUBLISHING)
        connection.commit(doing=_PUBLISHING)

    def discard(self, staged: Staged) -> None:
        """Undo the whole transaction."""
        self._connection.close()

    def _name_temporary_table(self, name: str, *columns: Column[Any]) -> Table:
        """Return a temporary table that no other of this run is called like."""
        self._numbers += 1
        return Table(
            f"toolbox_{name}_{self._numbers}",
            MetaData(),
            *columns,
            schema="pg_temp",
            prefixes=["TEMPORARY"],
            postgresql_on_commit="DROP",
        )
