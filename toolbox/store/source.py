"""Where the records come from: a relation with columns ``c0``, ``c1``, ... that can be read more than once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import FromClause, Select, String, cast, column, func, select, table

from toolbox.config.model import Kind
from toolbox.errors import InputError
from toolbox.store.statements import column_names, read_parquet
from toolbox.store.store import Store

if TYPE_CHECKING:
    import pyarrow as pa

FIRST_PLACES = 5
"""How many lines or rows a message names."""


@dataclass(frozen=True)
class Rejects:
    """The lines that could not be cut into the columns of the table."""

    lines: tuple[tuple[int, str], ...] = ()
    """Line number from 1 and the line as it stands."""

    def __len__(self) -> int:
        return len(self.lines)


class Source(ABC):
    """An input whose records can be read in their order, twice: once to count them, once to keep them.

    A subclass supplies the relation and the places of values in it.
    """

    place: str
    """What a message calls the place of a record: line or row."""

    def __init__(self, name: str, headers: Sequence[str] | None, kinds: Sequence[Kind | None]) -> None:
        self.name = name
        self.headers = None if headers is None else tuple(headers)
        self.kinds = tuple(kinds)
        """What the input itself says of its columns; None for plain text."""

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.kinds)

    @abstractmethod
    def relation(self) -> FromClause:
        """Return the records: columns ``c0`` to ``c<width - 1>``."""

    @abstractmethod
    def places(self, position: int, known: Select[str]) -> list[int]:
        """Find the first lines or rows in which the text of a column is none of the known; a null counts as empty."""

    def unify_line_endings(self) -> None:  # noqa: B027 - most sources have no lines
        """Bring all line endings into one form, for the next reading; only text has any."""

    def rejects(self) -> Rejects:
        """List the lines that the last reading rejected."""
        return Rejects()


class TableSource(Source):
    """A Parquet file or an Arrow table: columns have types, nothing can be rejected."""

    place = "row"

    def __init__(self, name: str, store: Store, origin: FromClause, schema: pa.Schema) -> None:
        super().__init__(name, schema.names, [_kind(field.type) for field in schema])
        self._store = store
        self._origin = origin

    def relation(self) -> FromClause:
        return self._origin

    def places(self, position: int, known: Select[str]) -> list[int]:
        text = func.coalesce(cast(self.relation().c[f"c{position}"], String), "")
        rows = select(text.label("text"), func.row_number().over().label("row")).subquery()
        found = select(rows.c.row).where(rows.c.text.not_in(known)).order_by(rows.c.row).limit(FIRST_PLACES)
        return [row for (row,) in self._store.rows(found)]


def _kind(arrow_type: Any) -> Kind:
    """Tell numbers from categories by the type of a column."""
    from pyarrow import types

    is_number = types.is_integer(arrow_type) or types.is_floating(arrow_type) or types.is_decimal(arrow_type)
    return "number" if is_number else "category"


def parquet_source(store: Store, path: Path) -> TableSource:
    """Open a Parquet file."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        schema = parquet.read_schema(path)
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{path} is not a readable Parquet file: {str(error).splitlines()[0]}") from error
    link = store.folder / "input.parquet"
    link.symlink_to(path.resolve())
    return TableSource(str(path), store, read_parquet(link, len(schema.names)), schema)


def arrow_source(store: Store, given: pa.Table) -> TableSource:
    """Take an Arrow table of the caller; its columns may have any names, even the same."""
    renamed = given.rename_columns(column_names(given.num_columns))
    try:
        name = store.register("caller", renamed)
    except InputError:
        for field, label in zip(given.schema, renamed.schema.names, strict=True):
            _require_known_type(store, renamed.select([label]), field)
        raise
    origin = table(name, *(column(label) for label in renamed.schema.names))
    return TableSource("the table", store, origin, given.schema)


def _require_known_type(store: Store, column_alone: pa.Table, field: pa.Field) -> None:
    try:
        store.register("column", column_alone)
    except InputError as error:
        remedy = "Convert it to a number, a text or a date first."
        raise InputError(f"Column {field.name!r} is of type {field.type}, which cannot be read. {remedy}") from error
