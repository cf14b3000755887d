"""The part of `risk` about statistics of classes: what mean, variance and distribution give back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, cast, func, select

from toolbox.config.model import QuasiIdentifier
from toolbox.flows.statistics_columns import StatisticsColumn
from toolbox.flows.tables import JudgedTables
from toolbox.hierarchy.interval import Interval
from toolbox.published.notations import interval_of, members_of, written_as
from toolbox.published.release import ROOT
from toolbox.published.tables import Comparison
from toolbox.risks.statistics.figures import SolvedStatistics, StatisticsRisk

if TYPE_CHECKING:
    from toolbox.queries.query import Table
    from toolbox.risks.statistics.windows import Grid, Label


def assess_statistics(tables: JudgedTables, beside: Comparison | None) -> StatisticsRisk | None:
    """Count the classes whose values follow from their statistics; None for a release without any.

    Parameters
    ----------
    tables : JudgedTables
        Read with statistics.
    beside : Comparison or None
        The release beside the original records, which tell what values there are.
    """
    if not tables.statistics:
        return None
    described = _described(tables)
    assess = {"moments": _moments, "distribution": _shares}
    columns = tuple(assess[column.kind](tables, described, column, place, beside) for place, column in _placed(tables))
    tables.store.drop(described)
    return StatisticsRisk(columns=columns)


def _placed(tables: JudgedTables) -> list[tuple[int, StatisticsColumn]]:
    """Return the columns with the numbers of their texts."""
    first = 1 + len(tables.release.quasi_identifiers) + len(tables.release.sensitive)
    return list(enumerate(tables.statistics, start=first))


def _described(tables: JudgedTables) -> Table:
    """Form the classes that readers can tell apart, by labels and statistics: ``text_1 .., size``."""
    counted = tables.records.counted
    numbers = range(1, len(tables.release.quasi_identifiers) + 1)
    texts = [counted.c[f"text_{number}"] for number in (*numbers, *(place for place, _ in _placed(tables)))]
    size = cast(func.sum(counted.c.size), BigInteger).label("size")
    return tables.store.create("described", select(*texts, size).group_by(*texts))


def _alike(tables: JudgedTables, described: Table, column: StatisticsColumn, place: int) -> Any:
    """Count the classes that look alike in one column and tell something: ``label, size, classes, told``."""
    label, told = described.c[f"text_{column.number + 1}"], described.c[f"text_{place}"]
    classes = cast(func.count(), BigInteger).label("classes")
    rows = select(label.label("label"), described.c.size, classes, told.label("told")).where(told.is_not(None))
    return tables.store.arrow(rows.group_by(label, described.c.size, told))


def _moments(
    tables: JudgedTables, described: Table, column: StatisticsColumn, place: int, beside: Comparison | None
) -> SolvedStatistics:
    from toolbox.risks.statistics.published import moments
    from toolbox.risks.statistics.solving import ClassFigures, solve_moments

    question = tables.question
    rows, attribute = _alike(tables, described, column, place), question.quasi_identifiers[column.number]
    labels, numbers = _encoded(rows["label"])
    figures = ClassFigures(
        numbers,
        rows["size"].to_numpy(),
        rows["classes"].to_numpy(),
        moments(rows["told"].combine_chunks(), question.figures.decimal),
    )
    named = _named_intervals(attribute)
    return solve_moments(
        tables.release.quasi_identifiers[column.number],
        figures,
        [_label(text, named, tables) for text in labels],
        cells=tables.release.records,
        grid=None if beside is None else _grid(beside, column.number),
        is_rounded=not question.by_name and question.config.output.statistics == "rounded",
    )


def _shares(
    tables: JudgedTables, described: Table, column: StatisticsColumn, place: int, beside: Comparison | None
) -> SolvedStatistics:
    from toolbox.risks.statistics.dividing import ClassShares, solve_shares
    from toolbox.risks.statistics.published import shares

    rows, attribute = _alike(tables, described, column, place), tables.question.quasi_identifiers[column.number]
    labels, numbers = _encoded(rows["label"])
    told = shares(rows["told"].combine_chunks())
    figures = ClassShares(numbers, rows["size"].to_numpy(), rows["classes"].to_numpy(), told)
    wide = {label for label, interval in _named_intervals(attribute).items() if interval.low < interval.high}
    is_wide = [text in (ROOT, "") or text in wide or members_of(text) is not None for text in labels]
    return solve_shares(tables.release.quasi_identifiers[column.number], figures, is_wide, cells=tables.release.records)


def _encoded(texts: Any) -> tuple[list[str], Any]:
    """Return the distinct texts of a column, and which of them each row has; no text is an empty one."""
    encoded = texts.combine_chunks().fill_null("").dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy()


def _named_intervals(attribute: QuasiIdentifier) -> Mapping[str, Interval]:
    """Return what the labels of a hierarchy stand for, the lowest node where several share one."""
    if attribute.hierarchy is None:
        return {}
    return {node.label: node.interval for node, _ in attribute.hierarchy.nodes()}


def _label(text: str, named: Mapping[str, Interval], tables: JudgedTables) -> Label | None:
    """Return what a text stands for; a suppressed cell may be any number."""
    from toolbox.risks.statistics.windows import Label

    if (node := named.get(text)) is not None:
        return Label(node, is_node=True)
    if text in (ROOT, ""):
        return Label(Interval(float("-inf"), float("inf")), is_node=True)
    interval = written_as(tables.question.figures, text) or interval_of(text)
    return None if interval is None else Label(interval, is_node=False)


def _grid(beside: Comparison, index: int) -> Grid | None:
    """Return the grid of the values that the people have; others may be listed."""
    from toolbox.risks.statistics.windows import grid_of

    values = beside.people.domains[index].values
    held = select(values.c.number).where(values.c.number.is_not(None), values.c.records > 0)
    numbers = beside.store.to_arrays(held)["number"]
    return grid_of(numbers) if len(numbers) else None
