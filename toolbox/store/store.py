"""The only holder of a connection: an embedded DuckDB database in a folder of its own, gone at the end."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import duckdb
from duckdb_sqlalchemy import Dialect
from sqlalchemy import (
    BigInteger,
    Boolean,
    CreateTableAs,
    CreateView,
    Double,
    FromClause,
    Insert,
    Integer,
    MetaData,
    SmallInteger,
    Table,
    cast,
    column,
    func,
    select,
)
from sqlalchemy import table as table_of
from sqlalchemy.schema import DropTable
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.expression import ClauseElement
from sqlalchemy.types import TypeEngine

from toolbox.config.model import Limits
from toolbox.config.values import amount
from toolbox.errors import InputError, OutputError, UsageError
from toolbox.queries.query import Query
from toolbox.store.constants import constant_rows
from toolbox.store.engine_errors import translated
from toolbox.store.engine_settings import engine_settings
from toolbox.store.gate import Gate
from toolbox.store.room import NO_ROOM, no_room
from toolbox.store.statements import Configure, CopyTo, CreateEnumeration, Enumeration, Replace
from toolbox.store.workspace import Workspace
from toolbox.wording import either

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

_TYPES_OF_ARRAYS: dict[str, TypeEngine[Any]] = {
    "bool": Boolean(),
    "int16": SmallInteger(),
    "int32": Integer(),
    "int64": BigInteger(),
    "float64": Double(),
}
# Characters in the names of folders that DuckDB takes for wildcards or for the end of a path.
_SPECIAL = set("*?[]#")
# On record-sized statements the join sides stay as they are written: the records stream past a small table of
# classes, so that memory does not grow with their number.
_KEEP_JOIN_SIDES = "SET disabled_optimizers = 'join_order,build_side_probe_side'"
_CHOOSE_JOIN_SIDES = "RESET disabled_optimizers"
_FETCHED = 10_000
"""Rows that are fetched at once."""
# Any other style of parameters doubles the percent signs of constants. One for all stores, as it remembers how names
# and types are written.
_DIALECT = Dialect(paramstyle="named")


@dataclass(frozen=True)
class Prepared:
    """A statement whose SQL is written."""

    sql: str
    _execute: Callable[[str], duckdb.DuckDBPyConnection]

    def run(self) -> duckdb.DuckDBPyConnection:
        """Execute it."""
        return self._execute(self.sql)


class Store:
    """An open database, bounded in memory and threads, spilling to its own folder.

    Use it as a context manager; on leaving, whatever happened, the folder is removed. The engine reads and writes in
    this folder, and reads the files that its ``gate`` was shown before its first statement; every other file, the
    network and all extensions are closed to it, for good.

    Parameters
    ----------
    beside : Path, optional
        Folder in which the store makes its own, so that a finished file moves to its place at once; None: the
        system's temporary folder.
    limits : Limits

    Examples
    --------
    >>> with Store() as store:
    ...     numbers = store.create_constant("numbers", {"n": (int, [1, 2, 3])})
    ...     store.scalar(select(func.sum(numbers.c.n)))
    6
    """

    def __init__(self, beside: Path | None = None, limits: Limits = Limits()) -> None:
        if beside is not None and set(str(beside.absolute())) & _SPECIAL:
            if beside == limits.temp_dir:
                found = str(beside.absolute())
                setting = either("--temp-dir", python="temp_dir=")
                raise UsageError(f"{setting} is {found!r}. Name a folder without * ? [ ] and # in its path.")
            beside = None
        try:
            # The engine takes what stands before a colon in a relative path for the name of an extension.
            self._workspace = Workspace(None if beside is None else beside.absolute(), limits.lock_timeout)
        except OSError as error:
            parent = beside or Path(tempfile.gettempdir())
            if error.errno in NO_ROOM:
                raise no_room(error.errno, parent) from error
            raise OutputError(
                f"{parent}: no folder for temporary files can be made here ({error.strerror})."
            ) from error
        self.folder = self._workspace.folder
        try:
            self._open(limits)
        except BaseException:
            self._workspace.close()
            raise

    def _open(self, limits: Limits) -> None:
        self._limits = limits
        self._metadata = MetaData()
        self._names = 0
        self._sizes: dict[str, int] = {}
        self.gate = Gate(self.folder)
        with self._errors_translated():
            self._connection = duckdb.connect(
                str(self.folder / "store.duckdb"), config=engine_settings(limits, self.folder)
            )
        if limits.store is None:
            # What is about to be deleted need not be written out first.
            self._connection.execute("PRAGMA disable_checkpoint_on_shutdown")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            # All that is to be kept has been written by now.
            with suppress(duckdb.Error):
                self._connection.close()
        finally:
            self._workspace.close()

    def finish(self) -> dict[Path, Path]:
        """Close the database; return the file that is to be kept and where, if any."""
        if self._limits.store is None:
            self._connection.close()
            return {}
        with self._errors_translated():
            # Closing alone would say nothing of a full disk.
            self._connection.execute("CHECKPOINT")
            self._connection.close()
        database = self.folder / "store.duckdb"
        # Original values, for their owner alone.
        database.chmod(0o600)
        return {database: self._limits.store}

    def run(self, statement: ClauseElement) -> duckdb.DuckDBPyConnection:
        """Execute one statement.

        SQLAlchemy writes the SQL, with its constants quoted into it, and DuckDB's own connection runs it: a statement
        with parameters would make DuckDB import pandas, which takes longer than most whole runs.

        Raises
        ------
        ToolboxError
            If memory or disk run out, or a file cannot be read; an `EngineError` for anything else that DuckDB says.
        """
        return self.prepared(statement).run()

    def prepared(self, statement: ClauseElement) -> Prepared:
        """Write the SQL of a statement once, to run it several times."""
        if isinstance(statement, (Insert, Replace)):
            # From now on the size of its table is that of no moment that is known here.
            self._sizes.pop(statement.table.name, None)
        return Prepared(self._written(statement), self._execute)

    def _written(self, statement: ClauseElement) -> str:
        return str(statement.compile(dialect=_DIALECT, compile_kwargs={"literal_binds": True}))

    def _execute(self, sql: str) -> duckdb.DuckDBPyConnection:
        if self.gate.is_open:
            for setting in self.gate.shut():
                self.run(setting)
        with self._errors_translated():
            return self._connection.execute(sql)

    @contextmanager
    def _errors_translated(self) -> Iterator[None]:
        try:
            yield
        except RuntimeError as error:
            # So DuckDB's client reports that a signal handler raised KeyboardInterrupt while a statement ran.
            if "interrupted" in str(error).lower():
                raise KeyboardInterrupt from error
            raise
        except duckdb.Error as error:
            raise translated(error, self.folder) from error

    @property
    def memory_limit(self) -> int | None:
        """Bytes that the engine may take, if anybody has limited it."""
        return None if self._limits.memory is None else amount(self._limits.memory)

    def limit_memory(self, size: int) -> None:
        """Give the engine so many bytes from now on; what is beyond spills."""
        self.run(Configure("memory_limit", f"{size}B"))

    def tell_share(self) -> None:
        """Let the engine keep count of how far a statement is, which it does not do by itself."""
        # The inputs are not yet known, so this is no statement that would close the store to them.
        for name, value in (("enable_progress_bar", True), ("enable_progress_bar_print", False)):
            self._connection.execute(self._written(Configure(name, value)))

    def share(self) -> float | None:
        """Tell, from any thread, which share of the running statement is done; None if none runs or it is not known."""
        try:
            percent = self._connection.query_progress()
        except duckdb.Error:
            return None
        return None if percent < 0 else percent / 100

    def rows(self, statement: Query) -> list[Any]:
        """Fetch all rows of a select whose result is small, as tuples."""
        return self._fetched(statement)

    def _fetched(self, statement: ClauseElement) -> list[Any]:
        with self._errors_translated():
            return self.run(statement).fetchall()

    def stream(self, statement: Query) -> Iterator[Any]:
        """Yield the rows of a select one by one; no other statement may run meanwhile."""
        with self._errors_translated():
            found = self.run(statement)
            while rows := found.fetchmany(_FETCHED):
                yield from rows

    def row(self, statement: Query) -> Any:
        """Fetch the one row of a select."""
        (row,) = self.rows(statement)
        return row

    def scalar(self, statement: Query) -> Any:
        """Fetch the one value of a select."""
        (value,) = self.row(statement)
        return value

    def fresh(self, name: str) -> str:
        """Make a table name that no other table of this store has."""
        self._names += 1
        return f"{name}_{self._names}"

    def create(self, name: str, rows: Query, *, lasting: bool = False) -> Table:
        """Keep the rows of a select as a new table.

        A lasting one is part of a store that is kept. All others live in memory and spill, so that no statement waits
        for the disk.
        """
        temporary = not (lasting and self._limits.store)
        creation = CreateTableAs(rows, self.fresh(name), metadata=self._metadata, temporary=temporary)
        (self._sizes[creation.table.name],) = self._fetched(creation)[0]
        return creation.table

    def create_constant(self, name: str, columns: Mapping[str, tuple[type, Sequence[object]]]) -> Table:
        """Keep Python sequences of one length as a new table.

        Parameters
        ----------
        name : str
        columns : mapping of column name to (type, values)
            The type is one of bool, int, float, str; a value may be None.
        """
        return self.create(name, constant_rows(columns))

    def from_arrays(self, name: str, columns: Mapping[str, NDArray[Any]]) -> Table:
        """Keep numpy arrays of one length, of truth values, whole numbers or doubles, as a new table."""
        import numpy as np

        given = table_of(
            self.fresh(name), *(column(label, _TYPES_OF_ARRAYS[str(of.dtype)]) for label, of in columns.items())
        )
        self._connection.register(given.name, {label: np.ascontiguousarray(of) for label, of in columns.items()})
        try:
            return self.create(name, select(given))
        finally:
            self._connection.unregister(given.name)

    def to_arrays(self, rows: Query) -> dict[str, NDArray[Any]]:
        """Fetch the rows of a select without nulls as numpy arrays, one for each column."""
        with self._errors_translated():
            arrays: dict[str, Any] = self.run(rows).fetchnumpy()
        return arrays

    def create_view(self, name: str, rows: Query) -> Table:
        """Give a select a name, without keeping its rows."""
        return self.publish(self.fresh(name), rows)

    def publish(self, name: str, rows: Query) -> Table:
        """Give a select just this name, under which a store that is kept shows it."""
        creation = CreateView(rows, name, metadata=self._metadata)
        self.run(creation)
        return creation.table

    def drop(self, *tables: Table) -> None:
        """Forget tables that are no longer needed."""
        for table in tables:
            self.run(DropTable(table))
            self._sizes.pop(table.name, None)
            self._metadata.remove(table)

    def count(self, table: FromClause) -> int:
        """Count the rows of a table or a view; the engine has told that of a table when it made it."""
        known = self._sizes.get(table.name) if isinstance(table, Table) else None
        return int(self.scalar(select(func.count()).select_from(table))) if known is None else known

    def enumerated(self, table: Table, names: Sequence[str]) -> Table:
        """Copy a table with some of its text columns as enumerations, so that sorting moves numbers, not texts."""
        columns: list[ColumnElement[Any]] = []
        for given in table.c:
            if given.name in names:
                kind = self.fresh("texts")
                self.run(CreateEnumeration(kind, select(given).where(given.is_not(None)).distinct()))
                columns.append(cast(given, Enumeration(kind)).label(given.name))
            else:
                columns.append(given)
        return self.create(table.name, select(*columns))

    @contextmanager
    def _join_sides_kept(self) -> Iterator[None]:
        self._execute(_KEEP_JOIN_SIDES)
        try:
            yield
        finally:
            self._execute(_CHOOSE_JOIN_SIDES)

    def copy_to(self, rows: Query, path: Path, options: Mapping[str, str | bool | Mapping[str, str]]) -> None:
        """Write the rows of a record-sized join to a file; an order is theirs only if they say so."""
        with self._join_sides_kept():
            self.run(CopyTo(rows, path, options))

    def register(self, name: str, table: pa.Table) -> str:
        """Make an Arrow table of the caller readable under a new name, without copying it."""
        unique = self.fresh(name)
        try:
            self._connection.register(unique, table)
        except duckdb.Error as error:
            raise InputError("The table cannot be read: it has a type that is unknown.") from error
        return unique

    def arrow(self, rows: Query) -> pa.Table:
        """Fetch the rows of a record-sized join as an Arrow table; an order is theirs only if they say so."""
        with self._join_sides_kept(), self._errors_translated():
            return self.run(rows).to_arrow_table()
