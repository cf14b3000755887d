"""From records to combinations: each distinct tuple of quasi-identifier texts, counted, then of values, numbered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from secrets import randbits
from types import MappingProxyType
from typing import Any

from sqlalchemy import BigInteger, FromClause, Integer, String, and_, case, cast, func, literal, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Attribute, Column, Config
from toolbox.config.settings import SUPPRESS_BY, value_of
from toolbox.queries.dialect import (
    Query,
    Table,
    compute_keyed_digest,
    draw_share,
    find_row_place,
    hash_values,
    nth_column,
)
from toolbox.store.engine.store import Store
from toolbox.store.input.layout import Layout, MissingValues
from toolbox.store.input.source import column_text
from toolbox.store.tables import PersonTables, QuasiIdentifierTables, SensitiveTables
from toolbox.store.values.column_type import TextDomain
from toolbox.treatments.treatment import PERSON_DRAW, PERSON_KEY

# From records to combinations of texts, and from these to combinations of values.


def count_texts(
    texts: Sequence[ColumnElement[str]], unusable: ColumnElement[bool], size: ColumnElement[int] | None = None
) -> Query:
    """Count the records of each combination of texts.

    Parameters
    ----------
    texts : sequence of columns of the input
    unusable : condition on the other columns of the input
        Kept apart, because nothing that is grouped tells it.
    size : aggregate, optional
        How many records a group of rows stands for; None: each row is one.

    Returns
    -------
    Select, one row per combination
        ``text_1 .., unusable, size``.
    """
    keys = [text.label(f"text_{index}") for index, text in enumerate(texts, start=1)]
    size = func.count() if size is None else size
    grouped = select(*keys, unusable.label("unusable"), size.label("size"))
    return grouped.group_by(*map(nth_column, range(1, len(keys) + 2)))


def find_injective_salt(store: Store, usable: Table, texts: Sequence[ColumnElement[str]]) -> int:
    """Find a salt with which no two combinations of texts have the same hash.

    The second reading looks a record's combination up by one 64-bit hash of its texts instead of comparing all of
    them. That is exact, not probable: all combinations are known, and their hashes have been seen to differ.

    Parameters
    ----------
    usable : Table
        Each combination of the texts once.
    """
    salt = 0
    while True:
        hashes = hash_texts(texts, salt)
        total, different = store.row(select(func.count(), func.count(hashes.distinct())).select_from(usable))
        if total == different:
            return salt
        salt += 1


def hash_texts(texts: Sequence[ColumnElement[str]], salt: int) -> ColumnElement[Any]:
    """Hash the texts of a combination into 64 bits.

    The salt goes into the texts: the engine combines the hashes of several values, so that one beside them changes
    nothing for two texts whose own hashes agree.
    """
    return hash_values(*(texts if salt == 0 else [literal(f"{salt}:").concat(text) for text in texts]))


def select_spellings(
    missing: MissingValues, columns: Sequence[tuple[Attribute, int]], spelled: Sequence[Table]
) -> list[Query]:
    """Select of each column the text for which a number stands, as it is released: ``number, text``."""
    declared = zip(columns, spelled, strict=False)
    return [select(of.c.number, missing.value(each, of.c.text).label("text")) for (each, _), of in declared]


def number_combinations(
    store: Store,
    usable: Query,
    domains: Sequence[TextDomain],
    quasi_identifiers: Sequence[QuasiIdentifierTables],
    *,
    rewritten: bool,
    spelled: Sequence[Query] = (),
) -> tuple[Table, Table]:
    """Turn combinations of texts into combinations of values, since a value may be written in several ways.

    Parameters
    ----------
    usable : Select
        ``key, size, text_1 ..``: the hash of each combination of texts, its records, its texts.
    rewritten : bool
        Whether some of these texts were different ones as they were read.
    spelled : sequence of Select, optional
        For each column ``number, text``, if combinations have numbers in the place of their texts.

    Returns
    -------
    combinations : Table
        ``combination_id, size, interval_1 ..``, numbered from 0 in the order of their values.
    keys : Table
        ``key, combination_id, equivalence_id``: the combination of each hash, and as its class the same.
    """
    usable_rows = usable.subquery()
    joined: Any = usable_rows
    levels, meanings = [], []
    for index, (domain, tables) in enumerate(zip(domains, quasi_identifiers, strict=True), start=1):
        coded, ground = domain.texts, tables.ground
        meaning = select(coded.c.text, ground.c.level_0).join_from(coded, ground, ground.c.value == coded.c.value)
        if spelled:
            text, named = meaning.subquery(), spelled[index - 1].subquery()
            meaning = select(named.c.number.label("text"), text.c.level_0)
            meaning = meaning.join_from(named, text, text.c.text == named.c.text)
        meanings.append(store.create("meanings", meaning))
        joined = joined.join(meanings[-1], meanings[-1].c.text == usable_rows.c[f"text_{index}"])
        levels.append(meanings[-1].c.level_0.label(f"interval_{index}"))
    rows = select(usable_rows.c.key, usable_rows.c.size, *levels).select_from(joined)
    valued = store.create("valued", rows.order_by(*_list_order(levels, quasi_identifiers)))
    spellings = zip(meanings, quasi_identifiers, strict=True)
    if not rewritten and all(store.count(texts) == tables.values for texts, tables in spellings):
        numbered = valued
    else:
        numbered = store.create("valued", _merge_combinations(valued))
    columns = [column for column in numbered.c if column.name != "key"]
    position = cast(find_row_place(numbered), Integer)
    numbers = position.label("combination_id")
    combinations = store.create("combinations", select(numbers, *columns), lasting=True)
    if numbered is valued:
        classed = select(valued.c.key, numbers, position.label("equivalence_id"))
    else:
        same = and_(*(valued.c[level.name] == combinations.c[level.name] for level in levels))
        combination_id = combinations.c.combination_id
        classed = select(valued.c.key, combination_id, combination_id.label("equivalence_id")).join(combinations, same)
    keys = store.create("keys", classed, lasting=True)
    store.drop(*{numbered, valued}, *meanings)
    return combinations, keys


def _list_order(
    levels: Sequence[ColumnElement[int]], quasi_identifiers: Sequence[QuasiIdentifierTables]
) -> Sequence[ColumnElement[int]]:
    """Return what sorts combinations by their values: one number that holds all of them, if there is room for it."""
    weight, order = 1, list[ColumnElement[int]]()
    for level, tables in zip(reversed(levels), reversed(quasi_identifiers), strict=True):
        order.append(level * cast(literal(weight), BigInteger))
        weight *= tables.values
    return [reduce(add, order)] if weight < 2**63 else levels


def _merge_combinations(valued: Table) -> Query:
    """Merge the combinations whose texts stand for the same values."""
    intervals = [column for column in valued.c if column.name not in ("key", "size")]
    size = cast(func.sum(valued.c.size), valued.c.size.type).label("size")
    return select(size, *intervals).group_by(*intervals).order_by(*intervals)


# The persons of a table: who the records are about, and how many of them each combination and each value has.

PERSON = "person"
"""The column of the records that tells persons apart, until the proof is made."""


@dataclass(frozen=True)
class PersonReader:
    """Finds out who the records are about. What it makes of persons is in no store that is kept.

    Parameters
    ----------
    store : Store
    columns : mapping of int to Column
        The columns that tell persons apart, by their positions.
    name : str
        What messages call them.
    secret : int
        Goes into the numbers of persons; nobody keeps it.
    joined : bool
        Whether a reader of the release sees which records are of one person.
    whole : bool
        Whether a person is suppressed with all records.
    """

    store: Store
    columns: Mapping[int, Column]
    name: str
    secret: int
    joined: bool = False
    whole: bool = False

    @classmethod
    def of(cls, config: Config, layout: Layout, store: Store) -> PersonReader | None:
        """Return the reader for the declared person; None where none is declared."""
        if not config.person:
            return None
        columns = layout.find_persons(config)
        name = " + ".join(layout.names[position] for position in columns)
        joined = layout.joins_rows_by(columns) if config.attacker is None else config.attacker == "profile"
        return cls(store, columns, name, randbits(63), joined, value_of(config, SUPPRESS_BY) == "person")

    def code(self, relation: FromClause, missing: MissingValues) -> ColumnElement[int]:
        """Return the number of the person of a record: a hash of the texts of its columns.

        Two persons of one number count as one, which is safe. All records without a value have one number.
        """
        texts = [column_text(relation, position) for position in self.columns]
        is_nobody = self._lacks(texts, missing)
        return case((is_nobody, self.nobody), else_=hash_values(*texts, literal(self.secret))).label(PERSON)

    def _lacks(self, texts: Sequence[ColumnElement[str]], missing: MissingValues) -> ColumnElement[bool]:
        named = [Attribute(column=column, kind=None) for column in self.columns.values()]
        return or_(*(missing.test(attribute, text) for attribute, text in zip(named, texts, strict=True)))

    def list_codes(
        self, relation: FromClause, missing: MissingValues, *, keeps: bool, is_drawn: bool
    ) -> list[ColumnElement[Any]]:
        """Return the number of the person; and once more, where it stays with the records for their treatments.

        A draw is made of the digest of the texts of the person by the key of the run: a number takes an eighth of it.
        """
        code = self.code(relation, missing)
        # Texts of other columns, or cut in another way, have another digest: each stands behind its length.
        texts = [column_text(relation, position) for position in self.columns]
        pieces = [piece for text in texts for piece in (cast(func.length(text), String), ":", text)]
        person = case((self._lacks(texts, missing), "nobody"), else_=func.concat("person:", *pieces))
        draws = [draw_share(compute_keyed_digest(person)).label(PERSON_DRAW)] if is_drawn else []
        return [code, *([code.label(PERSON_KEY)] if keeps else []), *draws]

    @property
    def nobody(self) -> ColumnElement[int]:
        """The number of all records without a value."""
        return hash_values(literal(self.secret))

    def count(self, records: FromClause, keys: Table, combinations: Table) -> PersonTables:
        """Find out which persons have which combinations.

        Parameters
        ----------
        records : FromClause
            ``key, person``, one row per record; or with a ``size``, one for several.
        keys : Table
            ``key, combination_id``.
        combinations : Table
            As `toolbox.store.tables.Tables.combinations`.
        """
        store, everybody = self.store, func.sum(records.c.size) if "size" in records.c else func.count()
        counted = select(records.c.key, records.c[PERSON], everybody.label("records"))
        by_key = counted.group_by(records.c.key, records.c[PERSON]).subquery()
        pair = (keys.c.combination_id, by_key.c[PERSON])
        several = cast(func.sum(by_key.c.records), BigInteger).label("records")
        placed = select(*pair, several).join_from(by_key, keys, keys.c.key == by_key.c.key)
        hashed = store.create("hashed", placed.group_by(*pair))
        person = hashed.c[PERSON]
        nobody = func.coalesce(everybody.filter(records.c[PERSON] == self.nobody), 0)
        all_records, lacking = store.row(select(everybody, nobody).select_from(records))
        count, pairs = store.row(select(func.count(person.distinct()), func.count()).select_from(hashed))
        numbered = folded = None
        # Who has one record each is as alike as the records are.
        joined = self.joined and count < all_records
        if count < pairs or joined:
            numbers = select(hashed.c.combination_id, _number_persons(person), hashed.c.records)
            numbered = store.create("pairs", numbers)
        if pairs == count < all_records:
            each = select(hashed.c.combination_id, func.count().label("persons")).group_by(hashed.c.combination_id)
            folded = store.create("combinations", self.size_in_persons(combinations, each))
        store.drop(hashed)
        told: dict[str, Any] = {"name": self.name, "count": count, "lacking": int(lacking)}
        return PersonTables(**told, combinations=folded, pairs=numbered, joined=joined, whole=self.whole)

    @staticmethod
    def size_in_persons(combinations: Table, counts: Query) -> Query:
        """Select the combinations with a size in persons, in their order.

        Parameters
        ----------
        counts : Select
            ``combination_id, persons``, each combination once.
        """
        counted = counts.subquery()
        size = cast(counted.c.persons, combinations.c.size.type).label("size")
        columns = [size if column.name == "size" else column for column in combinations.c]
        joined = combinations.join(counted, counted.c.combination_id == combinations.c.combination_id)
        return select(*columns).select_from(joined).order_by(combinations.c.combination_id)

    def count_values(
        self, records: FromClause, keys: Table, persons: PersonTables, sensitive: Mapping[str, SensitiveTables]
    ) -> tuple[PersonTables, Mapping[str, SensitiveTables]]:
        """Count, for each sensitive value, the different persons who have it, instead of their records.

        Parameters
        ----------
        records : FromClause
            ``key, person, c<position> ..``, one row per record.
        """
        if persons.pairs is None and persons.combinations is None:
            return persons, sensitive
        store, pairs, counted = self.store, dict[str, Table](), dict[str, SensitiveTables]()
        for name, attribute in sensitive.items():
            rows = store.create("values", _select_values(records, keys, attribute))
            combination_id, value, person = rows.c
            amount = cast(func.count(), BigInteger).label("records")
            histogram = select(combination_id, value, amount).group_by(combination_id, value)
            different = cast(func.count(person.distinct()), BigInteger).label("records")
            overall = select(value, different).group_by(value).order_by(value)
            counted[name] = replace(
                attribute,
                histogram=store.create("histogram", histogram.order_by(combination_id, value), lasting=True),
                overall=store.create("overall", overall, lasting=True),
            )
            if persons.pairs is not None:
                numbered = select(combination_id, value, _number_persons(person))
                pairs[name] = store.create("values", numbered)
            store.drop(attribute.histogram, attribute.overall, rows)
        return replace(persons, values=MappingProxyType(pairs)), MappingProxyType(counted)


def _number_persons(person: ColumnElement[int]) -> ColumnElement[int]:
    return cast(func.dense_rank().over(order_by=person) - 1, Integer).label(PERSON)


def _select_values(records: FromClause, keys: Table, attribute: SensitiveTables) -> Query:
    """Select ``combination_id, value, person``, each once."""
    codes, text = attribute.codes, cast(records.c[f"c{attribute.position}"], String)
    joined = records.join(keys, keys.c.key == records.c.key).join(codes, codes.c.text.is_not_distinct_from(text))
    return select(keys.c.combination_id, codes.c.value, records.c[PERSON]).select_from(joined).distinct()
