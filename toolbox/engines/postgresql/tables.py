"""Tables of PostgreSQL: which there are, fetched as they are at one moment, and put in place in one transaction."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

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
    Select,
    SmallInteger,
    Table,
    Text,
    Time,
    case,
    cast,
    column,
    func,
    literal,
    or_,
    select,
    table,
    true,
)
from sqlalchemy.dialects.postgresql import TIMESTAMP
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateTable, DropTable
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ClauseElement, Executable
from sqlalchemy.types import TypeEngine

from toolbox.engines.engine import TableName, parse_table_name
from toolbox.engines.postgresql.connection import PostgresConnection
from toolbox.engines.postgresql.types import (
    PostgresType,
    as_written,
    encode_copy_rows,
    encode_sent_value,
    make_arrow_field,
    read_copy_rows,
)
from toolbox.engines.records import Doing, convert_to_microseconds, make_type_error
from toolbox.errors import InputError, OutputError, did_you_mean, name_replacing, quote

if TYPE_CHECKING:
    import pyarrow as pa


# The few statements of PostgreSQL that SQLAlchemy has no words for.


class TableAs(Executable, ClauseElement):
    """Create a table of the rows of a select."""

    inherit_cache = False

    def __init__(self, table: Table, rows: Select[Any], *, is_temporary: bool, is_empty: bool = False) -> None:
        self.table = table
        self.rows = rows
        self.is_temporary = is_temporary
        """Whether it is this transaction's alone, and ends with it."""
        self.is_empty = is_empty
        """Whether it only gets the columns of the select."""


class CopyOut(Executable, ClauseElement):
    """Send the rows of a select as CSV: texts in quotes, null without any."""

    inherit_cache = False

    def __init__(self, rows: Select[Any], texts: Sequence[str]) -> None:
        self.rows = rows
        self.texts = texts
        """The columns of texts."""


class OnTable(Executable, ClauseElement):
    """A statement on one table."""

    inherit_cache = False
    words: str
    """What stands before the table."""
    further = ""
    """What stands behind it."""

    def __init__(self, table: Table) -> None:
        self.table = table


class CopyIn(OnTable):
    """Fill a table from rows in the text format of COPY."""

    words, further = "COPY", " FROM STDIN"


class Analyze(OnTable):
    """Update the statistics of the planner for a table."""

    words = "ANALYZE"


class _RenameTable(OnTable):
    """Give a table another name in its schema."""

    words = "ALTER TABLE"

    def __init__(self, table: Table, name: str) -> None:
        super().__init__(table)
        self.name = name


class _Grant(OnTable):
    """_Grant a right on a table."""

    words = "GRANT"

    def __init__(self, table: Table, right: str, role: str | None, *, may_grant: bool) -> None:
        super().__init__(table)
        self.right = right
        self.role = role
        """None for everybody."""
        self.may_grant = may_grant


class ViewOf(OnTable):
    """Create a temporary view of a query in the words of its author, which the server takes as one select."""

    words = "CREATE TEMPORARY VIEW"

    def __init__(self, table: Table, query: str) -> None:
        super().__init__(table)
        self.query = query


class DropView(OnTable):
    """Drop a view."""

    words = "DROP VIEW"


class _GivenQuery(FromClause):
    """A query in the words of its author, to be selected from."""

    inherit_cache = False

    def __init__(self, query: str) -> None:
        self.query = query


@compiles(_GivenQuery)
def _compile_given_query(element: _GivenQuery, compiler: SQLCompiler, **options: Any) -> str:
    # What follows the query on its line may be a comment.
    return f"({element.query}\n) AS {compiler.preparer.quote('toolbox_query')}"


@compiles(TableAs)
def _compile_table_as(statement: TableAs, compiler: SQLCompiler, **options: Any) -> str:
    kind = "TEMPORARY TABLE" if statement.is_temporary else "TABLE"
    end = " ON COMMIT DROP" if statement.is_temporary else ""
    name = compiler.preparer.format_table(statement.table)
    rows = compiler.process(statement.rows, **options)
    return f"CREATE {kind} {name}{end} AS {rows}{' WITH NO DATA' if statement.is_empty else ''}"


