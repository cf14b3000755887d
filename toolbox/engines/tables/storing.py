"""A table of Arrow written to a database as a new table: all of it, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolbox.engines.tables.fetching import is_postgresql, plain_url

if TYPE_CHECKING:
    import pyarrow as pa


def require_place(url: str, name: str, *, replace: bool = False, source: str | None = None) -> None:
    """Check that a table can be written, before anything is computed.

    Parameters
    ----------
    url : str
        As that of `toolbox.engines.tables.fetching.fetched`.
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

        require_place_in_postgresql(plain_url(url), name, replace=replace, source=source)
        return
    from toolbox.engines.tables.database import require_place_in_any

    require_place_in_any(url, name, replace=replace, source=source)


def stored(records: pa.Table, url: str, name: str, *, replace: bool = False) -> None:
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
        from toolbox.engines.postgresql.tables import stored_in_postgresql

        stored_in_postgresql(records, plain_url(url), name, replace=replace)
        return
    from toolbox.engines.tables.database import stored_in_any

    stored_in_any(records, url, name, replace=replace)
