"""The connection to a PostgreSQL server: one transaction, run by psycopg."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from sqlalchemy import Dialect
from sqlalchemy.dialects.postgresql.base import PGDialect, PGIdentifierPreparer
from sqlalchemy.sql.expression import ClauseElement

from toolbox.engines.postgresql.errors import Doing, translated
from toolbox.engines.postgresql.login import connected, library
from toolbox.errors import InputError, OutputError, UsageError, quote

if TYPE_CHECKING:
    import psycopg

OLDEST: Final = 14
"""The first version that hashes whole rows with a salt."""
_BEGIN: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ WRITE"
_BEGIN_READING: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_MEMORY: Final = """
SELECT set_config('work_mem', '64MB', true)
WHERE pg_size_bytes(current_setting('work_mem')) < pg_size_bytes('64MB')
"""
_FIXED: Final = {
    "TimeZone": "UTC",
    # How values become texts must not depend on who runs.
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "lc_monetary": "C",
    # While a method searches, the transaction is idle.
    "idle_in_transaction_session_timeout": "0",
    # A statement whose client was killed ends soon after it.
    "client_connection_check_interval": "5s",
    # To compile the statements takes longer than to run most of them.
    "jit": "off",
    # Keys are looked up in a table of them, and that before the texts of the classes.
    "enable_nestloop": "off",
    "enable_mergejoin": "off",
    "join_collapse_limit": "1",
}


class _Quotes(PGIdentifierPreparer):
    """Quotes around each name, since every version of the server has other keywords."""

    def _requires_quotes(self, value: str) -> bool:
        return True


class _Dialect(PGDialect):
    """PostgreSQL without a driver, whose percent signs stand for themselves."""

    preparer = _Quotes
    # As `standard_conforming_strings` has it, which is on by default.
    _backslash_escapes = False
    supports_statement_cache = True


class Connection:
    """One transaction, of which all statements see the same records; leaving it without `commit` undoes it.

    Parameters
    ----------
    url : str
        Without a password.
    name : str
        What messages call the input.
    settings : mapping of str to str
        Settings of the server for this transaction.
    only_reads : bool
        Whether nothing at all can be written.

    Raises
    ------
    UsageError
        If the URL is wrong, or no password is supplied, or a setting is refused.
    OutputError
        If the server can only be read.
    InputError
        If there is no connection.
    """

    def __init__(self, url: str, *, name: str, settings: Mapping[str, str], only_reads: bool = False) -> None:
        self._psycopg = library()
        self._name = name
        self._dialect: Dialect = _Dialect(paramstyle="named")  # type: ignore[no-untyped-call]
        self._connection: psycopg.Connection[Any] = connected(url)
        try:
            self._begin(settings, only_reads=only_reads)
        except BaseException:
            self.close()
            raise

    def _begin(self, settings: Mapping[str, str], *, only_reads: bool) -> None:
        version = self._connection.info.server_version // 10_000
        if version < OLDEST:
            raise UsageError(f"The server is PostgreSQL {version}. Use {OLDEST} or later.")
        if not only_reads and self._connection.info.parameter_status("in_hot_standby") == "on":
            raise OutputError("The server is a standby, which can only be read. Name its primary server in the URL.")
        self.run(_BEGIN_READING if only_reads else _BEGIN, doing="reading the input")
        self.set({**_FIXED, "standard_conforming_strings": "on"})
        # With the usual 4 MB, grouping writes to the disk and reads again.
        self.run(_MEMORY, doing="reading the input")
        if version >= 17:
            self.set({"transaction_timeout": "0"})
        for setting, value in settings.items():
            try:
                self.set({setting: value})
            except InputError:
                problem = f"The server refuses {quote(value)} as its setting {setting}"
                raise UsageError(f"{problem}. Write it as in postgresql.conf, such as '256MB' or '10min'.") from None

    def set(self, settings: Mapping[str, str]) -> None:
        """Change settings of the server, for this transaction."""
        for setting, value in settings.items():
            with self._errors_translated("reading the input"):
                self._connection.execute("SELECT set_config(%s, %s, true)", [setting, value])

    def written(self, statement: ClauseElement) -> str:
        """Return the SQL of a statement."""
        return str(statement.compile(dialect=self._dialect, compile_kwargs={"literal_binds": True}))

    def _bytes(self, statement: ClauseElement | str) -> bytes:
        sql = statement if isinstance(statement, str) else self.written(statement)
        try:
            encoded = sql.encode()
        except UnicodeEncodeError:
            encoded = b"\0"
        if b"\0" in encoded:
            raise UsageError("A name or the query holds the character U+0000, or one that is no Unicode. Take it out.")
        return encoded

    def run(self, statement: ClauseElement | str, *, doing: Doing) -> int:
        """Run one statement, and return how many rows it has written or read; -1 if it does neither."""
        sql = self._bytes(statement)
        with self._errors_translated(doing):
            # In binary, as the other way a text of several statements would run as such.
            return self._connection.execute(sql, binary=True).rowcount

    def rows(self, statement: ClauseElement, *, doing: Doing) -> list[Any]:
        """Fetch all rows of a select whose result is small."""
        sql = self._bytes(statement)
        with self._errors_translated(doing):
            return self._connection.execute(sql, binary=True).fetchall()

    def scalar(self, statement: ClauseElement, *, doing: Doing) -> Any:
        """Fetch the one value of a select."""
        ((value,),) = self.rows(statement, doing=doing)
        return value

    def columns(self, statement: ClauseElement, *, doing: Doing) -> list[tuple[str, int, int | None, int | None]]:
        """Return name, type, precision and scale of the columns of a select."""
        sql = self._bytes(statement)
        with self._errors_translated(doing):
            described = self._connection.execute(sql, binary=True).description or []
            return [(column.name, column.type_code, column.precision, column.scale) for column in described]

    def copy_out(self, statement: ClauseElement, *, doing: Doing) -> Iterator[bytes]:
        """Yield what a statement copies out, one row after the other."""
        sql = self._bytes(statement)
        with self._errors_translated(doing), self._connection.cursor() as cursor, cursor.copy(sql) as copy:
            yield from copy  # type: ignore[misc]  # buffers of bytes

    def copy_in(self, statement: ClauseElement, blocks: Iterable[bytes], *, doing: Doing) -> None:
        """Run a statement that copies what it is given into a table."""
        sql = self._bytes(statement)
        with self._errors_translated(doing), self._connection.cursor() as cursor, cursor.copy(sql) as copy:
            for block in blocks:
                copy.write(block)

    @contextmanager
    def read_only(self, *, doing: Doing) -> Iterator[None]:
        """Refuse that anything but temporary tables is written, while the block runs."""
        self.run("SAVEPOINT toolbox_reading", doing=doing)
        self.run("SET TRANSACTION READ ONLY", doing=doing)
        yield
        self.run("RELEASE SAVEPOINT toolbox_reading", doing=doing)

    def commit(self, *, doing: Doing) -> None:
        """End the transaction, all or nothing."""
        with self._errors_translated(doing):
            ended = self._connection.execute("COMMIT").statusmessage
        # So the server ends a transaction in which a statement failed, without an error.
        if ended != "COMMIT":
            raise translated("25P02", name=self._name, doing=doing)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Undo what was not committed."""
        with suppress(self._psycopg.Error):
            self._connection.close()

    @contextmanager
    def _errors_translated(self, doing: Doing) -> Iterator[None]:
        try:
            yield
        except self._psycopg.Error as error:
            is_lost = error.sqlstate is None and isinstance(error, self._psycopg.OperationalError)
            state = None if is_lost else error.sqlstate or type(error).__name__
            raise translated(state, name=self._name, doing=doing) from error
