"""genValsDist: genVals with the statistics of the class behind each quasi-identifier: mean and variance, or shares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Double,
    FromClause,
    Integer,
    String,
    and_,
    case,
    cast,
    func,
    literal,
    null,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Config
from toolbox.queries.cells import format_java_number
from toolbox.queries.dialect import Query, Table, choose_any_value, is_finite, is_nan
from toolbox.queries.scales import Scale
from toolbox.release.files.part import Notation, Part, Solved
from toolbox.release.formats.gen_vals import build_records_part, create_class_labels
from toolbox.store.input.layout import Layout
from toolbox.store.tables import QuasiIdentifierTables, Tables

# The statistics: mean and variance of numbers, the distribution of categories.

_DIGITS = 6
"""Behind the point of rounded statistics."""


class ClassStatistics(NamedTuple):
    """The statistics of the classes."""

    table: Table
    """``equivalence_id, statistics_1 ..``, one row per class."""
    solved: tuple[Solved, ...] = ()
    """For each column of numbers that can be looked at, how many classes give their values back."""


def describe_class_statistics(
    tables: Tables, *, least_suppressed: int, turns: Table | None = None, rounds_for: int | None = None
) -> ClassStatistics:
    """Describe each class in each quasi-identifier.

    Parameters
    ----------
    least_suppressed : int
        Fewest suppressed records that are described; or persons, where these are declared.
    turns : Table, optional
        ``equivalence_id, combination_id, turn`` of every record, in whose turn all are added up, one after the other;
        then the statistics have the last digits of the toolbox of 2010, and its notation of numbers.

    rounds_for : int, optional
        Rounds numbers so that at least this many multisets of values have the statistics of a class, and tells nothing
        of categories, whose shares are their values; None: all is told exactly.

    Returns
    -------
    ClassStatistics
        ``mean:variance`` (population variance) of numbers, ``p_0:p_1:..`` of categories, shares of the class in code
        order. Null for suppressed classes that are too small, and where rounding does not help.
    """
    store, equivalence, persons = tables.store, tables.equivalence, tables.persons
    suppressed = equivalence.c.size if persons is None else literal(persons.suppressed or 0)
    placed = store.create("placed", tables.placed())
    joined: FromClause = equivalence
    columns, solvable = [], []
    for index, attribute in enumerate(tables.quasi_identifiers, start=1):
        values = _count_class_values(tables, placed, attribute, f"interval_{index}")
        if attribute.kind == "category" and rounds_for is None:
            described = _write_distribution(values, attribute, as_java=turns is not None).subquery()
        elif rounds_for is not None:
            described = _write_rounded(tables, values, index, rounds_for).subquery()
        elif turns is None:
            described = _write_moments(values, attribute.scale).subquery()
            solvable += _count_solved(tables, values, index)
        else:
            described = _write_moments_in_turn(
                _select_values_in_turn(tables, turns, attribute, f"interval_{index}")
            ).subquery()
        joined = joined.outerjoin(
            described,
            and_(
                described.c.equivalence_id == equivalence.c.equivalence_id,
                or_(~equivalence.c.suppressed, suppressed >= least_suppressed),
            ),
        )
        columns.append(described.c.statistics.label(f"statistics_{index}"))
    statistics = store.create("statistics", select(equivalence.c.equivalence_id, *columns).select_from(joined))
    store.drop(placed)
    return ClassStatistics(statistics, tuple(solvable))


def _count_solved(tables: Tables, values: FromClause, index: int) -> list[Solved]:
    # Counting needs numpy, which takes long to import.
    from toolbox.release.formats.solvable import count_solved_classes, fetch_class_values

    classes = fetch_class_values(tables, values, index)
    return [] if classes is None else [count_solved_classes(tables.quasi_identifiers[index - 1].name, classes)]


def _write_rounded(tables: Tables, values: FromClause, index: int, k: int) -> Query:
    """Write rounded statistics, with at most six digits behind the point."""
    from toolbox.release.formats.solvable import fetch_class_values, round_statistics

    is_number = tables.quasi_identifiers[index - 1].kind == "number"
    classes = fetch_class_values(tables, values, index) if is_number else None
    if classes is None:
        nothing = cast(null(), String).label("statistics")
        return select(tables.equivalence.c.equivalence_id, nothing).where(literal(False))
    mean, variance, _ = round_statistics(classes, k)
    table = tables.store.from_arrays(
        "rounded", {"equivalence_id": classes.equivalence_id, "mean": mean, "variance": variance}
    )
    told = [cast(func.round(table.c[name], _DIGITS), String) for name in ("mean", "variance")]
    text = func.concat(told[0], ":", told[1]).label("statistics")
    return select(table.c.equivalence_id, text).where(~is_nan(table.c.mean))


def _count_class_values(tables: Tables, placed: Table, attribute: QuasiIdentifierTables, interval: str) -> FromClause:
    """Count each ground value in each class: ``equivalence_id, value, records``."""
    combination = tables.combinations
    joined = placed.join(combination, combination.c.combination_id == placed.c.combination_id).join(
        attribute.ground, attribute.ground.c.level_0 == combination.c[interval]
    )
    keys = (placed.c.equivalence_id, attribute.ground.c.value)
    records = cast(func.sum(placed.c.size), Double).label("records")
    return select(*keys, records).select_from(joined).group_by(*keys).subquery()


def _write_moments(values: FromClause, scale: Scale) -> Query:
    """Write mean and population variance; the variance in a second pass over the deviations, for precision."""

    def summed(each: ColumnElement[Any]) -> ColumnElement[Any]:
        # In their order: the last digit must not depend on the order in which the engine comes to the values.
        return func.sum(aggregate_order_by(each * values.c.records, values.c.value))

    total = func.sum(values.c.records)
    mean = summed(values.c.value) / total
    # Of very large numbers the sum is beyond the largest, though the mean is not.
    scaled = summed(values.c.value / 2**64) / total * 2**64
    weighted = case((is_finite(mean), mean), else_=scaled)
    means = select(values.c.equivalence_id, weighted.label("mean")).group_by(values.c.equivalence_id).subquery()
    deviation = values.c.value - means.c.mean
    variance = summed(deviation * deviation) / func.sum(values.c.records)
    text = func.concat(scale.text(choose_any_value(means.c.mean)), ":", scale.variance(cast(variance, Double)))
    return (
        select(values.c.equivalence_id, text.label("statistics"))
        .join_from(values, means, means.c.equivalence_id == values.c.equivalence_id)
        .group_by(values.c.equivalence_id)
    )


def _select_values_in_turn(tables: Tables, turns: Table, attribute: QuasiIdentifierTables, interval: str) -> FromClause:
    """Select the value of every record with its class: ``equivalence_id, value, turn``."""
    combination = tables.combinations
    joined = turns.join(combination, combination.c.combination_id == turns.c.combination_id).join(
        attribute.ground, attribute.ground.c.level_0 == combination.c[interval]
    )
    return select(turns.c.equivalence_id, attribute.ground.c.value, turns.c.turn).select_from(joined).subquery()


def _write_moments_in_turn(values: FromClause) -> Query:
    """Write mean and population variance of sums that are rounded after every record."""

    def average(each: ColumnElement[float]) -> ColumnElement[float]:
        return func.sum(aggregate_order_by(each, values.c.turn)) / func.count()

    averages = select(values.c.equivalence_id, average(values.c.value).label("mean"))
    means = averages.group_by(values.c.equivalence_id).subquery()
    deviation = values.c.value - means.c.mean
    text = func.concat(
        format_java_number(choose_any_value(means.c.mean)), ":", format_java_number(average(deviation * deviation))
    )
    return (
        select(values.c.equivalence_id, text.label("statistics"))
        .join_from(values, means, means.c.equivalence_id == values.c.equivalence_id)
        .group_by(values.c.equivalence_id)
    )


def _write_distribution(values: FromClause, attribute: QuasiIdentifierTables, *, as_java: bool) -> Query:
    """Write the share of each category, zeros included, in code order."""
    totals = (
        select(values.c.equivalence_id, func.sum(values.c.records).label("records"))
        .group_by(values.c.equivalence_id)
        .subquery()
    )
    joined = totals.join(attribute.codes, literal(True)).outerjoin(
        values, and_(values.c.equivalence_id == totals.c.equivalence_id, values.c.value == attribute.codes.c.value)
    )
    share = cast(func.coalesce(values.c.records, 0) / totals.c.records, Double)
    written = format_java_number(share) if as_java else cast(share, String)
    text = func.string_agg(written, aggregate_order_by(literal(":"), attribute.codes.c.value))
    return (
        select(totals.c.equivalence_id, text.label("statistics")).select_from(joined).group_by(totals.c.equivalence_id)
    )


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

    Statistics of suppressed records are left empty where there are fewer than k, or records of fewer than k persons:
    they would tell their very values.

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


# What becomes of each combination, as two tables: for whoever holds the records and writes the release.

_NOT_SHOWN = ("equivalence_id", "size", "suppressed")


class MappingTables(NamedTuple):
    """A release without its records."""

    keys: Table
    """``key, class_id``: each key of the combinations that are released."""
    classes: Table
    """``class_id, size, suppressed, label_1 ..`` and, with statistics, ``statistics_1 ..``: one row for all classes
    that show the same, numbered from 0 in the order of their texts."""
    shown: tuple[str, ...]
    """The columns of texts, by which readers tell classes apart."""
    solved: tuple[Solved, ...] = ()
    """For each column of numbers with statistics, how many classes give their values back."""


def build_mapping(tables: Tables, config: Config) -> MappingTables:
    """Return what becomes of each combination.

    Suppressed classes are a row of their own, or none where suppressed records are dropped.

    Parameters
    ----------
    tables : Tables
        Proved, and with keys.
    """
    store, keys = tables.store, tables.keys
    assert keys is not None, "the class of a record follows from its combination"
    if config.output.format.has_statistics:
        texts, solved = describe_class_labels(tables, config)
    else:
        texts, solved = create_class_labels(tables), ()
    labels = texts.subquery()
    shown = [column for column in labels.c if column.name not in _NOT_SHOWN]
    place = func.dense_rank().over(order_by=[labels.c.suppressed, *shown])
    rows = select(*labels.c, cast(place - 1, Integer).label("class_id"))
    if config.output.suppressed == "drop":
        rows = rows.where(~labels.c.suppressed)
    numbered = store.create("numbered", rows)
    same = numbered.c.equivalence_id == keys.c.equivalence_id
    mapped = store.create("mapping", select(keys.c.key, numbered.c.class_id).join_from(keys, numbered, same))
    size = cast(func.sum(numbered.c.size), BigInteger).label("size")
    alike = [
        choose_any_value(numbered.c[name]).label(name) for name in ("suppressed", *(column.name for column in shown))
    ]
    classes = select(numbered.c.class_id, size, *alike).group_by(numbered.c.class_id).order_by(numbered.c.class_id)
    created = store.create("classes", classes)
    store.drop(numbered)
    return MappingTables(mapped, created, tuple(column.name for column in shown), solved)
