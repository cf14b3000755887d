"""One file of a release as a query: its columns and their names, and how delimited text writes them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from sqlalchemy import Integer, String, case, cast, func, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.dialect import Query, Table, contains, join_texts
from toolbox.store.engine.statements import as_text
from toolbox.store.engine.store import Store
from toolbox.store.input.formats.table import Codebook
from toolbox.store.input.source import Source
from toolbox.treatments.treatment import PASS, ReleasedColumn, Treatment

# The names of the columns of a query, and of a file.


def rename_columns(rows: Query, headers: Sequence[str]) -> Query:
    """Rename the columns of a query to their headers, without changing its order."""
    labelled = (column.label(header) for column, header in zip(rows.selected_columns, headers, strict=True))
    return rows.with_only_columns(*labelled, maintain_column_froms=True)


def make_writable_headers(headers: Sequence[str]) -> list[str]:
    """Make headers distinct to the engine, which ignores case, and name columns that have no name."""
    taken: set[str] = set()
    result = []
    for position, header in enumerate(headers):
        name, count = header or f"column_{position}", 1
        while name.casefold() in taken:
            count += 1
            name = f"{header}_{count}"
        taken.add(name.casefold())
        result.append(name)
    return result


# How delimited text writes a value, a record and a header.

_FEW = 20
"""Values that are written one by one. The time that the engine needs to plan them grows with their square."""
_FEW_TREATED = 2
"""The same where each is asked whether it is a formula, in ten times the expressions."""


@dataclass(frozen=True)
class Notation:
    """The separator, and what is quoted.

    Records are written by the queries, not by the engine's writer: then what all records of a class have in common is
    written once for the class.
    """

    separator: str
    """Of any length."""
    quotes_least: bool = False
    """Whether only a value that holds the separator or a line end is quoted."""
    passes_plain: bool = False
    """Whether values that pass through are known to need no quotes."""
    treatment: Treatment = PASS
    """What is done to all texts and headers, those of classes too, as they are written."""

    @property
    def _special(self) -> list[str]:
        # A single character of the separator is enough: at the end of a value it would join the separator that
        # follows. A line that begins with # is a comment to some readers.
        special = {self.separator} if self.quotes_least else {*self.separator, '"', "#"}
        return sorted(special | {"\r", "\n"})

    def value(self, text: ColumnElement[str]) -> ColumnElement[str]:
        """Write one value; null is an empty field, empty text is ``""``."""
        shown = self.treatment.treat(text)
        # A treated text is long to plan. Its apostrophe needs quotes only where it is special.
        looked_at = shown if "'" in self._special else text
        needs_quotes = or_(text == "", *(contains(looked_at, special) for special in self._special))
        quoted = func.concat('"', func.replace(shown, '"', '""'), '"')
        return case((needs_quotes, quoted), else_=func.coalesce(shown, ""))

    def values(self, texts: Sequence[ColumnElement[str]]) -> list[ColumnElement[str]]:
        """Write neighbouring values, in as few pieces as possible."""
        if len(texts) <= (_FEW_TREATED if self.treatment.changes else _FEW):
            return [self.value(text) for text in texts]
        return [join_texts(texts, self.value, self.separator)]

    def passed(self, columns: Sequence[ColumnElement[Any]]) -> list[ColumnElement[Any]]:
        """Write neighbouring values that pass through: in as many pieces, or in one."""
        if self.passes_plain and not self.treatment.changes:
            # A null adds nothing to a record.
            return list(columns)
        return [*self.values([cast(column, String) for column in columns])]

    def record(self, values: Sequence[ColumnElement[str]]) -> ColumnElement[str]:
        """Join written values, or pieces of several, to one record; a null is an empty field."""
        if len(values) == 1:
            return func.coalesce(values[0], "")
        # Not concat_ws, which takes half as long again, and leaves nulls out with their separators.
        first, *others = values
        return func.concat(first, *(part for value in others for part in (self.separator, value)))

    def header(self, names: Sequence[str]) -> str:
        """Write the names of the columns, quoted as values are."""
        shown = map(self.treatment.treat_header, names)
        return self.separator.join(
            '"' + name.replace('"', '""') + '"'
            if not name or any(special in name for special in self._special)
            else name
            for name in shown
        )


# Classes whose values follow from their statistics.


class Solved(NamedTuple):
    """The number of classes whose values in one column follow from their statistics."""

    column: str
    classes: int
    looked_at: int
    """Those that are small enough to try all multisets."""
    solved: int
    """Of these, those with only one multiset that fits interval, mean and variance, where several fit the interval."""


# One file of a release as a query, and how its columns are put together.

_FEW_RECORDS = 1_000
"""Records below which their texts are moved as they are: the sort takes less than making an enumeration of them."""
_WORTH_A_NUMBER = 8
"""Records that must show the same on average before its texts are made an enumeration, which sorts them all."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One file of a release."""

    suffix: str
    """What is put behind the stem of the file name; empty for the only file of a release."""
    headers: tuple[str, ...]
    rows: Query
    """In release order: one column for each header or, in a notation, pieces of records as they are to be written, one
    for each header or for several, each with its headers as they are written for its name."""
    is_sorted: bool = True
    """Whether the rows have their order from a sort that is the last step; otherwise any order will do."""
    columns: tuple[ReleasedColumn, ...] = ()
    """What each header shows; empty if it is nothing of single records."""
    texts: Mapping[str, Query] = field(default_factory=lambda: MappingProxyType({}))
    """For each header that shows something of a class ``size, suppressed, text``: how many records have which text."""
    notation: Notation | None = None
    """That of delimited text, if the records are written out already."""
    arrow_schema: str = ""
    """For Parquet, the schema of Arrow in Base64, which tells readers the types that the engine does not know."""
    slices: tuple[Query, ...] = ()
    """The same rows, some records at a time, so that what is sorted at once stays small; empty if that does not pay."""
    codebooks: Mapping[int, Codebook] = field(default_factory=lambda: MappingProxyType({}))
    """What a statistics package said of a column of the input, by the place of its header."""
    solved: tuple[Solved, ...] = ()
    """How many classes give their values back by their statistics."""

    @property
    def shown(self) -> tuple[ReleasedColumn, ...]:
        """What each header shows, in any case."""
        return self.columns or tuple(map(ReleasedColumn, self.headers))

    def with_codebooks(self, source: Source) -> Self:
        """Return the same with what the input says of its columns: all of it where values pass, else their names."""
        headers = list(source.headers or ())
        books = {}
        for index, (header, column) in enumerate(zip(self.headers, self.shown, strict=True)):
            position = column.unmodified_position
            if position is not None and position in source.codebooks:
                books[index] = source.codebooks[position]
            elif headers.count(header) == 1 and (book := source.codebooks.get(headers.index(header))) is not None:
                books[index] = Codebook(book.label)
        return replace(self, codebooks=books)


