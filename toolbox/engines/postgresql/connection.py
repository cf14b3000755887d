"""The connection to a PostgreSQL server: encrypted where it leaves this machine, one transaction, run by psycopg."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from sqlalchemy import Dialect
from sqlalchemy.dialects.postgresql.base import PGDialect, PGIdentifierPreparer
from sqlalchemy.sql.expression import ClauseElement

from toolbox.engines.records import Doing, is_loopback
from toolbox.errors import InputError, OutputError, ToolboxError, UsageError, format_debug_hint, name_replacing, quote

if TYPE_CHECKING:
    import psycopg


# How a PostgreSQL server is reached: by psycopg, encrypted where that leaves this machine, no password in a URL.

_ENCRYPTED: Final = ("require", "verify-ca", "verify-full")
_PASSWORDS: Final = (
    "Put the password into the file ~/.pgpass, as HOST:PORT:DATABASE:USER:PASSWORD and readable by you alone, or name "
    "such a file in PGPASSFILE."
)
_USUAL: Final = {
    "application_name": "toolbox",
    "connect_timeout": "30",
    # While a method searches, nothing is sent, and what stands between would forget the connection.
    "keepalives_idle": "60",
}


def connect_database(url: str) -> Any:
    """Connect to a database.

    Raises
    ------
    UsageError
        If the URL is wrong, or the server lets nobody in like that.
    InputError
        If there is no connection.
    """
    psycopg = import_psycopg()
    parameters = _make_connection_parameters(psycopg, url)
    try:
        return psycopg.connect(autocommit=True, prepare_threshold=None, **parameters)
    except psycopg.Error as error:
        raise _make_connection_error(error, parameters) from error


def import_psycopg() -> Any:
    """Return psycopg.

    Raises
    ------
    UsageError
        If it is not installed.
    """
    try:
        import psycopg
    except ImportError as error:
        remedy = "pip install 'anonymisation-toolbox[postgresql]'"
        raise UsageError(f"PostgreSQL is reached by psycopg, which is not installed. Install it: {remedy}.") from error
    return psycopg


def _make_connection_parameters(psycopg: Any, url: str) -> dict[str, Any]:
    """Return what libpq is told: the URL, and an encrypted connection where it leaves this machine."""
    try:
        said: dict[str, Any] = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.Error:
        # Its message may quote a password.
        problem = "The URL of the database is not one that PostgreSQL reads"
        raise UsageError(f"{problem}. Write postgresql://USER@HOST:PORT/DATABASE.") from None
    if "password" in said:
        raise UsageError(f"The URL of the database holds a password, which logs and lists would keep. {_PASSWORDS}")
    usual = {
        option.keyword.decode(): option.val.decode()
        for option in psycopg.pq.Conninfo.get_defaults()
        if option.val is not None
    }
    # The file of services may name another host; that of the environment has been looked up.
    if "service" in said or not _is_local({**usual, **said}):
        said["sslmode"] = _choose_encryption(said.get("sslmode"), usual.get("sslmode"))
    # Otherwise it would be the encoding of the database.
    said["client_encoding"] = "UTF8"
    for parameter, value in _USUAL.items():
        if parameter not in usual:
            said.setdefault(parameter, value)
    return said


def _choose_encryption(said: str | None, usual: str | None) -> str:
    if said is None:
        return usual if usual in _ENCRYPTED else "require"
    if said not in _ENCRYPTED:
        raise UsageError(
            f"sslmode={said} may send records and password over the network as they are. Write sslmode=require, or "
            "better verify-full; or leave it out."
        )
    return said


def _is_local(parameters: Mapping[str, Any]) -> bool:
    """Return whether a connection cannot leave this machine."""
    hosts = str(parameters.get("hostaddr") or parameters.get("host") or "")
    return all(_is_near(host) for host in hosts.split(","))


def _is_near(host: str) -> bool:
    # Without a name, and for a path, libpq takes a socket of this machine.
    return not host or host.startswith(("/", "@")) or is_loopback(host)


def _make_connection_error(error: Any, parameters: Mapping[str, Any]) -> UsageError | InputError:
    """Return the error of a connection that was not made; libpq tells no SQLSTATE of it."""
    place = f"{parameters.get('host') or 'this machine'}"
    attempt, words = error.pgconn, str(error)
    if (name := parameters.get("dbname")) and f'database "{name}" does not exist' in words:
        return UsageError(
            f"The server on {place} has no database {name}. See the name behind the last / of the URL: capital letters "
            "count there."
        )
    if attempt is not None and attempt.needs_password:
        return UsageError(f"The database on {place} asks for a password, and there is none. {_PASSWORDS}")
    if (attempt is not None and attempt.used_password) or "authentication failed" in words:
        return UsageError(
            f"The server on {place} refuses this user or this password, or has no such database. See user and "
            f"database in the URL. {_PASSWORDS}"
        )
    if "pg_hba.conf" in words:
        return UsageError(
            f"The database on {place} lets nobody in as this user, from this machine, or so encrypted. See user, "
            "database and sslmode in the URL, or have a line added to pg_hba.conf."
        )
    if "SSL" in words or "certificate" in words:
        return UsageError(
            f"There is no encrypted connection to {place}: the server has none, or its certificate does not hold. "
            "Have encryption turned on, and see sslmode and sslrootcert; or connect by a tunnel to localhost."
        )
    port = f"at port {parameters.get('port') or 5432}"
    problem = (
        f"Nothing answers on {place} {port}" if "refused" in words else f"There is no connection to {place} {port}"
    )
    return InputError(
        f"{problem}. See that the server of the database runs, host and port in the URL, and that no firewall is "
        "between."
    )


# The connection to a PostgreSQL server: one transaction, run by psycopg.

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


class PostgresConnection:
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
        self._psycopg = import_psycopg()
        self._name = name
        self._dialect: Dialect = _Dialect(paramstyle="named")  # type: ignore[no-untyped-call]
        self._connection: psycopg.Connection[Any] = connect_database(url)
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

    def _encode_statement(self, statement: ClauseElement | str) -> bytes:
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
        sql = self._encode_statement(statement)
        with self._errors_translated(doing):
            # In binary, as the other way a text of several statements would run as such.
            return self._connection.execute(sql, binary=True).rowcount

    def rows(self, statement: ClauseElement, *, doing: Doing) -> list[Any]:
        """Fetch all rows of a select whose result is small."""
        sql = self._encode_statement(statement)
        with self._errors_translated(doing):
            return self._connection.execute(sql, binary=True).fetchall()

    def scalar(self, statement: ClauseElement, *, doing: Doing) -> Any:
        """Fetch the one value of a select."""
        ((value,),) = self.rows(statement, doing=doing)
        return value

    def columns(self, statement: ClauseElement, *, doing: Doing) -> list[tuple[str, int, int | None, int | None]]:
        """Return name, type, precision and scale of the columns of a select."""
        sql = self._encode_statement(statement)
        with self._errors_translated(doing):
            described = self._connection.execute(sql, binary=True).description or []
            return [(column.name, column.type_code, column.precision, column.scale) for column in described]

    def copy_out(self, statement: ClauseElement, *, doing: Doing) -> Iterator[bytes]:
        """Yield what a statement copies out, one row after the other."""
        sql = self._encode_statement(statement)
        with self._errors_translated(doing), self._connection.cursor() as cursor, cursor.copy(sql) as copy:
            yield from copy  # type: ignore[misc]  # buffers of bytes

    def copy_in(self, statement: ClauseElement, blocks: Iterable[bytes], *, doing: Doing) -> None:
        """Run a statement that copies what it is given into a table."""
        sql = self._encode_statement(statement)
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
            raise _translate_error("25P02", name=self._name, doing=doing)

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
            raise _translate_error(state, name=self._name, doing=doing) from error


# Errors by their SQLSTATE, in words of our own: those of the server quote cells.

_ROLLED_BACK: Final = "Nothing was released."
_FAILURES: Final = {
    "53100": "the disk of the database server is full. Free space there, or let an administrator set temp_tablespaces",
    "53200": "the database server has no memory left. Set work_mem of the engine lower, or run when less is going on",
    "53300": "the database server has as many connections as it allows. Start again later",
    "53400": "the statement took more temporary files than temp_file_limit of the server allows. Ask an "
    "administrator to raise it",
    "57014": "the statement was cancelled, or took longer than statement_timeout allows. Set statement_timeout of the "
    "engine higher, or start again",
    "57P01": "the database server ended the connection, as it does when it is stopped. Start again once it runs",
    "57P02": "the database server crashed, and ended the connection. Start again once it runs",
    "57P03": "the database server is starting or stopping. Start again once it runs",
    "25P03": "the server ended the transaction because it was idle. Let an administrator raise "
    "idle_in_transaction_session_timeout of the role",
    "25P04": "the transaction took longer than transaction_timeout allows. Let an administrator raise it for the role",
    "40001": "another transaction changed the same at the same time. Start again",
    "40P01": "another transaction and this one waited for each other. Start again",
    "55P03": "a table was locked by others for longer than lock_timeout allows. Start again, or set lock_timeout of "
    "the engine higher",
    "55006": "a table is in use by others. Start again later",
}
_LOST: Final = (
    "the connection to the database was lost. Check whether the server runs, and whether anything between it and this "
    "machine ends idle connections; then start again"
)
_UNKNOWN_END: Final = (
    "the connection to the database was lost while the release was published. Check whether the release is there "
    "before you start again: it is whole, or it is as it was before"
)
_OF_QUERIES: Final = {
    "25006": "writes to the database, or locks rows. Give a SELECT that only reads",
    "42601": "is no SELECT that PostgreSQL reads. Give one SELECT, as it runs in psql",
    "42P01": "names a table that is not there. Write schema.table for one outside the search_path",
    "42703": "names a column that is not there",
    "42701": "gives two columns one name. Give them different names with AS",
    "42501": "reads what you may not read. The right SELECT is needed on all its tables, USAGE on their schemas, and "
    "TEMPORARY on the database",
    "0A000": "does what a view cannot, such as writing. Give a SELECT that only reads",
}
_OF_OUTPUTS: Final = {
    "25006": "the database may only be read, as a standby is. Write the release to its primary server",
    "2BP01": "other objects, such as views, depend on the old release. Drop them first, or choose another table",
    "3F000": "there is no such schema. Create it, or choose another",
    "42501": "you may not write there. The right CREATE is needed on the schema, TEMPORARY on the database, and with "
    "{replacing} the old release must be yours",
    "42701": "two of its columns have one name, or one has the name of a column of the system, such as ctid",
    "42809": "there is something by this name that is no table. Choose another name",
    "42P07": "somebody has made a table by this name meanwhile. Write {replacing}, or choose another name",
    "23505": "somebody has made a table by this name meanwhile. Write {replacing}, or choose another name",
    "54011": "it has more columns than a table of PostgreSQL can have, 1,600",
    "22021": "a text holds U+0000, which no text of PostgreSQL can. Take it out",
    "22P05": "a label has a character that the encoding of the database lacks. Use a database in UTF8",
}


def _translate_error(state: str | None, *, name: str, doing: Doing) -> ToolboxError:
    """Return the error of a statement.

    Parameters
    ----------
    state : str, optional
        The SQLSTATE; None where the connection ended before the server said one.
    name : str
        What messages call the input.
    """
    if state is None or state.startswith("08"):
        if doing == "publishing the release":
            return InputError(f"{name}: {_UNKNOWN_END}.")
        return InputError(f"{name}: {_LOST}. {_ROLLED_BACK}")
    if state in _FAILURES:
        return InputError(f"{name}: {_FAILURES[state]}. {_ROLLED_BACK}")
    if doing in ("writing the release", "publishing the release") and state in _OF_OUTPUTS:
        return OutputError(
            f"The release cannot be written: {_OF_OUTPUTS[state].format(replacing=name_replacing())}. {_ROLLED_BACK}"
        )
    if doing == "reading the query" and state in _OF_QUERIES:
        return UsageError(f"The query {_OF_QUERIES[state]} (SQLSTATE {state}). {_ROLLED_BACK}")
    return _translate_other_error(state, name, doing)


def _translate_other_error(state: str, name: str, doing: Doing) -> ToolboxError:
    if state == "42501":
        return InputError(
            f"{name}: you may not read it. The right SELECT is needed on all its columns, USAGE on its schema, and "
            f"TEMPORARY on the database; or give a query of the columns that you may read. {_ROLLED_BACK}"
        )
    if state == "25006":
        return UsageError(f"{name} writes to the database when it is read. Name a table or view that only reads.")
    if doing == "reading the query" and state.startswith("42"):
        return UsageError(f"The query was refused (SQLSTATE {state}). Give one SELECT, as it runs in psql.")
    if state.startswith("22"):
        return InputError(
            f"{name}: an expression of the query or view cannot be computed for one of its rows (SQLSTATE {state}), or "
            f"a value is beyond what its type holds. {_ROLLED_BACK}"
        )
    if state.startswith("XX"):
        return InputError(f"{name}: the data of the server is damaged (SQLSTATE {state}). {_ROLLED_BACK}")
    return InputError(
        f"{name}: the database failed while {doing} (SQLSTATE {state}). {_ROLLED_BACK} {format_debug_hint()}"
    )
