"""A table of a database that fits into the memory of one machine, fetched as Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolbox.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

POSTGRESQL = ("postgresql", "postgres")


def fetched(url: str, *, table: str | None = None, query: str | None = None) -> pa.Table:
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
        is no 0 and 1.50 no 1.5. `toolbox.engines.tables.values` has those of other databases.

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
        from toolbox.engines.postgresql.tables import fetched_from_postgresql

        return fetched_from_postgresql(plain_url(url), table=table, query=query)
    from toolbox.engines.tables.database import fetched_from_any

    return fetched_from_any(url, table=table, query=query)


def is_postgresql(url: str) -> bool:
    """Return whether a URL names a PostgreSQL server."""
    return url.partition(":")[0].partition("+")[0] in POSTGRESQL


def plain_url(url: str) -> str:
    """Return a URL of PostgreSQL as libpq reads it: without a driver."""
    _, _, place = url.partition(":")
    return f"postgresql:{place}"
