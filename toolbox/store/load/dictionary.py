"""Learning the values of columns from the first records, so that one reading both counts and keeps all of them.

A column whose values are known becomes an enumeration: a number stands for each of them. The numbers of all
quasi-identifiers together, as the digits of one number, are the key of a record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from operator import add, mul
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, FromClause, Integer, String, case, cast, func, literal, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.dialect import Query, Table, count_where, make_negative_hash, nth_column, whole_quotient
from toolbox.store.engine.statements import CreateEnumeration, Enumeration, convert_to_enumeration, number_in
from toolbox.store.engine.store import Store
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
_MOST_KEYS = 2**61
_UNKNOWN = "\ue000 unknown"
"""What stands for a value that passes through and is not known, until it is looked for."""


class LearnedColumn(NamedTuple):
    """A column whose values are known, as far as the sample shows them."""

    kind: Enumeration
    values: Table
    """``number, text``, from 0 in the order of the texts."""
    known: int
    """How many there are."""
    few: tuple[tuple[str, int], ...]
    """The texts and their numbers, the most frequent first, if it takes less to compare a text with each."""


class EncodedRecord(NamedTuple):
    """What is read of a record."""

    texts: Sequence[ColumnElement[str]]
    """Of the quasi-identifiers."""
    unusable: ColumnElement[bool]
    passed: Mapping[int, ColumnElement[Any]]
    """What passes through, by the positions of the columns."""
    identifiers: Sequence[ColumnElement[Any]] = ()
    """The hashes of the identifiers, with their names."""


@dataclass(frozen=True)
class DictionaryEncoding:
    """What one reading needs to know of an input.

    Parameters
    ----------
    quasi_identifiers : tuple of LearnedColumn
    passed : mapping of int to LearnedColumn
        Some of the columns that are released as they are, by their positions.
    """

    store: Store
    quasi_identifiers: tuple[LearnedColumn, ...]
    passed: Mapping[int, LearnedColumn]

    @property
    def _weights(self) -> list[int]:
        """What a digit counts: one for each quasi-identifier, the highest for null, and then one for ``unusable``."""
        return [*accumulate((column.known + 1 for column in self.quasi_identifiers), mul, initial=1)]

    def _key(self, row: EncodedRecord) -> ColumnElement[int]:
        """Return the number whose digits are the values; null where one of them is not known."""
        *weights, highest = self._weights
        terms = [
            _build_key_term(column, text, weight)
            for column, text, weight in zip(self.quasi_identifiers, row.texts, weights, strict=True)
        ]
        unusable = case((row.unusable, _number(highest)), else_=_number(0))
        return reduce(add, terms, unusable)

    def find_record_keys(self, row: EncodedRecord) -> Query:
        """Select the key of every record, and what passes through.

        A record with a value that is not known has a negative key, a hash of its texts.
        """
        key = func.coalesce(self._key(row), make_negative_hash(*row.texts, row.unusable), type_=BigInteger)
        passed = (self._kept(column, position) for position, column in row.passed.items())
        return select(key.label("key"), *passed, *row.identifiers)

    def _kept(self, column: ColumnElement[Any], position: int) -> ColumnElement[Any]:
        known = self.passed.get(position)
        if known is None:
            return column.label(f"c{position}")
        unknown = case((column.is_not(None), cast(literal(_UNKNOWN), known.kind)))
        return func.coalesce(convert_to_enumeration(column, known.kind), unknown, type_=known.kind).label(
            f"c{position}"
        )

    def has_all_values(self, records: Table) -> bool:
        """Return whether every value that passes through was known."""
        lost = [count_where(records.c[f"c{position}"] == literal(_UNKNOWN, String)) for position in self.passed]
        return not lost or not any(self.store.row(select(*lost).select_from(records)))

    def counted(self, records: Table, row: EncodedRecord) -> Table | None:
        """Count the records of each key: ``key, text_1 .., unusable, size``.

        Where some have values that are not known, the input is read once more for the texts of these alone.

        Returns
        -------
        Table
            None if two combinations have one key.
        """
        store = self.store
        coded = store.create("coded", select(records.c.key, func.count().label("size")).group_by(records.c.key))
        unknown = store.scalar(select(count_where(coded.c.key < 0)))
        texts = store.create("unknown", self._unknown(row)) if unknown else None
        found = 0 if texts is None else store.count(texts)
        rows: Query = self._decode_keys(coded)
        if texts is not None:
            rows = select(union_all(rows, select(texts)).subquery())
        counted = store.create("counted", rows) if found == unknown else None
        store.drop(coded, *(() if texts is None else (texts,)))
        return counted

    def _decode_keys(self, coded: Table) -> Query:
        """Turn the digits of the keys into texts."""
        joined: FromClause = coded
        texts = []
        for index, (column, weight) in enumerate(zip(self.quasi_identifiers, self._weights, strict=False), start=1):
            digit = whole_quotient(coded.c.key, literal(weight)) % (column.known + 1)
            values = column.values.alias()
            joined = joined.outerjoin(values, values.c.number == digit)
            texts.append(values.c.text.label(f"text_{index}"))
        unusable = (coded.c.key >= self._weights[-1]).label("unusable")
        return select(coded.c.key, *texts, unusable, coded.c.size).select_from(joined).where(coded.c.key >= 0)

    def _unknown(self, row: EncodedRecord) -> Query:
        """Count the records of each combination that holds a value that is not known."""
        texts = [text.label(f"text_{index}") for index, text in enumerate(row.texts, start=1)]
        key = make_negative_hash(*row.texts, row.unusable).label("key")
        grouped = select(key, *texts, row.unusable.label("unusable"), func.count().label("size"))
        return grouped.where(self._key(row).is_(None)).group_by(*map(nth_column, range(1, len(texts) + 3)))


def _build_key_term(column: LearnedColumn, text: ColumnElement[str], weight: int) -> ColumnElement[int]:
    """Return what the digit of a column adds to the key: its number, or the highest for null, times its weight."""
    nothing = (text.is_(None), _number(column.known * weight))
    if column.few:
        return case(*((text == value, _number(number * weight)) for value, number in column.few), nothing)
    return case(nothing, else_=cast(number_in(text, column.kind), BigInteger) * weight)


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
    Learned
        None if a quasi-identifier has so many values that two readings cost less.
    """
    positions = [*quasi_identifiers, *passed]
    columns = [column_text(relation, position).label(f"c{position}") for position in positions]
    sample = store.create("sample", select(*columns).select_from(relation).limit(_SAMPLE))
    known: list[LearnedColumn] = []
    for position in quasi_identifiers:
        column = _make_enumeration(store, sample, position)
        if column is None:
            break
        known.append(column)
    keys = reduce(mul, (column.known + 1 for column in known), 2)
    if len(known) < len(quasi_identifiers) or keys > _MOST_KEYS:
        store.drop(sample, *(column.values for column in known))
        return None
    others = {position: _make_enumeration(store, sample, position, is_passed=True) for position in passed}
    store.drop(sample)
    return DictionaryEncoding(
        store, tuple(known), {position: column for position, column in others.items() if column is not None}
    )


