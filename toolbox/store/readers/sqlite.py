"""A table or a view of an SQLite database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote as quoted_path

from sqlalchemy import column, select, table
from sqlalchemy.dialects import sqlite
from sqlalchemy.sql.expression import quoted_name

from toolbox.errors import InputError
from toolbox.store.readers.choosing import chosen_table
from toolbox.store.readers.file_table import BATCH, FileTable

_ALLOWED: Final = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_LONGEST: Final = 64_000_000
"""Bytes that a value may have; a view may make some without end."""
_STEPS: Final = 100_000
"""Steps of the engine after which Python may hear an interrupt."""


class SqliteTable(FileTable):
    """A table or a view of an SQLite database.

    Parameters
    ----------
    path : Path
    wanted : str, optional
        Its name; None: the only one.
    """

    def __init__(self, path: Path, wanted: str | None) -> None:
        super().__init__()
        self._path = path
        with _errors_translated(path):
            self._connection = _opened(path)
            try:
                self._name = chosen_table(path, wanted, self._tables())
                every = self._connection.execute(_written(select(column("*", is_literal=True)), self._name))
                self.names = [entry[0] for entry in every.description]
                self._rows = every
            except BaseException:
                self._connection.close()
                raise

    def _tables(self) -> list[str]:
        kinds: Any = column("type")
        name: Any = column("name")
        known = select(name).where(kinds.in_(["table", "view"]), name.not_like("sqlite\\_%", escape="\\"))
        return [name for (name,) in self._connection.execute(_written(known.order_by(name), "sqlite_master"))]

    def batches(self) -> Iterator[tuple[int, Sequence[Any]]]:
        with _errors_translated(self._path):
            while rows := self._rows.fetchmany(BATCH):
                yield len(rows), list(zip(*rows, strict=True))

    def close(self) -> None:
        self._connection.close()


def _written(query: Any, name: str) -> str:
    origin = table(quoted_name(name, quote=True))
    return str(query.select_from(origin).compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))


def _opened(path: Path) -> sqlite3.Connection:
    """Open a database so that nothing is written, be it only a lock or a file beside it."""
    beside = [path.with_name(path.name + ending) for ending in ("-wal", "-journal")]
    # What another program has not yet brought into the file is read as well; then it must be asked.
    is_in_use = any(file.exists() and file.stat().st_size for file in beside)
    name = quoted_path(str(path.resolve()))
    connection = sqlite3.connect(f"file:{name}?mode=ro{'' if is_in_use else '&immutable=1'}", uri=True)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY)
    connection.set_progress_handler(lambda: 0, _STEPS)
    return connection


@contextmanager
def _errors_translated(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeError) as error:
        said = str(error)
        if "too big" in said:
            problem, remedy = f"has a value of more than {_LONGEST // 1_000_000} MB", "Leave that column out of a view."
        elif "locked" in said or "busy" in said:
            problem, remedy = "is locked by another program", "Close that, or wait until it has finished."
        elif "UTF-8" in said:
            problem, remedy = "holds text that is not UTF-8", "Write it again as UTF-8, or as a blob."
        elif "prohibited" in said or "not authorized" in said or "unsafe use" in said:
            problem, remedy = "has a view that does more than read its tables", "Read a table, or export the view."
        elif "readonly" in said or "unable to open" in said:
            problem, remedy = "was not closed as it should be", "Open and close it once in its own program."
        else:
            problem, remedy = "cannot be read: it is damaged, or a view of it is wrong", "Get a complete copy."
        raise InputError(f"{path} {problem}. {remedy}") from error
