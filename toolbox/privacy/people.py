"""How many people a class holds, where an identifier shows that several records are of one person.

A class of k records protects k people only if each person has one record. The records of each class are counted anyway;
with them some bits of the hashes of each identifier are gathered. Different bits are different values, so that few
classes are left whose values must be counted one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

from sqlalchemy import FromClause, Integer, and_, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.privacy.model import PrivacyModel
from toolbox.queries.dialect import collect_bits, hash_bit, hash_values, hash_word, number_of_bits
from toolbox.queries.query import Table
from toolbox.store.tables import Identified, Tables

PEOPLE = "people_"
"""How columns of such bits are named, before the column of the identifier and the number of the word."""
_PER_WORD = 8
"""People for whom one word of 64 bits is enough: then they seldom share a bit."""
_MOST_WORDS = 16


@dataclass(frozen=True, kw_only=True)
class FewPeople:
    """Classes that have enough records, and too few different values of an identifier."""

    column: str
    """The name of the identifier."""
    classes: int
    records: int
    """In these classes."""
    smallest: int
    """Records of the class with the fewest values; of several the smallest."""
    people: int
    """Different values in it; a record without a value counts as one more."""


def count_people_required(models: Sequence[PrivacyModel]) -> int:
    """Return how many people a class should have: its smallest size, two for other models of a class, or none."""
    sized = (model for model in models if model.k_is_class_size or (model.needs_columns and "k" in model.parameters()))
    largest = max((int(model.parameters()["k"]) for model in sized), default=0)
    return largest or (2 if any(model.attribute is not None for model in models) else 0)


def gather_people_bits(identified: Identified | None, records: FromClause | None, k: int) -> list[ColumnElement[int]]:
    """Gather the bits of each identifier, for records that are grouped.

    Parameters
    ----------
    records : FromClause, optional
        Of `Identified.records`.
    k : int
        People that a class should have.
    """
    if identified is None or records is None:
        return []
    words = 1
    while words * _PER_WORD < k and words < _MOST_WORDS:
        words *= 2
    gathered: list[ColumnElement[int]] = []
    for column in identified.columns:
        person = _hash_person(records, column)
        for word in range(words):
            bits = collect_bits(hash_bit(person))
            own = bits if words == 1 else func.coalesce(bits.filter(hash_word(person, words) == word), 0)
            gathered.append(own.label(f"{PEOPLE}{column}_{word}"))
    return gathered


def find_few_people(final: Tables, sizes: Table, seen: Table | None, k: int) -> tuple[FewPeople, ...]:
    """Find the classes of at least k records that have fewer than k different values of an identifier.

    If an identifier has another value in each record, then each record is a person, and there are none.

    Parameters
    ----------
    sizes : Table
        ``equivalence_id, size`` of each class, with its bits.
    seen : Table, optional
        ``equivalence_id, seen_id, suppressed``: which classes a reader takes for one.
    """
    identified = final.identified
    if identified is None or k < 2:
        return ()
    suspects = {column: _is_suspected(sizes, column, k) for column in identified.columns}
    counts = final.store.row(
        select(*(func.count().filter(condition) for condition in suspects.values())).select_from(sizes)
    )
    counted = [
        found
        for (column, condition), count in zip(suspects.items(), counts, strict=True)
        if count
        and (found := _count_suspected_people(final, identified, sizes, seen, column, condition, k)) is not None
    ]
    return () if not counted or _is_any_unique(final, identified) else tuple(counted)


def _hash_person(records: FromClause, column: str) -> ColumnElement[int]:
    """Return the hash of an identifier; a record without a value may be anybody."""
    return func.coalesce(records.c[column], hash_values(records.c.record_id))


def _is_suspected(sizes: Table, column: str, k: int) -> ColumnElement[bool]:
    """Test whether a class has k records, and its bits do not show k people."""
    words = [each for each in sizes.c if each.name.startswith(f"{PEOPLE}{column}_")]
    return and_(sizes.c.size >= k, reduce(add, map(number_of_bits, words)) < k)


def _count_suspected_people(
    final: Tables,
    identified: Identified,
    sizes: Table,
    seen: Table | None,
    column: str,
    condition: ColumnElement[bool],
    k: int,
) -> FewPeople | None:
    """Count the different values of an identifier in the classes that are suspected."""
    store, records, classes = final.store, identified.records, final.equivalence
    shown = classes.c.equivalence_id if seen is None else seen.c.seen_id
    named = classes if seen is None else classes.join(seen, seen.c.equivalence_id == classes.c.equivalence_id)
    suspects = select(classes.c.equivalence_id, shown.label("class_id")).select_from(named)
    suspects = suspects.where(shown.in_(select(sizes.c.equivalence_id).where(condition)))
    if seen is not None:
        suspects = suspects.where(~seen.c.suppressed)
    suspected = store.create("suspected", suspects)
    if final.keys is None:
        record = final.kept_records
        joined = records.join(record, record.c.record_id == records.c.record_id)
        joined = joined.join(suspected, suspected.c.equivalence_id == record.c.equivalence_id)
    else:
        keys = final.keys
        of_keys = select(keys.c.key, suspected.c.class_id)
        of_keys = of_keys.join_from(keys, suspected, suspected.c.equivalence_id == keys.c.equivalence_id)
        members = of_keys.subquery()
        joined = records.join(members, members.c.key == records.c.key)
    class_id = suspected.c.class_id if final.keys is None else members.c.class_id
    people = func.count(_hash_person(records, column).distinct())
    rows = select(cast(func.count(), Integer).label("size"), cast(people, Integer).label("people"))
    few = store.create("few", rows.select_from(joined).group_by(class_id).having(people < k))
    classes_found, in_them = store.row(select(func.count(), func.sum(few.c.size)))
    worst = store.rows(select(few.c.size, few.c.people).order_by(few.c.people, few.c.size).limit(1))
    store.drop(suspected, few)
    if not worst:
        return None
    ((size, least),) = worst
    name = identified.columns[column]
    return FewPeople(column=name, classes=classes_found, records=int(in_them), smallest=size, people=least)


def _is_any_unique(final: Tables, identified: Identified) -> bool:
    """Return whether some identifier has a value of its own in each record."""
    records = identified.records
    different = [func.count(records.c[column].distinct()) for column in identified.columns]
    return final.record_count in final.store.row(select(*different).select_from(records))
