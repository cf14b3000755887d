"""The order in which the toolbox of 2010 added up the records of a class: the last digits of a sum depend on it."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import FromClause, func, select

from toolbox.queries.query import Query, Table
from toolbox.store.tables import Tables

Levels = tuple[int, ...]


def original_turns(tables: Tables, *, stepwise: bool) -> Table:
    """Return, for each record, its turn in the sums of the toolbox of 2010.

    The original read a class in the order of its database. Where it had generalised whole columns, it had copied the
    records into a new table, combination after combination, in the order in which these first occur. Datafly did so
    anew at every step, with the classes of the step before. All other methods left the records in their order.

    Parameters
    ----------
    stepwise : bool
        Whether whole columns were generalised step by step, as by Datafly, and not at once, as by Incognito.

    Returns
    -------
    Table, one row per record
        ``equivalence_id, combination_id, turn``; records of one combination, whose values agree, may share a turn.
    """
    store, record = tables.store, tables.anon_record
    columns = (record.c.equivalence_id, record.c.combination_id)
    if not any(tables.levels or ()):
        return store.create("turns", select(*columns, record.c.record_id.label("turn")))
    appeared = select(record.c.combination_id, func.min(record.c.record_id).label("turn"))
    order = store.create("order", appeared.group_by(record.c.combination_id))
    for levels in _steps(tables) if stepwise else ():
        following = store.create("order", _copied(tables, levels, order))
        store.drop(order)
        order = following
    same = order.c.combination_id == record.c.combination_id
    turns = store.create("turns", select(*columns, order.c.turn).join_from(record, order, same))
    store.drop(order)
    return turns


def _steps(tables: Tables) -> Iterator[Levels]:
    """List the levels between the ungeneralised table and the finished one, as Datafly reaches them.

    Of the columns that are not yet at their level, the most varied one goes up; ties: the first in the configuration.
    """
    assert tables.levels is not None
    varied = [
        tables.store.row(select(*(func.count(attribute.level(level).distinct()) for level in range(last + 1))))
        for attribute, last in zip(tables.quasi_identifiers, tables.levels, strict=True)
    ]
    levels = [0] * len(varied)
    while True:
        waiting = [index for index, last in enumerate(tables.levels) if levels[index] < last]
        levels[max(waiting, key=lambda index: (varied[index][levels[index]], -index))] += 1
        if tuple(levels) == tables.levels:
            return
        yield tuple(levels)


def _copied(tables: Tables, levels: Levels, order: Table) -> Query:
    """Order combinations by class, and the classes by their first combinations: ``combination_id, turn``."""
    combination = tables.combinations
    joined: FromClause = combination.join(order, order.c.combination_id == combination.c.combination_id)
    generalised = []
    for attribute, level, name in zip(tables.quasi_identifiers, levels, tables.interval_names, strict=True):
        ground = attribute.ground.alias()
        joined = joined.join(ground, ground.c.level_0 == combination.c[name])
        generalised.append(ground.c[f"level_{level}"])
    first = func.min(order.c.turn).over(partition_by=generalised)
    classed = select(order.c.combination_id, order.c.turn, first.label("first")).select_from(joined).subquery()
    turn = func.row_number().over(order_by=(classed.c.first, classed.c.turn))
    return select(classed.c.combination_id, turn.label("turn"))
