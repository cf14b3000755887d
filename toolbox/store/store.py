"""The tables of a run: created from selects, constants and arrays, and dropped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Double,
    FromClause,
    Insert,
    Integer,
    SmallInteger,
    cast,
    column,
    func,
    select,
)
from sqlalchemy import table as table_of
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.expression import ClauseElement
from sqlalchemy.types import TypeEngine

from toolbox.config.model import Limits
from toolbox.queries.query import Query, Table
from toolbox.store.connection import Connection, Prepared
from toolbox.store.constants import constant_rows
from toolbox.store.scope import Scope
from toolbox.store.statements import CreateAs, CreateEnumeration, DropColumns, DropTables, Enumeration, Replace

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TYPES_OF_ARRAYS: dict[str, TypeEngine[Any]] = {
    "bool": Boolean(),
    "int16": SmallInteger(),
    "int32": Integer(),
    "int64": BigInteger(),
    "float64": Double(),
}


class Store(Connection):
    """An open database, bounded in memory and threads, spilling to its own folder.

    Use it as a context manager; on leaving, whatever happened, the folder is removed. The engine reads and writes in
    this folder, and reads the files that its ``gate`` was shown before its first statement; every other file, the
    network and all extensions are closed to it, for good.

    Parameters
    ----------
    beside : Path, optional
        Folder in which the store makes its own, so that a finished file moves to its place at once; None: the
        system's temporary folder.
    limits : Limits

    Examples
    --------
    >>> with Store() as store:
    ...     numbers = store.create_constant("numbers", {"n": (int, [1, 2, 3])})
    ...     store.scalar(select(func.sum(numbers.c.n)))
    6
    """

    def __init__(self, beside: Path | None = None, limits: Limits = Limits()) -> None:
        super().__init__(beside, limits)
        self._made: set[str] = set()
        self._sizes: dict[str, int] = {}
        self._scopes: list[Scope] = []

    def prepared(self, statement: ClauseElement) -> Prepared:
        if isinstance(statement, CreateEnumeration) and self._scopes:
            self._scopes[-1].enumerations.append(statement.name)
        if isinstance(statement, (Insert, Replace)):
            # From now on the size of its table is that of no moment that is known here.
            self._sizes.pop(statement.table.name, None)
        return super().prepared(statement)

    def create(self, name: str, rows: Query, *, lasting: bool = False) -> Table:
        """Create a table from the rows of a select.

        A lasting table is part of a store that is kept. All others live in memory and spill, so that no statement waits
        for the disk.
        """
        what = "TABLE" if lasting and self._limits.store else "TEMPORARY TABLE"
        creation = CreateAs(what, self.fresh(name), rows)
        if self._scopes:
            self._scopes[-1].tables.append(creation.table)
        self._made.add(creation.table.name)
        (self._sizes[creation.table.name],) = self._fetched(creation)[0]
        return creation.table

    def create_joined(self, name: str, rows: Query, *, lasting: bool = False) -> Table:
        """Create a table from a record-sized join, whose sides stay as they are written."""
        with self._join_sides_kept():
            return self.create(name, rows, lasting=lasting)

    def create_constant(self, name: str, columns: Mapping[str, tuple[type, Sequence[object]]]) -> Table:
        """Create a table from Python sequences of one length.

        Parameters
        ----------
        name : str
        columns : mapping of column name to (type, values)
            The type is one of bool, int, float, str; a value may be None.
        """
        return self.create(name, constant_rows(columns))

    def from_arrays(self, name: str, columns: Mapping[str, NDArray[Any]]) -> Table:
        """Create a table from numpy arrays of one length: truth values, whole numbers or doubles."""
        kinds = [column(label, _TYPES_OF_ARRAYS[str(array.dtype)]) for label, array in columns.items()]
        with self.registered(name, columns) as registered:
            return self.create(name, select(table_of(registered, *kinds)))

    def create_view(self, name: str, rows: Query) -> Table:
        """Create a view: a name for a select, whose rows are not stored."""
        return self.publish(self.fresh(name), rows)

    def publish(self, name: str, rows: Query) -> Table:
        """Create a view of exactly this name, for people who look into a store that is kept."""
        creation = CreateAs("VIEW", name, rows)
        if self._scopes:
            self._scopes[-1].views.append(creation.table)
        self._made.add(name)
        self.run(creation)
        return creation.table

    def drop(self, *tables: Table) -> None:
        """Drop tables that are no longer needed."""
        if tables:
            self.run(DropTables(tables))
        for table in tables:
            self._forget(table)

    def drop_columns(self, table: Table, names: Sequence[str]) -> None:
        """Drop columns that are no longer needed; the table stays."""
        self.run(DropColumns(table, names))

    @contextmanager
    def within(self, scope: Scope) -> Iterator[None]:
        """Note in a scope what the block makes, and no other scope does."""
        self._scopes.append(scope)
        try:
            yield
        finally:
            self._scopes.pop()

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Drop at the end of the block, however it ends, what was made in it."""
        scope = Scope()
        try:
            with self.within(scope):
                yield
        finally:
            self.clear(scope)

    def clear(self, scope: Scope) -> None:
        """Drop what was made in a scope and is still there."""
        if (statement := scope.dropping(self._made)) is not None:
            self.run(statement)
        for table in (*scope.tables, *scope.views):
            self._forget(table)
        scope.forget()

    def _forget(self, table: Table) -> None:
        self._made.discard(table.name)
        self._sizes.pop(table.name, None)

    def count(self, table: FromClause) -> int:
        """Count the rows of a table or a view; the count of a table is known since it was created."""
        known = self._sizes.get(table.name) if isinstance(table, Table) else None
        return int(self.scalar(select(func.count()).select_from(table))) if known is None else known

    def enumerated(self, table: Table, names: Sequence[str]) -> Table:
        """Copy a table with some of its text columns as enumerations, so that sorting moves numbers, not texts."""
        columns: list[ColumnElement[Any]] = []
        for text in table.c:
            if text.name in names:
                kind = self.fresh("texts")
                self.run(CreateEnumeration(kind, select(text).where(text.is_not(None)).distinct()))
                columns.append(cast(text, Enumeration(kind)).label(text.name))
            else:
                columns.append(text)
        return self.create(table.name, select(*columns))
