"""The persons of a table: who the records are about, and how many of them each combination and each value has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from sqlalchemy import BigInteger, FromClause, Integer, String, case, cast, func, literal, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.dialect import hash_values
from toolbox.queries.query import Query, Table
from toolbox.store.engine.store import Store
from toolbox.store.tables import PersonTables, SensitiveTables

PERSON = "person"
"""The column of the records that tells persons apart, until the proof is made."""


def make_person_code(
    texts: Sequence[ColumnElement[str]], are_missing: Sequence[ColumnElement[bool]], secret: int
) -> ColumnElement[int]:
    """Return a number for each person: a hash of the texts, with a secret that nobody keeps.

    Two persons of one number count as one, which is safe. All records without a value have one number.

    Parameters
    ----------
    are_missing : sequence of conditions
        Whether each of the texts is missing.
    """
    nobody = hash_values(literal(secret))
    return case((or_(*are_missing), nobody), else_=hash_values(*texts, literal(secret))).label(PERSON)


def count_persons(store: Store, records: FromClause, keys: Table, combinations: Table, name: str) -> PersonTables:
    """Find out which persons have which combinations.

    Parameters
    ----------
    records : FromClause
        ``key, person``, one row per record.
    keys : Table
        ``key, combination_id``.
    combinations : Table
        As `toolbox.store.tables.Tables.combinations`.
    name : str
        What messages call the column of the person.
    """
    by_key = select(records.c.key, records.c[PERSON]).distinct().subquery()
    same = keys.c.key == by_key.c.key
    hashed = store.create(
        "hashed", select(keys.c.combination_id, by_key.c[PERSON]).join_from(by_key, keys, same).distinct()
    )
    pairs = store.count(hashed)
    count = int(store.scalar(select(func.count(hashed.c[PERSON].distinct()))))
    everybody = store.count(records)
    numbered = folded = None
    if count < pairs:
        numbered = store.create(
            "pairs", select(hashed.c.combination_id, _number_persons(hashed.c[PERSON])), lasting=True
        )
    elif count < everybody:
        folded = store.create("combinations", _size_in_persons(combinations, hashed), lasting=True)
    store.drop(hashed)
    return PersonTables(name=name, count=count, combinations=folded, pairs=numbered)


def _number_persons(person: ColumnElement[int]) -> ColumnElement[int]:
    return cast(func.dense_rank().over(order_by=person) - 1, Integer).label(PERSON)


def _size_in_persons(combinations: Table, hashed: Table) -> Query:
    """Select the combinations with a size in persons, in their order."""
    of_one = hashed.c.combination_id
    counted = select(of_one, func.count().label("persons")).group_by(of_one).subquery()
    size = cast(counted.c.persons, combinations.c.size.type).label("size")
    columns = [size if column.name == "size" else column for column in combinations.c]
    joined = combinations.join(counted, counted.c.combination_id == combinations.c.combination_id)
    return select(*columns).select_from(joined).order_by(combinations.c.combination_id)


def count_values_by_person(
    store: Store, records: FromClause, keys: Table, persons: PersonTables, sensitive: Mapping[str, SensitiveTables]
) -> tuple[PersonTables, Mapping[str, SensitiveTables]]:
    """Count, for each sensitive value, the different persons who have it, instead of their records.

    Parameters
    ----------
    records : FromClause
        ``key, person, c<position> ..``, one row per record.
    """
    triples, counted = {}, {}
    for name, attribute in sensitive.items():
        rows = store.create("values", _select_values(records, keys, attribute))
        of_class, value = rows.c.combination_id, rows.c.value
        amount = cast(func.count(), BigInteger).label("records")
        histogram = select(of_class, value, amount).group_by(of_class, value).order_by(of_class, value)
        different = cast(func.count(rows.c[PERSON].distinct()), BigInteger).label("records")
        overall = select(value, different).group_by(value).order_by(value)
        counted[name] = replace(
            attribute,
            histogram=store.create("histogram", histogram, lasting=True),
            overall=store.create("overall", overall, lasting=True),
        )
        store.drop(attribute.histogram, attribute.overall)
        if persons.pairs is not None:
            numbered = select(of_class, value, _number_persons(rows.c[PERSON]))
            triples[name] = store.create("values", numbered, lasting=True)
        store.drop(rows)
    return replace(persons, values=MappingProxyType(triples)), MappingProxyType(counted)


def _select_values(records: FromClause, keys: Table, attribute: SensitiveTables) -> Query:
    """Select ``combination_id, value, person``, each once."""
    codes, text = attribute.codes, cast(records.c[f"c{attribute.position}"], String)
    joined = records.join(keys, keys.c.key == records.c.key).join(codes, codes.c.text.is_not_distinct_from(text))
    return select(keys.c.combination_id, codes.c.value, records.c[PERSON]).select_from(joined).distinct()
