"""The texts of each column in a sample: what they are, how numbers and dates are written, any header."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

from sqlalchemy import FromClause, String, case, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import DEFAULT_MISSING
from toolbox.errors import InputError
from toolbox.hierarchy.date_formats import DATE, ISO, ISO_WITH_OFFSET, find_fitting_formats, list_usual_formats
from toolbox.knowledge.name_words import find_name_meaning
from toolbox.queries.dialect import Table, count_where, hash_values
from toolbox.store.engine.store import Store
from toolbox.store.input.source import Source

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


# The distinct texts of each column in a sample of the records, and what can only be counted among all of them.

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
        self._table = self.store.create("drawn", chosen.where(hash_values(numbered.c.number) % step == 0))
        self.is_whole = step == 1
        self.rows = self.store.count(self._table)
        self.records = self.rows if self.is_whole else count
        if self.is_whole:
            self._require_account()
        self._shown = self.store.arrow(select(self._table))
        self.columns = tuple(_count_column_texts(self._shown.column(index)) for index in range(self.width))

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
        for part in _list_batches(list(tests)):
            everybody = self._select_all_records(part)
            wanted = [count_where(test(everybody.c[f"c{position}"])) for position in part for test in tests[position]]
            records, *row = map(int, self.store.row(select(func.count(), *wanted).select_from(everybody)))
            if not self.is_whole:
                self.records = records
                self._require_account()
            found = iter(row)
            counts |= {position: tuple(next(found) for _ in tests[position]) for position in part}
        return counts

    def _select_all_records(self, positions: Sequence[int]) -> FromClause:
        """Return all records, in some columns: ``c<position>``, an empty text as null."""
        return self._table if self.is_whole else select(*map(self._text, positions)).subquery()

    def distinct(self, positions: Sequence[int]) -> dict[int, tuple[int, int, int]]:
        """Count, among all records, the different texts of columns, the texts that occur once, and all texts."""
        found = {}
        for part in _list_batches(positions):
            everybody = self._select_all_records(part)
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


def _list_batches(positions: Sequence[int]) -> Iterator[Sequence[int]]:
    return (positions[first : first + _AT_ONCE] for first in range(0, len(positions), _AT_ONCE))


def _hash_or_null(text: ColumnElement[str]) -> ColumnElement[int]:
    return case((text.is_not(None), hash_values(text)))


def _count_column_texts(column: pa.ChunkedArray) -> Texts:
    """Count the distinct texts of an Arrow column."""
    counted = column.value_counts()
    counts = dict(zip(counted.field(0).to_pylist(), counted.field(1).to_pylist(), strict=True))
    missing = counts.pop(None, 0)
    return Texts(counts, missing)


# What the texts of a column are, numbers, dates or words, and how a table writes its numbers and what is missing.

MARKS: Final = frozenset({
    "?", "NA", "N/A", "n/a", "na", "NaN", "nan", "NULL", "null", "None", "none", "#N/A", "#NULL!", "-", "--", ".", "..",
    "missing", "Missing", "MISSING", "k.A.", "k. A.", "keine Angabe", "n.d.", "s/d", "N.C.", "\\N", "(null)", "<NA>",
})  # fmt: skip
"""Texts that programs and people write where they have no value."""
_ANSWERS: Final = frozenset(("none", "None"))
"""Marks that are answers among words: no religion, no schooling."""
_POINT: Final = re.compile(r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?\s*")
_COMMA: Final = re.compile(r"\s*[+-]?(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+)(?:,[0-9]*)?\s*")
_GROUPED: Final = re.compile(r"\s*[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?\s*")
_CODE: Final = re.compile(r"0[0-9]+")
_DIGITS: Final = re.compile(r"[12][0-9]{7}")
_DATE: Final = re.compile(DATE)
_MOMENT: Final = re.compile(ISO)
_MOMENT_IN_A_ZONE: Final = re.compile(ISO_WITH_OFFSET)
_DATES_SAMPLED: Final = 300
_FEWEST_DIGITS: Final = 5
"""Digits of a date whose year has four."""
_OLDEST, _LATEST = 1850, 2100


@dataclass(frozen=True)
class TableNotation:
    """How a table writes numbers, and where it has none."""

    decimal: str = "."
    thousands: str = ""
    mark: str | None = None
    """What stands for a missing value besides an empty text, if anything does."""

    @property
    def declared_mark(self) -> str:
        """The mark that a configuration has to name."""
        return self.mark or DEFAULT_MISSING

    def number(self, text: str) -> float | None:
        """Read a number; None for a text that is none."""
        if self.thousands == ",":
            pattern = _GROUPED if "," in text else _POINT
        else:
            pattern = _COMMA if self.decimal == "," else _POINT
        if pattern.fullmatch(text) is None:
            return None
        if self.thousands:
            text = text.replace(self.thousands, "")
        elif self.decimal == "," and "." in text:
            return None
        return float(text.replace(self.decimal, "."))


def find_notation(columns: Iterable[Texts]) -> TableNotation:
    """Find out how a table of texts writes numbers, and what marks a missing value.

    Parameters
    ----------
    columns : iterable of Texts
    """
    marks: Counter[str] = Counter()
    points = commas = groups = 0
    thousands = ""
    for texts in columns:
        known = [text for text in islice(texts.counts, 2_000) if text not in MARKS]
        found = MARKS.intersection(texts.counts)
        if not known or not all(_POINT.fullmatch(text) or _COMMA.fullmatch(text) for text in known):
            found -= _ANSWERS
        marks.update({mark: texts.counts[mark] for mark in found})
        if not known or not any("," in text or "." in text for text in known):
            continue
        if all(_POINT.fullmatch(text) for text in known):
            points += 1
        elif all(_GROUPED.fullmatch(text) or _POINT.fullmatch(text) for text in known):
            # 1,234 is a thousand, or one and a bit.
            groups += any("." in text for text in known) or sum("," in text for text in known) > 1
        elif all(_COMMA.fullmatch(text) for text in known):
            commas += 1
            thousands = "." if any("." in text for text in known) else thousands
    mark = max(sorted(marks), key=marks.__getitem__, default=None)
    if commas > points + groups:
        return TableNotation(",", thousands, mark)
    return TableNotation(".", "," if groups else "", mark)


@dataclass(frozen=True)
class DateFormats:
    """The formats in which all the dates of a column may be written; none: ISO 8601."""

    formats: tuple[str, ...]
    with_time: bool

    @property
    def is_ambiguous(self) -> bool:
        """Whether day and month may change places."""
        return len(self.formats) > 1


def find_date_formats(texts: Sequence[str], *, digits: bool = False) -> DateFormats | None:
    """Return how texts write dates; None if they are none.

    Parameters
    ----------
    texts : sequence of str
        Distinct texts that are there; the first of many are looked at.
    digits : bool
        Whether eight digits may be a date.
    """
    some = [text.strip() for text in islice(texts, _DATES_SAMPLED)]
    if not some or sum(character.isdigit() for character in some[0]) < _FEWEST_DIGITS:
        return None
    if all(map(_DATE.fullmatch, some)):
        return DateFormats((), with_time=False)
    if all(map(_MOMENT.fullmatch, some)) or all(map(_MOMENT_IN_A_ZONE.fullmatch, some)):
        return DateFormats((), with_time=True)
    if all(_DIGITS.fullmatch(text) for text in some):
        years = [int(text[:4]) for text in some]
        is_date = digits and min(years) >= _OLDEST and max(years) <= _LATEST
        return (
            DateFormats(("%Y%m%d",), with_time=False) if is_date and _list_fitting_formats(some, ["%Y%m%d"]) else None
        )
    for with_time in (False, True):
        if formats := _list_fitting_formats(some, list_usual_formats(with_time=with_time)):
            return DateFormats(formats, with_time)
    return None


def _list_fitting_formats(texts: Sequence[str], formats: Iterable[str]) -> tuple[str, ...]:
    """Return the formats that all texts fit."""
    left = [form for form in formats if form != "%Y%m%d" or len(texts[0]) == 8]
    for text in texts:
        left = find_fitting_formats([text], left)
        if not left:
            break
    return tuple(left)


def has_codes(texts: Mapping[str, int]) -> bool:
    """Return whether some text has a leading zero, as postcodes and keys have."""
    return any(_CODE.fullmatch(text) for text in texts)


# Whether the first record of a text names the columns.

_COLUMNS: Final = 500
"""Columns of a wide table that are asked."""


def has_header(records: Sequence[Sequence[str]]) -> bool:
    """Return whether the first of some records is a header: it is not like the others, or its words are names.

    Examples
    --------
    >>> has_header([["age", "town"], ["30", "Graz"], ["40", "Linz"]]), has_header([["30", "Graz"], ["40", "Linz"]])
    (True, False)
    """
    if not records:
        return False
    first, others = records[0], [record for record in records[1:] if len(record) == len(records[0])]
    if not others:
        return not any(map(_is_value, first))
    some = range(min(len(first), _COLUMNS))
    votes = sum(_vote_for_header(first[index], [record[index] for record in others]) for index in some)
    # Words that are no values and no names, of columns of words, are more often a header than a first record.
    return votes > 0 or (votes == 0 and len(set(first)) == len(first) and not any(map(_is_value, first)))


def _vote_for_header(cell: str, values: Sequence[str]) -> int:
    """Return 1 if a cell speaks for a header, -1 if it speaks against it."""
    known = [value for value in values if value and value not in MARKS]
    if cell in known:
        return -1
    if _are_values(known):
        return -1 if _is_value(cell) else int(bool(cell))
    if _is_value(cell):
        return -1
    return int(find_name_meaning(cell) is not None)


def _is_value(text: str) -> bool:
    """Return whether a text is a number or a date."""
    return bool(text) and _are_values([text])


def _are_values(texts: Sequence[str]) -> bool:
    if not texts:
        return False
    counts = dict.fromkeys(texts, 1)
    notation = find_notation([Texts(counts, 0)])
    return all(notation.number(text) is not None for text in texts) or find_date_formats(list(counts)) is not None


# What the first records of a text look like, before anything is counted.


def guess_kinds(records: Sequence[Sequence[str]], width: int) -> tuple[str | None, ...]:
    """Return what each column looks like, as a configuration says it; None for one without values.

    Parameters
    ----------
    records : sequence of records
        Without the header. Those that have another width are not looked at.
    width : int
        Number of columns.

    Examples
    --------
    >>> guess_kinds([["23", "Graz", "2.1.1990", "", "007"], ["31", "Linz", "30.4.1971", "", "042"]], 5)
    ('number', 'category', 'date %d.%m.%Y', None, 'category')
    """
    columns = count_texts(records, width)
    notation = find_notation(columns)
    return tuple(_guess_kind(texts, notation) for texts in columns)


def count_texts(records: Sequence[Sequence[str]], width: int) -> list[Texts]:
    """Count the texts of each column."""
    fitting = [record for record in records if len(record) == width]
    counts = [Counter(record[index] for record in fitting) for index in range(width)]
    return [Texts({text: count for text, count in each.items() if text}, each.get("", 0)) for each in counts]


def _guess_kind(texts: Texts, notation: TableNotation) -> str | None:
    known = {text: count for text, count in texts.counts.items() if text != notation.mark}
    if not known:
        return None
    are_numbers = not has_codes(known) and all(notation.number(text) is not None for text in known)
    if (dates := find_date_formats(list(known), digits=are_numbers)) is not None:
        return " ".join(["timestamp" if dates.with_time else "date", *dates.formats[:1]])
    return "number" if are_numbers else "category"
