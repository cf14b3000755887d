"""The connection to a server of MariaDB or MySQL: encrypted where it leaves this machine, run by PyMySQL."""

from __future__ import annotations

import configparser
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from sqlalchemy import literal
from sqlalchemy.dialects.mysql.base import MySQLDialect, MySQLIdentifierPreparer
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ClauseElement, Executable, Insert

from toolbox.engines.records import Doing, is_loopback
from toolbox.errors import InputError, OutputError, ToolboxError, UsageError, format_debug_hint, name_replacing, quote

# How a server is reached: by PyMySQL, encrypted where that leaves this machine, no password in a URL.

_PASSWORDS: Final = (
    "Put the password into the file ~/.my.cnf, as password=.. below a line [client], readable by you alone, or into "
    "such a file that the URL names: ?read_default_file=/PATH/my.cnf."
)
_TLS_FILES: Final = ("ssl_ca", "ssl_cert", "ssl_key")
_SWITCHES: Final = ("ssl_verify_cert", "ssl_verify_identity")
_OTHERS: Final = ("unix_socket", "read_default_file", "read_default_group")
_WRITE: Final = "Write mysql://USER@HOST:PORT/DATABASE"


def import_pymysql() -> Any:
    """Return PyMySQL.

    Raises
    ------
    UsageError
        If it is not installed.
    """
    try:
        import pymysql
    except ImportError as error:
        remedy = "pip install 'anonymisation-toolbox[mysql]'"
        reached = "MariaDB and MySQL are reached by PyMySQL, which is not installed"
        raise UsageError(f"{reached}. Install it: {remedy}.") from error
    return pymysql


def find_option_file() -> dict[str, str]:
    """Return the file with the password of whoever runs, as PyMySQL is told it; nothing if there is none."""
    usual = Path("~/.my.cnf").expanduser()
    return {"read_default_file": str(usual)} if usual.is_file() else {}


def make_connection_parameters(text: str) -> dict[str, Any]:
    """Return what PyMySQL is told: the URL, and an encrypted connection where it leaves this machine.

    Raises
    ------
    UsageError
        If the URL is wrong; it may hold a password, and is not repeated.
    """
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise UsageError(f"The URL of the database is not one that SQLAlchemy reads. {_WRITE}.") from None
    if url.password is not None:
        raise UsageError(f"The URL of the database holds a password, which logs and lists would keep. {_PASSWORDS}")
    if not url.database:
        raise UsageError(f"The URL names no database. {_WRITE}.")
    given = _read_url_parameters(url)
    # A file of options could name another host, to which the connection might not be encrypted.
    parameters = {**find_option_file(), "host": url.host or "localhost", "database": url.database, **given}
    parameters |= {name: value for name, value in (("user", url.username), ("port", url.port)) if value is not None}
    if not _is_near(parameters) and not any(given.get(name) for name in (*_TLS_FILES, *_SWITCHES)):
        parameters["ssl"] = _make_tls_context()
    return parameters


def _is_near(parameters: Mapping[str, Any]) -> bool:
    """Return whether a connection cannot leave this machine."""
    return "unix_socket" in parameters or is_loopback(parameters["host"])


def _read_url_parameters(url: URL) -> dict[str, Any]:
    known, given = (*_OTHERS, *_TLS_FILES, *_SWITCHES), dict(url.query)
    for name, value in given.items():
        if name not in known or not isinstance(value, str):
            raise UsageError(
                f"The URL has the parameter {quote(name)}, which is none here. These are: {', '.join(known)}."
            )
    switches: dict[str, Any] = {
        name: str(given[name]).lower() in ("1", "true", "yes") for name in _SWITCHES if name in given
    }
    return {**given, **switches}


def _make_tls_context() -> Any:
    """Return a context that encrypts and trusts any server, as psycopg does unless it is told more."""
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def connect_database(url: str) -> Any:
    """Connect to a database.

    Raises
    ------
    UsageError
        If the URL is wrong, or the server lets nobody in like that.
    InputError
        If there is no connection.
    """
    pymysql, parameters = import_pymysql(), make_connection_parameters(url)
    place = f"{parameters.get('unix_socket') or parameters['host']}"
    try:
        connection = pymysql.connect(charset="utf8mb4", autocommit=True, connect_timeout=30, **parameters)
    except (configparser.Error, UnicodeError, OSError) as error:
        # Their messages may quote a line with a password.
        problem = f"The file {parameters.get('read_default_file', '~/.my.cnf')} cannot be read as options"
        raise UsageError(f"{problem} ({type(error).__name__}). {_PASSWORDS}") from None
    except RuntimeError:
        raise UsageError(
            f"The server on {place} takes a password only encrypted. Add ssl_verify_identity=true to the URL, connect "
            "by a socket (?unix_socket=/PATH), or install cryptography: pip install 'PyMySQL[rsa]'."
        ) from None
    except pymysql.Error as error:
        raise _make_connection_error(find_error_number(error), str(error), parameters, place) from error
    if not _is_near(parameters) and not _is_encrypted(connection):
        connection.close()
        raise UsageError(_NO_ENCRYPTION.format(place))
    return connection


