"""What a reader of a variant would guess of one of its quasi-identifiers, beside what is true."""

from __future__ import annotations

from sqlalchemy import Double, FromClause, cast, func, or_, select

from toolbox.flows.axes import Axis
from toolbox.flows.kept_variants import KeptVariant
from toolbox.queries.labels import covered
from toolbox.queries.query import Query
from toolbox.store.store import Store


def axis_of(variant: KeptVariant, index: int) -> Axis:
    """Return the values of a quasi-identifier as its release orders them."""
    column = variant.tables.quasi_identifiers[index]
    ground = column.ground.c
    values = select(ground.level_0.label("place"), ground.label.label("text"), ground.value).subquery()
    return Axis(column.kind, column.scale, values, column.values)


def before_and_after(store: Store, variant: KeptVariant, index: int) -> Query:
    """Count the records of each value, and those that a reader would guess.

    The records of a released value are shared evenly by all values that it covers; those of suppressed records are
    nobody's.

    Returns
    -------
    Select, one row per value
        ``place, first, second``.
    """
    column, name = variant.tables.quasi_identifiers[index], variant.tables.interval_names[index]
    before, after = variant.tables.combinations, variant.tables.equivalence
    true = select(before.c[name].label("place"), func.sum(before.c.size).label("records"))
    truth = true.group_by(before.c[name]).subquery()
    told = select(after.c[name].label("interval_id"), func.sum(after.c.size).label("records"))
    cells = store.create("cells", told.where(~after.c.suppressed).group_by(after.c[name]))
    interval, ground = column.intervals, column.ground
    # The root stands for every value, also for those that its bounds leave out.
    stands_for = or_(interval.c.interval_id == column.root, covered(interval, ground))
    joined: FromClause = cells.join(interval, interval.c.interval_id == cells.c.interval_id).join(ground, stands_for)
    values = func.count().over(partition_by=cells.c.interval_id)
    shared = select(ground.c.level_0, (cast(cells.c.records, Double) / values).label("share")).select_from(joined)
    shares = shared.subquery()
    guess = select(shares.c.level_0, func.sum(shares.c.share).label("records")).group_by(shares.c.level_0).subquery()
    counts = select(truth.c.place, truth.c.records.label("first"), func.coalesce(guess.c.records, 0.0).label("second"))
    return counts.join_from(truth, guess, guess.c.level_0 == truth.c.place, isouter=True)
