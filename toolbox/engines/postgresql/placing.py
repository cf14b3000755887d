"""How a finished table of PostgreSQL gets its name: staged under another in the same transaction, then renamed."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Column, MetaData, Table
from sqlalchemy.schema import DropTable

from toolbox.engines.names import TableName
from toolbox.engines.postgresql.catalog import found, granted
from toolbox.engines.postgresql.connection import Connection
from toolbox.engines.postgresql.statements import Grant, RenameTable
from toolbox.errors import OutputError, quote

_LONGEST_NAME: Final = 63
_PUBLISHING: Final = "publishing the release"


def staged_table(place: TableName, *columns: Column[Any]) -> Table:
    """Return a table beside the one that it becomes, under a name that nobody else has."""
    return Table(f"toolbox_{secrets.token_hex(8)}", MetaData(), *columns, schema=place.schema)


def put_in_place(connection: Connection, staged: str, place: TableName, *, replace: bool) -> None:
    """Give a staged table its name, and the rights on the table that it replaces.

    Raises
    ------
    OutputError
        If there is a table by this name that is not to be replaced, or cannot be.
    """
    new = Table(staged, MetaData(), schema=place.schema)
    if replace:
        old = found(connection, place)
        for right in () if old is None else granted(connection, old.oid):
            connection.run(Grant(new, right.right, right.role, may_grant=right.may_grant), doing=_PUBLISHING)
        # Also one that another run has put there meanwhile.
        gone = Table(place.table, MetaData(), schema=place.schema)
        connection.run(DropTable(gone, if_exists=True), doing=_PUBLISHING)
    connection.run(RenameTable(new, place.table), doing=_PUBLISHING)


def require_headers(headers: Sequence[str]) -> None:
    """Stop where a column cannot be called so; the server would cut its name.

    Raises
    ------
    OutputError
    """
    twice = [header for header, number in Counter(headers).items() if number > 1]
    if twice:
        raise OutputError(f"Two columns of the release are called {quote(twice[0])}. Give them different names.")
    for header in headers:
        if not 0 < len(header.encode(errors="replace")) <= _LONGEST_NAME:
            raise OutputError(
                f"No column of PostgreSQL can be called {quote(header)}. Give it a name of 1 to {_LONGEST_NAME} bytes."
            )
