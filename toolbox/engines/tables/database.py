"""Whole tables of any database that SQLAlchemy reads: fetched by one select, written under another name and renamed."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, Literal

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Date,
    DateTime,
    Dialect,
    Double,
    Engine,
    LargeBinary,
    MetaData,
    Numeric,
    Table,
    Text,
    Time,
    create_engine,
    inspect,
    quoted_name,
    select,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, NoSuchTableError, SQLAlchemyError
from sqlalchemy.schema import CreateTable, DropTable
from sqlalchemy.types import TypeEngine

from toolbox.engines.names import TableName, table_name
from toolbox.engines.tables.statements import READ_ONLY, WITHOUT_DECIMALS, WRITES, renamed
from toolbox.engines.tables.values import table_of
from toolbox.engines.tables.written_columns import decimals_as_texts, in_microseconds, unknown_type
from toolbox.errors import InputError, OutputError, UsageError, debug_hint, did_you_mean, quote

if TYPE_CHECKING:
    import pyarrow as pa

_FETCHED: Final = 10_000
"""Rows that are fetched or written at once."""
_SELECTS: Final = ("select", "with", "values", "table", "(")
_ISOLATION: Final = {"mysql": "REPEATABLE READ", "mariadb": "REPEATABLE READ", "mssql": "SERIALIZABLE"}
"""Where one select alone would not see one moment, or a transaction would write the log of one that does."""


def fetched_from_any(url: str, *, table: str | None, query: str | None) -> pa.Table:
    """Fetch a table, or the rows of a query, and undo whatever else the query has done."""
    name = None if table is None else table_name(table, folded=False)
    with _opened(url) as engine, _translated("the query" if name is None else str(name)):
        options = {"isolation_level": level} if (level := _ISOLATION.get(engine.dialect.name)) else {}
        with engine.connect().execution_options(stream_results=True, **options) as connection:
            for statement in READ_ONLY.get(engine.dialect.name, ()):
                connection.exec_driver_sql(statement)
            if name is not None:
                result = connection.execute(select(_known_table(connection, name)))
            else:
                result = _queried(connection, query or "")
            return table_of(list(result.keys()), result.partitions(_FETCHED))


def _known_table(connection: Connection, name: TableName) -> Table:

    def quoted(_seen: Any, _table: Any, described: dict[str, Any]) -> None:
        described["name"] = _quoted(connection.dialect, described["name"])

    options: dict[str, Any] = {"listeners": [("column_reflect", quoted)], "resolve_fks": False}
    try:
        return Table(name.table, MetaData(), schema=name.schema, autoload_with=connection, **options)
    except NoSuchTableError:
        seen = inspect(connection)
        known = [*seen.get_table_names(name.schema), *seen.get_view_names(name.schema)]
        near = did_you_mean(name.table, known)
        raise InputError(f"There is no table {name} in the database.{near} Name one as schema.table.") from None


def _quoted(dialect: Dialect, name: str) -> str:
    """Return a name that is always quoted, as no list of keywords has those of all versions."""
    # Some databases call a column A that is called a here.
    return name if dialect.requires_name_normalize else quoted_name(name, quote=True)


def _queried(connection: Connection, query: str) -> Any:
    """Run a query in the words of its author, to whose drivers a percent sign is one."""
    if not query.lstrip().lower().startswith(_SELECTS):
        raise UsageError("The query is no select. Give one SELECT, or one that begins WITH a table expression.")
    result = connection.execution_options(no_parameters=True).exec_driver_sql(query)
    if not result.returns_rows:
        raise UsageError("The query has no rows to return. Give one SELECT that only reads.")
    return result


def require_place_in_any(url: str, name: str, *, replace: bool, source: str | None) -> None:
    """See that a table can be written."""
    with _opened(url) as engine, _translated(name), engine.connect() as connection:
        _require_place(connection, table_name(name, folded=False), replace=replace, source=source)


def _require_place(connection: Connection, place: TableName, *, replace: bool, source: str | None) -> None:
    seen = inspect(connection)
    if place.schema is not None and place.schema not in (schemas := seen.get_schema_names()):
        near = did_you_mean(place.schema, schemas)
        raise OutputError(f"There is no schema {place.schema}.{near} Write the release as schema.table.")
    if place.table in seen.get_view_names(place.schema):
        raise OutputError(f"{place} is there, and is no plain table. Choose another name for the release.")
    if not seen.has_table(place.table, place.schema):
        return
    if source is not None and table_name(source, folded=False).table == place.table:
        raise OutputError(f"{place} is the input, and would be lost. Choose another table for the release.")
    if not replace:
        raise OutputError(f"{place} exists. Write --replace to replace it, or choose another table.")


def stored_in_any(records: pa.Table, url: str, name: str, *, replace: bool) -> None:
    """Write a table under another name, then rename it; a reader meanwhile sees the old table, or none."""
    place = table_name(name, folded=False)
    if len(set(records.column_names)) < records.num_columns:
        raise OutputError("Two columns of the release have one name. Give them different names.")
    for each in records.schema:
        _type(each)
    with _opened(url) as engine, _translated(name, "write"):
        ready = in_microseconds(records)
        if engine.dialect.name in WITHOUT_DECIMALS:
            ready = decimals_as_texts(ready)
        staged = _staged(engine.dialect, ready, place)
        try:
            with engine.begin() as connection:
                for start in WRITES.get(engine.dialect.name, ()):
                    connection.exec_driver_sql(start)
                _require_place(connection, place, replace=replace, source=None)
                connection.execute(CreateTable(staged))
                for rows in _rows(ready):
                    connection.execute(staged.insert(), rows)
                for statement in renamed(connection, staged, place, replace=replace):
                    connection.execute(statement)
        except BaseException:
            # Some databases commit each statement that creates a table.
            with suppress(SQLAlchemyError), engine.begin() as connection:
                connection.execute(DropTable(staged, if_exists=True))
            raise


def _staged(dialect: Dialect, records: pa.Table, place: TableName) -> Table:
    columns = [Column(_quoted(dialect, each.name), _type(each)) for each in records.schema]
    return Table(f"toolbox_{secrets.token_hex(6)}", MetaData(), *columns, schema=place.schema)


def _rows(records: pa.Table) -> Iterator[list[dict[str, Any]]]:
    for batch in records.to_batches(max_chunksize=_FETCHED):
        if rows := batch.to_pylist():
            yield rows


def _type(of: pa.Field) -> TypeEngine[Any]:
    """Return a type that every database has for the values of a column.

    Raises
    ------
    OutputError
        If there is none.
    """
    from pyarrow import types

    kind = of.type.value_type if types.is_dictionary(of.type) else of.type
    if types.is_decimal(kind):
        return Numeric(kind.precision, max(kind.scale, 0))
    if types.is_timestamp(kind):
        return DateTime(timezone=kind.tz is not None)
    tests: Sequence[tuple[Any, TypeEngine[Any]]] = (
        (types.is_boolean, Boolean()),
        (types.is_uint64, Numeric(20, 0)),
        (types.is_integer, BigInteger()),
        (types.is_floating, Double()),
        (types.is_date32, Date()),
        (types.is_time, Time()),
        (types.is_string, Text()),
        (types.is_large_string, Text()),
        (types.is_null, Text()),
        (types.is_binary, LargeBinary()),
        (types.is_large_binary, LargeBinary()),
    )
    for test, found in tests:
        if test(kind):
            return found
    raise unknown_type(of)


@contextmanager
def _opened(url: str) -> Iterator[Engine]:
    """Open a database by the driver that its URL names."""
    try:
        place = make_url(url)
        engine = create_engine(place)
    except NoSuchModuleError:
        name = url.partition(":")[0]
        raise UsageError(f"SQLAlchemy knows no database {quote(name)}. Install its dialect, or see its name.") from None
    except (ArgumentError, ValueError):
        # Its message may quote a password.
        problem = "The URL of the database is not one that SQLAlchemy reads"
        raise UsageError(f"{problem}. Write DATABASE+DRIVER://USER@HOST:PORT/NAME.") from None
    except ModuleNotFoundError as error:
        driver = error.name or "of the database"
        raise UsageError(f"The driver {driver} is not installed. Install it with pip, beside the toolbox.") from None
    if place.password is not None:
        raise UsageError(
            "The URL of the database holds a password, which logs would keep. Put it where its driver looks."
        )
    try:
        yield engine
    finally:
        engine.dispose()


@contextmanager
def _translated(name: str, doing: Literal["read", "write"] = "read") -> Iterator[None]:
    """Translate errors of a driver by their kinds, because their words quote cells."""
    try:
        yield
    except DBAPIError as error:
        kind = type(error.orig).__name__
        if doing == "write":
            raise OutputError(
                f"{name}: the database refuses to write the release ({kind}). Nothing was released. See its rights, "
                f"names and free space. {debug_hint()}"
            ) from error
        raise InputError(
            f"{name}: the database failed ({kind}). See that it runs, the place and user in the URL, and the rights. "
            f"{debug_hint()}"
        ) from error
    except (SQLAlchemyError, OverflowError, UnicodeError) as error:
        raise InputError(f"{name}: the database cannot be read ({type(error).__name__}). {debug_hint()}") from error
