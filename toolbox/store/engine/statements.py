"""The few statements of DuckDB that SQLAlchemy has no words for: reading files and writing files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from duckdb_sqlalchemy import datatypes
from sqlalchemy import FromClause, Insert, String, cast, column, func, literal, literal_column, try_cast
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.expression import ClauseElement, Executable
from sqlalchemy.types import UserDefinedType

from toolbox.queries.dialect import Query, Table

HugeInteger = datatypes.HugeInteger
"""A whole number of 128 bits."""
CHARACTERS_PER_LINE = 8_000_000
"""Longest line that is read, in bytes; a longer one is rejected rather than held in memory."""


def make_column_names(count: int) -> list[str]:
    """Return the column names of an input inside the store: headers may be anything, so they are not used there."""
    return [f"c{position}" for position in range(count)]


def _write_option(name: str, value: object) -> ColumnElement[bool]:
    """Write one named argument of a table function."""
    return literal_column(name).op("=")(value if isinstance(value, ColumnElement) else literal(value))


def _write_file_list(paths: Sequence[Path]) -> ColumnElement[Any]:
    """Write a list of files, whose records are read in its order."""
    return func.list_value(*(literal(str(path)) for path in paths))


def read_delimited(
    paths: Sequence[Path],
    *,
    columns: int,
    separator: str,
    header: bool,
    rejects: str | None = None,
    skip: int = 0,
    line_end: str | None = None,
    told: int = 0,
) -> FromClause:
    """Read delimited text, every column as text; lines that do not fit are skipped.

    Parameters
    ----------
    paths : sequence of Path, length >= 1
        Names without wildcards, which DuckDB would expand; ``.gz`` and ``.zst`` say that a file is compressed.
    columns : int, >= 1
    separator : str, 1 to 4 bytes
    header : bool
        Whether the first record of each file names the columns.
    rejects : str, optional
        Table that DuckDB makes for the lines that do not fit; it needs much memory for each.
    skip : int
        Lines before the header.
    line_end : str, optional
        How every record ends. Otherwise the engine goes by the first line end of the file, even if that stands within
        quotes.
    told : int
        Columns that folders tell, called as `name_told_folder` does.

    Returns
    -------
    FromClause
        One row per record, in the order of the files, columns ``c0`` to ``c<columns - 1>``, and then those of folders.
        ``""`` is empty text; an empty field is null.
    """
    names = make_column_names(columns)
    # The struct holds names of our own making only, never text of the user's.
    struct: ColumnElement[Any] = literal_column("{" + ", ".join(f"'{name}': 'VARCHAR'" for name in names) + "}")
    options: dict[str, object] = {
        "columns": struct,
        "delim": separator,
        "header": header,
        "quote": '"',
        "escape": '"',
        "auto_detect": False,
        "compression": "auto",
        "allow_quoted_nulls": False,
        "nullstr": "",
        "skip": skip,
        "hive_partitioning": told > 0,
        "max_line_size": CHARACTERS_PER_LINE,
        "buffer_size": 4 * CHARACTERS_PER_LINE,
    }
    if rejects is None:
        options["ignore_errors"] = True
    else:
        files = f"{rejects}_files"
        options |= {"store_rejects": True, "rejects_table": rejects, "rejects_scan": files, "rejects_limit": 0}
    if line_end is not None:
        options["new_line"] = line_end.replace("\r", "\\r").replace("\n", "\\n")
    if told:
        options["hive_types_autocast"] = False
    arguments = [_write_option(name, value) for name, value in options.items()]
    reading = func.read_csv(_write_file_list(paths), *arguments)
    if told:
        return reading.table_valued(*make_column_names(columns + told), name="input").render_derived()
    return reading.table_valued(*names, name="input")


def name_told_folder(index: int, text: str) -> str:
    """Return what a folder is called that tells the engine a column; their names are in the order of the columns."""
    return f"t{index:06}={text}"


def read_parquet(paths: Sequence[Path], columns: int, *, one_type: bool = True, told: Sequence[str] = ()) -> FromClause:
    """Read Parquet files, with columns named by position: their own names may differ in case alone.

    Parameters
    ----------
    paths : sequence of Path, length >= 1
        Names without wildcards; all files have the same columns.
    columns : int
    one_type : bool
        Whether each column is of the same type in all files. Otherwise it is read as the type that holds them all.
    told : sequence of str
        The types of columns that folders tell, called as `name_told_folder` does; they stand behind the others.
    """
    options: dict[str, object] = {"hive_partitioning": bool(told), "union_by_name": not one_type}
    if told:
        types = (f"'{name_told_folder(index, '')[:-1]}': {kind}" for index, kind in enumerate(told))
        options["hive_types"] = literal_column("{" + ", ".join(types) + "}")
    return (
        func.read_parquet(_write_file_list(paths), *(_write_option(*option) for option in options.items()))
        .table_valued(*make_column_names(columns + len(told)), name="input")
        .render_derived()
    )


class Configure(Executable, ClauseElement):
    """Change a setting of the engine: ``SET name = value``."""

    inherit_cache = False

    def __init__(self, name: str, value: str | bool | Sequence[str]) -> None:
        self.name = name
        self.value = value


@compiles(Configure)
def _compile_configure(element: Configure, compiler: SQLCompiler, **kwargs: Any) -> str:
    kwargs["literal_binds"] = True
    value = element.value
    if isinstance(value, (str, bool)):
        return f"SET {element.name} = {compiler.process(literal(value), **kwargs)}"
    return f"SET {element.name} = [{', '.join(compiler.process(literal(entry), **kwargs) for entry in value)}]"


CopyOptions: TypeAlias = Mapping[str, "str | bool | Mapping[str, str]"]
"""How a file is written; a mapping is a struct."""


class CopyTo(Executable, ClauseElement):
    """Write the rows of a select to a file: ``COPY (select) TO 'file' (options)``."""

    inherit_cache = False

    def __init__(self, source: Query, path: Path, options: CopyOptions) -> None:
        self.source = source
        self.path = path
        self.file_options = dict(options)


@compiles(CopyTo)
def _compile_copy(element: CopyTo, compiler: SQLCompiler, **kwargs: Any) -> str:
    kwargs["literal_binds"] = True
    source = compiler.process(element.source, **kwargs)
    path = compiler.process(literal(str(element.path)), **kwargs)

    def written(value: str | bool | Mapping[str, str]) -> str:
        if isinstance(value, Mapping):
            return "{" + ", ".join(f"{written(name)}: {written(inner)}" for name, inner in value.items()) + "}"
        return compiler.process(literal(value), **kwargs)

    options = ", ".join(f"{name} {written(value)}" for name, value in element.file_options.items())
    return f"COPY ({source}) TO {path} ({options})"


def append_rows(target: Table, rows: Query) -> Insert:
    """Add the rows of a select to a table; their columns must be in its order."""
    return target.insert().from_select([column.name for column in target.c], rows)


class CreateAs(Executable, ClauseElement):
    """Name the rows of a select: ``CREATE what name AS select``.

    Parameters
    ----------
    what : {'TABLE', 'TEMPORARY TABLE', 'VIEW'}
    name : str
    rows : Select
        Every column has a name of its own.
    """

    inherit_cache = False

    def __init__(self, what: str, name: str, rows: Query) -> None:
        self.what = what
        self.table = Table(name, *(column(each.name, each.type) for each in rows.selected_columns))
        self.rows = rows


class Replace(CreateAs):
    """Replace a temporary table by a select with the same columns."""

    inherit_cache = False

    def __init__(self, target: Table, rows: Query) -> None:
        super().__init__("OR REPLACE TEMPORARY TABLE", target.name, rows)


@compiles(CreateAs)
def _compile_create(element: CreateAs, compiler: SQLCompiler, **kwargs: Any) -> str:
    kwargs["literal_binds"] = True
    name = compiler.preparer.format_table(element.table)
    return f"CREATE {element.what} {name} AS {compiler.process(element.rows, **kwargs)}"


class DropTables(Executable, ClauseElement):
    """Drop tables at once, which costs half of what one statement for each does."""

    inherit_cache = False

    def __init__(self, tables: Sequence[Table]) -> None:
        self.tables = tables


@compiles(DropTables)
def _compile_drop(element: DropTables, compiler: SQLCompiler, **_: Any) -> str:
    return "; ".join(f"DROP TABLE {compiler.preparer.format_table(table)}" for table in element.tables)


class DropColumns(Executable, ClauseElement):
    """Drop columns of a table; the others stay where they are."""

    inherit_cache = False

    def __init__(self, table: Table, names: Collection[str]) -> None:
        self.table = table
        self.names = names


@compiles(DropColumns)
def _compile_drop_columns(element: DropColumns, compiler: SQLCompiler, **_: Any) -> str:
    altered = f"ALTER TABLE {compiler.preparer.format_table(element.table)} DROP COLUMN"
    return "; ".join(f"{altered} {compiler.preparer.quote(name)}" for name in element.names)


class DropMade(Executable, ClauseElement):
    """Drop views, tables and enumerations if they exist; an interrupt may have prevented some."""

    inherit_cache = False

    def __init__(self, views: Sequence[Table], tables: Sequence[Table], enumerations: Sequence[str]) -> None:
        self.views = views
        self.tables = tables
        self.enumerations = enumerations


@compiles(DropMade)
def _compile_drop_made(element: DropMade, compiler: SQLCompiler, **_: Any) -> str:
    views, tables = (
        [compiler.preparer.format_table(made) for made in kind] for kind in (element.views, element.tables)
    )
    kinds = {"VIEW": views, "TABLE": tables, "TYPE": element.enumerations}
    return "; ".join(f"DROP {kind} IF EXISTS {name}" for kind, names in kinds.items() for name in names)


class CreateEnumeration(Executable, ClauseElement):
    """Make a type whose values are the texts of a select: ``CREATE TYPE name AS ENUM (select)``."""

    inherit_cache = False

    def __init__(self, name: str, texts: Query) -> None:
        self.name = name
        self.texts = texts


@compiles(CreateEnumeration)
def _compile_enumeration(element: CreateEnumeration, compiler: SQLCompiler, **kwargs: Any) -> str:
    kwargs["literal_binds"] = True
    return f"CREATE TEMPORARY TYPE {element.name} AS ENUM ({compiler.process(element.texts, **kwargs)})"


class Enumeration(UserDefinedType[str]):
    """A type of our own making; its values are texts, kept as small numbers."""

    cache_ok = True

    def __init__(self, name: str) -> None:
        self.name = name

    def get_col_spec(self, **kwargs: Any) -> str:
        """Return the name of the type, as SQLAlchemy asks for it."""
        return self.name


def convert_to_enumeration(text: ColumnElement[str], kind: Enumeration) -> ColumnElement[str]:
    """Turn a text into a value of an enumeration; null if it is none."""
    return try_cast(text, kind)


def number_in(text: ColumnElement[str], kind: Enumeration) -> ColumnElement[int]:
    """Return the place of a text in an enumeration, from 0; null if it is not one of its values."""
    return func.enum_code(try_cast(text, kind))


def as_text(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return the text of an enumeration; any other column as it is."""
    return cast(column, String) if isinstance(column.type, Enumeration) else column
