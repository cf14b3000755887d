"""The source of the records: a relation with columns ``c0``, ``c1``, .. that can be read more than once."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import unquote

from sqlalchemy import (
    BigInteger,
    Double,
    FromClause,
    Select,
    String,
    and_,
    case,
    cast,
    column,
    func,
    literal,
    select,
    table,
)
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.file_names import list_partitions
from toolbox.config.model import Input, Kind
from toolbox.errors import InputError, UnknownColumnError, UsageError, quote
from toolbox.messages import choose_setting_name, format_count
from toolbox.queries.dialect import Query, Table, contains, number_or_null, sum_stably
from toolbox.queries.scales import Figures
from toolbox.store.engine.statements import make_column_names, name_told_folder
from toolbox.store.engine.store import Store
from toolbox.store.input.formats.table import Codebook

if TYPE_CHECKING:
    import pyarrow as pa

_ROW_NUMBER = "toolbox row"
_COUNTING = "records"
"""What the metadata of a column say that counts records."""
FIRST_PLACES = 5
"""How many lines or rows a message names."""


def make_row_number_name(names: Sequence[str]) -> str:
    """Return what the column behind those of a table is called that numbers its rows, where columns bypass the engine.

    Examples
    --------
    >>> make_row_number_name(["age", "toolbox row"])
    'toolbox row_'
    """
    name = _ROW_NUMBER
    while name in names:
        name += "_"
    return name


class RecordPlace(NamedTuple):
    """Where a record stands."""

    number: int
    """Line or row, from 1."""
    file: Path | None = None
    """None where there is only one."""


def format_places(kind: str, places: Sequence[RecordPlace]) -> str:
    """Write places for a message.

    Examples
    --------
    >>> format_places("line", [RecordPlace(3)]), format_places("line", [RecordPlace(3), RecordPlace(7)])
    ('line 3', 'lines 3, 7')
    >>> format_places("row", [RecordPlace(3, Path("a")), RecordPlace(7, Path("a")), RecordPlace(1, Path("b"))])
    'a, rows 3, 7; b, row 1'
    """
    written = []
    for file, group in groupby(places, key=lambda place: place.file):
        numbers = [str(place.number) for place in group]
        plural = "s" if len(numbers) > 1 else ""
        written.append(f"{'' if file is None else f'{file}, '}{kind}{plural} {', '.join(numbers)}")
    return "; ".join(written)


def column_text(relation: FromClause, position: int) -> ColumnElement[str]:
    """Return the text of a column of a relation, as the engine writes its values."""
    return cast(relation.c[f"c{position}"], String)


def format_input_name(names: Sequence[Path]) -> str:
    """Return what messages call an input: its file, or the first of its files."""
    if len(names) == 1:
        return str(names[0])
    return f"{names[0]} and {len(names) - 1:,} more file{'s' if len(names) > 2 else ''}"


def require_same_columns(
    path: Path, columns_here: Sequence[str], first: Path, expected: Sequence[str], *, named: bool
) -> None:
    """Stop where one of several files has other columns than the first.

    Parameters
    ----------
    named : bool
        Whether the columns have names; otherwise they are only counted.

    Raises
    ------
    InputError
        Without the names found: where a header lacks, they are values.
    """
    if len(columns_here) != len(expected):
        columns = "1 column" if len(columns_here) == 1 else f"{len(columns_here)} columns"
        problem = f"it has {columns}, but {first} has {len(expected)}"
    elif not named or list(columns_here) == list(expected):
        return
    elif sorted(columns_here) == sorted(expected):
        problem = f"its columns are in another order than those of {first}"
    else:
        index = next(index for index, name in enumerate(expected) if columns_here[index] != name)
        problem = f"column {index + 1} is not called {quote(expected[index])}, as in {first}"
    remedy = "All files of a table have the same columns, and each its own header where header='true'."
    raise InputError(f"{path}: {problem}. {remedy}")


@dataclass(frozen=True)
class Rejects:
    """The lines that could not be cut into the columns of the table."""

    count: int = 0
    first: tuple[RecordPlace, ...] = ()
    """Where the first of them stand."""
    lines: Query | None = None
    """Their texts, in their order; they stay in the store. None: there are none."""


@dataclass(frozen=True)
class Account:
    """The lines of an input that are no records: blank, rejected and so on.

    All other lines are records that were read.
    """

    rejects: Rejects = Rejects()
    blank: int = 0
    """Lines without any character."""


class FolderColumns(NamedTuple):
    """Columns that only the folders of an input tell, as Hive and Spark write them: ``year=2020/land=at/a.parquet``."""

    names: tuple[str, ...] = ()
    folders: tuple[Path, ...] = ()
    """For each file, the folder that tells the engine its values."""
    texts: tuple[tuple[str | None, ...], ...] = ()
    """The values of each file; None where there is none."""

    @classmethod
    def find(cls, declared: Input, files: Sequence[Path], headers: Sequence[str]) -> FolderColumns:
        """Find the columns that are told for all files, and that these do not hold themselves."""
        told = [
            tuple((name, text) for name, text in parts if name not in headers)
            for parts in list_partitions(declared, files)
        ]
        names = tuple(name for name, _ in told[0])
        if not names or len(set(names)) < len(names) or any(tuple(name for name, _ in each) != names for each in told):
            return cls()
        return cls(
            names,
            tuple(Path(*(name_told_folder(index, text) for index, (_, text) in enumerate(each))) for each in told),
            tuple(tuple(None if text == _NO_VALUE else unquote(text) for _, text in each) for each in told),
        )

    def place(self, folder: Path, index: int) -> Path:
        """Return the folder below another one where a link to a file stands; it is made."""
        if not self.names:
            return folder
        place = folder / self.folders[index]
        place.mkdir(parents=True, exist_ok=True)
        return place

    def list_fields(self) -> list[pa.Field]:
        """Return names and types: whole numbers, where all values are written as such."""
        import pyarrow as pa

        columns = zip(self.names, zip(*self.texts, strict=True), strict=True)
        return [
            pa.field(name, pa.int64() if all(text is None or _WHOLE.fullmatch(text) for text in texts) else pa.string())
            for name, texts in columns
        ]


_NO_VALUE: Final = "__HIVE_DEFAULT_PARTITION__"
_WHOLE: Final = re.compile(r"0|-?[1-9][0-9]{0,17}")
_PARTITION: Final = re.compile(r"(?<![^/\\])[A-Za-z_]\w*=[^/\\]*(?=[/\\])")
"""A folder that is called by a column and its value, as Hive and Spark write them."""


class Source(ABC):
    """An input whose records can be read in their order, twice: once to count them, once to keep them.

    A subclass supplies the relation and the places of values in it.
    """

    place: str
    """What a message calls the place of a record: line or row."""
    added: int = 0
    """Last columns that are not the user's."""
    codebooks: Mapping[int, Codebook] = MappingProxyType({})
    """What a statistics package says of its columns, by position."""
    notes: tuple[str, ...] = ()
    """What a person should know of the reading."""
    most_places: int = FIRST_PLACES
    """How many rejected lines are told one by one."""
    counting: int | None = None
    """The column that says for how many records each row stands; None: for one."""

    def __init__(self, name: str, headers: Sequence[str] | None, kinds: Sequence[Kind | None]) -> None:
        for index, header in enumerate(headers or (), start=1):
            if "\0" in header:
                problem = f"the name of column {index} holds the control character U+0000"
                raise InputError(f"{name}: {problem}. Give the column another name.")
        self.name = name
        self.headers = None if headers is None else tuple(headers)
        self.kinds = tuple(kinds)
        """What the input itself says of its columns; None for plain text."""
        self.zones: tuple[str | None, ...] = (None,) * len(self.kinds)
        """The zones of timestamps that are moments of the whole world."""
        self.orders: tuple[tuple[str, ...] | None, ...] = (None,) * len(self.kinds)
        """The categories of a column in an order that means something; None where there is none."""

    @property
    def own_headers(self) -> tuple[str, ...]:
        """The names of the columns that are the user's."""
        headers = self.headers or ()
        return headers[: len(headers) - self.added]

    def find_header(self, name: str) -> int:
        """Find the column of a name, which no position can stand for.

        Raises
        ------
        UsageError
            If there is no such column, or no header with names.
        """
        if self.headers is None:
            problem = f"{self.name} has no header that could name {quote(name)}"
            remedy = "This column is found by its name, not by a position: write a first line with the names of columns"
            raise UsageError(
                f"{problem}. {remedy}, and leave out {choose_setting_name('--header no', python='header=False')}."
            )
        if self.headers.count(name) != 1:
            raise UnknownColumnError(name, self.name, self.own_headers)
        return self.headers.index(name)

    @property
    def expected_records(self) -> int | None:
        """About how many records there are, where a reading takes long; None where one does not."""
        return None

    def count_records(self, relation: FromClause, where: ColumnElement[bool] | None = None) -> ColumnElement[int]:
        """Aggregate rows of the relation: how many records they stand for, or those of them that are meant."""
        counted = func.count() if self.counting is None else func.sum(relation.c[f"c{self.counting}"])
        kept: ColumnElement[Any] = counted if where is None else counted.filter(where)
        return kept if self.counting is None else cast(func.coalesce(kept, 0), BigInteger)

    @property
    def said_kinds(self) -> tuple[Kind | None, ...]:
        """What the input leaves no doubt about; None for texts, which may be numbers or dates, in no order."""
        pairs = zip(self.kinds, self.orders, strict=True)
        return tuple(None if kind == "category" and order is None else kind for kind, order in pairs)

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.kinds)

    def note_partitions(self, places: Iterable[str]) -> None:
        """Note what only the folders of an input tell, as in ``year=2020``: they are no column here.

        Parameters
        ----------
        places : iterable of str
            Paths or URIs of files, or of a folder that is read.
        """
        told = (part.partition("=")[0] for place in places for part in _PARTITION.findall(place))
        if names := [name for name in dict.fromkeys(told) if name not in (self.headers or ())]:
            named = ", ".join(quote(name) for name in names)
            self.notes = (
                *self.notes,
                f"Folders of the input are called {names[0]}=.., but no column is: {named} is not read, nor released. "
                "Name the folder above, or write it into the files, to have it as a column.",
            )

    @abstractmethod
    def relation(self) -> FromClause:
        """Return the records: columns ``c0`` to ``c<width - 1>``."""

    @abstractmethod
    def places(self, position: int, known: Select[str]) -> list[RecordPlace]:
        """Find the first lines or rows where the text of a column is none of the known texts; null counts as empty."""

    @abstractmethod
    def account(self, read: int, *, is_strict: bool = False) -> Account:
        """Compare the number of records that the engine has read with the number that the input holds.

        Parameters
        ----------
        read : int
            Records of the last reading.
        is_strict : bool
            Whether no line may be rejected at all.

        Raises
        ------
        InputError
            If the two differ, or more lines were rejected than the input allows.
        """

    def require_encoding(self) -> None:  # noqa: B027 - only text has one
        """Stop if the text is not in the declared encoding."""

    def require_separator(self, names: Sequence[str]) -> None:
        """Stop where none of the columns is there, but would be with another separator."""
        if not names or self.headers is None or not set(names).isdisjoint(self.headers):
            return
        if (wrong := self.explain_misreading(names, len(names))) is not None:
            raise UsageError(" ".join(wrong))

    def explain_misreading(self, names: Sequence[str], least: int) -> tuple[str, str] | None:
        """Return what is wrong with how a text is read that lacks columns, and what to write; if that is clear.

        Parameters
        ----------
        names : sequence of str
            Of all the columns that are looked for.
        least : int
            Columns that it must have, for those that are looked for by their positions.
        """
        return None

    def is_plain(self, separator: str) -> bool:
        """Return whether it is certain that no value needs quotes with this separator."""
        return False