def _is_encrypted(connection: Any) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SHOW SESSION STATUS LIKE 'Ssl_cipher'")
        row = cursor.fetchone()
    return bool(row and row[1])


def find_error_number(error: Any) -> int | None:
    """Return the number of an error of the server or of the driver; None where it has none."""
    number = error.args[0] if error.args else None
    return number if isinstance(number, int) and number else None


_REFUSED: Final = "refuses this user or this password"
_NOT_FROM_HERE: Final = (
    "The database on {} lets nobody in from this machine, or only encrypted. Have an account for it made, or see the "
    "parameters of ssl in the URL."
)
_NO_ENCRYPTION: Final = (
    "There is no encrypted connection to {}: the server has none, or its certificate does not hold. Have encryption "
    "turned on, see ssl_ca and ssl_verify_identity in the URL, or connect by a tunnel to localhost."
)


def _make_connection_error(number: int | None, words: str, parameters: Mapping[str, Any], place: str) -> ToolboxError:
    """Return the error of a connection that was not made."""
    database = parameters["database"]
    refusals = {
        1049: f"The server on {place} has no database {database}. See the name behind the last / of the URL: capital "
        "letters may count there.",
        1044: f"This user has no rights on the database {database} of the server on {place}, or there is none. See "
        "user and database in the URL, and ask for the rights.",
        1130: _NOT_FROM_HERE.format(place),
        3159: _NOT_FROM_HERE.format(place),
    }
    if number in (1045, 1698):
        told = "asks for a password, and there is none" if "using password: NO" in words else _REFUSED
        return UsageError(f"The database on {place} {told}. {_PASSWORDS}")
    if number in refusals:
        return UsageError(refusals[number])
    if "SSL" in words or "certificate" in words or "TLS" in words:
        return UsageError(_NO_ENCRYPTION.format(place))
    if number == 1040:
        return InputError(f"The server on {place} has as many connections as it allows. Start again later.")
    port = "" if "unix_socket" in parameters else f" at port {parameters.get('port') or 3306}"
    is_refused = "refused" in words or "No such file" in words
    problem = f"Nothing answers on {place}{port}" if is_refused else f"There is no connection to {place}{port}"
    return InputError(
        f"{problem}. See that the server of the database runs, host and port in the URL, and that no firewall is "
        "between."
    )


# The connection: one session, whose temporary tables nobody else sees and which end with it.

_FIXED: Final = {
    # Values that do not fit are errors, and none is changed; dates that are none are not read.
    "sql_mode": "STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION",
    "time_zone": "+00:00",
    "autocommit": 1,
    "sql_big_selects": 1,
    "sql_safe_updates": 0,
    "sql_auto_is_null": 0,
    # While a method searches, nothing is sent.
    "wait_timeout": 31_536_000,
    "net_write_timeout": 3_600,
    # With the usual 2 and 16 MB, sorting and grouping write to the disk and read again.
    "sort_buffer_size": 64 << 20,
    "tmp_table_size": 256 << 20,
    "max_heap_table_size": 256 << 20,
}
_OLDEST: Final = {"MariaDB": (10, 6), "MySQL": (8, 0)}
"""The first versions that rename several tables at once even if they crash meanwhile."""
_FETCHED: Final = 20_000
"""Rows that are fetched at once."""


class _Quotes(MySQLIdentifierPreparer):
    """Quotes around each name, since every version of the server has other keywords."""

    def _requires_quotes(self, value: str) -> bool:
        return True


class _Dialect(MySQLDialect):
    """The SQL of MySQL without a driver, whose percent signs stand for themselves."""

    preparer = _Quotes
    supports_statement_cache = True


class _FillingDialect(_Dialect):
    """The same where the driver puts values in."""

    supports_statement_cache = True


class _SetVariable(Executable, ClauseElement):
    """Change a variable of the server, for this session."""

    inherit_cache = False

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value


@compiles(_SetVariable)
def _compile_set_variable(statement: _SetVariable, compiler: SQLCompiler, **options: Any) -> str:
    name = compiler.preparer.quote_identifier(statement.name)
    return f"SET SESSION {name} = {compiler.process(literal(statement.value), **options)}"


