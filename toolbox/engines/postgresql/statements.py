"""The few statements of PostgreSQL that SQLAlchemy has no words for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import FromClause, Select, Table
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ClauseElement, Executable


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


class RenameTable(OnTable):
    """Give a table another name in its schema."""

    words = "ALTER TABLE"

    def __init__(self, table: Table, name: str) -> None:
        super().__init__(table)
        self.name = name


class Grant(OnTable):
    """Grant a right on a table."""

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


class GivenQuery(FromClause):
    """A query in the words of its author, to be selected from."""

    inherit_cache = False

    def __init__(self, query: str) -> None:
        self.query = query


@compiles(GivenQuery)
def _compile_given_query(element: GivenQuery, compiler: SQLCompiler, **options: Any) -> str:
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


@compiles(RenameTable)
def _rename(statement: RenameTable, compiler: SQLCompiler, **options: Any) -> str:
    return f"{_compile_on_table(statement, compiler)} RENAME TO {compiler.preparer.quote(statement.name)}"


@compiles(Grant)
def _compile_grant(statement: Grant, compiler: SQLCompiler, **options: Any) -> str:
    table = compiler.preparer.format_table(statement.table)
    role = "PUBLIC" if statement.role is None else compiler.preparer.quote(statement.role)
    return f"GRANT {statement.right} ON {table} TO {role}{' WITH GRANT OPTION' if statement.may_grant else ''}"


@compiles(ViewOf)
def _compile_view_of(statement: ViewOf, compiler: SQLCompiler, **options: Any) -> str:
    return f"{_compile_on_table(statement, compiler)} AS {statement.query}"
