"""Which class each record is in, and the sensitive values of each class, counted on the records themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import BigInteger, FromClause, String, cast, func, or_, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import ProofError
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.people import PEOPLE, count_people_required, gather_people_bits
from toolbox.queries.dialect import Query, Table, collect_bits, hash_values, nth_bit
from toolbox.store.engine.store import Store
from toolbox.store.tables import SensitiveTables, Tables

# The sensitive values of each class as the bits of one number, where nobody asks how many records have each value.
#
# The bits are gathered while the records of the classes are counted. Counting each value of each class on its own
# takes three times as long where millions of classes have a few records each.

HELD = "held_"
"""How columns of such numbers are named, before the position of the attribute."""
_MOST = 62
"""Different values that a number of 64 bits, with a sign, tells apart."""


def list_bit_attributes(final: Tables, models: Sequence[PrivacyModel]) -> tuple[SensitiveTables, ...]:
    """Return the sensitive attributes whose different values the models only count, and which have few of them."""
    judging: dict[str, list[PrivacyModel]] = {}
    for model in models:
        if model.attribute is not None:
            judging.setdefault(model.attribute, []).append(model)
    asked = [final.sensitive[name] for name, judges in judging.items() if all(judge.counts_values for judge in judges)]
    return tuple(sensitive for sensitive in asked if final.store.count(sensitive.overall) <= _MOST)


def assign_value_bits(store: Store, sensitive: SensitiveTables) -> Table:
    """Give each value a bit of its own: ``text, bit``, one row per text."""
    codes, overall = sensitive.codes, sensitive.overall
    place = func.row_number().over(order_by=overall.c.value) - 1
    numbered = select(overall.c.value, nth_bit(place).label("bit")).subquery()
    same = numbered.c.value == codes.c.value
    return store.create("bits", select(codes.c.text, numbered.c.bit).join_from(codes, numbered, same))


def join_value_bits(
    joined: FromClause, record: FromClause, sensitive: SensitiveTables, bits: Table
) -> tuple[FromClause, ColumnElement[int]]:
    """Join the bit of its value to every record; return the join and what gathers the bits of several records.

    Parameters
    ----------
    joined : FromClause
        With the record.
    bits : Table
        Of `assign_value_bits`.
    """
    text = cast(record.c[f"c{sensitive.position}"], String)
    joined = joined.join(bits, bits.c.text.is_not_distinct_from(text), isouter=True)
    return joined, collect_bits(bits.c.bit).label(find_value_column(sensitive))


def find_value_column(sensitive: SensitiveTables) -> str:
    """Return the column that shows which values of an attribute a class holds."""
    return f"{HELD}{sensitive.position}"


# Which class each record is in, counted on the records themselves, or on combinations where they stay elsewhere.


def require(fine: bool, what: str) -> None:
    """Stop where finished tables are wrong.

    Raises
    ------
    ProofError
    """
    if not fine:
        raise ProofError(f"Proof failed: {what}. Nothing was released; this is a fault of the method.")


class Placed(NamedTuple):
    """The classes of the records, as they were counted."""

    sizes: Table
    """``equivalence_id, size``: the records of each class; and, for each attribute of which that was asked,
    ``held_<position>``: the values that it holds, by their bits; and bits of the people in it."""
    pairs: Table
    """``combination_id, equivalence_id``: each combination with its class; where records were rewritten, with those of
    its classes that show something."""


def place(initial: Tables, final: Tables, models: Sequence[PrivacyModel] = ()) -> Placed:
    """Count the records of each class, and prove that all records are there."""
    store, keys = final.store, final.keys
    k = count_people_required(models)
    # Declared persons are counted themselves.
    identified = initial.identified if k > 1 and initial.persons is None else None
    rows = None if identified is None else identified.records
    people = gather_people_bits(identified, rows, k)
    if keys is None or initial.keys is None:
        _prove_records(initial, final, initial.kept_records)
        record, shows = final.anon_record, has_shown_values(final)
        shown = record.c.equivalence_id.in_(select(final.equivalence.c.equivalence_id).where(shows))
        placed = select(record.c.combination_id, record.c.equivalence_id).where(shown).distinct()
        sizes = _count_class_records(final, record, list_bit_attributes(final, models), rows, people)
        return Placed(sizes, store.create("pairs", placed))
    fingerprints = [_select_fingerprint(table, ["key", "combination_id"]) for table in (initial.keys, keys)]
    before, after = store.rows(select(union_all(*fingerprints).subquery()))
    kept = final.records if rows is None else rows
    if kept is not None and initial.hardly_shares_keys:
        placed_now = _count_classes_by_key(kept, keys, store, people)
    else:
        placed_now = _count_classes_by_pair(final, kept, keys, people)
    records = store.scalar(select(func.coalesce(func.sum(placed_now.sizes.c.size), 0)))
    complete = before == after and records == initial.record_count
    require(complete, "a record is missing, doubled or changed")
    return placed_now


def gather_row_bits(table: Table, *prefixes: str) -> list[ColumnElement[int]]:
    """Gather the bits of rows that are grouped, of all columns whose names begin so."""
    return [collect_bits(column).label(column.name) for column in table.c if column.name.startswith(prefixes)]


def _count_class_records(
    final: Tables,
    record: FromClause,
    attributes: Sequence[SensitiveTables],
    identified: FromClause | None,
    people: Sequence[ColumnElement[int]],
) -> Table:
    """Count the records of each class, and gather the values of some attributes: ``sizes`` of `Placed`."""
    store, joined = final.store, record
    if identified is not None:
        joined = joined.join(identified, identified.c.record_id == record.c.record_id)
    tables, held_bits = [], []
    for sensitive in attributes:
        tables.append(assign_value_bits(store, sensitive))
        joined, held = join_value_bits(joined, record, sensitive, tables[-1])
        held_bits.append(held)
    key = record.c.equivalence_id
    rows = select(key, func.count().label("size"), *held_bits, *people).select_from(joined)
    sizes = store.create("sizes", rows.group_by(key))
    store.drop(*tables)
    return sizes


def _count_classes_by_key(
    records: FromClause, keys: Table, store: Store, people: Sequence[ColumnElement[int]]
) -> Placed:
    """Look the class of every record up: where hardly any two have one key, these need not be counted before."""
    joined = records.join(keys, keys.c.key == records.c.key)
    size = func.count().label("size")
    sized = select(keys.c.equivalence_id, size, *people).select_from(joined).group_by(keys.c.equivalence_id)
    # Each key was that of a record when it was read, and all are the same still.
    pairs = select(keys.c.combination_id, keys.c.equivalence_id)
    return Placed(store.create("sizes", sized), store.create("pairs", pairs))


def _count_classes_by_pair(
    final: Tables, records: FromClause | None, keys: Table, people: Sequence[ColumnElement[int]]
) -> Placed:
    """Count the records of each key, and look its class up: one row of ``pairs`` per key."""
    store = final.store
    pairs = store.create("pairs", final.placed()) if records is None else _place_keys(records, keys, store, people)
    size = cast(func.sum(pairs.c.size), BigInteger).label("size")
    summed = select(pairs.c.equivalence_id, size, *gather_row_bits(pairs, PEOPLE)).group_by(pairs.c.equivalence_id)
    return Placed(store.create("sizes", summed), pairs)


def _place_keys(records: FromClause, keys: Table, store: Store, people: Sequence[ColumnElement[int]]) -> Table:
    """Look the class of every key up: ``combination_id, equivalence_id, size``, and the bits of its people."""
    key = records.c.key
    counted = store.create("counted", select(key, func.count().label("size"), *people).group_by(key))
    bits = (counted.c[column.name] for column in people)
    placed = select(keys.c.combination_id, keys.c.equivalence_id, counted.c.size, *bits)
    pairs = store.create("pairs", placed.join_from(counted, keys, keys.c.key == counted.c.key))
    store.drop(counted)
    return pairs


def has_shown_values(final: Tables) -> ColumnElement[bool]:
    """Test whether a class shows more than its roots."""
    roots = enumerate(final.quasi_identifiers, start=1)
    return or_(
        *(final.equivalence.c[f"interval_{index}"].is_distinct_from(attribute.root) for index, attribute in roots)
    )


def _prove_records(initial: Tables, final: Tables, records: FromClause) -> None:
    """Compare all pairs of record and original values by the sum of their 64-bit hashes.

    A record that is missing, doubled, invented or swapped with another changes the sum, except with a chance of 1 in
    2^64. A comparison record by record would cost more than the method. The columns that pass through are part of the
    hash.
    """
    names = [column.name for column in records.c]
    columns = ["record_id", "combination_id", *(name for name in names if name.startswith("c") and name[1:].isdigit())]
    expected, released = (
        final.store.row(_select_fingerprint(tables.anon_record, columns)) for tables in (initial, final)
    )
    require(expected[0] == initial.record_count and released == expected, "a record is missing, doubled or changed")


def _select_fingerprint(record: FromClause, columns: Sequence[str]) -> Query:
    return select(func.count(), func.sum(hash_values(*(record.c[name] for name in columns))))


class PlacedValues(NamedTuple):
    """Rows of a class and a sensitive value, which each stand for a record or for several."""

    joined: FromClause
    equivalence_id: ColumnElement[int]
    value: ColumnElement[float]
    records: ColumnElement[int]
    """Aggregates how many records a group of rows stands for."""


def select_class_values(final: Tables, pairs: Table, attribute: str) -> PlacedValues:
    """Return the values of a sensitive attribute in each class.

    Parameters
    ----------
    pairs : Table
        Of `Placed`.
    """
    sensitive = final.sensitive[attribute]
    return (
        _select_combination_values(pairs, sensitive)
        if final.records is None
        else _select_record_values(final, sensitive)
    )


def _select_record_values(final: Tables, sensitive: SensitiveTables) -> PlacedValues:
    record, codes = final.anon_record, sensitive.codes
    text = cast(record.c[f"c{sensitive.position}"], String)
    # The value before the count: in small groups nearly every record has a value of its own.
    joined = record.join(codes, codes.c.text.is_not_distinct_from(text))
    return PlacedValues(joined, record.c.equivalence_id, codes.c.value, func.count())


def _select_combination_values(pairs: Table, sensitive: SensitiveTables) -> PlacedValues:
    counted = sensitive.histogram
    joined = pairs.join(counted, counted.c.combination_id == pairs.c.combination_id)
    return PlacedValues(joined, pairs.c.equivalence_id, counted.c.value, cast(func.sum(counted.c.records), BigInteger))
