"""The proof between every method and every release: it relies on nothing that the method says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, FromClause, String, Table, and_, cast, func, or_, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import ProofError
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.results import ModelResult, require_all, result_of
from toolbox.queries.dialect import hashed
from toolbox.queries.labels import class_labels, covered
from toolbox.queries.query import Query
from toolbox.store.store import Store
from toolbox.store.tables import SensitiveTables, Tables


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What was counted on the finished tables. Suppressed records form no class."""

    records: int
    records_suppressed: int
    classes: int
    smallest_class: int | None
    """In records; None if there is no class."""
    average_class: float | None
    models: tuple[ModelResult, ...]


def restored(initial: Tables, final: Tables) -> Tables:
    """Return the finished tables, with everything that no method may change restored. All else is proved.

    A method changes the classes of records, and the names of classes and of their values. It may rewrite the
    records only where their classes do not follow from their combinations.

    Raises
    ------
    ProofError
        If the tables are not those of the same quasi-identifiers.
    """
    columns = len(final.quasi_identifiers), 0 if final.levels is None else len(final.levels)
    count = len(initial.quasi_identifiers)
    _require(columns in ((count, 0), (count, count)), "the finished tables have other quasi-identifiers")
    _require(final.keys is None or final.records is initial.records, "the records were rewritten")
    return replace(
        final,
        store=initial.store,
        combinations=initial.combinations,
        record_count=initial.record_count,
        sensitive=initial.sensitive,
        quasi_identifiers=tuple(
            replace(original, intervals=changed.intervals)
            for original, changed in zip(initial.quasi_identifiers, final.quasi_identifiers, strict=True)
        ),
    )


def prove(
    initial: Tables, final: Tables, models: Sequence[PrivacyModel], *, tells_classes_apart: bool = False
) -> Proof:
    """Check the finished tables against the initial ones and the declared models.

    Every input record is present exactly once; every record's class exists; the stated class sizes are right; every
    generalised value covers the values of its records; every class, as a reader of the release tells it apart,
    satisfies every model. Sensitive values are counted anew, on the finished records.

    Parameters
    ----------
    tells_classes_apart : bool
        Whether the release tells classes apart that have the same texts, as anatomy does by their numbers and
        genValsDist by their statistics.

    Raises
    ------
    ProofError
        Naming what failed. It means that the method is wrong, not the data.
    """
    final = restored(initial, final)
    placed = _place(initial, final)
    _prove_classes(placed.sizes, final)
    _prove_intervals(initial, final)
    _prove_coverage(placed.pairs, final)
    proof = _judge(placed, _seen(final, tells_classes_apart or final.by_number), final, models)
    final.store.drop(*placed)
    require_all(proof.models)
    return proof


def _require(fine: bool, what: str) -> None:
    if not fine:
        raise ProofError(f"Proof failed: {what}. Nothing was released; this is a fault of the method.")


class _Placed(NamedTuple):
    """The classes of the records, counted on the records themselves."""

    sizes: Table
    """``equivalence_id, size``: the records of each class."""
    pairs: Table
    """``combination_id, equivalence_id``: each combination with its class; where records were rewritten, with those of
    its classes that show something."""


def _place(initial: Tables, final: Tables) -> _Placed:
    """Count the records of each class, and prove that all records are there."""
    store, keys = final.store, final.keys
    if keys is None or initial.keys is None:
        _prove_records(initial, final, initial.kept_records)
        record, shows = final.anon_record, _shows(final)
        sizes = select(record.c.equivalence_id, func.count().label("size")).group_by(record.c.equivalence_id)
        shown = record.c.equivalence_id.in_(select(final.equivalence.c.equivalence_id).where(shows))
        placed = select(record.c.combination_id, record.c.equivalence_id).where(shown).distinct()
        return _Placed(store.create("sizes", sizes), store.create("pairs", placed))
    fingerprints = [_fingerprint(table, ["key", "combination_id"]) for table in (initial.keys, keys)]
    before, after = store.rows(select(union_all(*fingerprints).subquery()))
    pairs = store.create("pairs", final.placed()) if final.records is None else _looked_up(final.records, keys, store)
    records = store.scalar(select(func.coalesce(func.sum(pairs.c.size), 0)))
    complete = before == after and records == initial.record_count
    _require(complete, "a record is missing, doubled or changed")
    size = cast(func.sum(pairs.c.size), BigInteger).label("size")
    sizes = select(pairs.c.equivalence_id, size).group_by(pairs.c.equivalence_id)
    return _Placed(store.create("sizes", sizes), pairs)


