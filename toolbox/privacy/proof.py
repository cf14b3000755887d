"""The proof that stands between every method and every release; it believes nothing that the method says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import FromClause, Integer, Table, cast, func, or_, select

from toolbox.errors import ProofError
from toolbox.privacy.model import PrivacyModel
from toolbox.queries.classes import placed_combinations
from toolbox.queries.labels import class_labels, covered
from toolbox.queries.query import Query
from toolbox.store.tables import Tables


@dataclass(frozen=True, kw_only=True)
class ModelResult:
    """How a table stands to one privacy model."""

    name: str
    attribute: str | None
    required: float
    achieved: float | None
    """The worst class's value; None if every record is suppressed, so that no class is left."""
    holds: bool


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


def prove(initial: Tables, final: Tables, models: Sequence[PrivacyModel]) -> Proof:
    """Check the finished tables against the initial ones and the declared models.

    Every input record is present exactly once; every record's class exists; the stated class sizes are right; every
    generalised value covers the values of its records; every class, as a reader of the release sees it (by its texts),
    satisfies every model.

    Raises
    ------
    ProofError
        Naming what failed. It means that the method is wrong, not the data.
    """
    _prove_records(initial, final)
    placed = final.store.create("placed", placed_combinations(final.anon_record))
    _prove_classes(placed, final)
    _prove_coverage(placed, final)
    proof = _judge(placed, final, models)
    final.store.drop(placed)
    failed = [result for result in proof.models if not result.holds]
    if failed:
        reasons = ", ".join(f"{one.name} requires {one.required:g}, achieved {one.achieved}" for one in failed)
        raise ProofError(f"The finished tables do not satisfy the declared model: {reasons}. Nothing was released.")
    return proof


def _require(fine: bool, what: str) -> None:
    if not fine:
        raise ProofError(f"Proof failed: {what}. Nothing was released; this is a fault of the method.")


def _prove_records(initial: Tables, final: Tables) -> None:
    """Compare all pairs of record and original values by the sum of their 64-bit hashes.

    A record that is missing, doubled, invented or swapped with another changes the sum, but for one chance in 2^64; a
    comparison record by record would cost more than the method.
    """
    expected, found = (final.store.row(_fingerprint(tables.anon_record)) for tables in (initial, final))
    _require(expected[0] == initial.record_count and found == expected, "a record is missing, doubled or changed")


def _fingerprint(record: FromClause) -> Query:
    return select(func.count(), func.sum(func.hash(record.c.record_id, record.c.combination_id)))


def _prove_classes(placed: Table, final: Tables) -> None:
    equivalence = final.equivalence
    counted = select(placed.c.equivalence_id, func.sum(placed.c.size).label("size")).group_by(placed.c.equivalence_id)
    sizes = counted.subquery()
    wrong = select(func.count()).select_from(
        sizes.join(equivalence, equivalence.c.equivalence_id == sizes.c.equivalence_id, full=True)
    )
    different = sizes.c.size.is_distinct_from(equivalence.c.size)
    _require(final.store.scalar(wrong.where(different)) == 0, "a class is missing, invented or of another size")
    stated = select(
        func.count(), func.count(equivalence.c.equivalence_id.distinct()), func.count(equivalence.c.suppressed)
    )
    _require(len(set(final.store.row(stated))) == 1, "a class is stated twice, or not whether it is suppressed")
    roots = enumerate(final.quasi_identifiers, start=1)
    shown = or_(*(equivalence.c[f"interval_{number}"] != one.root for number, one in roots))
    betrayed = select(func.count()).where(equivalence.c.suppressed, shown)
    _require(final.store.scalar(betrayed) == 0, "a suppressed class shows more than its roots")


def _prove_coverage(placed: Table, final: Tables) -> None:
    for number, quasi_identifier in enumerate(final.quasi_identifiers, start=1):
        pairs = (
            select(
                final.combinations.c[f"interval_{number}"].label("value"),
                final.equivalence.c[f"interval_{number}"].label("interval"),
            )
            .join_from(placed, final.combinations, placed.c.combination_id == final.combinations.c.combination_id)
            .join(final.equivalence, placed.c.equivalence_id == final.equivalence.c.equivalence_id)
            .distinct()
            .subquery()
        )
        ground, interval = quasi_identifier.ground, quasi_identifier.intervals
        is_root = pairs.c.interval == quasi_identifier.root
        uncovered = (
            select(func.count())
            .select_from(
                pairs.outerjoin(ground, ground.c.level_0 == pairs.c.value).outerjoin(
                    interval, interval.c.interval_id == pairs.c.interval
                )
            )
            .where(~func.coalesce(or_(is_root, covered(interval, ground)), False))
        )
        _require(
            final.store.scalar(uncovered) == 0,
            f"a generalised value of {quasi_identifier.name} does not cover its originals",
        )


def _judge(placed: Table, final: Tables, models: Sequence[PrivacyModel]) -> Proof:
    """Form the classes anew by the texts that a reader will see, and measure them."""
    store = final.store
    labels = class_labels(final.equivalence, [one.intervals for one in final.quasi_identifiers]).subquery()
    texts = [labels.c[f"label_{number}"] for number, _ in enumerate(final.quasi_identifiers, start=1)]
    sized = placed.join(labels, labels.c.equivalence_id == placed.c.equivalence_id)
    size = func.sum(placed.c.size)
    number = cast(func.row_number().over(), Integer).label("equivalence_id")
    grouped = select(number, cast(size, placed.c.size.type).label("size")).select_from(sized)
    classes = store.create("classes", grouped.where(~labels.c.suppressed).group_by(*texts))
    count, smallest, records = store.row(select(func.count(), func.min(classes.c.size), func.sum(classes.c.size)))
    results = tuple(_result(final, classes, model, has_classes=count > 0) for model in models)
    store.drop(classes)
    return Proof(
        records=final.record_count,
        records_suppressed=final.record_count - int(records or 0),
        classes=count,
        smallest_class=smallest,
        average_class=int(records) / count if count else None,
        models=results,
    )


def _result(final: Tables, classes: Table, model: PrivacyModel, *, has_classes: bool) -> ModelResult:
    measured = model.achieved(classes).subquery()
    achieved = final.store.scalar(select(model.worst(measured.c.achieved))) if has_classes else None
    violating = final.store.scalar(select(func.count()).select_from(model.violations(classes).subquery()))
    return ModelResult(
        name=model.name, attribute=model.attribute, required=model.required, achieved=achieved, holds=violating == 0
    )