class MySQLConnection:
    """One session; what it has not committed is undone when it is left.

    Parameters
    ----------
    url : str
        Without a password.
    name : str
        What messages call the input.
    settings : mapping of str to int
        Variables of the server for this session.

    Raises
    ------
    UsageError
        If the URL is wrong, or no password is supplied, or a setting is refused.
    InputError
        If there is no connection.
    """

    def __init__(self, url: str, *, name: str, settings: Mapping[str, int]) -> None:
        self._pymysql = import_pymysql()
        self._name = name
        self._dialect = _Dialect(paramstyle="named")
        self._filling = _FillingDialect(paramstyle="format")
        self._connection = connect_database(url)
        try:
            self._begin(settings)
        except BaseException:
            self.close()
            raise

    def _begin(self, settings: Mapping[str, int]) -> None:
        words = str(self._connection.get_server_info())
        self.is_mariadb = "MariaDB" in words
        product = "MariaDB" if self.is_mariadb else "MySQL"
        first = words.removeprefix("5.5.5-").split("-")[0].split(".")[:2]
        version = tuple(int(part) for part in first if part.isdigit())
        oldest = _OLDEST[product]
        if version < oldest:
            shown, needed = (".".join(map(str, of)) for of in (version, oldest))
            raise UsageError(f"The server is {product} {shown}. Use {needed} or later.")
        self.set(_FIXED)
        for setting, value in settings.items():
            try:
                self.set({setting: value})
            except InputError:
                problem = f"The server refuses {value} as its setting {setting}"
                raise UsageError(f"{problem}. Take another number, or leave it out.") from None

    def set(self, variables: Mapping[str, Any]) -> None:
        """Change variables of the server, for this session."""
        with self._errors_translated("reading the input"), self._connection.cursor() as cursor:
            for variable, value in variables.items():
                cursor.execute(self.written(_SetVariable(variable, value)))

    def written(self, statement: ClauseElement) -> str:
        """Return the SQL of a statement."""
        return str(statement.compile(dialect=self._dialect, compile_kwargs={"literal_binds": True}))

    def _write_valid(self, statement: ClauseElement | str) -> str:
        sql = statement if isinstance(statement, str) else self.written(statement)
        try:
            sql.encode()
        except UnicodeEncodeError:
            sql = "\0"
        if "\0" in sql:
            raise UsageError("A name or the query holds the character U+0000, or one that is no Unicode. Take it out.")
        return sql

    def run(self, statement: ClauseElement | str, *, doing: Doing) -> int:
        """Run one statement, and return how many rows it has written."""
        sql = self._write_valid(statement)
        with self._errors_translated(doing), self._connection.cursor() as cursor:
            return int(cursor.execute(sql))

    def rows(self, statement: ClauseElement, *, doing: Doing) -> list[Any]:
        """Fetch all rows of a select whose result is small."""
        sql = self._write_valid(statement)
        with self._errors_translated(doing), self._connection.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def batches(self, statement: ClauseElement, *, doing: Doing) -> Iterator[Sequence[Any]]:
        """Yield the rows of a select, some at once."""
        from pymysql.cursors import SSCursor

        sql = self._write_valid(statement)
        with self._errors_translated(doing), self._connection.cursor(SSCursor) as cursor:
            cursor.execute(sql)
            while rows := cursor.fetchmany(_FETCHED):
                yield rows

    def fill(self, statement: Insert, rows: Sequence[Sequence[Any]], *, doing: Doing) -> None:
        """Insert rows, many with each statement."""
        sql = str(statement.compile(dialect=self._filling))
        with self._errors_translated(doing), self._connection.cursor() as cursor:
            cursor.executemany(sql, rows)

    @contextmanager
    def read_only(self, *, doing: Doing) -> Iterator[None]:
        """See one moment in each statement of the block, lock nothing, and refuse all writing but temporary rows."""
        self.run("SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY", doing=doing)
        self.run("START TRANSACTION", doing=doing)
        yield
        self.run("COMMIT", doing=doing)

    def close(self) -> None:
        """Undo what was not committed."""
        with suppress(self._pymysql.Error):
            self._connection.close()

    @contextmanager
    def _errors_translated(self, doing: Doing) -> Iterator[None]:
        try:
            yield
        except self._pymysql.Error as error:
            number = find_error_number(error)
            raise _translate_error(number, str(error), name=self._name, doing=doing) from error


# Errors by their numbers, in words of our own: those of the server quote cells.

