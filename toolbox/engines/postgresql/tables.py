"""Whole tables of PostgreSQL: fetched as they are at one moment, and written and named in one transaction."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import (
    DOUBLE_PRECISION,
    REAL,
    BigInteger,
    Boolean,
    Column,
    Date,
    FromClause,
    Integer,
    LargeBinary,
    MetaData,
    Numeric,
    SmallInteger,
    Table,
    Text,
    Time,
    column,
    select,
)
from sqlalchemy.dialects.postgresql import TIMESTAMP
from sqlalchemy.schema import CreateTable, DropTable
from sqlalchemy.types import TypeEngine

from toolbox.engines.engine import TableName, parse_table_name
from toolbox.engines.postgresql.catalog import (
    check_output_place,
    find_input_table,
    find_table,
    list_granted_rights,
    read_column_types,
)
from toolbox.engines.postgresql.connection import Doing, PostgresConnection
from toolbox.engines.postgresql.statements import Analyze, CopyIn, CopyOut, GivenQuery, Grant, RenameTable
from toolbox.engines.postgresql.types import (
    as_written,
    encode_copy_rows,
    encode_sent_value,
    make_arrow_field,
    read_copy_rows,
)
from toolbox.engines.tables.database import convert_to_microseconds, make_type_error
from toolbox.errors import InputError, OutputError, quote

if TYPE_CHECKING:
    import pyarrow as pa


# How a finished table of PostgreSQL gets its name: staged under another in the same transaction, then renamed.

_LONGEST_NAME: Final = 63
_PUBLISHING: Final = "publishing the release"


def make_staged_table(place: TableName, *columns: Column[Any]) -> Table:
    """Return a table beside the one that it becomes, under a name that nobody else has."""
    return Table(f"toolbox_{secrets.token_hex(8)}", MetaData(), *columns, schema=place.schema)


def put_in_place(connection: PostgresConnection, staged: str, place: TableName, *, replace: bool) -> None:
    """Give a staged table its name, and the rights on the table that it replaces.

    Raises
    ------
    OutputError
        If there is a table by this name that is not to be replaced, or cannot be.
    """
    new = Table(staged, MetaData(), schema=place.schema)
    if replace:
        old = find_table(connection, place)
        for right in () if old is None else list_granted_rights(connection, old.oid):
            connection.run(Grant(new, right.right, right.role, may_grant=right.may_grant), doing=_PUBLISHING)
        # Also one that another run has put there meanwhile.
        gone = Table(place.table, MetaData(), schema=place.schema)
        connection.run(DropTable(gone, if_exists=True), doing=_PUBLISHING)
    connection.run(RenameTable(new, place.table), doing=_PUBLISHING)


def require_headers(headers: Sequence[str]) -> None:
    """Stop where a column cannot be called so; the server would cut its name.

    Raises
    ------
    OutputError
    """
    twice = [header for header, number in Counter(headers).items() if number > 1]
    if twice:
        raise OutputError(f"Two columns of the release are called {quote(twice[0])}. Give them different names.")
    for header in headers:
        if not 0 < len(header.encode(errors="replace")) <= _LONGEST_NAME:
            raise OutputError(
                f"No column of PostgreSQL can be called {quote(header)}. Give it a name of 1 to {_LONGEST_NAME} bytes."
            )


# Whole tables of PostgreSQL: fetched as they are at one moment, and written in one transaction.

_WRITING: Final = "writing the release"


def fetch_from_postgresql(url: str, *, table: str | None, query: str | None) -> pa.Table:
    """Fetch a table, or the rows of a query, in a transaction that can only read."""
    import pyarrow as pa

    sought = None if table is None else parse_table_name(table, folded=True)
    name = "the query" if sought is None else str(sought)
    with PostgresConnection(url, name=name, settings={}, only_reads=True) as connection:
        doing: Doing = "reading the query" if sought is None else "reading the input"
        origin: Any
        if sought is not None:
            relation = find_input_table(connection, sought)
            origin = _refer_to_table(relation.name, relation.schema)
        else:
            origin = _make_subquery(query or "")
        types = read_column_types(connection, origin, doing=doing)
        if not types:
            raise InputError(f"{name} has no columns.")
        schema = pa.schema([make_arrow_field(label, of) for label, of in types.items()])
        shown = [
            encode_sent_value(as_written(column(label), of), schema.field(place).type).label(f"c{place}")
            for place, (label, of) in enumerate(types.items())
        ]
        texts = [f"c{place}" for place, each in enumerate(schema) if pa.types.is_string(each.type)]
        blocks = connection.copy_out(CopyOut(select(*shown).select_from(origin), texts), doing=doing)
        return read_copy_rows(blocks, schema, name)


def _refer_to_table(name: str, schema: str) -> FromClause:
    from sqlalchemy import table

    return table(name, schema=schema)


def _make_subquery(query: str) -> FromClause:
    return GivenQuery(query.rstrip().removesuffix(";"))


def require_place_in_postgresql(url: str, name: str, *, replace: bool, source: str | None) -> None:
    """See that a table can be written."""
    place = parse_table_name(name, folded=True)
    with PostgresConnection(url, name=str(place), settings={}) as connection:
        origin = None if source is None else find_input_table(connection, parse_table_name(source, folded=True)).oid
        check_output_place(connection, place, replace=replace, origin=origin)


def store_in_postgresql(records: pa.Table, url: str, name: str, *, replace: bool) -> None:
    """Write a table in one transaction."""
    require_headers(records.column_names)
    kinds = [_choose_type(each) for each in records.schema]
    with PostgresConnection(url, name=name, settings={}) as connection:
        place = check_output_place(connection, parse_table_name(name, folded=True), replace=replace, origin=None)
        columns = [Column(label, kind) for label, kind in zip(records.column_names, kinds, strict=True)]
        staged = make_staged_table(place, *columns)
        connection.run(CreateTable(staged), doing=_WRITING)
        connection.copy_in(CopyIn(staged), encode_copy_rows(convert_to_microseconds(records)), doing=_WRITING)
        connection.run(Analyze(staged), doing=_WRITING)
        put_in_place(connection, staged.name, place, replace=replace)
        connection.commit(doing="publishing the release")


def _choose_type(of: pa.Field) -> TypeEngine[Any]:
    """Return the type of PostgreSQL that holds the values of a column.

    Raises
    ------
    OutputError
        If there is none.
    """
    from pyarrow import types

    if (of.metadata or {}).get(b"kind") == b"number":
        return Numeric()
    kind = of.type.value_type if types.is_dictionary(of.type) else of.type
    if types.is_decimal(kind):
        return Numeric(kind.precision, kind.scale) if 0 <= kind.scale <= kind.precision else Numeric()
    if types.is_timestamp(kind):
        return TIMESTAMP(timezone=kind.tz is not None)
    tests: list[tuple[Any, TypeEngine[Any]]] = [
        (types.is_boolean, Boolean()),
        (
            lambda each: each in (_find_arrow_type("int8"), _find_arrow_type("int16"), _find_arrow_type("uint8")),
            SmallInteger(),
        ),
        (lambda each: each in (_find_arrow_type("int32"), _find_arrow_type("uint16")), Integer()),
        (lambda each: each in (_find_arrow_type("int64"), _find_arrow_type("uint32")), BigInteger()),
        (types.is_uint64, Numeric(20, 0)),
        (types.is_float64, DOUBLE_PRECISION()),
        (types.is_floating, REAL()),
        (types.is_date32, Date()),
        (types.is_time, Time()),
        (lambda each: types.is_string(each) or types.is_large_string(each) or types.is_null(each), Text()),
        (lambda each: types.is_binary(each) or types.is_large_binary(each), LargeBinary()),
    ]
    for test, own_type in tests:
        if test(kind):
            return own_type
    raise make_type_error(of)


def _find_arrow_type(name: str) -> Any:
    import pyarrow as pa

    return pa.type_for_alias(name)