def prepare_shared_texts(
    store: Store, rows: Query, pieces: Sequence[Sequence[str]], notation: Notation | None, *, records: int
) -> Table:
    """Prepare the texts that many records share, so that a sort of the records moves one small number for them.

    Parameters
    ----------
    rows : Select
        A key and other columns, among them the texts of the pieces.
    pieces : sequence of sequences of column names
        Texts that stand side by side in the release; without a notation each alone.
    notation : Notation, optional
    records : int
        How many records will show it. Where few have the same, their texts are moved as they are.

    Returns
    -------
    Table
        The columns of `rows` that are in no piece, then ``piece_1 ..``, as they are to be written.
    """
    texts = rows.subquery()
    together = {name for piece in pieces for name in piece}
    kept = [column for column in texts.c if column.name not in together]
    columns = []
    for index, names in enumerate(pieces, start=1):
        values = [texts.c[name] for name in names]
        written = values[0] if notation is None else notation.record(notation.values(values))
        columns.append(written.label(f"piece_{index}"))
    table = store.create("shown", select(*kept, *columns))
    if records < _FEW_RECORDS or _WORTH_A_NUMBER * store.count(table) > records:
        return table
    numbered = store.copy_with_enumerations(table, [column.name for column in columns])
    store.drop(table)
    return numbered


def decode_enumerations(columns: Iterable[ColumnElement[Any]]) -> list[ColumnElement[Any]]:
    """Return the texts of enumerations; other columns as they are."""
    return [as_text(column) for column in columns]


def has_only_numbers(rows: Query) -> bool:
    """Return whether all columns are whole numbers or enumerations, of which a table is small."""
    return all(isinstance(column.type, Integer) or as_text(column) is not column for column in rows.selected_columns)


def restore_texts(
    ordered: Query, notation: Notation | None, headers: Sequence[Sequence[str]], ready: Collection[int] = ()
) -> Query:
    """Turn enumerations into their texts, after the sort that moved them as numbers, and write what is not yet written.

    Parameters
    ----------
    headers : sequence of sequences of str
        What stands above each column; above one that holds several values that are written already, several.
    ready : collection of int
        Positions of the columns that are written already; without a notation, of those that stay enumerations, which
        Parquet takes in an eighth of the time. Each of their values must be shown: a file holds all of them.

    Returns
    -------
    Select
        In a notation, the pieces of records. Those that are enumerations stay so: the engine turns them into texts as
        it writes them, and need not hold these.
    """
    columns = ordered.subquery().c
    if notation is None:
        return select(*(column if index in ready else as_text(column) for index, column in enumerate(columns)))
    pieces: list[ColumnElement[Any]] = []
    numbered = zip(columns, headers, strict=True)
    for is_ready, run in groupby(enumerate(numbered), key=lambda entry: entry[0] in ready):
        values, names = zip(*(column for _, column in run), strict=True)
        written = list(values) if is_ready else notation.passed(values)
        together = names if len(written) == len(names) else [tuple(chain.from_iterable(names))]
        pieces += [piece.label(notation.header(above)) for piece, above in zip(written, together, strict=True)]
    return select(*pieces)


def join_record_pieces(notation: Notation, pieces: Query) -> Query:
    """Join the pieces of each record: one column, named by all headers."""
    names = [piece.name for piece in pieces.selected_columns]
    # Of names that are equal but for case the engine would take the first.
    apart = rename_columns(pieces, [f"h{index}" for index, _ in enumerate(names)]).subquery()
    written = [cast(piece, String) for piece in apart.c]
    return select(notation.record(written).label(notation.separator.join(names)))
