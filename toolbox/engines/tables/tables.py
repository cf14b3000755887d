"""Tables of databases that fit one machine: fetched as Arrow by one select, written under another name and renamed."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from decimal import Decimal
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
    String,
    Table,
    Text,
    Time,
    create_engine,
    inspect,
    quoted_name,
    select,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, NoSuchTableError, SQLAlchemyError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateTable, DropTable
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ClauseElement, Executable
from sqlalchemy.types import TypeEngine

from toolbox.config.urls import is_mysql, is_postgresql
from toolbox.engines.engine import TableName, parse_table_name
from toolbox.engines.records import convert_to_microseconds, make_type_error
from toolbox.errors import InputError, OutputError, UsageError, did_you_mean, format_debug_hint, name_replacing, quote

if TYPE_CHECKING:
    import pyarrow as pa


# The few statements in which databases differ: what forbids to write, and what renames a table.

READ_ONLY: Final = {
    "sqlite": ("PRAGMA query_only = ON",),
    "mysql": ("SET SESSION TRANSACTION READ ONLY", "START TRANSACTION"),
    "mariadb": ("SET SESSION TRANSACTION READ ONLY", "START TRANSACTION"),
}
"""What makes a connection refuse to write; elsewhere what a query writes is undone."""
WRITES: Final = {"sqlite": ("BEGIN IMMEDIATE",)}
"""What begins a transaction that creates tables, where the driver would not."""
WITHOUT_DECIMALS: Final = ("sqlite",)
"""The databases that would make floats of decimals."""


class Renamed(Executable, ClauseElement):
    """Give tables other names, all at once."""

    inherit_cache = False

    def __init__(self, *names: tuple[Table, Table]) -> None:
        self.names = names


def list_rename_statements(connection: Connection, staged: Table, place: TableName, *, replace: bool) -> Iterator[Any]:
    """Yield the statements that give a staged table its name."""
    wanted = Table(place.table, MetaData(), schema=place.schema)
    is_there = replace and inspect(connection).has_table(place.table, place.schema)
    if connection.dialect.name in ("mysql", "mariadb"):
        # Each of its statements is a transaction.
        old = Table(f"{staged.name}_old", MetaData(), schema=place.schema)
        yield Renamed(*([(wanted, old)] if is_there else []), (staged, wanted))
        if is_there:
            yield DropTable(old)
        return
    if is_there:
        yield DropTable(wanted)
    yield Renamed((staged, wanted))


@compiles(Renamed)
def _compile_rename(statement: Renamed, compiler: SQLCompiler, **options: Any) -> str:
    ((table, wanted),) = statement.names
    prepared = compiler.preparer
    return f"ALTER TABLE {prepared.format_table(table)} RENAME TO {prepared.quote(wanted.name)}"


@compiles(Renamed, "mysql", "mariadb")
def _compile_joint_rename(statement: Renamed, compiler: SQLCompiler, **options: Any) -> str:
    prepared = compiler.preparer
    pairs = (f"{prepared.format_table(table)} TO {prepared.format_table(new)}" for table, new in statement.names)
    return f"RENAME TABLE {', '.join(pairs)}"


@compiles(Renamed, "mssql")
def _compile_procedure_rename(statement: Renamed, compiler: SQLCompiler, **options: Any) -> str:
    ((table, wanted),) = statement.names
    names = (compiler.preparer.format_table(table), wanted.name)
    old, new = (compiler.render_literal_value(name, String()) for name in names)
    return f"EXEC sp_rename {old}, {new}"


# Values as a driver of Python returns them, as columns of Arrow: each as what all values of its column are.
#
# | values | in Arrow | |---|---| | whole numbers | int64, or string if one is larger | | numbers with a point |
# double, also with whole ones among them | | decimals | decimal128 with as many digits as they have, or string beyond
# 38; also with whole ones among them | | truth values | bool | | dates | date32 | | timestamps without a zone, with
# one | timestamp[us], timestamp[us, UTC] | | bytes | binary | | texts, and all others: uuid, time, intervals,
# mixtures | string, as Python writes them |

_WHOLE, _NUMBER, _DECIMAL = frozenset({int}), frozenset({int, float}), frozenset({int, Decimal})
_MOST_DIGITS = 38
_BYTES = frozenset({bytes, bytearray, memoryview})
_Types = frozenset[type]


def build_table(names: Sequence[str], batches: Iterable[Sequence[Sequence[Any]]]) -> pa.Table:
    """Return rows as a table.

    Parameters
    ----------
    batches : iterable of sequences of rows
    """
    import pyarrow as pa

    values: list[list[Any]] = [[] for _ in names]
    for rows in batches:
        # As columns of Arrow where it is plain what they are, they take less room while others are fetched.
        for column, found in zip(values, zip(*rows, strict=True), strict=True) if rows else ():
            column.append(_pack_values(found))
    return pa.Table.from_arrays([_join_parts(parts) for parts in values], names=list(names))


def _pack_values(values: Sequence[Any]) -> Any:
    """Return values of one plain type as an array, others as they are."""
    import pyarrow as pa

    kind = {int: pa.int64(), float: pa.float64(), str: pa.string(), bool: pa.bool_()}
    types = _find_types(values)
    if len(types) == 1 and (known := kind.get(next(iter(types)))) is not None:
        try:
            return pa.array(values, known)
        except (OverflowError, pa.ArrowException):
            pass
    return values


def _find_types(values: Iterable[Any]) -> _Types:
    return frozenset(map(type, values)) - {type(None)}


def _join_parts(parts: list[Any]) -> pa.ChunkedArray:
    import pyarrow as pa

    kinds = {part.type for part in parts if isinstance(part, pa.Array)}
    if len(kinds) == 1 and all(isinstance(part, pa.Array) or not _find_types(part) for part in parts):
        (kind,) = kinds
        return pa.chunked_array([part if isinstance(part, pa.Array) else pa.nulls(len(part), kind) for part in parts])
    values = [value for part in parts for value in (part.to_pylist() if isinstance(part, pa.Array) else part)]
    return pa.chunked_array([_make_array(values)])


def _make_array(values: list[Any]) -> pa.Array:
    """Return the values of a whole column, of whatever types."""
    import pyarrow as pa

    types = _find_types(values)
    if types and types <= _NUMBER and not types <= _WHOLE:
        return _convert_values(values, float, pa.float64())
    if types and types <= _DECIMAL and (kind := _find_decimal_type(values)) is not None:
        return _convert_values(values, Decimal, kind)
    if types == {date}:
        return pa.array(values, pa.date32())
    if types == {datetime} and (zone := _find_zone(values)) is not None:
        return _convert_values(values, _convert_to_utc, pa.timestamp("us", zone or None))
    if types and types <= _BYTES:
        return _convert_values(values, bytes, pa.binary())
    return _convert_values(values, _format_value, pa.string())


def _convert_values(values: list[Any], make: Callable[[Any], Any], kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    return pa.array([None if value is None else make(value) for value in values], kind)


def _find_zone(values: list[Any]) -> str | None:
    """Return the zone of timestamps, empty if they have none; None where some have one and others have not."""
    zones = {"" if value.tzinfo is None else "UTC" for value in values if value is not None}
    return zones.pop() if len(zones) == 1 else None


def _convert_to_utc(value: datetime) -> datetime:
    return value if value.tzinfo is None else value.astimezone(UTC)


def _find_decimal_type(values: Iterable[Any]) -> Any:
    """Return the type that holds all decimals of a column; None if there is none."""
    import pyarrow as pa

    scale = whole = 0
    for value in values:
        if value is None:
            continue
        _, digits, exponent = Decimal(value).as_tuple()
        if not isinstance(exponent, int):
            return None
        scale = max(scale, -exponent)
        whole = max(whole, len(digits) + exponent)
    precision = max(scale + whole, 1)
    return pa.decimal128(precision, scale) if precision <= _MOST_DIGITS else None


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if type(value) in _BYTES:
        return bytes(value).hex()
    return str(value)


# The columns of a table of Arrow, made ready to be written to a database.


def convert_decimals_to_texts(records: pa.Table) -> pa.Table:
    """Return a table without decimals, and without whole numbers beyond those of 64 bits with a sign."""
    import pyarrow as pa

    for place, each in enumerate(records.schema):
        if pa.types.is_decimal(each.type) or pa.types.is_uint64(each.type):
            records = records.set_column(place, each.name, records.column(place).cast(pa.string()))
    return records


# Whole tables of any database that SQLAlchemy reads: fetched by one select, written under another name and renamed.

_FETCHED: Final = 10_000
"""Rows that are fetched or written at once."""
_SELECTS: Final = ("select", "with", "values", "table", "(")
_ISOLATION: Final = {"mysql": "REPEATABLE READ", "mariadb": "REPEATABLE READ", "mssql": "SERIALIZABLE"}
"""Where one select alone would not see one moment, or a transaction would write the log of one that does."""


def fetch_from_database(url: str, *, table: str | None, query: str | None) -> pa.Table:
    """Fetch a table, or the rows of a query, and undo whatever else the query has done."""
    name = None if table is None else parse_table_name(table, folded=False)
    with _open_database(url) as engine, _translate_errors("the query" if name is None else str(name)):
        options = {"isolation_level": level} if (level := _ISOLATION.get(engine.dialect.name)) else {}
        with engine.connect().execution_options(stream_results=True, **options) as connection:
            for statement in READ_ONLY.get(engine.dialect.name, ()):
                connection.exec_driver_sql(statement)
            if name is not None:
                result = connection.execute(select(_find_table(connection, name)))
            else:
                result = _run_query(connection, query or "")
            return build_table(list(result.keys()), result.partitions(_FETCHED))


def _find_table(connection: Connection, name: TableName) -> Table:

    def quoted(_seen: Any, _table: Any, described: dict[str, Any]) -> None:
        described["name"] = _quote_name(connection.dialect, described["name"])

    options: dict[str, Any] = {"listeners": [("column_reflect", quoted)], "resolve_fks": False}
    try:
        return Table(name.table, MetaData(), schema=name.schema, autoload_with=connection, **options)
    except NoSuchTableError:
        seen = inspect(connection)
        known = [*seen.get_table_names(name.schema), *seen.get_view_names(name.schema)]
        near = did_you_mean(name.table, known)
        raise InputError(f"There is no table {name} in the database.{near} Name one as schema.table.") from None


def _quote_name(dialect: Dialect, name: str) -> str:
    """Return a name that is always quoted, as no list of keywords has those of all versions."""
    # Some databases call a column A that is called a here.
    return name if dialect.requires_name_normalize else quoted_name(name, quote=True)


def _run_query(connection: Connection, query: str) -> Any:
    """Run a query in the words of its author, to whose drivers a percent sign is one."""
    if not query.lstrip().lower().startswith(_SELECTS):
        raise UsageError("The query is no select. Give one SELECT, or one that begins WITH a table expression.")
    result = connection.execution_options(no_parameters=True).exec_driver_sql(query)
    if not result.returns_rows:
        raise UsageError("The query has no rows to return. Give one SELECT that only reads.")
    return result


def require_place_in_any(url: str, name: str, *, replace: bool, source: str | None) -> None:
    """See that a table can be written."""
    with _open_database(url) as engine, _translate_errors(name), engine.connect() as connection:
        _require_place(connection, parse_table_name(name, folded=False), replace=replace, source=source)


def _require_place(connection: Connection, place: TableName, *, replace: bool, source: str | None) -> None:
    seen = inspect(connection)
    if place.schema is not None and place.schema not in (schemas := seen.get_schema_names()):
        near = did_you_mean(place.schema, schemas)
        raise OutputError(f"There is no schema {place.schema}.{near} Write the release as schema.table.")
    if place.table in seen.get_view_names(place.schema):
        raise OutputError(f"{place} is there, and is no plain table. Choose another name for the release.")
    if not seen.has_table(place.table, place.schema):
        return
    if source is not None and parse_table_name(source, folded=False).table == place.table:
        raise OutputError(f"{place} is the input, and would be lost. Choose another table for the release.")
    if not replace:
        raise OutputError(f"{place} exists. Write {name_replacing()} to replace it, or choose another table.")


def store_in_database(records: pa.Table, url: str, name: str, *, replace: bool) -> None:
    """Write a table under another name, then rename it; a reader meanwhile sees the old table, or none."""
    place = parse_table_name(name, folded=False)
    if len(set(records.column_names)) < records.num_columns:
        raise OutputError("Two columns of the release have one name. Give them different names.")
    for each in records.schema:
        _choose_type(each)
    with _open_database(url) as engine, _translate_errors(name, "write"):
        ready = convert_to_microseconds(records)
        if engine.dialect.name in WITHOUT_DECIMALS:
            ready = convert_decimals_to_texts(ready)
        staged = _make_staged_table(engine.dialect, ready, place)
        try:
            with engine.begin() as connection:
                for start in WRITES.get(engine.dialect.name, ()):
                    connection.exec_driver_sql(start)
                _require_place(connection, place, replace=replace, source=None)
                connection.execute(CreateTable(staged))
                for rows in _list_row_batches(ready):
                    connection.execute(staged.insert(), rows)
                for statement in list_rename_statements(connection, staged, place, replace=replace):
                    connection.execute(statement)
        except BaseException:
            # Some databases commit each statement that creates a table.
            with suppress(SQLAlchemyError), engine.begin() as connection:
                connection.execute(DropTable(staged, if_exists=True))
            raise


def _make_staged_table(dialect: Dialect, records: pa.Table, place: TableName) -> Table:
    columns = [Column(_quote_name(dialect, each.name), _choose_type(each)) for each in records.schema]
    return Table(f"toolbox_{secrets.token_hex(6)}", MetaData(), *columns, schema=place.schema)


def _list_row_batches(records: pa.Table) -> Iterator[list[dict[str, Any]]]:
    for batch in records.to_batches(max_chunksize=_FETCHED):
        if rows := batch.to_pylist():
            yield rows


def _choose_type(of: pa.Field) -> TypeEngine[Any]:
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
    raise make_type_error(of)


@contextmanager
def _open_database(url: str) -> Iterator[Engine]:
    """Open a database by the driver that its URL names."""
    try:
        place = _complete_url(url)
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


def _complete_url(url: str) -> URL:
    """Return a URL with the driver that is used where it names none, and with the file that has its password."""
    place = make_url(url)
    if not is_mysql(url) or place.drivername.partition("+")[2] not in ("", "pymysql"):
        return place
    from toolbox.engines.mysql.connection import find_option_file, import_pymysql

    import_pymysql()
    named = place.set(drivername=f"{place.drivername.partition('+')[0]}+pymysql")
    return named if "read_default_file" in named.query else named.update_query_dict(find_option_file())


@contextmanager
def _translate_errors(name: str, doing: Literal["read", "write"] = "read") -> Iterator[None]:
    """Translate errors of a driver by their kinds, because their words quote cells."""
    try:
        yield
    except DBAPIError as error:
        kind = type(error.orig).__name__
        if doing == "write":
            raise OutputError(
                f"{name}: the database refuses to write the release ({kind}). Nothing was released. See its rights, "
                f"names and free space. {format_debug_hint()}"
            ) from error
        raise InputError(
            f"{name}: the database failed ({kind}). See that it runs, the place and user in the URL, and the rights. "
            f"{format_debug_hint()}"
        ) from error
    except (SQLAlchemyError, OverflowError, UnicodeError) as error:
        raise InputError(
            f"{name}: the database cannot be read ({type(error).__name__}). {format_debug_hint()}"
        ) from error


# A table of a database that fits into the memory of one machine, fetched as Arrow.


def fetch_table(url: str, *, table: str | None = None, query: str | None = None) -> pa.Table:
    """Fetch all records as they are at one moment.

    Parameters
    ----------
    url : str
        As SQLAlchemy reads it, without a password. PostgreSQL is read by psycopg whatever driver it names, and
        encrypted where that leaves this machine; what others need, their drivers say.
    table : str, optional
        ``schema.table``.
    query : str, optional
        One select in its place. It may not write.

    Returns
    -------
    pyarrow.Table
        `toolbox.engines.postgresql.types` lists the types of PostgreSQL; values are as they were written, so that -0
        is no 0 and 1.50 no 1.5. `build_table` has those of other databases.

    Raises
    ------
    UsageError
        If these do not fit together, or a driver is not installed, or the query is no select.
    InputError
        If there is no such table, or it cannot be read.
    """
    if (table is None) == (query is None):
        raise UsageError("The input of a database is a table or a query. Give one of them.")
    if is_postgresql(url):
        from toolbox.engines.postgresql.tables import fetch_from_postgresql

        return fetch_from_postgresql(remove_url_driver(url), table=table, query=query)
    return fetch_from_database(url, table=table, query=query)


def remove_url_driver(url: str) -> str:
    """Return a URL of PostgreSQL as libpq reads it: without a driver."""
    _, _, place = url.partition(":")
    return f"postgresql:{place}"


# A table of Arrow written to a database as a new table: all of it, or nothing.


def require_place(url: str, name: str, *, replace: bool = False, source: str | None = None) -> None:
    """Check that a table can be written, before anything is computed.

    Parameters
    ----------
    url : str
        As that of `fetch_table`.
    name : str
        ``schema.table``.
    replace : bool
        Whether a table by this name may go.
    source : str, optional
        The table of the same database that was fetched, which is never replaced.

    Raises
    ------
    OutputError
        If there is such a table already, or no such schema, or a right lacks.
    """
    if is_postgresql(url):
        from toolbox.engines.postgresql.tables import require_place_in_postgresql

        require_place_in_postgresql(remove_url_driver(url), name, replace=replace, source=source)
        return
    require_place_in_any(url, name, replace=replace, source=source)


def store_table(records: pa.Table, url: str, name: str, *, replace: bool = False) -> None:
    """Write a table; a reader meanwhile sees the old table, or none.

    Parameters
    ----------
    records : pyarrow.Table
        Of numbers, texts, dates, timestamps, booleans and bytes; what is coded by a dictionary is written as it reads.
    url, name, replace
        As those of `require_place`.

    Raises
    ------
    OutputError
        If it cannot be written; then nothing has changed.
    """
    if is_postgresql(url):
        from toolbox.engines.postgresql.tables import store_in_postgresql

        store_in_postgresql(records, remove_url_driver(url), name, replace=replace)
        return
    store_in_database(records, url, name, replace=replace)
