"""What a PostgreSQL server knows of tables: which there are, and what one may do with them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from sqlalchemy import FromClause, Select, Text, case, cast, column, func, literal, or_, select, table, true

from toolbox.engines.engine import TableName
from toolbox.engines.postgresql.connection import Doing, PostgresConnection
from toolbox.engines.postgresql.types import PostgresType
from toolbox.errors import InputError, OutputError, did_you_mean, name_replacing

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


def find_table(connection: PostgresConnection, name: TableName) -> Relation | None:
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
    relation = find_table(connection, name)
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
    old = find_table(connection, place)
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


def list_granted_rights(connection: PostgresConnection, oid: int) -> list[Granted]:
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