def _looked_up(records: FromClause, keys: Table, store: Store) -> Table:
    """Look the class of every record up: ``combination_id, equivalence_id, size``, one row per key."""
    key = records.c.key
    counted = store.create("counted", select(key, func.count().label("size")).group_by(key))
    placed = select(keys.c.combination_id, keys.c.equivalence_id, counted.c.size)
    pairs = store.create("pairs", placed.join_from(counted, keys, keys.c.key == counted.c.key))
    store.drop(counted)
    return pairs


def _shows(final: Tables) -> ColumnElement[bool]:
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
    expected, released = (final.store.row(_fingerprint(tables.anon_record, columns)) for tables in (initial, final))
    _require(expected[0] == initial.record_count and released == expected, "a record is missing, doubled or changed")


def _fingerprint(record: FromClause, columns: Sequence[str]) -> Query:
    return select(func.count(), func.sum(hashed(*(record.c[name] for name in columns))))


def _prove_classes(sizes: Table, final: Tables) -> None:
    equivalence = final.equivalence
    wrong = select(func.count()).select_from(
        sizes.join(equivalence, equivalence.c.equivalence_id == sizes.c.equivalence_id, full=True)
    )
    different = sizes.c.size.is_distinct_from(equivalence.c.size)
    _require(final.store.scalar(wrong.where(different)) == 0, "a class is missing, invented or of another size")
    equivalence_id, suppressed = equivalence.c.equivalence_id, equivalence.c.suppressed
    betrayed = func.count().filter(and_(suppressed, _shows(final)))
    *stated, betraying = final.store.row(
        select(func.count(), func.count(equivalence_id.distinct()), func.count(suppressed), betrayed)
    )
    _require(len(set(stated)) == 1, "a class is stated twice, or not whether it is suppressed")
    _require(betraying == 0, "a suppressed class shows more than its roots")


def _prove_intervals(initial: Tables, final: Tables) -> None:
    """Require that each interval has one row, and that the intervals from before the method are unchanged."""
    pairs = zip(initial.quasi_identifiers, final.quasi_identifiers, strict=True)
    for original, changed in pairs:
        if changed.intervals is original.intervals:
            continue
        interval_id = changed.intervals.c.interval_id
        rows, known, different = final.store.row(
            select(func.count(), func.count(interval_id), func.count(interval_id.distinct()))
        )
        lost = select(original.intervals).except_(
            select(*(changed.intervals.c[column.name] for column in original.intervals.c))
        )
        missing = final.store.scalar(select(func.count()).select_from(lost.subquery()))
        _require(rows == known == different and not missing, f"the intervals of {changed.name} are not what they were")


def _prove_coverage(pairs: Table, final: Tables) -> None:
    """Require that every generalised value covers the values of its records; the root covers all."""
    values, shown = final.combinations, final.equivalence
    columns = [column for index, _ in enumerate(final.quasi_identifiers, start=1) for column in _facing(final, index)]
    placed = (
        select(*columns)
        .join_from(pairs, values, values.c.combination_id == pairs.c.combination_id)
        .join(shown, shown.c.equivalence_id == pairs.c.equivalence_id)
    )
    facing = final.store.create("facing", placed)
    for index, quasi_identifier in enumerate(final.quasi_identifiers, start=1):
        value_and_shown = [facing.c[f"value_{index}"].label("value"), facing.c[f"shown_{index}"].label("shown")]
        named = (
            select(*value_and_shown)
            .where(value_and_shown[1].is_distinct_from(quasi_identifier.root))
            .distinct()
            .subquery()
        )
        ground, interval = quasi_identifier.ground, quasi_identifier.intervals
        uncovered = (
            select(func.count())
            .select_from(
                named.outerjoin(ground, ground.c.level_0 == named.c.value).outerjoin(
                    interval, interval.c.interval_id == named.c.shown
                )
            )
            .where(~func.coalesce(covered(interval, ground), False))
        )
        _require(
            final.store.scalar(uncovered) == 0,
            f"a generalised value of {quasi_identifier.name} does not cover its originals",
        )
    final.store.drop(facing)


def _facing(final: Tables, index: int) -> tuple[ColumnElement[Any], ColumnElement[Any]]:
    """Select each value of a quasi-identifier with the generalised value that it has."""
    name = f"interval_{index}"
    return final.combinations.c[name].label(f"value_{index}"), final.equivalence.c[name].label(f"shown_{index}")


def _seen(final: Tables, by_number: bool) -> Table | None:
    """Find out which classes a reader cannot tell apart: ``equivalence_id, seen_id, suppressed``, one row per class.

    None if a reader can tell all apart and none is suppressed: `_prove_classes` has checked them, and millions of
    groups of anatomy need not be looked up for every record.
    """
    if not by_number:
        return final.store.create("seen", select(_by_texts(final)))
    suppressed = select(func.count()).where(final.equivalence.c.suppressed)
    return final.store.create("seen", select(_by_number(final))) if final.store.scalar(suppressed) else None


