"""A table of a database that fits into the memory of one machine: fetched as Arrow, or written as a new table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolbox.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa


# A table of a database that fits into the memory of one machine, fetched as Arrow.

POSTGRESQL = ("postgresql", "postgres")


def fetch_table(url: str, *, table: str | None = None, query: str | None = None) -> pa.Table:
    """Fetch all records as they are at one moment.

    Parameters
    ----------
    url : str
        As SQLAlchemy reads it, without a password. PostgreSQL is read by psycopg whatever driver it names, and
        encrypted where that leaves this machine; what others need, their drivers say.
    table : str, optional
        ``schema.table``.
    query : str, optional
        One select in its place. It may not write.

    Returns
    -------
    pyarrow.Table
        `toolbox.engines.postgresql.types` lists the types of PostgreSQL; values are as they were written, so that -0
        is no 0 and 1.50 no 1.5. `toolbox.engines.tables.database` has those of other databases.

    Raises
    ------
    UsageError
        If these do not fit together, or a driver is not installed, or the query is no select.
    InputError
        If there is no such table, or it cannot be read.
    """
    if (table is None) == (query is None):
        raise UsageError("The input of a database is a table or a query. Give one of them.")
    if is_postgresql(url):
        from toolbox.engines.postgresql.tables import fetch_from_postgresql

        return fetch_from_postgresql(remove_url_driver(url), table=table, query=query)
    from toolbox.engines.tables.database import fetch_from_database

    return fetch_from_database(url, table=table, query=query)


def is_postgresql(url: str) -> bool:
    """Return whether a URL names a PostgreSQL server."""
    return url.partition(":")[0].partition("+")[0] in POSTGRESQL


def remove_url_driver(url: str) -> str:
    """Return a URL of PostgreSQL as libpq reads it: without a driver."""
    _, _, place = url.partition(":")
    return f"postgresql:{place}"


# A table of Arrow written to a database as a new table: all of it, or nothing.


def require_place(url: str, name: str, *, replace: bool = False, source: str | None = None) -> None:
    """Check that a table can be written, before anything is computed.

    Parameters
    ----------
    url : str
        As that of `toolbox.engines.tables.tables.fetch_table`.
    name : str
        ``schema.table``.
    replace : bool
        Whether a table by this name may go.
    source : str, optional
        The table of the same database that was fetched, which is never replaced.

    Raises
    ------
    OutputError
        If there is such a table already, or no such schema, or a right lacks.
    """
    if is_postgresql(url):
        from toolbox.engines.postgresql.tables import require_place_in_postgresql

        require_place_in_postgresql(remove_url_driver(url), name, replace=replace, source=source)
        return
    from toolbox.engines.tables.database import require_place_in_any

    require_place_in_any(url, name, replace=replace, source=source)


def store_table(records: pa.Table, url: str, name: str, *, replace: bool = False) -> None:
    """Write a table; a reader meanwhile sees the old table, or none.

    Parameters
    ----------
    records : pyarrow.Table
        Of numbers, texts, dates, timestamps, booleans and bytes; what is coded by a dictionary is written as it reads.
    url, name, replace
        As those of `require_place`.

    Raises
    ------
    OutputError
        If it cannot be written; then nothing has changed.
    """
    if is_postgresql(url):
        from toolbox.engines.postgresql.tables import store_in_postgresql

        store_in_postgresql(records, remove_url_driver(url), name, replace=replace)
        return
    from toolbox.engines.tables.database import store_in_database

    store_in_database(records, url, name, replace=replace)
