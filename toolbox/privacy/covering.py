"""The people whom each class of finished tables covers, counted from what its generalised values stand for.

Nothing of this is known to a method: a class covers a person if each of its intervals takes the person's value in, also
where the cells of several classes overlap. `toolbox check` counts the same on the texts of a release.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, cast, func, literal, or_, select

from toolbox.errors import UsageError
from toolbox.queries.labels import covered
from toolbox.queries.query import Query, Table
from toolbox.store.fitting import Side, covered_weights, fitting, side
from toolbox.store.store import Store
from toolbox.store.tables import Tables


def covered_people(final: Tables, seen: Table | None) -> Table:
    """Count the people of the population whom each class covers; suppressed records form no class.

    Parameters
    ----------
    seen : Table, optional
        ``equivalence_id, seen_id, suppressed``: the classes that a reader tells apart. Where two have the same texts,
        the fewer people count.

    Returns
    -------
    Table
        ``equivalence_id, size, outside``, with the people whom no class covers.

    Raises
    ------
    UsageError
        If there is no population.
    """
    if final.population is None:
        raise UsageError("The model compares classes with a population, and none is given.")
    store, names = final.store, final.interval_names
    people = side(store, final.population.combinations, "combination_id", names)
    classes = side(store, final.equivalence, "equivalence_id", names, where=~final.equivalence.c.suppressed)
    spans = [store.create("spans", _spans(final, index)) for index, _ in enumerate(names)]
    fits = fitting(store, people, classes, spans)
    found = covered_weights(people, classes, fits, len(names)).subquery().c
    counted = store.create("covered", select(found.id.label("equivalence_id"), found.covered.label("size")))
    outside = final.population.figures.people - _inside(store, people, fits, f"prefix_{len(names)}")
    store.drop(*spans, fits, people.table, classes.table)
    nobody = cast(literal(outside), BigInteger).label("outside")
    if seen is None:
        return store.create("people", select(*counted.c, nobody))
    as_seen = counted.join(seen, seen.c.equivalence_id == counted.c.equivalence_id)
    fewest = func.min(counted.c.size).label("size")
    rows = select(seen.c.seen_id.label("equivalence_id"), fewest, nobody).select_from(as_seen)
    as_a_reader = store.create("people", rows.group_by(seen.c.seen_id))
    store.drop(counted)
    return as_a_reader


def _spans(final: Tables, index: int) -> Query:
    """List what the intervals of released classes take in: ``cell_id, first, last``, in runs of ground values."""
    column, equivalence = final.quasi_identifiers[index], final.equivalence
    shown = select(equivalence.c[final.interval_names[index]].label("shown")).where(~equivalence.c.suppressed)
    used, interval, ground = shown.distinct().subquery(), column.intervals, column.ground
    # What a hierarchy does not know, such as a missing value, is below its root all the same.
    is_covered = or_(interval.c.interval_id == column.root, func.coalesce(covered(interval, ground), False))
    place = ground.c.level_0
    in_order = func.row_number().over(partition_by=interval.c.interval_id, order_by=place)
    rows = (
        select(interval.c.interval_id, place, (place - in_order).label("run"))
        .join_from(used, interval, interval.c.interval_id == used.c.shown)
        .join(ground, is_covered)
        .subquery()
    )
    ends = func.min(rows.c.level_0).label("first"), func.max(rows.c.level_0).label("last")
    return select(rows.c.interval_id.label("cell_id"), *ends).group_by(rows.c.interval_id, rows.c.run)


def _inside(store: Store, people: Side, fits: Table, last: str) -> int:
    """Count the people whom any class covers."""
    person = people.table
    is_inside = person.c[last].in_(select(fits.c.value))
    return int(store.scalar(select(func.coalesce(func.sum(person.c.weight), 0)).where(is_inside)))