class TableSource(Source):
    """Parquet files or an Arrow table: columns have types, nothing can be rejected."""

    place = "row"

    def __init__(self, name: str, store: Store, origin: FromClause, schema: pa.Schema, rows: int) -> None:
        super().__init__(name, schema.names, find_kinds(schema))
        self.zones = find_zones(schema)
        if any(self.zones):
            store.write_moments_in_utc()
        self._store = store
        self._origin = origin
        self._rows = rows

    def relation(self) -> FromClause:
        return self._origin

    def account(self, read: int, *, is_strict: bool = False) -> Account:
        if read != self._rows:
            raise InputError(f"{self.name}: {read:,} of {self._rows:,} rows could be read. Get a complete copy.")
        return Account()

    def place_of(self, row: int) -> RecordPlace:
        """Return where a row stands, by its number from 1."""
        return RecordPlace(row)

    def places(self, position: int, known: Select[str]) -> list[RecordPlace]:
        text = func.coalesce(column_text(self.relation(), position), "")
        rows = select(text.label("text"), func.row_number().over().label("row")).subquery()
        unknown = select(rows.c.row).where(rows.c.text.not_in(known)).order_by(rows.c.row).limit(FIRST_PLACES)
        return [self.place_of(row) for (row,) in self._store.rows(unknown)]