def _make_enumeration(store: Store, sample: Table, position: int, *, is_passed: bool = False) -> LearnedColumn | None:
    """Make an enumeration of the values of a column, unless there are too many.

    What passes through is lost if it is not known; so all its values must have been seen twice.
    """
    text = sample.c[f"c{position}"].label("text")
    seen = store.create("seen", select(text, func.count().label("size")).where(text.is_not(None)).group_by(text))
    count, alone, unknown = store.row(
        select(func.count(), count_where(seen.c.size == 1), count_where(seen.c.text == _UNKNOWN))
    )
    if not 0 < count <= _MOST_VALUES or unknown or (is_passed and alone):
        store.drop(seen)
        return None
    number = cast(func.row_number().over(order_by=seen.c.text) - 1, Integer).label("number")
    values = store.create("values", select(number, seen.c.text))
    few = () if is_passed else _find_few_texts(store, values, seen, count)
    store.drop(seen)
    kind = store.fresh("known")
    texts = select(values.c.text).order_by(values.c.number)
    marks = select(literal(_UNKNOWN).label("text"), literal(count).label("number"))
    listed = union_all(select(values.c.text, values.c.number), marks).subquery()
    store.run(CreateEnumeration(kind, select(listed.c.text).order_by(listed.c.number) if is_passed else texts))
    return LearnedColumn(Enumeration(kind), values, count, few)


def _find_few_texts(store: Store, values: Table, seen: Table, count: int) -> tuple[tuple[str, int], ...]:
    """Return the texts of a column and their numbers, the most frequent first; none where they are many or unwieldy."""
    if count > _COMPARED:
        return ()
    joined = select(values.c.text, values.c.number).join_from(values, seen, seen.c.text == values.c.text)
    few = tuple(store.rows(joined.order_by(seen.c.size.desc(), values.c.number)))
    return few if all(text.isprintable() and len(text) <= _LONGEST_COMPARED for text, _ in few) else ()
