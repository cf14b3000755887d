"""The tables of a run: created from selects, constants and arrays, and dropped."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
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
    String,
    case,
    cast,
    column,
    func,
    literal,
    null,
    select,
    type_coerce,
)
from sqlalchemy import table as table_of
from sqlalchemy import values as values_of
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.expression import ClauseElement
from sqlalchemy.types import TypeEngine

from toolbox.config.model import Limits
from toolbox.queries.dialect import Query, Table, split_text
from toolbox.store.engine.connection import Connection, Prepared
from toolbox.store.engine.statements import (
    CreateAs,
    CreateEnumeration,
    DropColumns,
    DropMade,
    DropTables,
    Enumeration,
    HugeInteger,
    Replace,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Python values as the rows of a query.

_TYPES: dict[type, TypeEngine[Any]] = {bool: Boolean(), int: BigInteger(), float: Double(), str: String()}
_FEW = 60
"""Most values that are written one by one: each of them takes longer than it does in a long text, which costs more to
begin with."""
_MANY = 20_000
"""Most rows that are written into a statement: more come as arrays, whose library takes as long to load as these."""


def build_constant_rows(columns: Mapping[str, tuple[type, Sequence[object]]]) -> Query:
    """Write Python sequences of one length as a select.

    Parameters
    ----------
    columns : mapping of column name to (type, values)
        The type is one of bool, int, float, str; a value may be None.
    """
    length = len(list(zip(*(cells for _, cells in columns.values()), strict=True)))
    types = {label: _choose_type(kind, cells) for label, (kind, cells) in columns.items()}
    if not length:
        nothing = (cast(null(), kind).label(label) for label, kind in types.items())
        return select(*nothing).where(literal(False))
    texts = {label: [_format_constant(value) for value in cells] for label, (_, cells) in columns.items()}
    listed = _write_literals(texts) if length * len(columns) <= _FEW and not _holds_nul(texts) else _cut_up(texts)
    return select(*(cast(listed[label], kind).label(label) for label, kind in types.items()))


def _choose_type(kind: type, cells: Sequence[object]) -> TypeEngine[Any]:
    """Choose the type of a column of constants; whole numbers may be too large for 64 bits."""
    known: list[Any] = [value for value in cells if value is not None] if kind is int else []
    is_huge = bool(known) and (max(known) >= 2**63 or min(known) <= -(2**63))
    return HugeInteger() if is_huge else _TYPES[kind]


def _format_constant(value: object) -> str | None:
    return None if value is None else repr(value) if isinstance(value, float) else str(value)


def _holds_nul(texts: Mapping[str, Sequence[str | None]]) -> bool:
    """Return whether a text holds U+0000, at which a statement would end."""
    return any("\0" in text for column_texts in texts.values() for text in column_texts if text is not None)


def _write_literals(texts: Mapping[str, Sequence[str | None]]) -> Mapping[str, ColumnElement[Any]]:
    """Write every value as a literal."""
    rows = list(zip(*texts.values(), strict=True))
    return dict(values_of(*(column(label, String()) for label in texts), name="given").data(rows).c)


def _cut_up(texts: Mapping[str, Sequence[str | None]]) -> Mapping[str, ColumnElement[Any]]:
    """Write the values of each column as one text."""
    pieces = select(*(_write_unnested(cells).label(label) for label, cells in texts.items())).subquery()
    return {label: case((pieces.c[label] != "", func.substr(pieces.c[label], 2))) for label in texts}


def _write_unnested(texts: Sequence[str | None]) -> ColumnElement[str]:
    """Write constants as one text that the engine cuts up, which is much faster than a literal for each of many.

    Every value has a mark in front, so that a missing one differs from an empty text.
    """
    written = ["" if text is None else f"={text}" for text in texts]
    used = set().union(*written)
    unused = (chr(code) for code in chain(range(31, 0, -1), range(0xE000, 0x110000)) if chr(code) not in used)
    separator, nul = next(unused), next(unused)
    pieces = split_text(literal(separator.join(written).replace("\0", nul)), separator)
    # A statement ends at this character.
    return type_coerce(func.replace(pieces, nul, func.chr(0)) if "\0" in used else pieces, String())


# What was made in a store while something ran, so that it can be dropped together.


@dataclass(eq=False)
class Scope:
    """Takes note of tables, views and enumerations; see `Store.scope`, and `Store.within` for one that is kept open."""

    tables: list[Table] = field(default_factory=list)
    views: list[Table] = field(default_factory=list)
    enumerations: list[str] = field(default_factory=list)

    def build_drop(self, there: AbstractSet[str]) -> DropMade | None:
        """Return the statement that drops what of it is still ``there``; None if that is nothing.

        An enumeration comes last, as a table may hold its values.
        """
        views, tables = ([table for table in made if table.name in there] for made in (self.views, self.tables))
        return DropMade(views, tables, self.enumerations) if views or tables or self.enumerations else None

    def forget(self) -> None:
        """Forget everything that was made so far."""
        self.tables.clear()
        self.views.clear()
        self.enumerations.clear()


# The tables of a run: created from selects, constants and arrays, and dropped.

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

    def prepare_statement(self, statement: ClauseElement) -> Prepared:
        if isinstance(statement, CreateEnumeration) and self._scopes:
            self._scopes[-1].enumerations.append(statement.name)
        if isinstance(statement, (Insert, Replace)):
            # From now on the size of its table is that of no moment that is known here.
            self._sizes.pop(statement.table.name, None)
        return super().prepare_statement(statement)

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
        if max(len(cells) for _, cells in columns.values()) <= _MANY:
            return self.create(name, build_constant_rows(columns))
        try:
            import pyarrow as pa
        except ModuleNotFoundError:
            # A small image may lack it: the same rows, only slower.
            return self.create(name, build_constant_rows(columns))

        types = {label: _choose_type(kind, cells) for label, (kind, cells) in columns.items()}
        # A whole number beyond 64 bits travels as its digits.
        arrays = {
            label: pa.array(map(_format_constant, cells) if isinstance(types[label], HugeInteger) else cells)
            for label, (_, cells) in columns.items()
        }
        with self.register_arrays(name, pa.table(arrays)) as registered:
            given = table_of(registered, *map(column, arrays))
            return self.create(
                name, select(*(cast(given.c[label], kind).label(label) for label, kind in types.items()))
            )

    def from_arrays(self, name: str, columns: Mapping[str, NDArray[Any]]) -> Table:
        """Create a table from numpy arrays of one length: truth values, whole numbers or doubles."""
        kinds = [column(label, _TYPES_OF_ARRAYS[str(array.dtype)]) for label, array in columns.items()]
        with self.register_arrays(name, columns) as registered:
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

    def drop_columns(self, table: Table, names: Collection[str]) -> Table:
        """Drop columns that are no longer needed; return the table as it is then."""
        self.run(DropColumns(table, names))
        return Table(table.name, *(column(each.name, each.type) for each in table.c if each.name not in names))

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
        if (statement := scope.build_drop(self._made)) is not None:
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

    def copy_with_enumerations(self, table: Table, names: Sequence[str]) -> Table:
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