def _find_kind(arrow_type: Any) -> Kind:
    """Return whether a type is one of numbers, dates or categories."""
    from pyarrow import types

    if types.is_date(arrow_type):
        return "date"
    if types.is_timestamp(arrow_type):
        return "timestamp"

    is_number = types.is_integer(arrow_type) or types.is_floating(arrow_type) or types.is_decimal(arrow_type)
    return "number" if is_number else "category"


def find_kinds(schema: pa.Schema) -> list[Kind]:
    """Return whether each column holds numbers, dates or categories."""
    return [_find_column_kind(field) for field in schema]


def _find_column_kind(field: pa.Field) -> Kind:
    """Return what a column holds, as its metadata say if its type cannot: numbers of any length come as texts."""
    said = (field.metadata or {}).get(b"kind")
    return "number" if said == b"number" else _find_kind(field.type)


def find_zones(schema: pa.Schema) -> tuple[str | None, ...]:
    """Return the zones of the columns that hold moments of the whole world."""
    return tuple(getattr(field.type, "tz", None) for field in schema)


def list_date_columns(schema: pa.Schema) -> set[str]:
    """Return the names of the columns that hold dates or timestamps."""
    return {field.name for field in schema if _find_column_kind(field) in ("date", "timestamp")}


def open_arrow_source(store: Store, callers: pa.Table, *, added: int = 0) -> TableSource:
    """Return the source that reads the caller's Arrow table; columns may have any names, even equal ones.

    Parameters
    ----------
    added : int
        Last columns that are not the caller's.
    """
    renamed = callers.rename_columns(make_column_names(callers.num_columns))
    try:
        name = store.register("caller", renamed)
    except InputError:
        for field, label in zip(callers.schema, renamed.schema.names, strict=True):
            _require_known_type(store, renamed.select([label]), field)
        raise
    origin = table(name, *(column(label) for label in renamed.schema.names))
    source = TableSource("the table", store, origin, callers.schema, callers.num_rows)
    source.orders = _find_orders(store, callers)
    source.added = added
    if (counting := find_counting_column(callers)) is not None:
        source.counting = callers.column_names.index(counting)
    return source