def _by_texts(final: Tables) -> FromClause:
    """Group the classes that have the same texts, as a reader of generalised values does."""
    labels = class_labels(final.equivalence, [attribute.intervals for attribute in final.quasi_identifiers]).subquery()
    texts = [labels.c[f"label_{index}"] for index, _ in enumerate(final.quasi_identifiers, start=1)]
    first = func.min(labels.c.equivalence_id).over(partition_by=[labels.c.suppressed, *texts])
    return select(labels.c.equivalence_id, first.label("seen_id"), labels.c.suppressed).subquery()


def _by_number(final: Tables) -> FromClause:
    """Tell classes apart by their numbers, as a reader of anatomy does."""
    equivalence = final.equivalence.c
    return select(
        equivalence.equivalence_id, equivalence.equivalence_id.label("seen_id"), equivalence.suppressed
    ).subquery()


def _judge(placed: _Placed, seen: Table | None, final: Tables, models: Sequence[PrivacyModel]) -> Proof:
    """Form the classes as a reader sees them, and measure them; suppressed records form none."""
    store = final.store
    sizes = placed.sizes if seen is None else store.create("sizes", _seen_sizes(placed.sizes, seen))
    count, smallest, records = store.row(select(func.count(), func.min(sizes.c.size), func.sum(sizes.c.size)))
    attributes = {model.attribute for model in models}
    shown = {attribute: _classes(final, placed.pairs, sizes, seen, attribute) for attribute in attributes}
    results = tuple(result_of(store, shown[model.attribute], model) for model in models)
    store.drop(*(classes.histogram for classes in shown.values() if isinstance(classes.histogram, Table)))
    if seen is not None:
        store.drop(sizes, seen)
    return Proof(
        records=final.record_count,
        records_suppressed=final.record_count - int(records or 0),
        classes=count,
        smallest_class=smallest,
        average_class=int(records) / count if count else None,
        models=results,
    )


def _seen_sizes(counted: Table, seen: Table) -> Query:
    """Add up the sizes of classes that a reader cannot tell apart; suppressed records form none."""
    sized = counted.join(seen, seen.c.equivalence_id == counted.c.equivalence_id)
    size = cast(func.sum(counted.c.size), counted.c.size.type).label("size")
    grouped = select(seen.c.seen_id.label("equivalence_id"), size).select_from(sized).where(~seen.c.suppressed)
    return grouped.group_by(seen.c.seen_id)


def _classes(final: Tables, pairs: Table, sizes: Table, seen: Table | None, attribute: str | None) -> Classes:
    """Return the classes for a model of an attribute, with sensitive values counted on the finished records."""
    if attribute is None:
        return Classes(sizes)
    sensitive = final.sensitive[attribute]
    held = _held_by_combinations(pairs, sensitive) if final.records is None else _held_by_records(final, sensitive)
    joined, key = held.joined, held.equivalence_id
    if seen is not None:
        joined = joined.join(seen, and_(seen.c.equivalence_id == key, ~seen.c.suppressed))
        key = seen.c.seen_id
    rows = select(key.label("equivalence_id"), held.value, held.records.label("records")).select_from(joined)
    counted = final.store.create("values", rows.group_by(key, held.value))
    return Classes(sizes, counted, sensitive.overall, sensitive.kind, sensitive.tree)


class _Held(NamedTuple):
    """Rows of a class and a sensitive value, which each stand for a record or for several."""

    joined: FromClause
    equivalence_id: ColumnElement[int]
    value: ColumnElement[float]
    records: ColumnElement[int]
    """Aggregates how many records a group of rows stands for."""


def _held_by_records(final: Tables, sensitive: SensitiveTables) -> _Held:
    record, codes = final.anon_record, sensitive.codes
    text = cast(record.c[f"c{sensitive.position}"], String)
    # The value before the count: in small groups nearly every record has a value of its own.
    joined = record.join(codes, codes.c.text.is_not_distinct_from(text))
    return _Held(joined, record.c.equivalence_id, codes.c.value, func.count())


def _held_by_combinations(pairs: Table, sensitive: SensitiveTables) -> _Held:
    counted = sensitive.histogram
    joined = pairs.join(counted, counted.c.combination_id == pairs.c.combination_id)
    return _Held(joined, pairs.c.equivalence_id, counted.c.value, cast(func.sum(counted.c.records), BigInteger))
