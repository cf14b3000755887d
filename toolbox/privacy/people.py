"""How many people a class holds, where an identifier shows that several records are of one person.

A class of k records protects k people only if each person has one record. The records of each class are counted anyway;
with them some bits of the hashes of each identifier are gathered. Different bits are different values, so that few
classes are left whose values must be counted one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

from sqlalchemy import BigInteger, FromClause, Integer, String, and_, cast, func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import ProofError
from toolbox.privacy.model import PrivacyModel
from toolbox.queries.dialect import (
    Query,
    Table,
    collect_bits,
    collect_sorted,
    hash_bit,
    hash_values,
    hash_word,
    number_of_bits,
)
from toolbox.store.engine.store import Store
from toolbox.store.tables import Identified, SensitiveTables, Tables

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


# Declared persons: counted on the records, in the classes or the profiles that a reader sees.


@dataclass(frozen=True, kw_only=True)
class SeenPersons:
    """The persons of what a reader sees: of classes; or of profiles, where the rows of each person can be joined.

    A profile is the multiset of the classes of all records of a person that are not suppressed. Then models judge
    cells: the records of the persons of one profile that are in one class.
    """

    sizes: Table
    """``equivalence_id, size``: the different persons of each class, or of the profile of each cell."""
    groups: Table
    """The same of each class or profile."""
    suppressed: int
    """Persons of whom a record is suppressed."""
    suppressed_wholly: int
    """Those of them of whom all records are."""
    profiles: Table | None = None
    """``person, profile``, where rows can be joined."""
    cells: Table | None = None
    """``equivalence_id, profile, seen_id``, where rows can be joined."""

    @property
    def tables(self) -> tuple[Table, ...]:
        """Everything that is to be dropped."""
        tables = dict.fromkeys((self.sizes, self.groups, self.profiles, self.cells))
        return tuple(table for table in tables if table is not None)

    @classmethod
    def count(cls, final: Tables, seen: Table) -> SeenPersons:
        """Count the different persons of each class, or of each profile; suppressed records form none.

        Parameters
        ----------
        seen : Table
            ``equivalence_id, seen_id, suppressed``: the classes that a reader tells apart.
        """
        if final.identified is None:
            return cls._add_up(final, seen)
        store, rows = final.store, cls.list_rows(final, seen)
        key = (rows.c.equivalence_id, rows.c.suppressed, rows.c.person)
        placed = store.create("persons", select(*key, func.count().label("records")).group_by(*key))
        suppressed, wholly = _count_suppressed(store, placed)
        if not final.joins_rows:
            size = cast(func.count(), BigInteger).label("size")
            counted = (
                select(placed.c.equivalence_id, size).where(~placed.c.suppressed).group_by(placed.c.equivalence_id)
            )
            sizes = store.create("sizes", counted)
            store.drop(placed)
            return cls(sizes=sizes, groups=sizes, suppressed=suppressed, suppressed_wholly=wholly)
        profiles = store.create("profiles", _number_profiles(placed))
        size = cast(func.count(), BigInteger).label("size")
        groups = select(profiles.c.profile.label("equivalence_id"), size).group_by(profiles.c.profile)
        grouped = store.create("groups", groups)
        cells = store.create("cells", _number_cells(placed, profiles))
        same = grouped.c.equivalence_id == cells.c.profile
        sizes = store.create("sizes", select(cells.c.equivalence_id, grouped.c.size).join_from(cells, grouped, same))
        store.drop(placed)
        counts = {"suppressed": suppressed, "suppressed_wholly": wholly}
        return cls(sizes=sizes, groups=grouped, **counts, profiles=profiles, cells=cells)

    @classmethod
    def _add_up(cls, final: Tables, seen: Table) -> SeenPersons:
        """Add up the persons of combinations, where records stay elsewhere, and each person has one combination."""
        store, rows = final.store, _place_combinations(final, seen)
        size = cast(func.sum(rows.c.size), BigInteger).label("size")
        counted = select(rows.c.equivalence_id, size).where(~rows.c.suppressed).group_by(rows.c.equivalence_id)
        suppressed = select(func.coalesce(func.sum(rows.c.size), 0)).where(rows.c.suppressed)
        sizes = store.create("sizes", counted)
        count = int(store.scalar(suppressed))
        return cls(sizes=sizes, groups=sizes, suppressed=count, suppressed_wholly=count)

    def count_values(self, final: Tables, seen: Table, attribute: str) -> Query:
        """Count the different persons of each class, or cell, who have a value: ``equivalence_id, value, records``."""
        if final.identified is None:
            return _add_up_values(_place_combinations(final, seen), final.sensitive[attribute].histogram)
        rows = self.list_rows(final, seen, final.sensitive[attribute])
        joined, key = rows, rows.c.equivalence_id
        if self.profiles is not None and self.cells is not None:
            profiles, cells = self.profiles, self.cells
            joined = joined.join(profiles, profiles.c.person == rows.c.person)
            joined = joined.join(cells, and_(cells.c.profile == profiles.c.profile, cells.c.seen_id == key))
            key = cells.c.equivalence_id
        held = select(key, rows.c.value, rows.c.person).select_from(joined).where(~rows.c.suppressed)
        shown = held.distinct().subquery()
        by = (shown.c.equivalence_id, shown.c.value)
        return select(*by, cast(func.count(), BigInteger).label("records")).group_by(*by)

    @staticmethod
    def list_rows(final: Tables, seen: Table, sensitive: SensitiveTables | None = None) -> FromClause:
        """Select ``equivalence_id, suppressed, person`` of every record, and its sensitive value."""
        identified, keys = final.identified, final.keys
        if identified is None:
            raise ProofError("Proof failed: the persons of records are not known. Nothing was released.")
        if keys is None:
            who, record = identified.records, final.anon_record
            joined = who.join(record, record.c.record_id == who.c.record_id)
            person, own, class_id = who.c.person, record, record.c.equivalence_id
        else:
            own = identified.table
            joined = own.join(keys, keys.c.key == own.c.key)
            person, class_id = own.c.person, keys.c.equivalence_id
        joined = joined.join(seen, seen.c.equivalence_id == class_id)
        columns = [seen.c.seen_id.label("equivalence_id"), seen.c.suppressed, person]
        if sensitive is not None:
            codes, text = sensitive.codes, cast(own.c[f"c{sensitive.position}"], String)
            joined = joined.join(codes, codes.c.text.is_not_distinct_from(text))
            columns.append(codes.c.value)
        return select(*columns).select_from(joined).subquery()


def _count_suppressed(store: Store, placed: Table) -> tuple[int, int]:
    """Count the persons of whom a record is suppressed, and those of whom all are."""
    some, every = func.bool_or(placed.c.suppressed), func.bool_and(placed.c.suppressed)
    each = select(some.label("some"), every.label("every")).group_by(placed.c.person).subquery()
    suppressed, wholly = store.row(select(*(func.count().filter(test) for test in each.c)).select_from(each))
    return int(suppressed), int(wholly)


def _place_combinations(final: Tables, seen: Table) -> FromClause:
    """Select ``combination_id, equivalence_id, suppressed, size`` of each combination and its class, sized in persons.

    Raises
    ------
    ProofError
        If a person may have several combinations, so that persons do not add up.
    """
    persons = final.persons
    if persons is None or persons.pairs is not None or final.keys is None:
        raise ProofError("Proof failed: the persons of records are not known. Nothing was released.")
    combinations = final.combinations if persons.combinations is None else persons.combinations
    placed = replace(final, combinations=combinations).placed().subquery()
    columns = (placed.c.combination_id, seen.c.seen_id.label("equivalence_id"), seen.c.suppressed, placed.c.size)
    return select(*columns).join_from(placed, seen, seen.c.equivalence_id == placed.c.equivalence_id).subquery()


def _add_up_values(placed: FromClause, histogram: Table) -> Query:
    """Add up the persons of combinations who have each value: ``equivalence_id, value, records``."""
    joined = placed.join(histogram, histogram.c.combination_id == placed.c.combination_id)
    by = (placed.c.equivalence_id, histogram.c.value)
    records = cast(func.sum(histogram.c.records), BigInteger).label("records")
    return select(*by, records).select_from(joined).where(~placed.c.suppressed).group_by(*by)


def _number_profiles(placed: Table) -> Query:
    """Give each profile a number: ``person, profile``, for persons who have a record that is not suppressed."""
    # As texts a class and its count are one element, and lists of them are compared whole.
    element = cast(placed.c.equivalence_id, String) + ":" + cast(placed.c.records, String)
    profile = collect_sorted(element, String).label("shown")
    shown = select(placed.c.person, profile).where(~placed.c.suppressed).group_by(placed.c.person).subquery()
    return select(shown.c.person, func.dense_rank().over(order_by=shown.c.shown).label("profile"))


@dataclass(frozen=True, kw_only=True)
class AlikePersons:
    """The persons who are alike in all of their records, in all tables that are released together."""

    k: int
    """Fewest persons who should be alike."""
    persons: int
    profiles: int
    fewest: int | None
    """Persons who are alike; None if there is nobody."""
    alone: int
    """Persons like whom nobody else is."""
    below_k: int
    """Persons who are like too few."""

    @classmethod
    def count(cls, store: Store, rows: Query, k: int) -> AlikePersons:
        """Count them.

        Parameters
        ----------
        rows : Select
            ``table_number, equivalence_id, person, records``: the classes that the records of each person show.
        """
        placed = rows.subquery()
        names = (placed.c.table_number, placed.c.equivalence_id, placed.c.records)
        element = func.concat(names[0], ".", names[1], ":", names[2])
        profile = collect_sorted(element, String).label("profile")
        persons = select(placed.c.person, profile).group_by(placed.c.person).subquery()
        alike = select(func.count().label("persons")).select_from(persons).group_by(persons.c.profile).subquery()
        size = alike.c.persons
        counts = [func.coalesce(func.sum(size).filter(test), 0) for test in (literal(True), size == 1, size < k)]
        found, fewest, *sums = store.row(select(func.count(), func.min(size), *counts))
        everybody, alone, below_k = map(int, sums)
        least = None if fewest is None else int(fewest)
        return cls(k=k, persons=everybody, profiles=int(found), fewest=least, alone=alone, below_k=below_k)

    @property
    def holds(self) -> bool:
        """Whether nobody is like too few."""
        return not self.below_k

    @property
    def average(self) -> float | None:
        """Persons of a profile on average; None if there is nobody."""
        return self.persons / self.profiles if self.profiles else None

    def document(self) -> dict[str, float | None]:
        """Return the part ``profiles`` of a document; its names are stable."""
        return {
            "persons": self.persons,
            "profiles": self.profiles,
            "smallest_profile": self.fewest,
            "average_profile": self.average,
            "alone": self.alone,
            "k": self.k,
            "below_k": self.below_k,
        }

    def line(self) -> str:
        """Write how many profiles there are, and how few persons share one."""
        if self.fewest is None or self.average is None:
            return "0 over all tables"
        average = f"average {self.average:,.1f} persons, of {self.persons:,}"
        return f"{self.profiles:,} over all tables, smallest {self.fewest:,}, {average}"


def _number_cells(placed: Table, profiles: Table) -> Query:
    """Give each class of a profile a number: ``equivalence_id, profile, seen_id``."""
    joined = placed.join(profiles, profiles.c.person == placed.c.person)
    pairs = select(profiles.c.profile, placed.c.equivalence_id.label("seen_id")).select_from(joined)
    distinct = pairs.where(~placed.c.suppressed).distinct().subquery()
    return select(func.row_number().over().label("equivalence_id"), distinct.c.profile, distinct.c.seen_id)
