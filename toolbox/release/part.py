"""One file of a release as a query, and how its columns are put together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from types import MappingProxyType
from typing import Any

from sqlalchemy import Integer, String, cast, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.query import Query, Table
from toolbox.release.headings import headed
from toolbox.release.notation import Notation
from toolbox.release.solved import Solved
from toolbox.store.readers.file_table import Codebook
from toolbox.store.statements import as_text
from toolbox.store.store import Store

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
    passed_through: tuple[int | None, ...] = ()
    """For each header, the column of the input whose values it shows as they were read, or None; empty if none does."""
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


def shown(
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
    numbered = store.enumerated(table, [column.name for column in columns])
    store.drop(table)
    return numbered


def texts_of(columns: Iterable[ColumnElement[Any]]) -> list[ColumnElement[Any]]:
    """Return the texts of enumerations; other columns as they are."""
    return [as_text(column) for column in columns]


def are_numbers(rows: Query) -> bool:
    """Return whether all columns are whole numbers or enumerations, of which a table is small."""
    return all(isinstance(column.type, Integer) or as_text(column) is not column for column in rows.selected_columns)


def released(
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


def records_in(notation: Notation, pieces: Query) -> Query:
    """Join the pieces of each record: one column, named by all headers."""
    names = [piece.name for piece in pieces.selected_columns]
    # Of names that are equal but for case the engine would take the first.
    apart = headed(pieces, [f"h{index}" for index, _ in enumerate(names)]).subquery()
    written = [cast(piece, String) for piece in apart.c]
    return select(notation.record(written).label(notation.separator.join(names)))