@compiles(CopyOut)
def _copy_out(statement: CopyOut, compiler: SQLCompiler, **options: Any) -> str:
    quoted = ", ".join(map(compiler.preparer.quote, statement.texts))
    force = f", FORCE_QUOTE ({quoted})" if quoted else ""
    return f"COPY ({compiler.process(statement.rows, **options)}) TO STDOUT (FORMAT csv{force})"


@compiles(OnTable)
def _compile_on_table(statement: OnTable, compiler: SQLCompiler, **options: Any) -> str:
    return f"{statement.words} {compiler.preparer.format_table(statement.table)}{statement.further}"


@compiles(_RenameTable)
def _rename(statement: _RenameTable, compiler: SQLCompiler, **options: Any) -> str:
    return f"{_compile_on_table(statement, compiler)} RENAME TO {compiler.preparer.quote(statement.name)}"


@compiles(_Grant)
def _compile_grant(statement: _Grant, compiler: SQLCompiler, **options: Any) -> str:
    table = compiler.preparer.format_table(statement.table)
    role = "PUBLIC" if statement.role is None else compiler.preparer.quote(statement.role)
    return f"GRANT {statement.right} ON {table} TO {role}{' WITH GRANT OPTION' if statement.may_grant else ''}"


@compiles(ViewOf)
def _compile_view_of(statement: ViewOf, compiler: SQLCompiler, **options: Any) -> str:
    return f"{_compile_on_table(statement, compiler)} AS {statement.query}"


# What a server knows of tables: which there are, and what one may do with them.

_READING: Final = "reading the input"
_WRITING: Final = "writing the release"
_MOST_NAMES = 1_000
_READABLE, _TABLE = ("r", "p", "v", "m", "f"), "r"
_PLAIN = ("r", "p", "m", "f")
_RIGHTS = ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN")
_classes = table(
    "pg_class",
    *map(column, ("oid", "relname", "relkind", "relnamespace", "relowner", "relacl")),
    schema="pg_catalog",
)
_schemas = table("pg_namespace", column("oid"), column("nspname"), schema="pg_catalog")
_roles = table("pg_roles", column("oid"), column("rolname"), schema="pg_catalog")


class Relation(NamedTuple):
    """A table, or what can be read like one."""

    oid: int
    name: str
    schema: str
    kind: str
    is_mine: bool

    @property
    def is_plain(self) -> bool:
        """Whether reading it runs nobody's expressions, as reading a view does."""
        return self.kind in _PLAIN


class Granted(NamedTuple):
    """A right on a table."""

    right: str
    role: str | None
    """None for everybody."""
    may_grant: bool


def _find_table(connection: PostgresConnection, name: TableName) -> Relation | None:
    """Find a table by its name; None if there is none."""
    oid = func.to_regclass(literal(str(name)))
    rows = connection.rows(
        select(
            cast(_classes.c.oid, Text),
            cast(_classes.c.relname, Text),
            cast(_schemas.c.nspname, Text),
            cast(_classes.c.relkind, Text),
            func.pg_has_role(_classes.c.relowner, "USAGE"),
        )
        .join_from(_classes, _schemas, _classes.c.relnamespace == _schemas.c.oid)
        .where(_classes.c.oid == oid),
        doing=_READING,
    )
    return Relation(int(rows[0][0]), *rows[0][1:]) if rows else None


def find_input_table(connection: PostgresConnection, name: TableName) -> Relation:
    """Find the input.

    Raises
    ------
    InputError
        If there is no such table.
    """
    relation = _find_table(connection, name)
    if relation is not None and relation.kind in _READABLE:
        return relation
    if relation is not None:
        raise InputError(f"{name} is neither a table nor a view. Name one, or give a query.")
    shown = cast(_schemas.c.nspname, Text).concat(".").concat(cast(_classes.c.relname, Text))
    of_name = shown if name.schema else cast(_classes.c.relname, Text)
    known = connection.rows(
        select(of_name)
        .join_from(_classes, _schemas, _classes.c.relnamespace == _schemas.c.oid)
        .where(_classes.c.relkind.in_(_READABLE), _schemas.c.nspname.not_in(("pg_catalog", "information_schema")))
        .where(or_(literal(name.schema is not None), func.pg_table_is_visible(_classes.c.oid)))
        .limit(_MOST_NAMES),
        doing=_READING,
    )
    sought = name.table if name.schema is None else f"{name.schema}.{name.table}"
    near = did_you_mean(sought, [found_name for (found_name,) in known])
    raise InputError(
        f"There is no table {name} in the database.{near} A name without a schema is looked for in the search_path, "
        "and capital letters count only in double quotes."
    )


