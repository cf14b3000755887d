"""The few statements in which databases differ: what forbids to write, and what renames a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Connection, MetaData, String, Table, inspect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import DropTable
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ClauseElement, Executable

from toolbox.engines.names import TableName

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


def renamed(connection: Connection, staged: Table, place: TableName, *, replace: bool) -> Iterator[Any]:
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
def _renamed(statement: Renamed, compiler: SQLCompiler, **options: Any) -> str:
    ((table, wanted),) = statement.names
    prepared = compiler.preparer
    return f"ALTER TABLE {prepared.format_table(table)} RENAME TO {prepared.quote(wanted.name)}"


@compiles(Renamed, "mysql", "mariadb")
def _renamed_at_once(statement: Renamed, compiler: SQLCompiler, **options: Any) -> str:
    prepared = compiler.preparer
    pairs = (f"{prepared.format_table(table)} TO {prepared.format_table(new)}" for table, new in statement.names)
    return f"RENAME TABLE {', '.join(pairs)}"


@compiles(Renamed, "mssql")
def _renamed_by_procedure(statement: Renamed, compiler: SQLCompiler, **options: Any) -> str:
    ((table, wanted),) = statement.names
    names = (compiler.preparer.format_table(table), wanted.name)
    old, new = (compiler.render_literal_value(name, String()) for name in names)
    return f"EXEC sp_rename {old}, {new}"
