"""The distinct texts of each column in a sample of the records, and what can only be counted among all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from sqlalchemy import FromClause, String, case, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import InputError
from toolbox.queries.dialect import count_where, hashed
from toolbox.queries.query import Table
from toolbox.store.source import Source
from toolbox.store.store import Store

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

Test: TypeAlias = Callable[[ColumnElement[str]], ColumnElement[bool]]
_RECORDS: Final = 20_000
"""About this many records are looked at; those of a larger table are chosen by a hash of their numbers."""
_CELLS: Final = 2_000_000
"""Most texts that are looked at, if the table is wide."""
_AT_ONCE: Final = 64
"""Columns of one statement: its planning grows with the square of their number."""


@dataclass(frozen=True)
class Texts:
    """The texts of one column in the sample."""

    counts: Mapping[str, int]
    """Distinct ones, each with its records; an empty text is none."""
    missing: int
    """Records without a text."""


@dataclass
class Drawn:
    """A sample of the records of a source, all of a small one.

    Parameters
    ----------
    store : Store
    source : Source

    Raises
    ------
    InputError
        If it holds no record, or cannot be read.
    """

    store: Store
    source: Source
    rows: int = field(init=False)
    """Records of the sample."""
    records: int = field(init=False)
    """Of all the table; of a large one known when all were counted."""
    is_whole: bool = field(init=False)
    """Whether the sample holds all records."""
    columns: tuple[Texts, ...] = field(init=False)
    _table: Table = field(init=False)
    _relation: FromClause = field(init=False)
    _shown: pa.Table = field(init=False)

    def __post_init__(self) -> None:
        self._relation = self.source.relation()
        expected = self.source.expected_records
        count = self._count() if expected is None else expected
        wanted = max(1, min(_RECORDS, _CELLS // max(1, self.width)))
        # A table that is not much larger is looked at whole: a sample would save nothing.
        step = -(-count // wanted) if count > 2 * wanted else 1
        numbered = select(*map(self._text, range(self.width)), func.row_number().over().label("number")).subquery()
        chosen = select(*(numbered.c[f"c{index}"] for index in range(self.width)))
        self._table = self.store.create("drawn", chosen.where(hashed(numbered.c.number) % step == 0))
        self.is_whole = step == 1
        self.rows = self.store.count(self._table)
        self.records = self.rows if self.is_whole else count
        if self.is_whole:
            self._require_account()
        self._shown = self.store.arrow(select(self._table))
        self.columns = tuple(_texts_of(self._shown.column(index)) for index in range(self.width))

    @property
    def width(self) -> int:
        """Number of columns."""
        return self.source.width - self.source.added

    def _text(self, index: int) -> ColumnElement[str]:
        return func.nullif(cast(self._relation.c[f"c{index}"], String), "").label(f"c{index}")

    def _count(self) -> int:
        return int(self.store.scalar(select(func.count()).select_from(self._relation)))

    def _require_account(self) -> None:
        rejected = self.source.account(self.records).rejects.count
        if not self.records:
            problem = (
                f"none of {rejected:,} lines has as many values as the first one" if rejected else "holds no record"
            )
            remedy = "Are separator and header right?" if rejected else "A table needs at least one."
            raise InputError(f"{self.source.name}{':' if rejected else ''} {problem}. {remedy}")

    def drop(self) -> None:
        """Drop the sample, which is no longer needed."""
        self.store.drop(self._table)

    def codes(self, position: int) -> NDArray[np.int64]:
        """Return the texts of a column as numbers, record by record of the sample; -1 where there is none."""
        encoded = self._shown.column(position).combine_chunks().dictionary_encode()
        return encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]

    def absent(self, mark: str | None) -> dict[int, NDArray[np.bool_]]:
        """Return the records of the sample that lack a value, for each column with missing values.

        Parameters
        ----------
        mark : str, optional
            What stands for a missing value, besides an empty text.
        """
        from pyarrow import compute

        found = {}
        for index, texts in enumerate(self.columns):
            if texts.missing or mark in texts.counts:
                column = self._shown.column(index)
                flags = column.is_null() if mark is None else compute.fill_null(compute.equal(column, mark), True)
                found[index] = flags.to_numpy()
        return found

    def counted(self, tests: Mapping[int, Sequence[Test]]) -> dict[int, tuple[int, ...]]:
        """Count among all records those whose text each test holds for; the tests of a column stand at its position."""
        counts: dict[int, tuple[int, ...]] = {}
        for part in _batches(list(tests)):
            everybody = self._everybody(part)
            wanted = [count_where(test(everybody.c[f"c{position}"])) for position in part for test in tests[position]]
            records, *row = map(int, self.store.row(select(func.count(), *wanted).select_from(everybody)))
            if not self.is_whole:
                self.records = records
                self._require_account()
            found = iter(row)
            counts |= {position: tuple(next(found) for _ in tests[position]) for position in part}
        return counts

    def _everybody(self, positions: Sequence[int]) -> FromClause:
        """Return all records, in some columns: ``c<position>``, an empty text as null."""
        return self._table if self.is_whole else select(*map(self._text, positions)).subquery()

    def distinct(self, positions: Sequence[int]) -> dict[int, tuple[int, int, int]]:
        """Count, among all records, the different texts of columns, the texts that occur once, and all texts."""
        found = {}
        for part in _batches(positions):
            everybody = self._everybody(part)
            # Numbers instead of texts: two texts in a thousand million share one.
            hashes = [_hash_or_null(everybody.c[f"c{index}"]).label(f"c{index}") for index in part]
            table = self.store.create("hashes", select(*hashes))
            for index in part:
                its, records = table.c[f"c{index}"], func.count().label("records")
                groups = select(records).where(its.is_not(None)).group_by(its).subquery()
                alone, there = count_where(groups.c.records == 1), func.coalesce(func.sum(groups.c.records), 0)
                row = self.store.row(select(func.count(), alone, there).select_from(groups))
                found[index] = (int(row[0]), int(row[1]), int(row[2]))
            self.store.drop(table)
        return found


def _batches(positions: Sequence[int]) -> Iterator[Sequence[int]]:
    return (positions[first : first + _AT_ONCE] for first in range(0, len(positions), _AT_ONCE))


def _hash_or_null(text: ColumnElement[str]) -> ColumnElement[int]:
    return case((text.is_not(None), hashed(text)))


def _texts_of(column: pa.ChunkedArray) -> Texts:
    """Count the distinct texts of an Arrow column."""
    counted = column.value_counts()
    counts = dict(zip(counted.field(0).to_pylist(), counted.field(1).to_pylist(), strict=True))
    missing = counts.pop(None, 0)
    return Texts(counts, missing)