def read_column_types(connection: PostgresConnection, origin: FromClause, *, doing: Doing) -> dict[str, PostgresType]:
    """Return the columns of whatever is read."""
    nothing: Select[Any] = select(column("*", is_literal=True)).select_from(origin).limit(0)
    columns = connection.columns(nothing, doing=doing)
    return {name: PostgresType(oid, precision, scale) for name, oid, precision, scale in columns}


def check_output_place(
    connection: PostgresConnection, name: TableName, *, replace: bool, origin: int | None
) -> TableName:
    """Check that a release can be written under a name; return the name with its schema.

    Parameters
    ----------
    replace : bool
        Whether an old release may go.
    origin : int, optional
        The oid of the input, if that is a table.

    Raises
    ------
    OutputError
    """
    place = TableName(name.table, _find_output_schema(connection, name))
    old = _find_table(connection, place)
    if old is None:
        return place
    if old.oid == origin:
        raise OutputError(f"{place} is the input, and would be lost. Choose another table for the release.")
    if old.kind != _TABLE:
        raise OutputError(f"{place} is there, and is no plain table. Choose another name for the release.")
    if not replace:
        raise OutputError(f"{place} exists. Write {name_replacing()} to replace it, or choose another table.")
    if not old.is_mine:
        raise OutputError(f"{place} belongs to another role, so you may not replace it. Choose another table.")
    return place


def _find_output_schema(connection: PostgresConnection, name: TableName) -> str:
    """Return the schema of a release, in which one may create tables."""
    sought = func.current_schema() if name.schema is None else literal(name.schema)
    rows = connection.rows(
        select(
            cast(_schemas.c.nspname, Text),
            func.has_schema_privilege(_schemas.c.oid, "CREATE"),
            func.has_database_privilege(func.current_database(), "TEMPORARY"),
        ).where(_schemas.c.nspname == cast(sought, Text)),
        doing=_WRITING,
    )
    if not rows:
        known = connection.rows(select(cast(_schemas.c.nspname, Text)).limit(_MOST_NAMES), doing=_WRITING)
        near = did_you_mean(name.schema or "", [schema for (schema,) in known])
        missing = (
            "The search_path has no schema that is there"
            if name.schema is None
            else f"There is no schema {name.schema}"
        )
        raise OutputError(f"{missing}.{near} Write the release as schema.table, with a schema that is there.")
    ((schema, may_create, may_stage),) = rows
    if not may_create:
        raise OutputError(f"You may not create tables in the schema {schema}. Ask for the right CREATE on it.")
    if not may_stage:
        raise OutputError("You may not create temporary tables. Ask for the right TEMPORARY on the database.")
    return str(schema)


def _list_granted_rights(connection: PostgresConnection, oid: int) -> list[Granted]:
    """Return the rights of others on a table."""
    rights = func.aclexplode(_classes.c.relacl).table_valued("grantee", "privilege_type", "is_grantable")
    rows = connection.rows(_select_rights(oid, rights), doing="publishing the release")
    return [Granted(*row) for row in rows if row[0] in _RIGHTS]


def _select_rights(oid: int, rights: Any) -> Select[Any]:
    everybody = rights.c.grantee == 0
    return (
        select(
            cast(rights.c.privilege_type, Text),
            case((everybody, None), else_=cast(_roles.c.rolname, Text)),
            rights.c.is_grantable,
        )
        .select_from(_classes)
        .join(rights, true())
        .outerjoin(_roles, _roles.c.oid == rights.c.grantee)
        .where(_classes.c.oid == oid, rights.c.grantee != _classes.c.relowner)
        .where(or_(everybody, _roles.c.rolname.is_not(None)))
    )


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
        old = _find_table(connection, place)
        for right in () if old is None else _list_granted_rights(connection, old.oid):
            connection.run(_Grant(new, right.right, right.role, may_grant=right.may_grant), doing=_PUBLISHING)
        # Also one that another run has put there meanwhile.
        gone = Table(place.table, MetaData(), schema=place.schema)
        connection.run(DropTable(gone, if_exists=True), doing=_PUBLISHING)
    connection.run(_RenameTable(new, place.table), doing=_PUBLISHING)


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
    return _GivenQuery(query.rstrip().removesuffix(";"))


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