_ROLLED_BACK: Final = "Nothing was released."
_LOST_NUMBERS: Final = (None, 2006, 2013, 2014, 2055, 1053, 1080, 1152, 1158, 1159, 1160, 1161, 1927, 4031)
_LOST: Final = (
    "the connection to the database was lost. Check whether the server runs, and whether anything between it and this "
    "machine ends idle connections; then start again"
)
_UNKNOWN_END: Final = (
    "the connection to the database was lost while the release was published. Check whether the release is there "
    "before you start again: it is whole, or it is as it was before"
)
_FULL: Final = "the disk of the database server is full. Free space there, also where tmpdir of the server is"
_SLOW: Final = "the statement was cancelled, or took longer than max_statement_time allows. Set it higher"
_FAILURES: Final = {
    1021: _FULL,
    1114: _FULL,
    3: _FULL,
    28: _FULL,
    1037: "the database server has no memory left. Run when less is going on",
    1038: "the database server has no memory left to sort. Set sort_buffer_size of the engine higher",
    1205: "a table was locked by others for longer than the server allows. Start again later",
    1213: "another transaction and this one waited for each other. Start again",
    1317: _SLOW,
    1969: _SLOW,
    3024: _SLOW,
    1665: "the server keeps a log of statements, which cannot hold this one. Let an administrator set binlog_format to "
    "MIXED or ROW",
    1786: "the server allows no table made of a select (enforce_gtid_consistency). Use MySQL 8.0.21 or later",
}
_OF_QUERIES: Final = {
    1064: "is no SELECT that the server reads. Give one SELECT, as it runs in its client",
    1146: "names a table that is not there",
    1054: "names a column that is not there",
    1060: "gives two columns one name. Give them different names with AS",
    1142: "reads what you may not read. The right SELECT is needed on all its tables",
    1143: "reads what you may not read. The right SELECT is needed on all its columns",
    1370: "calls a function that you may not call. The right EXECUTE is needed on it",
    1792: "writes to the database. Give a SELECT that only reads",
}
_NEEDED: Final = "SELECT, INSERT, CREATE, ALTER, DROP and CREATE TEMPORARY TABLES are needed on its database"
_OF_OUTPUTS: Final = {
    1044: f"you may not write there. The rights {_NEEDED}",
    1142: f"you may not write there. The rights {_NEEDED}",
    1290: "the server may only be read, as a replica is. Write the release to its primary server",
    1836: "the server may only be read, as a replica is. Write the release to its primary server",
    1050: "somebody has made a table by this name meanwhile. Write {replacing}, or choose another name",
    1059: "the name of a table or a column is longer than 64 characters. Choose a shorter one",
    1166: "a column has a name that the server refuses, such as one that ends in a blank. Choose another",
    1060: "two of its columns have one name; capital letters do not count here. Choose another",
    1117: "it has more columns than a table of the server can have",
    1118: "its rows are longer than those of a table of the server can be. Release fewer columns",
    3750: "the server wants a primary key for each table. Let an administrator set sql_require_primary_key to OFF",
    1701: "other tables refer to the old release. Drop their foreign keys first, or choose another table",
    1451: "other tables refer to the old release. Drop their foreign keys first, or choose another table",
    1366: "a text has a character that a column of the release lacks",
}


def _translate_error(number: int | None, words: str, *, name: str, doing: Doing) -> ToolboxError:
    """Return the error of a statement.

    Parameters
    ----------
    number : int, optional
        None where the connection ended before the server said one.
    words : str
        Those of the server, which are looked at and never shown.
    name : str
        What messages call the input.
    """
    if number in _LOST_NUMBERS:
        if doing == "publishing the release":
            return InputError(f"{name}: {_UNKNOWN_END}.")
        return InputError(f"{name}: {_LOST}. {_ROLLED_BACK}")
    assert number is not None
    if number in _FAILURES or "Errcode: 28" in words:
        return InputError(f"{name}: {_FAILURES.get(number, _FULL)}. {_ROLLED_BACK}")
    if doing in ("writing the release", "publishing the release") and number in _OF_OUTPUTS:
        return OutputError(
            f"The release cannot be written: {_OF_OUTPUTS[number].format(replacing=name_replacing())}. {_ROLLED_BACK}"
        )
    if doing == "reading the query" and number in _OF_QUERIES:
        return UsageError(f"The query {_OF_QUERIES[number]} (error {number}). {_ROLLED_BACK}")
    return _translate_other_error(number, name, doing)


def _translate_other_error(number: int, name: str, doing: Doing) -> ToolboxError:
    if number in (1142, 1143, 1044, 1356, 1370):
        return InputError(
            f"{name}: you may not read it. The right SELECT is needed on all its columns, and CREATE TEMPORARY TABLES "
            f"on the database of the release; or give a query of the columns that you may read. {_ROLLED_BACK}"
        )
    if number == 1792:
        return UsageError(f"{name} writes to the database when it is read. Name a table or view that only reads.")
    if number in (1292, 1411, 1525):
        return InputError(
            f"{name}: a column holds a date that is none, such as 0000-00-00, or an expression cannot be computed. Let "
            f"a query or a view make it null: nullif(day, 0). {_ROLLED_BACK}"
        )
    return InputError(
        f"{name}: the database failed while {doing} (error {number}). {_ROLLED_BACK} {format_debug_hint()}"
    )
