"""genValsDist: genVals with the statistics of the class behind each quasi-identifier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from sqlalchemy import FromClause, func, select

from toolbox.config.model import Config
from toolbox.queries.query import Query, Table
from toolbox.release.files.part import Notation, Part, Solved
from toolbox.release.formats.gen_vals import build_records_part, create_class_labels
from toolbox.release.formats.statistics import describe_class_statistics
from toolbox.store.input.layout import Layout
from toolbox.store.tables import Tables

# The order in which the toolbox of 2010 added up the records of a class: the last digits of a sum depend on it.

Levels = tuple[int, ...]


def assign_original_turns(tables: Tables, *, stepwise: bool) -> Table:
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
    for levels in _list_datafly_steps(tables) if stepwise else ():
        following = store.create("order", _order_combinations(tables, levels, order))
        store.drop(order)
        order = following
    same = order.c.combination_id == record.c.combination_id
    turns = store.create("turns", select(*columns, order.c.turn).join_from(record, order, same))
    store.drop(order)
    return turns


def _list_datafly_steps(tables: Tables) -> Iterator[Levels]:
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


def _order_combinations(tables: Tables, levels: Levels, order: Table) -> Query:
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


# genValsDist: genVals with the statistics of the class behind each quasi-identifier.

_STEPWISE = "Datafly"
"""The method that in 2010 generalised whole columns step by step, on which the last digits depend."""


def build_values_with_statistics(
    tables: Tables, layout: Layout, config: Config, notation: Notation | None = None
) -> list[Part]:
    """Return the only table of the format.

    Statistics of suppressed records are left empty where there are fewer than k: they would tell their very values.

    References
    ----------
    Inan, Kantarcioglu and Bertino (2009). Using anonymized data for classification. doi:10.1109/ICDE.2009.19
    """
    if config.compatibility.shows_statistics_alone:
        return [_build_statistics_table(tables, layout, config, notation)]
    described = describe_class_labels(tables, config)
    part = build_records_part(tables, layout, config, notation, described.texts, shows=("label", "statistics"))
    return [replace(part, solved=described.solved)]


class DescribedLabels(NamedTuple):
    """What readers of a release see of each class."""

    texts: Query
    """``equivalence_id, size, suppressed, label_1 .., statistics_1 ..``."""
    solved: tuple[Solved, ...]
    """For each column of numbers that can be looked at, how many classes give their values back."""


def describe_class_labels(tables: Tables, config: Config) -> DescribedLabels:
    """Describe each class by its labels and its statistics."""
    rounds_for = config.k if config.output.statistics == "rounded" else None
    described = describe_class_statistics(tables, least_suppressed=config.k, rounds_for=rounds_for)
    return DescribedLabels(_join_statistics(tables, described.table), described.solved)


def _build_statistics_table(tables: Tables, layout: Layout, config: Config, notation: Notation | None) -> Part:
    """Return a table with statistics in the place of quasi-identifiers, as the toolbox of 2010 wrote it."""
    turns = assign_original_turns(tables, stepwise=config.method == _STEPWISE)
    texts = _join_statistics(tables, describe_class_statistics(tables, least_suppressed=0, turns=turns).table)
    tables.store.drop(turns)
    return build_records_part(tables, layout, config, notation, texts, shows=("statistics",))


def _join_statistics(tables: Tables, statistics: Table) -> Query:
    """Join the statistics of each class to its labels."""
    labels = create_class_labels(tables).subquery()
    columns = [column for column in statistics.c if column.name != "equivalence_id"]
    same = statistics.c.equivalence_id == labels.c.equivalence_id
    return select(*labels.c, *columns).join_from(labels, statistics, same)