def add_counts(rows: pa.Table, records: pa.ChunkedArray) -> pa.Table:
    """Return a table whose rows stand for several records each, as a column more says."""
    import pyarrow as pa

    name = make_row_number_name(rows.column_names)
    return rows.append_column(pa.field(name, pa.int64(), metadata={"kind": _COUNTING}), records)


def find_counting_column(table: Any) -> str | None:
    """Return the name of the column that says for how many records each row of an Arrow table stands."""
    fields = getattr(table, "schema", ())
    return next((each.name for each in fields if (each.metadata or {}).get(b"kind") == _COUNTING.encode()), None)


def _require_known_type(store: Store, column_alone: pa.Table, field: pa.Field) -> None:
    try:
        store.register("column", column_alone)
    except InputError as error:
        remedy = "Convert it to a number, a text or a date first."
        raise InputError(f"Column {field.name!r} is of type {field.type}, which cannot be read. {remedy}") from error


def _find_orders(store: Store, callers: pa.Table) -> tuple[tuple[str, ...] | None, ...]:
    """Return, for each column of ordered categories, these in their order, as the engine writes them."""
    import pyarrow as pa

    orders: list[tuple[str, ...] | None] = []
    for field, values in zip(callers.schema, callers.columns, strict=True):
        is_ordered = pa.types.is_dictionary(field.type) and field.type.ordered
        orders.append(_order(store, values) if is_ordered else None)
    return tuple(orders)


