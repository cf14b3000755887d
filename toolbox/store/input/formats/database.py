"""A table or a view in the file of an SQLite or DuckDB database, which nobody writes to, and tables of a lake."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote as quoted_path

import duckdb
from duckdb_sqlalchemy import Dialect
from sqlalchemy import String, cast, column, select, table
from sqlalchemy.dialects import sqlite
from sqlalchemy.sql.expression import quoted_name

from toolbox.config.file_names import find_lake, list_iceberg_versions, make_lake_error
from toolbox.errors import InputError, did_you_mean, format_debug_hint, quote
from toolbox.messages import choose_setting_name
from toolbox.store.input.formats.table import BATCH, FileTable, mark_digits

# A table or a view in the file of an SQLite or DuckDB database, which nobody writes to.
#
# Names are quoted by SQLAlchemy. A view is read like a table; it cannot lead out of its file.

_SQLITE = b"SQLite format 3\0"


def open_database_table(path: Path, wanted: str | None) -> FileTable:
    """Open a table of a database, by what the file is and not by its name.

    Raises
    ------
    InputError
        If the file is no database, or has no such table, or none or several.
    """
    with path.open("rb") as file:
        is_sqlite = file.read(len(_SQLITE)) == _SQLITE
    if is_sqlite:
        return SqliteTable(path, wanted)

    return DuckdbTable(path, wanted)


# Which table of a file is meant, where it holds several.


def choose_table(path: Path, wanted: str | None, names: Sequence[str]) -> str:
    """Return the table that is wanted, or the only one.

    Raises
    ------
    InputError
    """
    listed = ", ".join(map(quote, names[:20])) + (", .." if len(names) > 20 else "")
    if not names:
        raise InputError(f"{path} is a database without a table.")
    if wanted is not None:
        if wanted not in names:
            raise InputError(f"{path} has no table {quote(wanted)}.{did_you_mean(wanted, names)} It has: {listed}.")
        return wanted
    if len(names) > 1:
        choice = choose_setting_name(
            f"table={names[0]!r}, or --input-table {quote(names[0])}", python=f"table={names[0]!r}"
        )
        raise InputError(f"{path} has several tables: {listed}. Say which is meant: {choice}.", names)
    return names[0]


# A table or a view of a DuckDB database, which is opened apart from the engine of the store, to be read only.

_SETTINGS: Final[dict[str, Any]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "enable_external_access": False,
    "lock_configuration": True,
}
"""A view could name another file, or an extension of the network."""
_NUMBERS: Final = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_CARRIED: Final = frozenset((*_NUMBERS, "BOOLEAN", "FLOAT", "DOUBLE", "DATE", "TIMESTAMP", "VARCHAR", "BLOB"))
"""Types that Parquet holds as they are; of all others but decimals and moments with a zone the texts are read."""
_ZONED: Final = "TIMESTAMP WITH TIME ZONE"
_HUGE: Final = ("HUGEINT", "UHUGEINT")
"""Numbers that no type of Arrow holds."""


class DuckdbTable(FileTable):
    """A table or a view of a DuckDB database.

    Parameters
    ----------
    path : Path
    wanted : str, optional
        Its name, behind that of its schema if this is not ``main``; None: the only one.
    """

    def __init__(self, path: Path, wanted: str | None) -> None:
        super().__init__()
        self._path = path
        with _translate_errors(path):
            self._connection = duckdb.connect(str(path.resolve()), read_only=True, config=_SETTINGS)
            try:
                places = self._places()
                schema, name = places[choose_table(path, wanted, list(places))]
                origin = table(_quote_name(name), schema=_quote_name(schema))
                described = self._run(select(column("*", is_literal=True)).select_from(origin).limit(0)).description
                self.names = [str(entry[0]) for entry in described]
                self._huge = [index for index, entry in enumerate(described) if str(entry[1]) in _HUGE]
                read = [_make_readable(str(entry[0]), str(entry[1])) for entry in described]
                shown = (value.label(f"c{index}") for index, value in enumerate(read))
                self._query = select(*shown).select_from(origin)
            except BaseException:
                self._connection.close()
                raise

    def _run(self, query: Any) -> duckdb.DuckDBPyConnection:
        written = query.compile(dialect=Dialect(paramstyle="named"), compile_kwargs={"literal_binds": True})
        return self._connection.execute(str(written))

    def _places(self) -> dict[str, tuple[str, str]]:
        """Return schema and name of each table and view, by what users call it."""
        schema: Any = column("table_schema")
        name: Any = column("table_name")
        known = select(schema, name).select_from(table("tables", schema="information_schema")).order_by(schema, name)
        found = [(str(schema), str(name)) for schema, name in self._run(known).fetchall()]
        return {name if schema == "main" else f"{schema}.{name}": (schema, name) for schema, name in found}

    def batches(self) -> Iterator[tuple[int, Sequence[Any]]]:
        with _translate_errors(self._path):
            for batch in self._run(self._query).to_arrow_reader(BATCH):
                columns = list(batch.columns)
                for position in self._huge:
                    columns[position] = mark_digits(columns[position])
                yield batch.num_rows, columns

    def close(self) -> None:
        self._connection.close()


def _quote_name(name: str) -> quoted_name:
    return quoted_name(name, quote=True)


def _make_readable(name: str, kind: str) -> Any:
    value: Any = column(_quote_name(name))
    is_carried = kind in _CARRIED or kind == _ZONED or kind.startswith("DECIMAL")
    return value if is_carried else cast(value, String)


@contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        said = str(error)
        if "set lock" in said or "Conflicting lock" in said:
            problem, remedy = "is open in another program, which may write to it", "Close it there."
        elif "different configuration" in said:
            problem, remedy = "is open in this program", "Close it, or give toolbox a relation of it."
        elif isinstance(error, (duckdb.DataError, duckdb.InvalidInputException)):
            problem, remedy = "has a view whose values cannot be computed", "Read a table, or correct the view."
        elif "version" in said:
            problem, remedy = "was written by another version of DuckDB", "Export its table there, as Parquet."
        elif isinstance(error, (duckdb.PermissionException, duckdb.CatalogException, duckdb.BinderException)):
            problem = "has a view that reads other files, or what is not there"
            remedy = "Read a table, or make one of the view."
        else:
            problem, remedy = "cannot be read: it is damaged", "Get a complete copy."
        raise InputError(f"{path} {problem}. {remedy}") from error


# A table or a view of an SQLite database.

_ALLOWED: Final = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_LONGEST: Final = 64_000_000
"""Bytes that a value may have; a view may make some without end."""
_STEPS: Final = 100_000
"""Steps of the engine after which Python may hear an interrupt."""


class SqliteTable(FileTable):
    """A table or a view of an SQLite database.

    Parameters
    ----------
    path : Path
    wanted : str, optional
        Its name; None: the only one.
    """

    def __init__(self, path: Path, wanted: str | None) -> None:
        super().__init__()
        self._path = path
        with _translate_sqlite_errors(path):
            self._connection = _open_database(path)
            try:
                self._name = choose_table(path, wanted, self._tables())
                every = self._connection.execute(_write_query(select(column("*", is_literal=True)), self._name))
                self.names = [entry[0] for entry in every.description]
                self._rows = every
            except BaseException:
                self._connection.close()
                raise

    def _tables(self) -> list[str]:
        kinds: Any = column("type")
        name: Any = column("name")
        known = select(name).where(kinds.in_(["table", "view"]), name.not_like("sqlite\\_%", escape="\\"))
        return [name for (name,) in self._connection.execute(_write_query(known.order_by(name), "sqlite_master"))]

    def batches(self) -> Iterator[tuple[int, Sequence[Any]]]:
        with _translate_sqlite_errors(self._path):
            while rows := self._rows.fetchmany(BATCH):
                yield len(rows), list(zip(*rows, strict=True))

    def close(self) -> None:
        self._connection.close()


def _write_query(query: Any, name: str) -> str:
    origin = table(quoted_name(name, quote=True))
    return str(query.select_from(origin).compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))


def _open_database(path: Path) -> sqlite3.Connection:
    """Open a database so that nothing is written, be it only a lock or a file beside it."""
    beside = [path.with_name(path.name + ending) for ending in ("-wal", "-journal")]
    # What another program has not yet brought into the file is read as well; then it must be asked.
    is_in_use = any(file.exists() and file.stat().st_size for file in beside)
    name = quoted_path(str(path.resolve()))
    connection = sqlite3.connect(f"file:{name}?mode=ro{'' if is_in_use else '&immutable=1'}", uri=True)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY)
    connection.set_progress_handler(lambda: 0, _STEPS)
    return connection


@contextmanager
def _translate_sqlite_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeError) as error:
        said = str(error)
        if "too big" in said:
            problem, remedy = f"has a value of more than {_LONGEST // 1_000_000} MB", "Leave that column out of a view."
        elif "locked" in said or "busy" in said:
            problem, remedy = "is locked by another program", "Close that, or wait until it has finished."
        elif "UTF-8" in said:
            problem, remedy = "holds text that is not UTF-8", "Write it again as UTF-8, or as a blob."
        elif "prohibited" in said or "not authorized" in said or "unsafe use" in said:
            problem, remedy = "has a view that does more than read its tables", "Read a table, or export the view."
        elif "readonly" in said or "unable to open" in said:
            problem, remedy = "was not closed as it should be", "Open and close it once in its own program."
        else:
            problem, remedy = "cannot be read: it is damaged, or a view of it is wrong", "Get a complete copy."
        raise InputError(f"{path} {problem}. {remedy}") from error


# A table of a lake: its records as they are by its log, read by an extension of DuckDB where that is installed.


def export_lake(folder: Path, target: Path) -> None:
    """Write the records of a table of Delta or Iceberg to one Parquet file.

    Raises
    ------
    InputError
        If no extension is installed that reads it, or it cannot be read.
    """
    kind = find_lake(folder)
    assert kind is not None, "it is a folder of files"
    # Nothing is installed: that would fetch a program.
    settings = {name: value for name, value in _SETTINGS.items() if name.startswith(("auto", "allow_community"))}
    with duckdb.connect(config=settings) as connection:
        try:
            connection.load_extension(kind.lower())
        except duckdb.Error:
            raise make_lake_error(folder, kind) from None
        # Of Iceberg the document of the last version is named: not every writer notes which it is.
        place = folder if kind == "Delta" else list_iceberg_versions(folder)[-1]
        try:
            connection.table_function(f"{kind.lower()}_scan", [str(place.resolve())]).write_parquet(str(target))
        except duckdb.Error as error:
            problem = f"{folder} cannot be read as a table of {kind}: a part is missing, or is unknown to the reader."
            raise InputError(f"{problem} Get a complete copy, or export its records. {format_debug_hint()}") from error
