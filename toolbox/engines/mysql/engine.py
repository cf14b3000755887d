"""MariaDB and MySQL as engines: they hold the records, count them by their combinations, and get the release."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from types import SimpleNamespace, TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from sqlalchemy import (
    BigInteger,
    Column,
    FromClause,
    MetaData,
    Select,
    Table,
    case,
    column,
    func,
    insert,
    select,
    table,
)
from sqlalchemy.dialects.mysql import LONGTEXT, VARCHAR
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateTable, DropTable
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ClauseElement, Executable
from sqlalchemy.types import TypeEngine

from toolbox.engines.engine import (
    CountedRecords,
    CountRequest,
    RecordRecoding,
    Staged,
    parse_table_name,
)
from toolbox.engines.mysql.connection import MySQLConnection
from toolbox.engines.mysql.tables import Catalog, MySQLTable, MySQLType, make_drop_statement
from toolbox.engines.records import (
    COMBINATIONS,
    Doing,
    Expression,
    ReadTable,
    SQLEngine,
    parse_most_combinations,
    select_released_records,
)
from toolbox.engines.tables.tables import Renamed
from toolbox.errors import (
    OutputError,
    SettingError,
    ToolboxError,
    UnknownColumnError,
    UsageError,
    did_you_mean,
    quote,
)

if TYPE_CHECKING:
    import pyarrow as pa


# The few statements that SQLAlchemy has no words for.


class _EmptyTableAs(Executable, ClauseElement):
    """Create an empty table with the columns of a select."""

    inherit_cache = False

    def __init__(self, made: Table, rows: Select[Any], *, storage: str, is_temporary: bool = True) -> None:
        self.made = made
        self.rows = rows.limit(0)
        self.storage = storage
        self.is_temporary = is_temporary


class _ShowColumns(Executable, ClauseElement):
    """List names, types and collations of the columns of a table."""

    inherit_cache = False

    def __init__(self, shown: Table) -> None:
        self.shown = shown


class _GivenQuery(FromClause):
    """A query in the words of its author, to be selected from."""

    inherit_cache = False

    def __init__(self, query: str) -> None:
        self.query = query


class _DropTemporary(Executable, ClauseElement):
    """Drop a temporary table, without an end of the transaction."""

    inherit_cache = False

    def __init__(self, dropped: Any) -> None:
        self.dropped = dropped


@compiles(_EmptyTableAs)
def _compile_table_as(statement: _EmptyTableAs, compiler: SQLCompiler, **options: Any) -> str:
    name = compiler.preparer.format_table(statement.made)
    rows = compiler.process(statement.rows, **options)
    return f"CREATE {'TEMPORARY ' if statement.is_temporary else ''}TABLE {name} ENGINE={statement.storage} AS {rows}"


@compiles(_ShowColumns)
def _compile_show_columns(statement: _ShowColumns, compiler: SQLCompiler, **options: Any) -> str:
    return f"SHOW FULL COLUMNS FROM {compiler.preparer.format_table(statement.shown)}"


@compiles(_GivenQuery)
def _compile_given_query(statement: _GivenQuery, compiler: SQLCompiler, **options: Any) -> str:
    # What follows the query on its line may be a comment.
    return f"({statement.query}\n) AS given"


@compiles(_DropTemporary)
def _compile_drop_temporary(statement: _DropTemporary, compiler: SQLCompiler, **options: Any) -> str:
    return f"DROP TEMPORARY TABLE {compiler.preparer.format_table(statement.dropped)}"


# The settings: our own, and variables of the server that a run may change.

SERVER_VARIABLES: Final = ("lock_wait_timeout", "max_statement_time", "sort_buffer_size", "tmp_table_size")
"""The variables of the server that a configuration may change, for the session of the run: whole numbers."""


def check_server_variables(given: Mapping[str, str]) -> dict[str, int]:
    """Return the variables of the server.

    Raises
    ------
    UsageError
        If one of them is none that may be changed, or no number.
    """
    known = (COMBINATIONS, *SERVER_VARIABLES)
    for name, value in given.items():
        if name not in known:
            raise UsageError(
                f"There is no setting {quote(name)} of MariaDB or MySQL here.{did_you_mean(name, known)} "
                f"These are: {', '.join(known)}."
            )
        if not value.isascii() or not value.isdigit():
            raise SettingError(name, value, "a whole number")
    return {name: int(value) for name, value in given.items()}


_WRITING: Final = "writing the release"
_PUBLISHING: Final = "publishing the release"
_SKIPPED, _PLACE = "\0skipped", "\0place"
"""Columns of a copy that are none of the input."""
_LONGEST_NAME: Final = 64
_LONGEST_ROW: Final = 16_000
_HELD: Final = 64 << 20
"""Bytes of a table of keys or of classes that MariaDB holds in memory."""
_FILLED: Final = 10_000
"""Rows that are inserted at once."""


class MySQL(SQLEngine):
    """A database that holds the records of one input; see `toolbox.engines.engine.Engine` for the calls.

    The input is copied to a temporary table by one statement: there is no other way to count and to write the same
    records without a lock on them, as a select that fills a table reads what was committed last. The release is filled
    in a transaction, and gets its name when that is committed: a run that is killed leaves an empty table at most,
    which the next run removes.

    Parameters
    ----------
    url : str
        ``mysql://USER@HOST:PORT/DATABASE``; the password is in a file of options.
    table : str, optional
        The input, as ``table`` or ``database.table``.
    query : str, optional
        One select in its place. It may not write.
    release : str
        The table that becomes the release. Its columns that pass have the types of the input, labels are texts.
    replace : bool
        Whether a table by this name is replaced.
    settings : mapping of str to str
        ``combinations``: most combinations that are fetched, in place of those of a request. `SERVER_VARIABLES`.

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
        self._table = None if table is None else parse_table_name(table, folded=False)
        self._query = query
        self._release = parse_table_name(release, folded=False)
        self._replace = replace
        given = dict(settings or {})
        self._most = parse_most_combinations(given.pop(COMBINATIONS, None))
        self._settings = check_server_variables(given)
        self.name = "the query" if self._table is None else str(self._table)
        self._doing: Doing = "reading the query" if self._table is None else "reading the input"
        self._numbers = 0
        self._types: dict[str, MySQLType] | None = None
        self._origin: FromClause | None = None
        self._copy: MySQLTable | None = None
        self._open: MySQLConnection | None = None
        self._made: list[str] = []

    def __enter__(self) -> Self:
        self._open = MySQLConnection(self._url, name=self.name, settings=self._settings)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._open is None:
            return
        try:
            self._remove_made(self._open)
        except ToolboxError:
            # The session has ended, by which the rows are gone; the empty table is not.
            with suppress(ToolboxError):
                again = MySQLConnection(self._url, name=self.name, settings={})
                self._remove_made(again)
                again.close()
        self._open.close()

    def _remove_made(self, connection: MySQLConnection) -> None:
        if self._made:
            connection.run("ROLLBACK", doing=_WRITING)
        for name in self._made:
            connection.run(make_drop_statement(name, self._release.schema), doing=_WRITING)
        self._made = []

    @property
    def _connection(self) -> MySQLConnection:
        if self._open is None:
            raise RuntimeError("an engine is entered before it is asked")
        return self._open

    def schema(self) -> pa.Schema:
        """Return names and types of the columns of the input; `MySQLType` has the list."""
        import pyarrow as pa

        return pa.schema([of.make_field(name) for name, of in self._described.items()])

    @property
    def _described(self) -> dict[str, MySQLType]:
        if self._types is None:
            catalog, place = Catalog(self._connection), None
            if self._table is not None:
                place = catalog.find_input(self._table)
                self._origin = table(place.table, schema=place.schema)
            else:
                self._origin = _GivenQuery(str(self._query).rstrip().removesuffix(";"))
            self._release = catalog.check_output(self._release, replace=self._replace, origin=place)
            catalog.remove_leftovers(self._release.schema)
            self._try_to_write()
            shape = self._name_temporary_table("shape")
            everything: Select[Any] = select(column("*", is_literal=True)).select_from(self._origin)
            with self._connection.read_only(doing=self._doing):
                # A function without a column is called also where no row is wanted; one that writes is refused here.
                self._connection.rows(everything.limit(0), doing=self._doing)
            self._connection.run(_EmptyTableAs(shape, everything, storage="InnoDB"), doing=self._doing)
            self._types = self._read_types(shape, self._doing)
            self._connection.run(_DropTemporary(shape), doing=self._doing)
        return self._types

    def _try_to_write(self) -> None:
        """See that tables can be made and dropped where the release is to be, before anything is computed."""
        tried = Table(self._name_staged_table(), MetaData(), Column("tried", BigInteger), schema=self._release.schema)
        self._connection.run(CreateTable(tried), doing=_WRITING)
        self._connection.run(DropTable(tried), doing=_WRITING)

    def _read_types(self, described: Table, doing: Doing) -> dict[str, MySQLType]:
        rows = self._connection.rows(_ShowColumns(described), doing=doing)
        return {str(name): MySQLType(str(written), str(collation or "")) for name, written, collation, *_ in rows}

    def count(self, request: CountRequest) -> CountedRecords:
        """Count the records of the input, as they are when they are counted first."""
        return self._count(self._copy_records(request), request)

    def recount(self, staged: Staged, request: CountRequest) -> CountedRecords:
        """Read back what was written, and count it; the mapping has no part in it."""
        written = self._read_staged(staged)
        # Inside of the transaction, whose rows nobody else sees.
        copied = self._copy_columns(written.table, written.types, request, nullcontext(), _WRITING)
        counted = self._count(copied, request)
        self._connection.run(_DropTemporary(copied.table), doing=_WRITING)
        return counted

    def _read_staged(self, staged: Staged) -> MySQLTable:
        written = Table(staged.name, MetaData(), schema=self._release.schema)
        types = self._read_types(written, _WRITING)
        shown = table(staged.name, *map(column, types), schema=self._release.schema)
        return MySQLTable(self.name, shown, types, _WRITING)

    def _copy_records(self, request: CountRequest) -> MySQLTable:
        """Copy the columns of a request to a temporary table, unless that was done."""
        types, needed = self._described, _list_needed(request)
        if (
            self._copy is not None
            and {request.by, request.passed} == set(self._copy.digests)
            and self._copy.skipped == (request.lacking, _SKIPPED)
            and set(needed) <= set(self._copy.types)
        ):
            return self._copy
        if self._copy is not None:
            self._connection.run(_DropTemporary(self._copy.table), doing=self._doing)
        assert self._origin is not None
        moment = self._connection.read_only(doing=self._doing)
        self._copy = self._copy_columns(self._origin, types, request, moment, self._doing)
        return self._copy

    def _copy_columns(
        self,
        origin: FromClause,
        types: Mapping[str, MySQLType],
        request: CountRequest,
        moment: AbstractContextManager[None],
        doing: Doing,
    ) -> MySQLTable:
        """Copy the columns of a request to a temporary table, with each digest that is grouped by: made once."""
        needed = _list_needed(request)
        for name in needed:
            if name not in types:
                raise UnknownColumnError(name, self.name, list(types))
        columns: list[Column[Any]] = [Column(f"c{place}", key=name) for place, name in enumerate(needed)]
        values: list[Expression] = [column(name) for name in needed]
        # Of no table by name: a query has none.
        read = MySQLTable(self.name, SimpleNamespace(c={name: column(name) for name in needed}), types, doing)
        digests = {names: f"\0{place}" for place, names in enumerate(dict.fromkeys((request.by, request.passed)))}
        for names, key in digests.items():
            columns.append(Column(f"digest_{key[1:]}", key=key))
            values.append(MySQLTable.hashing.digest([read.compare(name) for name in names]))
        columns += [Column(key[1:], key=key) for key in (_SKIPPED, _PLACE)]
        values += [case((read.test_unusable(request.lacking), 1), else_=0), func.random()]
        kept = self._name_temporary_table("records", *columns)
        labelled = [value.label(each.name) for value, each in zip(values, columns, strict=True)]
        rows = select(*labelled).select_from(origin)
        # Nothing of it is looked up or undone, and the other kind takes several times as long.
        storage = "MyISAM" if self._connection.is_mariadb else "InnoDB"
        self._connection.run(_EmptyTableAs(kept, rows, storage=storage), doing=doing)
        with moment:
            self._connection.run(insert(kept).from_select(list(kept.c), rows), doing=doing)
        return MySQLTable(
            self.name, kept, {name: types[name] for name in needed}, doing, digests, (request.lacking, _SKIPPED), _PLACE
        )

    def _fetch_rows(self, statement: Select[Any], doing: Doing) -> list[Any]:
        return self._connection.rows(statement, doing=doing)

    def _fetch(
        self, relation: ReadTable, rows: Select[Any], fields: list[pa.Field], columns: list[str], most: int
    ) -> pa.Table | None:
        import pyarrow as pa

        schema, found, batches = pa.schema(fields), 0, []
        for fetched in self._connection.batches(rows.limit(most + 1), doing=relation.doing):
            found += len(fetched)
            if found <= most:
                made = [
                    _make_array(values, each) for values, each in zip(zip(*fetched, strict=True), fields, strict=True)
                ]
                batches.append(pa.record_batch(made, schema))
        return None if found > most else pa.Table.from_batches(batches, schema)

    def write(self, recoding: RecordRecoding) -> Staged:
        """Write the release as a table of another name, whose rows nobody sees before they are committed."""
        _require_headers([*(each.header for each in recoding.columns), *filter(None, [recoding.person])])
        copied = self._copy_records(recoding.request)
        mapping = self._fill("mapping", recoding.mapping.select(["key", "class_id"]), "key")
        texts = [name for name in recoding.classes.column_names if name != "class_id"]
        classes = self._fill("classes", recoding.classes.select(["class_id", *texts]), "class_id")
        rows = select_released_records(copied, recoding, mapping, classes)
        # In this order: each record looks up its key.
        rows = rows.prefix_with("STRAIGHT_JOIN")
        # With numbers of persons nobody else ever sees it.
        staged = self._stage(rows, is_temporary=recoding.person is not None)
        for done in (mapping, classes):
            self._connection.run(_DropTemporary(done), doing=_WRITING)
        return staged

    def _stage(self, rows: Select[Any], *, is_temporary: bool) -> Staged:
        name = self._name_staged_table()
        made = Table(name, MetaData(), schema=self._release.schema)
        if not is_temporary:
            # As long as it is held, no other run takes the table for one that was left.
            self._connection.rows(select(func.get_lock(name, 0)), doing=_WRITING)
            self._made.append(name)
        self._connection.run(_EmptyTableAs(made, rows, storage="InnoDB", is_temporary=is_temporary), doing=_WRITING)
        self._connection.run("START TRANSACTION", doing=_WRITING)
        filled = table(name, *(column(label.name) for label in rows.selected_columns), schema=self._release.schema)
        self._connection.run(insert(filled).from_select(list(filled.c), rows), doing=_WRITING)
        return Staged(name)

    def _fill(self, name: str, rows: pa.Table, key: str) -> Table:
        """Fill a temporary table; a column of texts may have any name."""
        import pyarrow as pa
        from pyarrow import compute

        lengths = [
            1 if pa.types.is_integer(each.type) else compute.max(compute.utf8_length(rows.column(place))).as_py() or 1
            for place, each in enumerate(rows.schema)
        ]
        collated = {"charset": "utf8mb4", "collation": "utf8mb4_bin"}
        is_long = sum(lengths) > _LONGEST_ROW
        columns = []
        for place, (each, length) in enumerate(zip(rows.schema, lengths, strict=True)):
            text: TypeEngine[Any] = LONGTEXT(**collated) if is_long else VARCHAR(length, **collated)
            kind = BigInteger() if pa.types.is_integer(each.type) else text
            columns.append(
                Column(f"column_{place}", kind, key=each.name, primary_key=each.name == key, autoincrement=False)
            )
        # Each record looks up its key and its class.
        is_held = self._connection.is_mariadb and not is_long and rows.num_rows * (4 * sum(lengths) + 64) <= _HELD
        filled = self._name_temporary_table(name, *columns, storage="MEMORY" if is_held else "InnoDB")
        self._connection.run(CreateTable(filled), doing=_WRITING)
        for batch in rows.to_batches(max_chunksize=_FILLED):
            lines = list(zip(*(values.to_pylist() for values in batch.columns), strict=True))
            self._connection.fill(insert(filled), lines, doing=_WRITING)
        return filled

    def remove_column(self, staged: Staged, header: str) -> Staged:
        """Write all other columns into another table; the first was temporary."""
        written = self._read_staged(staged)
        self._connection.run("COMMIT", doing=_WRITING)
        rows = select(*(each for each in written.table.c if each.name != header)).select_from(written.table)
        kept = self._stage(rows, is_temporary=False)
        self._connection.run(_DropTemporary(written.table), doing=_WRITING)
        return kept

    def publish(self, staged: Staged) -> None:
        """Give the release its name, in the place of an old one where that may go, by one statement."""
        place, connection = self._release, self._connection
        connection.run("COMMIT", doing=_PUBLISHING)
        new, wanted = (Table(name, MetaData(), schema=place.schema) for name in (staged.name, place.table))
        if not self._replace or Catalog(connection).find(place) is None:
            connection.run(Renamed((new, wanted)), doing=_PUBLISHING)
            return
        old = Table(f"{staged.name}_old", MetaData(), schema=place.schema)
        self._made.append(old.name)
        connection.run(Renamed((wanted, old), (new, wanted)), doing=_PUBLISHING)

    def discard(self, staged: Staged) -> None:
        """Undo what was written."""
        self._remove_made(self._connection)

    def _name_staged_table(self) -> str:
        return f"toolbox_run_{secrets.token_hex(8)}"

    def _name_temporary_table(self, name: str, *columns: Column[Any], storage: str = "InnoDB") -> Table:
        """Return a temporary table that no other of this run is called like."""
        self._numbers += 1
        return Table(
            f"toolbox_{name}_{self._numbers}",
            MetaData(),
            *columns,
            schema=self._release.schema,
            prefixes=["TEMPORARY"],
            mysql_engine=storage,
        )


def _list_needed(request: CountRequest) -> list[str]:
    """List the columns that a request reads, each once."""
    lacking = (each.column for each in (*request.lacking, *request.person))
    return list(dict.fromkeys((*request.by, *request.judged, *request.passed, *lacking)))


def _make_array(values: Sequence[Any], of: pa.Field) -> pa.Array:
    """Return values of the driver as a column of Arrow."""
    import pyarrow as pa

    if pa.types.is_boolean(of.type):
        return pa.array([bool(value) for value in values], of.type)
    return pa.array(values, of.type)


def _require_headers(headers: Sequence[str]) -> None:
    """Stop where a column cannot be called so.

    Raises
    ------
    OutputError
    """
    seen: set[str] = set()
    for header in headers:
        if header.casefold() in seen:
            raise OutputError(
                f"Two columns of the release are called {quote(header)}, as capital letters do not count in MariaDB "
                "and MySQL. Give them different names."
            )
        seen.add(header.casefold())
        if not 0 < len(header) <= _LONGEST_NAME or header.endswith(" "):
            raise OutputError(
                f"No column of MariaDB or MySQL can be called {quote(header)}. Give it a name of 1 to {_LONGEST_NAME} "
                "characters that does not end in a blank."
            )
