"""Learning the values of columns from the first records, so that one reading both counts and keeps all of them.

A number stands for each value of a column: its place in an enumeration of those that are known, or, where a column has
very many values and all are numbers written in one way, what it says itself. The numbers of all quasi-identifiers
together, as the digits of one number, are the key of a record.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from itertools import accumulate
from operator import add, mul
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    FromClause,
    Integer,
    Numeric,
    String,
    and_,
    case,
    cast,
    exists,
    false,
    func,
    literal,
    or_,
    select,
    union_all,
)
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Attribute
from toolbox.queries.dialect import (
    Query,
    Table,
    count_where,
    make_negative_hash,
    nth_column,
    read_fraction,
    whole_quotient,
)
from toolbox.store.engine.statements import (
    CreateEnumeration,
    Enumeration,
    convert_to_enumeration,
    number_in,
)
from toolbox.store.engine.store import Store
from toolbox.store.input.layout import MissingValues
from toolbox.store.input.source import column_text

WORTH_LEARNING = 2_000_000
"""Records from which one reading with a sample before it costs less than two readings."""
_SAMPLE = 300_000
"""Records of the sample."""
_MOST_VALUES = 60_000
"""Values of one column; beyond, looking them up costs as much as reading twice."""
_COMPARED = 20
"""Values of one column with which a text is compared sooner than it is looked up in an enumeration."""
_LONGEST_COMPARED = 100
"""Characters of such a value."""
_SOON_FOUND = 2_000
"""Values of one column among which a text is found sooner than it is read as a number."""
_DIGITS = 17
"""Digits of a number that the engine keeps in 64 bits, less one."""
_MOST_DECIMALS = 8
_ROOM = 8
"""What part of the range of a sample numbers may lie beyond it, at both ends."""
_MOST_KEYS = 2**63 - 1
_MOST_IN_FOUR_BYTES = 2**30


@dataclass(frozen=True)
class LearnedColumn(ABC):
    """A column each of whose values has a number, from 0; the next number stands for null."""

    known: int
    """How many numbers there are."""

    def read(self, text: ColumnElement[str]) -> ColumnElement[Any]:
        """Return what is read of a text once, though `number` looks at it several times."""
        return text

    @abstractmethod
    def number(self, text: ColumnElement[str], read: ColumnElement[Any], weight: int) -> ColumnElement[int]:
        """Return the number of a text, times a weight; null if it has none."""

    @abstractmethod
    def spell(self, numbers: FromClause) -> Query:
        """Select the texts of numbers: ``number, text``.

        Parameters
        ----------
        numbers : FromClause
            ``number``, each once; that of null among them, if it occurs.
        """

    def drop(self, store: Store) -> None:  # noqa: B027 - most have made nothing
        """Drop what was made to learn it."""


@dataclass(frozen=True)
class ListedColumn(LearnedColumn):
    """A column whose values are listed, as far as the sample shows them."""

    kind: Enumeration
    values: Table
    """``number, text``, from 0 in the order of the texts."""
    few: tuple[tuple[str, int], ...]
    """The texts and their numbers, the most frequent first, if it takes less to compare a text with each."""

    def number(self, text: ColumnElement[str], read: ColumnElement[Any], weight: int) -> ColumnElement[int]:
        nothing = (text.is_(None), _number(self.known * weight))
        if self.few:
            return case(*((text == value, _number(number * weight)) for value, number in self.few), nothing)
        return case(nothing, else_=cast(number_in(text, self.kind), BigInteger) * weight)

    def spell(self, numbers: FromClause) -> Query:
        same = self.values.c.number == numbers.c.number
        return select(numbers.c.number, self.values.c.text).select_from(numbers.outerjoin(self.values, same))

    def drop(self, store: Store) -> None:
        store.drop(self.values)


@dataclass(frozen=True)
class NumberedColumn(LearnedColumn):
    """A column whose texts are numbers with equally many decimals, none of which could be written otherwise.

    To read a number and to write it again takes less than to look its text up among very many.
    """

    first: int
    """The least number, in units of the last decimal."""
    decimals: int

    @property
    def _type(self) -> Numeric[Decimal]:
        """Of the numbers: so many digits that units are counted in 64 bits."""
        return Numeric(_DIGITS - self.decimals, self.decimals)

    def read(self, text: ColumnElement[str]) -> ColumnElement[Any]:
        return read_fraction(text, self._type)

    def number(self, text: ColumnElement[str], read: ColumnElement[Any], weight: int) -> ColumnElement[int]:
        units = self.count_units(read)
        is_known = and_(cast(read, String) == text, units >= self.first, units < self.first + self.known)
        nothing = (text.is_(None), _number(self.known * weight))
        return case((is_known, (units - self.first) * weight), nothing)

    def count_units(self, read: ColumnElement[Any]) -> ColumnElement[int]:
        """Return how many units of the last decimal a number is."""
        return cast(read * cast(literal(10**self.decimals), Numeric(self.decimals + 1, 0)), BigInteger)

    def spell(self, numbers: FromClause) -> Query:
        units = cast(numbers.c.number + self.first, Numeric(_DIGITS, 0))
        unit = cast(literal(Decimal(1).scaleb(-self.decimals)), Numeric(self.decimals + 1, self.decimals))
        written = cast(cast(units * unit, self._type), String)
        return select(numbers.c.number, case((numbers.c.number < self.known, written)).label("text"))


class EncodedRecord(NamedTuple):
    """What is read of a record."""

    texts: Sequence[ColumnElement[str]]
    """Of the quasi-identifiers."""
    unusable: ColumnElement[bool]
    passed: Mapping[int, ColumnElement[Any]]
    """What passes through, by the positions of the columns."""
    identifiers: Sequence[ColumnElement[Any]] = ()
    """The hashes of the identifiers, with their names."""


class EncodedCounts(NamedTuple):
    """The combinations of an input, with numbers in the place of texts."""

    records: Table
    """``key``, what passes through, and the hashes of the identifiers."""
    counted: Table
    """``key, text_1 .., unusable, size``."""
    spelled: Sequence[Table]
    """For each quasi-identifier ``number, text``; each number that occurs, and each text once; null is one, too."""


def find_lacking(
    store: Store,
    missing: MissingValues,
    columns: Sequence[tuple[Attribute, ColumnElement[Any]]],
    spelled: Sequence[Table],
) -> ColumnElement[bool]:
    """Test whether a record cannot be used because one of its values is missing.

    Parameters
    ----------
    columns : sequence of (Attribute, ColumnElement)
        The texts, or the numbers that stand for them.
    spelled : sequence of Table
        Of `EncodedCounts`, if they are numbers.
    """
    if not spelled:
        return missing.is_disqualifying(columns)
    lacking = (
        select(texts.c.number).where(missing.is_disqualifying([(attribute, texts.c.text)]))
        for (attribute, _), texts in zip(columns, spelled, strict=True)
    )
    found = zip(columns, store.fetch_rows_of_each(lacking), strict=True)
    return or_(false(), *(column.in_([number for (number,) in rows]) for (_, column), rows in found if rows))


@dataclass(frozen=True)
class DictionaryEncoding:
    """What one reading needs to know of an input.

    Parameters
    ----------
    quasi_identifiers : tuple of LearnedColumn
    passed : mapping of int to ListedColumn
        Some of the columns that are released as they are, by their positions.
    """

    store: Store
    quasi_identifiers: tuple[LearnedColumn, ...]
    passed: Mapping[int, ListedColumn]

    @property
    def _weights(self) -> list[int]:
        """What a digit counts: one for each quasi-identifier, the highest for null, and then one for ``unusable``."""
        return [*accumulate((column.known + 1 for column in self.quasi_identifiers), mul, initial=1)]

    def _key(self, record: FromClause) -> ColumnElement[int]:
        """Return the number whose digits are the values; null where one of them is not known."""
        *weights, highest = self._weights
        terms = [
            column.number(record.c[f"text_{index}"], record.c[f"read_{index}"], weight)
            for index, (column, weight) in enumerate(zip(self.quasi_identifiers, weights, strict=True), start=1)
        ]
        unusable = case((record.c.unusable, _number(highest)), else_=_number(0))
        return reduce(add, terms, unusable)

    def _read(self, row: EncodedRecord) -> FromClause:
        """Read what a record holds: ``text_1 .., read_1 .., unusable``, what passes through, and its identifiers."""
        texts = [text.label(f"text_{index}") for index, text in enumerate(row.texts, start=1)]
        read = [
            column.read(text).label(f"read_{index}")
            for index, (column, text) in enumerate(zip(self.quasi_identifiers, row.texts, strict=True), start=1)
        ]
        passed = (column.label(f"c{position}") for position, column in row.passed.items())
        return select(*texts, *read, row.unusable.label("unusable"), *passed, *row.identifiers).subquery("read")

    def find_record_keys(self, row: EncodedRecord) -> Query:
        """Select the key of every record, and what passes through; of this the values that are not known stand apart.

        Those of ``c0`` are in ``unknown_c0``. A record whose quasi-identifiers are not all known has a negative key, a
        hash of their texts.
        """
        record = self._read(row)
        key = func.coalesce(self._key(record), self._hash(record), type_=BigInteger)
        passed, unknown = [], []
        for position in row.passed:
            text = record.c[f"c{position}"]
            listed = self.passed.get(position)
            value = text if listed is None else convert_to_enumeration(text, listed.kind)
            passed.append(value.label(text.name))
            if listed is not None:
                unknown.append(case((value.is_(None), text)).label(f"unknown_{text.name}"))
        return select(key.label("key"), *passed, *(record.c[each.name] for each in row.identifiers), *unknown)

    def _hash(self, record: FromClause) -> ColumnElement[int]:
        texts = (record.c[f"text_{index}"] for index, _ in enumerate(self.quasi_identifiers, start=1))
        return make_negative_hash(*texts, record.c.unusable)

    def counted(self, records: Table, row: EncodedRecord) -> EncodedCounts | None:
        """Count the records of each key.

        Where some have values that are not known, the input is read once more for the texts of these alone.

        Returns
        -------
        EncodedCounts
            None if two combinations have one key.
        """
        store, key = self.store, records.c.key
        unknown = store.scalar(select(func.count(key.distinct())).where(key < 0))
        texts = store.create("unknown", self._unknown(row)) if unknown else None
        if texts is not None and store.count(texts) != unknown:
            store.drop(texts)
            return None
        kept = self._keep(records)
        counted = store.create("counted", self._count_known(kept))
        numbers = (
            counted.c[f"text_{index}"].label("number") for index, _ in enumerate(self.quasi_identifiers, start=1)
        )
        spelled = [
            store.create("spelled", column.spell(select(number).distinct().subquery()))
            for column, number in zip(self.quasi_identifiers, numbers, strict=True)
        ]
        known = EncodedCounts(kept, counted, spelled)
        return known if texts is None else self._add_unknown(known, texts)

    def _keep(self, records: Table) -> Table:
        """Return the records without what is not known; a column in which something is not has its texts again."""
        if not self.passed:
            return records
        names = [f"c{position}" for position in self.passed]
        found = self.store.row(select(*(func.count(records.c[f"unknown_{name}"]) for name in names)))
        later = {name for name, count in zip(names, found, strict=True) if count}
        if not later:
            return self.store.drop_columns(records, [each.name for each in records.c if _is_unknown(each)])
        columns = (
            func.coalesce(records.c[f"unknown_{each.name}"], cast(each, String)).label(each.name)
            if each.name in later
            else each
            for each in records.c
            if not _is_unknown(each)
        )
        kept = self.store.create("records", select(*columns), lasting=True)
        self.store.drop(records)
        return kept

    def _count_known(self, records: Table) -> Query:
        """Count the records of each key whose digits are values: ``key, text_1 .., unusable, size``."""
        key = records.c.key
        digits = [
            cast(
                whole_quotient(key, literal(weight)) % (column.known + 1),
                Integer if column.known < _MOST_IN_FOUR_BYTES else BigInteger,
            ).label(f"text_{index}")
            for index, (column, weight) in enumerate(zip(self.quasi_identifiers, self._weights, strict=False), start=1)
        ]
        unusable = (key >= self._weights[-1]).label("unusable")
        return select(key, *digits, unusable, func.count().label("size")).where(key >= 0).group_by(key)

    def _add_unknown(self, known: EncodedCounts, unknown: Table) -> EncodedCounts:
        """Add combinations with texts that are not known, which get numbers above all others."""
        store, spelled = self.store, list[Table]()
        joined: FromClause = unknown
        numbers = []
        for index, (column, before) in enumerate(zip(self.quasi_identifiers, known.spelled, strict=True), start=1):
            own = unknown.c[f"text_{index}"]
            later = select(own.label("text")).where(~exists().where(before.c.text.is_not_distinct_from(own))).distinct()
            new = later.subquery()
            above = cast(column.known + func.row_number().over(order_by=new.c.text), before.c.number.type)
            listed = select(case((new.c.text.is_(None), column.known), else_=above), new.c.text)
            spelled.append(store.create("spelled", select(union_all(select(before), listed).subquery())))
            joined = joined.join(spelled[-1], spelled[-1].c.text.is_not_distinct_from(own))
            numbers.append(spelled[-1].c.number.label(own.name))
        rows = select(unknown.c.key, *numbers, unknown.c.unusable, unknown.c.size).select_from(joined)
        counted = store.create("counted", select(union_all(select(known.counted), rows).subquery()))
        store.drop(known.counted, *known.spelled, unknown)
        return EncodedCounts(known.records, counted, spelled)

    def _unknown(self, row: EncodedRecord) -> Query:
        """Count the records of each combination that holds a value that is not known."""
        record = self._read(row)
        texts = [record.c[f"text_{index}"] for index, _ in enumerate(row.texts, start=1)]
        grouped = select(self._hash(record).label("key"), *texts, record.c.unusable, func.count().label("size"))
        return grouped.where(self._key(record).is_(None)).group_by(*map(nth_column, range(1, len(texts) + 3)))


def _is_unknown(column: ColumnElement[Any]) -> bool:
    return str(column.name).startswith("unknown_")


def _number(value: int) -> ColumnElement[int]:
    return cast(literal(value), BigInteger)


def learn(
    store: Store, relation: FromClause, quasi_identifiers: Sequence[int], passed: Sequence[int]
) -> DictionaryEncoding | None:
    """Look at the first records of an input.

    Parameters
    ----------
    quasi_identifiers : sequence of int
        Columns whose texts make the key.
    passed : sequence of int
        Columns of text that are released as they are.

    Returns
    -------
    DictionaryEncoding
        None if a quasi-identifier has so many values that two readings cost less.
    """
    positions = [*quasi_identifiers, *passed]
    columns = [column_text(relation, position).label(f"c{position}") for position in positions]
    sample = store.create("sample", select(*columns).select_from(relation).limit(_SAMPLE))
    known: list[LearnedColumn] = []
    for position in quasi_identifiers:
        column = _learn_column(store, sample, position)
        if column is None:
            break
        known.append(column)
    keys = reduce(mul, (column.known + 1 for column in known), 2)
    if len(known) < len(quasi_identifiers) or keys > _MOST_KEYS:
        store.drop(sample)
        for column in known:
            column.drop(store)
        return None
    others = {position: _learn_column(store, sample, position, is_passed=True) for position in passed}
    store.drop(sample)
    listed = {position: column for position, column in others.items() if isinstance(column, ListedColumn)}
    return DictionaryEncoding(store, tuple(known), listed)


def _learn_column(store: Store, sample: Table, position: int, *, is_passed: bool = False) -> LearnedColumn | None:
    """Learn the values of a column, unless there are too many.

    A column that passes through is learned if each of its values was seen twice: otherwise new ones would still come,
    and make it a column of texts again.
    """
    text = sample.c[f"c{position}"].label("text")
    seen = store.create("seen", select(text, func.count().label("size")).where(text.is_not(None)).group_by(text))
    count, alone = store.row(select(func.count(), count_where(seen.c.size == 1)).select_from(seen))
    column: LearnedColumn | None = None
    if count > _SOON_FOUND and not is_passed:
        column = _learn_numbers(store, seen)
    if column is None and 0 < count <= _MOST_VALUES and not (is_passed and alone):
        column = _list_values(store, seen, count, is_passed=is_passed)
    store.drop(seen)
    return column


def _learn_numbers(store: Store, seen: Table) -> NumberedColumn | None:
    """Learn the range of a column of numbers with equally many decimals; None if it holds anything else.

    Values beyond those of the sample have numbers, too.
    """
    decimals = func.length(func.split_part(seen.c.text, ".", 2))
    fewest, most = store.row(select(func.min(decimals), func.max(decimals)).select_from(seen))
    if fewest != most or most > _MOST_DECIMALS:
        return None
    column = NumberedColumn(0, 0, int(most))
    read = column.read(seen.c.text)
    units = column.count_units(read)
    is_same = func.coalesce(cast(read, String) == seen.c.text, False)
    others, first, last = store.row(select(count_where(~is_same), func.min(units), func.max(units)))
    if others:
        return None
    room = (last - first) // _ROOM + 1
    return NumberedColumn(last - first + 1 + 2 * room, first - room, int(most))


def _list_values(store: Store, seen: Table, count: int, *, is_passed: bool) -> ListedColumn:
    """Make an enumeration of the values of a column."""
    number = cast(func.row_number().over(order_by=seen.c.text) - 1, Integer).label("number")
    values = store.create("values", select(number, seen.c.text))
    few = () if is_passed else _find_few_texts(store, values, seen, count)
    kind = store.fresh("known")
    store.run(CreateEnumeration(kind, select(values.c.text).order_by(values.c.number)))
    return ListedColumn(count, Enumeration(kind), values, few)


def _find_few_texts(store: Store, values: Table, seen: Table, count: int) -> tuple[tuple[str, int], ...]:
    """Return the texts of a column and their numbers, the most frequent first; none where they are many or unwieldy."""
    if count > _COMPARED:
        return ()
    joined = select(values.c.text, values.c.number).join_from(values, seen, seen.c.text == values.c.text)
    few = tuple(store.rows(joined.order_by(seen.c.size.desc(), values.c.number)))
    return few if all(text.isprintable() and len(text) <= _LONGEST_COMPARED for text, _ in few) else ()
