"""genValsDist: genVals with the statistics of the class behind each quasi-identifier."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from sqlalchemy import select

from toolbox.config.model import Config
from toolbox.queries.query import Query, Table
from toolbox.release.formats.one_table import labels_of_classes, records_part
from toolbox.release.notation import Notation
from toolbox.release.original_order import original_turns
from toolbox.release.part import Part
from toolbox.release.solved import Solved
from toolbox.release.statistics import class_statistics
from toolbox.store.layout import Layout
from toolbox.store.tables import Tables

_STEPWISE = "Datafly"
"""The method that in 2010 generalised whole columns step by step, on which the last digits depend."""


def general_values_with_statistics(
    tables: Tables, layout: Layout, config: Config, notation: Notation | None = None
) -> list[Part]:
    """Return the only table of the format.

    Statistics of suppressed records are left empty where there are fewer than k: they would tell their very values.

    References
    ----------
    Inan, Kantarcioglu and Bertino (2009). Using anonymized data for classification. doi:10.1109/ICDE.2009.19
    """
    if config.compatibility.shows_statistics_alone:
        return [_statistics_alone(tables, layout, config, notation)]
    described = labels_with_statistics(tables, config)
    part = records_part(tables, layout, config, notation, described.texts, shows=("label", "statistics"))
    return [replace(part, solved=described.solved)]


class DescribedLabels(NamedTuple):
    """What readers of a release see of each class."""

    texts: Query
    """``equivalence_id, size, suppressed, label_1 .., statistics_1 ..``."""
    solved: tuple[Solved, ...]
    """For each column of numbers that can be looked at, how many classes give their values back."""


def labels_with_statistics(tables: Tables, config: Config) -> DescribedLabels:
    """Describe each class by its labels and its statistics."""
    rounds_for = config.k if config.output.statistics == "rounded" else None
    described = class_statistics(tables, least_suppressed=config.k, rounds_for=rounds_for)
    return DescribedLabels(_beside_labels(tables, described.table), described.solved)


def _statistics_alone(tables: Tables, layout: Layout, config: Config, notation: Notation | None) -> Part:
    """Return a table with statistics in the place of quasi-identifiers, as the toolbox of 2010 wrote it."""
    turns = original_turns(tables, stepwise=config.method == _STEPWISE)
    texts = _beside_labels(tables, class_statistics(tables, least_suppressed=0, turns=turns).table)
    tables.store.drop(turns)
    return records_part(tables, layout, config, notation, texts, shows=("statistics",))


def _beside_labels(tables: Tables, statistics: Table) -> Query:
    """Join the statistics of each class to its labels."""
    labels = labels_of_classes(tables).subquery()
    columns = [column for column in statistics.c if column.name != "equivalence_id"]
    same = statistics.c.equivalence_id == labels.c.equivalence_id
    return select(*labels.c, *columns).join_from(labels, statistics, same)
