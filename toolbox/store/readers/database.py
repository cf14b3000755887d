"""A table or a view in the file of an SQLite or DuckDB database, which nobody writes to.

Names are quoted by SQLAlchemy. A view is read like a table; it cannot lead out of its file.
"""

from __future__ import annotations

from pathlib import Path

from toolbox.store.foreign import require_kind
from toolbox.store.readers.file_table import FileTable

_SQLITE = b"SQLite format 3\0"


def database_table(path: Path, wanted: str | None) -> FileTable:
    """Open a table of a database, by what the file is and not by its name.

    Raises
    ------
    InputError
        If the file is no database, or has no such table, or none or several.
    """
    require_kind(path)
    with path.open("rb") as file:
        is_sqlite = file.read(len(_SQLITE)) == _SQLITE
    if is_sqlite:
        from toolbox.store.readers.sqlite import SqliteTable

        return SqliteTable(path, wanted)
    from toolbox.store.readers.duckdb_file import DuckdbTable

    return DuckdbTable(path, wanted)