def _order(store: Store, values: pa.ChunkedArray) -> tuple[str, ...] | None:
    import pyarrow as pa

    chunks = values.unify_dictionaries().chunks
    if not chunks:
        return ()
    name = store.register("categories", pa.table({"category": chunks[0].dictionary}))
    category: Any = column("category")
    texts: Sequence[str | None] = [
        text for (text,) in store.rows(select(cast(category, String)).select_from(table(name, category)))
    ]
    # Two that the engine writes alike are one to it.
    return tuple(text for text in texts if text is not None) if len(set(texts)) == len(texts) else None


# Of a sample, for how many people each record stands.

_MOST_WEIGHT: Final = 1e15
"""The largest number of people that one record may stand for: far above all people there are."""
_WEIGHT: Final = "weight"


class WeightColumn(NamedTuple):
    """The column that says how many people of a population each record stands for."""

    position: int
    figures: Figures
    """How it writes numbers."""

    def place(self, relation: FromClause) -> FromClause:
        """Put the weight of each record beside it, so that the engine reads it once, however often it is asked for."""
        return select(*relation.c, self.read(relation).label(_WEIGHT)).subquery("weighted")

    def read(self, relation: FromClause) -> ColumnElement[float]:
        """Read the weight of each record, which is usable."""
        return relation.c[_WEIGHT] if _WEIGHT in relation.c else number_or_null(self._plain(relation))

    def is_usable(self, relation: FromClause) -> ColumnElement[bool]:
        """Test whether a record has a weight that a number of people can have; null where it has none."""
        # Each weight of a table is tested where its records are counted: no test is made that another one contains.
        number = self.read(relation)
        return and_(number > 0, number <= _MOST_WEIGHT, ~contains(self._plain(relation), "_"))

    def _plain(self, relation: FromClause) -> ColumnElement[str]:
        return self.figures.plain(cast(relation.c[f"c{self.position}"], String))

    def sum_up(self, relation: FromClause) -> ColumnElement[float]:
        """Sum up the weights of records; the sum is no number where one of them has none."""
        nothing = cast(literal("nan"), Double)
        return sum_stably(case((self.is_usable(relation), self.read(relation)), else_=nothing))

    def list_bounds(self, relation: FromClause) -> list[ColumnElement[float]]:
        """Aggregate the records of a person: the least weight and the largest, ``least, most``."""
        return [func.min(self.read(relation)).label("least"), func.max(self.read(relation)).label("most")]

    def require_one_for_each(
        self, store: Store, source: Source, persons: Table, columns: Iterable[int], nobody: ColumnElement[int]
    ) -> None:
        """Stop where a person has records of different weights.

        Parameters
        ----------
        persons : Table
            ``person, least, most``, in any number of rows for each.
        columns : iterable of int
            Those of the source that tell persons apart.
        nobody : ColumnElement
            The number of all records that lack a value in one of these.

        Raises
        ------
        InputError
        """
        each = select(persons.c.person).where(persons.c.person != nobody).group_by(persons.c.person)
        wrong = each.having(func.min(persons.c.least) < func.max(persons.c.most)).subquery()
        if count := store.count(wrong):
            names = source.headers or ()
            told = " + ".join(names[position] for position in columns)
            have = format_count(count, f"person ({told}) has", f"persons ({told}) have")
            raise InputError(
                f"{source.name}: {have} records of different weights in the column "
                f"{quote(names[self.position])}. A person stands for one number of people: give all records of a "
                "person the same weight."
            )

    def require_all(self, store: Store, source: Source) -> None:
        """Stop where a record has no weight.

        Raises
        ------
        InputError
        """
        relation = source.relation()
        usable = func.coalesce(self.is_usable(relation), literal(False))
        if lacking := int(store.scalar(select(func.count()).select_from(relation).where(~usable))):
            name = (source.headers or ())[self.position]
            records = format_count(lacking, "record has", "records have")
            raise InputError(
                f"{source.name}: {records} no number above 0 and at most {_MOST_WEIGHT:g} in the column "
                f"{quote(name)} of the sampling weights. Give each record one."
            )
