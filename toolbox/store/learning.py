"""Learning the values of columns from the first records, so that one reading both counts and keeps all of them.

The texts of all quasi-identifiers, joined, are one text; the first records show most of these, which become an
enumeration: a number stands for each of them. A record whose text is not among them keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, String, case, cast, func, literal, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.dialect import count_where, short_hash, whole_quotient
from toolbox.queries.query import Query, Table
from toolbox.store.source import Source, column_text
from toolbox.store.statements import CreateEnumeration, Enumeration, in_enumeration, number_in
from toolbox.store.store import Store
from toolbox.store.text_file import BETWEEN, NOTHING

WORTH_LEARNING = 2_000_000
"""Records from which one reading with a sample before it costs less than two readings."""
_SAMPLE = 300_000
"""Records of the sample."""
_MOST_VALUES = 60_000
"""Values of a column that passes through; beyond, looking them up costs more than keeping the texts."""
_MOST_ALONE = 0.2
"""Share of the sample whose combinations are in it once. About as many of all records have one that is not in it at
all, and keeping the texts of more would take too much room."""
_UNKNOWN = "\ue000 unknown"
"""What stands for a value that passes through and is not known, until it is looked for."""


class Known(NamedTuple):
    """Joined texts of quasi-identifiers, as far as the sample shows them."""

    kind: Enumeration
    values: Table
    """``number, text``, from 0 in the order of the texts."""


class Row(NamedTuple):
    """What is read of a record."""

    texts: Sequence[ColumnElement[str]]
    """Of the quasi-identifiers."""
    unusable: ColumnElement[bool]
    passed: Mapping[int, ColumnElement[Any]]
    """What passes through, by the positions of the columns."""


@dataclass(frozen=True)
class Learned:
    """What one reading needs to know of an input.

    Parameters
    ----------
    columns : int
        Quasi-identifiers.
    combinations : Known
    passed : mapping of int to Enumeration
        Some of the columns that are released as they are, by their positions.
    """

    store: Store
    columns: int
    combinations: Known
    passed: Mapping[int, Enumeration]

    def keyed(self, row: Row) -> Query:
        """Select of every record ``key, unknown`` and what passes through.

        A key is twice the number of a combination, and one more if the record is unusable. That of one that is not
        known has a hash in place of the number, and is negative; its text is in ``unknown``.
        """
        passed = [self._kept(column, position) for position, column in row.passed.items()]
        # One after the other, or the engine would join the texts of a record anew for each use.
        joined = select(_joined(row.texts).label("joined"), row.unusable.label("unusable"), *passed).subquery()
        others = [joined.c[column.name] for column in passed]
        number = cast(number_in(joined.c.joined, self.combinations.kind), BigInteger).label("number")
        numbered = select(joined.c.joined, joined.c.unusable, number, *others).subquery()
        text, place = numbered.c.joined, numbered.c.number
        unusable = case((numbered.c.unusable, literal(1)), else_=literal(0))
        key = func.coalesce(2 * place + unusable, -1 - (2 * short_hash(text) + unusable))
        kept = [numbered.c[column.name] for column in passed]
        return select(key.label("key"), case((place.is_(None), text)).label("unknown"), *kept)

    def _kept(self, column: ColumnElement[Any], position: int) -> ColumnElement[Any]:
        kind = self.passed.get(position)
        if kind is None:
            return column.label(f"c{position}")
        unknown = case((column.is_not(None), cast(literal(_UNKNOWN), kind)))
        return func.coalesce(in_enumeration(column, kind), unknown, type_=kind).label(f"c{position}")

    def keeps_all(self, records: Table) -> bool:
        """Return whether every value that passes through was known."""
        lost = [count_where(records.c[f"c{position}"] == literal(_UNKNOWN, String)) for position in self.passed]
        return not lost or not any(self.store.row(select(*lost).select_from(records)))

    def counted(self, records: Table) -> Table | None:
        """Count the records of each key: ``key, text_1 .., unusable, size``.

        Parameters
        ----------
        records : Table
            Of `keyed`.

        Returns
        -------
        Table
            None if two combinations have one key.
        """
        store, key, size = self.store, records.c.key, func.count().label("size")
        coded = store.create("coded", select(key, size).where(key >= 0).group_by(key))
        others = select(key, records.c.unknown, size).where(key < 0).group_by(key, records.c.unknown)
        unknown = store.create("unknown", others)
        is_told = store.scalar(select(func.count(unknown.c.key.distinct()))) == store.count(unknown)
        counted = store.create("counted", self._decoded(coded, unknown)) if is_told else None
        store.drop(coded, unknown)
        return counted

    def _decoded(self, coded: Table, unknown: Table) -> Query:
        """Cut the joined texts again."""
        values = self.combinations.values
        same = values.c.number == whole_quotient(coded.c.key, literal(2))
        known = select(coded.c.key, values.c.text, coded.c.size).join_from(coded, values, same)
        rows = union_all(known, select(unknown)).subquery().c
        texts = [
            func.nullif(func.split_part(rows.text, BETWEEN, index), NOTHING, type_=String).label(f"text_{index}")
            for index in range(1, self.columns + 1)
        ]
        digits = case((rows.key >= 0, rows.key), else_=-1 - rows.key)
        return select(rows.key, *texts, (digits % 2 == 1).label("unusable"), rows.size)


def _joined(texts: Sequence[ColumnElement[str]]) -> ColumnElement[str]:
    """Join texts that hold none of the signs between them and for nothing."""
    first, *others = (func.coalesce(text, NOTHING) for text in texts)
    return func.concat(first, *(part for text in others for part in (literal(BETWEEN), text)))


def learn(store: Store, source: Source, quasi_identifiers: Sequence[int], passed: Sequence[int]) -> Learned | None:
    """Look at the first records of an input.

    Parameters
    ----------
    source : Source
        Its relation has been asked for.
    quasi_identifiers : sequence of int
        Columns whose texts make the key.
    passed : sequence of int
        Columns of text that are released as they are.

    Returns
    -------
    Learned
        None if so many combinations of quasi-identifiers differ that two readings cost less, or if they cannot be
        joined.
    """
    if not source.can_be_joined or not quasi_identifiers:
        return None
    relation = source.relation()
    joined = _joined([column_text(relation, position) for position in quasi_identifiers]).label("joined")
    columns = [column_text(relation, position).label(f"c{position}") for position in passed]
    sample = store.create("sample", select(joined, *columns).select_from(relation).limit(_SAMPLE))
    combinations = _combinations(store, sample)
    others = {} if combinations is None else {at: _passed(store, sample.c[f"c{at}"]) for at in passed}
    store.drop(sample)
    if combinations is None:
        return None
    kinds = {position: kind for position, kind in others.items() if kind is not None}
    return Learned(store, len(quasi_identifiers), combinations, kinds)


def _combinations(store: Store, sample: Table) -> Known | None:
    """Return the joined texts of a sample with numbers, unless too many of them are in it once."""
    seen = _seen(store, sample.c.joined)
    alone = store.scalar(select(count_where(seen.c.size == 1)))
    if alone > _MOST_ALONE * store.count(sample):
        store.drop(seen)
        return None
    number = cast(func.row_number().over(order_by=seen.c.text) - 1, BigInteger).label("number")
    values = store.create("values", select(number, seen.c.text))
    store.drop(seen)
    return Known(_enumeration(store, select(values.c.text).order_by(values.c.number)), values)


def _passed(store: Store, column: ColumnElement[str]) -> Enumeration | None:
    """Make an enumeration of a column that passes through, unless it has many values.

    What is not known of it is lost; so all its values must have been seen twice.
    """
    seen = _seen(store, column)
    alone, unknown = store.row(select(count_where(seen.c.size == 1), count_where(seen.c.text == _UNKNOWN)))
    is_fine = 0 < store.count(seen) <= _MOST_VALUES and not (alone or unknown)
    listed = union_all(select(seen.c.text), select(literal(_UNKNOWN).label("text"))).subquery()
    kind = _enumeration(store, select(listed.c.text).order_by(listed.c.text)) if is_fine else None
    store.drop(seen)
    return kind


def _seen(store: Store, column: ColumnElement[str]) -> Table:
    """Count the records of each text: ``text, size``."""
    rows = select(column.label("text"), func.count().label("size"))
    return store.create("seen", rows.where(column.is_not(None)).group_by(column))


def _enumeration(store: Store, texts: Query) -> Enumeration:
    name = store.fresh("known")
    store.run(CreateEnumeration(name, texts))
    return Enumeration(name)
