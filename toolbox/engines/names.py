"""Names of tables as people write them: ``schema.table``, a part in double quotes where it is no plain word."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass

from toolbox.errors import UsageError, quote

_QUOTED = r'"(?:[^"\0]|"")+"'
_PLAIN = r"[^\W\d][\w$]*"
_UNQUOTED = re.compile("[a-z_][a-z0-9_]*")
_PART = re.compile(f"{_QUOTED}|{_PLAIN}")
_WHOLE = re.compile(rf"(?:{_QUOTED}|{_PLAIN})(?:\.(?:{_QUOTED}|{_PLAIN}))*")
_MOST_PARTS = 2
# Where texts have several bytes to a letter, PostgreSQL makes these small and no others.
_SMALL = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


@dataclass(frozen=True)
class TableName:
    """A table, and the schema that holds it where somebody says it."""

    table: str
    schema: str | None = None

    def __str__(self) -> str:
        """Write the name so that `table_name` reads it again, whether or not plain names are folded."""
        return ".".join(_written(part) for part in (self.schema, self.table) if part is not None)


def table_name(text: str, *, folded: bool) -> TableName:
    """Read the name of a table.

    Parameters
    ----------
    text : str
        ``table`` or ``schema.table``; within a quoted part, ``""`` is one quote.
    folded : bool
        Whether letters of a part without quotes are made small, as SQL has it in PostgreSQL.

    Raises
    ------
    UsageError
        If it is no such name.

    Examples
    --------
    >>> table_name('census."People of 2020"', folded=True)
    TableName(table='People of 2020', schema='census')
    >>> table_name("Census.People", folded=True)
    TableName(table='people', schema='census')
    """
    if not _WHOLE.fullmatch(text):
        raise UsageError(
            f"{quote(text)} is no name of a table. Write schema.table, and a part that is more than letters, digits "
            'and underscores in double quotes: census."People of 2020".'
        )
    parts = [_read(part, folded=folded) for part in _PART.findall(text)]
    if len(parts) > _MOST_PARTS:
        raise UsageError(
            f"{quote(text)} has {len(parts)} parts. Write schema.table: the database is named by the URL. A name that "
            "holds a dot stands in double quotes."
        )
    return TableName(parts[-1], parts[0] if len(parts) == _MOST_PARTS else None)


def _read(part: str, *, folded: bool) -> str:
    if part.startswith('"'):
        return part[1:-1].replace('""', '"')
    return part.translate(_SMALL) if folded else part


def _written(part: str) -> str:
    return part if _UNQUOTED.fullmatch(part) else '"' + part.replace('"', '""') + '"'
