"""The connection to the engine, an embedded DuckDB database in a folder, and the settings it starts with."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from stat import S_ISVTX, S_IWOTH
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

import duckdb
from duckdb_sqlalchemy import Dialect
from sqlalchemy import func, literal, select, union_all
from sqlalchemy.sql.expression import ClauseElement

from toolbox.config.file_names import keep_for_owner
from toolbox.config.model import Limits
from toolbox.config.values import MOST_THREADS, parse_amount, parse_integer, parse_memory
from toolbox.errors import BadValueError, InputError, OutputError, UsageError, quote
from toolbox.messages import choose_setting_name
from toolbox.queries.dialect import Query, Table
from toolbox.store.disk.directory_lock import hear_interrupts
from toolbox.store.disk.folders import NO_ROOM, make_room_error
from toolbox.store.disk.workspace import Workspace
from toolbox.store.engine.errors import translate_error
from toolbox.store.engine.gate import Gate
from toolbox.store.engine.statements import Configure, CopyOptions, CopyTo

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


# The folder in which the engine works.

# Characters in the names of folders that DuckDB takes for wildcards or for the end of a path.
_SPECIAL = set("*?[]#")


def make_engine_folder(beside: Path | None, limits: Limits) -> Workspace:
    """Make a folder for the engine in another one, or in the system's temporary folder.

    Parameters
    ----------
    beside : Path, optional
        The other folder. If the engine cannot read its name, or everybody may rename what lies in it, it is not used,
        unless the user has named it.
    limits : Limits

    Raises
    ------
    UsageError
        If the user has named such a folder for temporary files.
    OutputError
        If no folder can be made.
    """
    if beside is not None and set(str(beside.absolute())) & _SPECIAL:
        if beside == limits.temp_dir:
            named = str(beside.absolute())
            setting = choose_setting_name("--temp-dir", python="temp_dir=")
            raise UsageError(f"{setting} is {named!r}. Name a folder without * ? [ ] and # in its path.")
        beside = None
    if beside is not None and _is_open_to_renames(beside):
        if beside == limits.temp_dir:
            setting = choose_setting_name("--temp-dir", python="temp_dir=")
            raise UsageError(
                f"{setting} is {str(beside)!r}, where everybody may put another folder in the place of yours, and so "
                f"read temporary files, which hold original values. Run chmod +t {str(beside)!r}, or name a folder of "
                "your own."
            )
        beside = None
    try:
        # The engine takes what stands before a colon in a relative path for the name of an extension.
        return Workspace(None if beside is None else beside.absolute(), limits.lock_timeout)
    except OSError as error:
        parent = beside or Path(tempfile.gettempdir())
        if error.errno in NO_ROOM:
            raise make_room_error(error.errno, parent) from error
        problem = f"{parent}: no folder for temporary files can be made here ({error.strerror})."
        elsewhere = choose_setting_name("--temp-dir", python="limits=Limits(temp_dir=..)")
        raise OutputError(f"{problem} Name a folder that you may write to in {elsewhere}.") from error


def _is_open_to_renames(folder: Path) -> bool:
    """Test whether everybody may write to a folder that has no sticky bit."""
    try:
        mode = folder.stat().st_mode
    except OSError:
        return False  # making a folder there says what is wrong
    return os.name == "posix" and bool(mode & S_IWOTH) and not mode & S_ISVTX


# The settings with which the engine is started.

T = TypeVar("T")
Settings = dict[str, str | bool | int | float | list[str]]
_CLOSED: Final = MappingProxyType(
    {
        # No statement reaches for the network: extensions are neither fetched nor loaded.
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "allow_unsigned_extensions": False,
        "allow_persistent_secrets": False,
        # A name that is no table's must not become that of a variable of this process.
        "python_enable_replacements": False,
    }
)


def build_engine_settings(limits: Limits, folder: Path) -> Settings:
    """Return the settings with which a store starts; its `Gate` changes others later.

    Parameters
    ----------
    limits : Limits
    folder : Path
        Of the store, where the engine spills.

    Raises
    ------
    UsageError
        If a limit is none, which the engine would say in words of its own.
    """
    settings: Settings = {"temp_directory": str(folder / "spill"), "preserve_insertion_order": True, **_CLOSED}
    if limits.memory is not None:
        settings["memory_limit"] = _limit("memory", limits.memory, parse_memory)
    if limits.threads is not None:
        settings["threads"] = _limit(
            "threads", str(limits.threads), partial(parse_integer, minimum=1, maximum=MOST_THREADS)
        )
    return settings


def _limit(name: str, text: str, parse: Callable[[str], T]) -> T:
    try:
        return parse(text)
    except BadValueError as error:
        reason, remedy = error.args
        raise UsageError(f"The limit {name}={quote(text)} {reason}. {remedy}") from None


# The connection to the engine, an embedded DuckDB database in a folder, and what an engine must be able to do.

# On record-sized statements the join sides stay as they are written: the records stream past a small table of
# classes, so that memory does not grow with their number.
_SECRETS = {
    "inner": "SET VARIABLE toolbox_inner = ?",
    "outer": "SET VARIABLE toolbox_outer = ?",
}
"""What expressions find by name, and no statement shows: the blocks of a keyed digest."""
_KEEP_JOIN_SIDES = "SET disabled_optimizers = 'join_order,build_side_probe_side'"
_CHOOSE_JOIN_SIDES = "RESET disabled_optimizers"
# Any other style of parameters doubles the percent signs of constants. SQLAlchemy keeps in a dialect what it has found
# out about types and names: one for all stores makes a small run 6 % shorter.
_DIALECT: Final = Dialect(paramstyle="named")
_AS_IT_STANDS: Final = {"format": "csv", "quote": "", "escape": ""}
"""How the engine writes the names of columns, and then their texts, as they stand."""
_FETCHED = 10_000
"""Rows that are fetched at once."""
SHARE_OF_SCAN: Final = 0.5
"""What the engine calls done of a statement that groups its input when it has read all of it."""


@dataclass(frozen=True)
class Prepared:
    """A statement whose SQL is written."""

    sql: str
    _execute: Callable[[str], duckdb.DuckDBPyConnection]

    def run(self) -> duckdb.DuckDBPyConnection:
        """Execute it."""
        return self._execute(self.sql)


class Connection:
    """An open database, bounded in memory and threads, spilling to its own folder.

    What every engine must be able to do, besides SQL:

    - row order: a table keeps its rows in the order of the select that created it (`create`), and
      `toolbox.queries.dialect.find_row_place` numbers them;
    - the key of a record: `toolbox.queries.dialect.hash_values`, 64 bits of any values;
    - ordered reading and writing: `stream`, `arrow`, `write_lines` and `write_parquet` keep the order of a select that
      has one;
    - share of work: `share` says from any thread how far the running statement is;
    - memory: `limit_memory` bounds it, and what does not fit spills to the folder of the store;
    - arrays: numpy and Arrow go in (`register_arrays`, `register`) and come out (`to_arrays`, `arrow`) without rows of
      Python;
    - errors in our own words, which quote no cell;
    - no file but those that its ``gate`` was shown.
    """

    def __init__(self, beside: Path | None = None, limits: Limits = Limits()) -> None:
        hear_interrupts()
        self._workspace = make_engine_folder(beside, limits)
        self.folder = self._workspace.folder
        try:
            self._open(limits)
        except BaseException:
            self._workspace.close()
            raise

    def _open(self, limits: Limits) -> None:
        self._limits = limits
        self._names = 0
        self.gate = Gate(self.folder)
        with self._errors_translated():
            self._connection = duckdb.connect(
                str(self.folder / "store.duckdb"), config=build_engine_settings(limits, self.folder)
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
        """Close the database. If it is to be kept, return its file and the path to which it goes."""
        if self._limits.store is None:
            self._connection.close()
            return {}
        with self._errors_translated():
            # Closing alone would say nothing of a full disk.
            self._connection.execute("CHECKPOINT")
            self._connection.close()
        database = self.folder / "store.duckdb"
        keep_for_owner(database, "store")
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
        return self.prepare_statement(statement).run()

    def prepare_statement(self, statement: ClauseElement) -> Prepared:
        """Write the SQL of a statement once, to run it several times."""
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
            raise translate_error(error, self.folder) from error

    @property
    def memory_limit(self) -> int | None:
        """Bytes that the engine may take, if anybody has limited it."""
        return None if self._limits.memory is None else parse_amount(self._limits.memory)

    def limit_memory(self, size: int) -> None:
        """Limit the memory of the engine to `size` bytes from now on; what does not fit spills."""
        self.run(Configure("memory_limit", f"{size}B"))

    def write_moments_in_utc(self) -> None:
        """Write moments of the whole world in UTC from now on: their texts must not depend on the machine."""
        self.run(Configure("TimeZone", "UTC"))

    def keep_secrets(self, secrets: Mapping[str, bytes]) -> None:
        """Keep secrets for expressions, by their names: in no statement, no table and no file, until the end."""
        for name in _SECRETS.keys() & secrets.keys():
            self._connection.execute(_SECRETS[name], [secrets[name]])

    def tell_share(self) -> None:
        """Make the engine count how far a statement is, which it does not do by itself; then `share` knows."""
        # The inputs are not yet known, so this is no statement that would close the store to them.
        for name, value in (("enable_progress_bar", True), ("enable_progress_bar_print", False)):
            self._connection.execute(self._written(Configure(name, value)))

    def share(self) -> float | None:
        """Return, in any thread, how much of the running statement is done; None if that is not known or none runs."""
        try:
            percent = self._connection.query_progress()
        except duckdb.Error:
            return None
        return None if percent < 0 else percent / 100

    def interrupt(self) -> None:
        """Stop, from any thread, the statement that runs; none is stopped where none runs."""
        self._connection.interrupt()

    def rows(self, statement: Query) -> list[Any]:
        """Fetch all rows of a select whose result is small, as tuples."""
        return self._fetched(statement)

    def _fetched(self, statement: ClauseElement) -> list[Any]:
        with self._errors_translated():
            return self.run(statement).fetchall()

    def stream(self, statement: Query) -> Iterator[Any]:
        """Yield the rows of a select one by one; no other statement may run meanwhile."""
        with self._errors_translated():
            result = self.run(statement)
            while rows := result.fetchmany(_FETCHED):
                yield from rows

    def row(self, statement: Query) -> Any:
        """Fetch the one row of a select."""
        (row,) = self.rows(statement)
        return row

    def scalar(self, statement: Query) -> Any:
        """Fetch the one value of a select."""
        (value,) = self.row(statement)
        return value

    def fetch_rows_of_each(self, statements: Iterable[Query]) -> list[list[Any]]:
        """Fetch the rows of each of some selects, in one statement; all selects have as many columns, of like types.

        Several small statements would cost several times as much.
        """
        numbered = [rows.add_columns(literal(place).label("place")) for place, rows in enumerate(statements)]
        found: list[list[Any]] = [[] for _ in numbered]
        if numbered:
            for *row, place in self._fetched(union_all(*numbered)):
                found[place].append(tuple(row))
        return found

    def each(self, statements: Iterable[Query]) -> list[Any]:
        """Fetch the one row of each of some selects, in one statement; of selects of one column, their values."""
        only = [row for (row,) in self.fetch_rows_of_each(statements)]
        return [row[0] if len(row) == 1 else row for row in only]

    def fresh(self, name: str) -> str:
        """Return a table name that no other table of this store has."""
        self._names += 1
        return f"{name}_{self._names}"

    def to_arrays(self, rows: Query) -> dict[str, NDArray[Any]]:
        """Fetch the rows of a select without nulls as numpy arrays, one for each column."""
        with self._errors_translated():
            arrays: dict[str, Any] = self.run(rows).fetchnumpy()
        return arrays

    def arrow(self, rows: Query) -> pa.Table:
        """Fetch the rows of a record-sized join as an Arrow table; an order is theirs only if they say so."""
        with self._join_sides_kept(), self._errors_translated():
            return self.run(rows).to_arrow_table()

    @contextmanager
    def register_arrays(self, name: str, columns: Mapping[str, NDArray[Any]] | pa.Table) -> Iterator[str]:
        """Make numpy arrays of one length readable as a table, for the time of a statement; yield its name.

        A table of Arrow is readable as it is.
        """
        import numpy as np

        unique = self.fresh(name)
        is_arrays = isinstance(columns, Mapping)
        held = {label: np.ascontiguousarray(array) for label, array in columns.items()} if is_arrays else columns
        self._connection.register(unique, held)
        try:
            yield unique
        finally:
            self._connection.unregister(unique)

    def register(self, name: str, table: pa.Table) -> str:
        """Make an Arrow table of the caller readable under a new name, without copying it."""
        unique = self.fresh(name)
        try:
            self._connection.register(unique, table)
        except duckdb.Error as error:
            raise InputError("The table cannot be read: it has a type that is unknown.") from error
        return unique

    def write_lines(
        self, rows: Query, path: Path, *, separator: str = "", header: bool = False, compression: str = "none"
    ) -> None:
        """Write a select to a file, each row as a line: its values as they stand, and nothing for null.

        Parameters
        ----------
        rows : Select
            Of records; they are in an order only if it says so. No two columns have names that are equal but for case.
        path : Path
            In the folder of the store.
        separator : str, at most 1 byte
            What stands between two columns. Of a longer one the engine would write only the beginning.
        header : bool
            Whether the first line holds the names of the columns.
        compression : {'none', 'gzip', 'zstd'}
        """
        options: CopyOptions = {"delimiter": separator, "header": header, "compression": compression}
        self.copy_to(rows, path, {**_AS_IT_STANDS, **options})

    def write_table_lines(
        self, table: Table, path: Path, *, separator: str, header: bool = False, compression: str = "none"
    ) -> None:
        """Write the rows of a table in their order, each as a line; all else is as in `write_lines`."""
        with self._use_one_thread():
            self.write_lines(select(table), path, separator=separator, header=header, compression=compression)

    def write_parquet(self, rows: Query, path: Path, *, arrow_schema: str = "") -> None:
        """Write a select to a Parquet file.

        Parameters
        ----------
        rows : Select
            Of records; they are in an order only if it says so.
        path : Path
            In the folder of the store.
        arrow_schema : str
            The schema of Arrow in Base64, which says the types that the engine does not know; empty for none.
        """
        metadata = {"kv_metadata": {"ARROW:schema": arrow_schema}} if arrow_schema else {}
        self.copy_to(rows, path, {"format": "parquet", **metadata})

    def copy_to(self, rows: Query, path: Path, options: CopyOptions) -> None:
        """Write the rows of a record-sized join to a file; an order is theirs only if they say so."""
        with self._join_sides_kept():
            self.run(CopyTo(rows, path, options))

    @contextmanager
    def _use_one_thread(self) -> Iterator[None]:
        """Let one thread write rows in their order, where the engine has two.

        It takes less time than two, and half of the memory, because one need not collect what another one is to write
        later; and it leaves a processor to whoever computes the checksum of what is written.
        """
        if self.scalar(select(func.current_setting("threads"))) != 2:
            yield
            return
        self.run(Configure("threads", "1"))
        try:
            yield
        finally:
            self.run(Configure("threads", "2"))

    @contextmanager
    def _join_sides_kept(self) -> Iterator[None]:
        self._execute(_KEEP_JOIN_SIDES)
        try:
            yield
        finally:
            self._execute(_CHOOSE_JOIN_SIDES)
