"""What `experiment` prints: the cells with their figures, correlations, what could not be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from toolbox.loss.names import short_name
from toolbox.messages import counted
from toolbox.report.console.tables import plain_table, print_notes
from toolbox.report.html.parts import precise

if TYPE_CHECKING:
    import pandas as pd

    from toolbox.experiments.report import ExperimentReport

_MOST = 40
"""Cells that are shown; the files have all."""
_SIZES = ("records",)
"""What is the same for every cell."""


def print_experiment(console: Console, report: ExperimentReport) -> None:
    """Print a report."""
    console.print(f"{escape(report.name)}: {report.headline()}", soft_wrap=True)
    for data, cells in report.summary.groupby("data", sort=False):
        console.print(_cells_table(str(data), cells))
    if len(report.correlations):
        console.print(_correlations_table(report.correlations))
    if report.failed:
        table = plain_table(f"{counted(len(report.failed), 'fault')}", "cell", "what", "why")
        for row in report.failed[:_MOST]:
            cell = ", ".join(part for part in (row["data"], row["method"], row["required"]) if part)
            what = row["learner"] or row["metric"] or "the run"
            table.add_row(escape(cell), escape(what), escape(row["reason"]))
        console.print(table)
    print_notes(console, report.notes)
    if report.folder is not None:
        console.print(f"written {escape(str(report.folder))}", soft_wrap=True)


def _cells_table(data: str, cells: pd.DataFrame) -> Table:
    """Return a table with a row for each cell, and a column for each of its figures."""
    said = cells[~((cells["kind"] == "size") & cells["metric"].isin(_SIZES))]
    heads = [_head(*each) for each in said[["metric", "learner"]].drop_duplicates().itertuples(index=False)]
    rows: dict[tuple[str, str, int], dict[str, float]] = {}
    for each in said.itertuples(index=False):
        rows.setdefault((each.method, each.required, each.repetition), {})[_head(each.metric, each.learner)] = each.value
    repeated = max(repetition for *_, repetition in rows) > 1
    first = ["method", "required", *(["run"] if repeated else [])]
    left_out = f", the first {_MOST} of {counted(len(rows), 'cell')}" if len(rows) > _MOST else ""
    table = plain_table(
        f"{data}{left_out}", *first, *heads, numbers=frozenset(range(len(first), len(first) + len(heads)))
    )
    for (method, required, repetition), values in list(rows.items())[:_MOST]:
        figures = [precise(float(values[head])) if head in values else "-" for head in heads]
        number = [str(repetition)] if repeated else []
        table.add_row(escape(method), escape(required), *number, *figures)
    return table


def _head(metric: str, learner: str) -> str:
    words = metric if metric in ("AUROC", "classes") else short_name(metric) if len(metric) > 22 else metric
    return f"{words}, {learner}" if learner else words


def _correlations_table(correlations: pd.DataFrame) -> Table:
    title = "correlation of loss with the drop of scores, over cells"
    heads = ("data", "loss metric", "better", "score", "cells", "Pearson", "Spearman")
    table = plain_table(title, *heads, numbers=frozenset({4, 5, 6}))
    for each in correlations.itertuples(index=False):
        figures = ["-" if value != value or value is None else f"{value:+.2f}" for value in (each.pearson, each.spearman)]
        score = f"{each.score}, {each.learner}"
        table.add_row(
            *map(escape, (each.data, each.metric, each.direction, score)), f"{each.cells:,}", *figures
        )
    return table
