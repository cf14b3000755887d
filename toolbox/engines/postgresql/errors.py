"""Errors of PostgreSQL by their SQLSTATE, in words of our own: those of the server quote cells."""

from __future__ import annotations

from typing import Final, Literal

from toolbox.errors import InputError, OutputError, ToolboxError, UsageError, format_debug_hint, name_replacing

Doing = Literal["reading the input", "reading the query", "writing the release", "publishing the release"]
"""What a statement was for."""
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


def translate_error(state: str | None, *, name: str, doing: Doing) -> ToolboxError:
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
