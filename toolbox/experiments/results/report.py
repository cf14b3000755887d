"""What `experiment` says: tables for people, and the document for machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from toolbox.experiments.cells.measuring import RISKS
from toolbox.experiments.results.results import Results, each_of, is_known
from toolbox.loss.metric import abbreviate_name
from toolbox.messages import format_count
from toolbox.report.console import ConsoleReport, ResultTable, make_table, print_notes
from toolbox.report.runs.compare import KEPT

if TYPE_CHECKING:
    import pandas as pd


# What `experiment` says: tables for people, and the document for machines.

_TOLD = ("data", "method", "required", "repetition", "kind", "metric", "learner", "reason")


@dataclass(frozen=True, kw_only=True, repr=False)
class ExperimentReport(Results, ConsoleReport):
    """The results of a study, and how they are shown."""

    def show_on(self, console: Any) -> None:
        """Print the tables on a console of rich."""
        print_experiment(console, self)

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command ``experiment``; its names are stable."""
        failed: list[dict[str, Any]] = [dict(row) for row in self.failed]
        return {
            "toolbox_version": self.versions["toolbox"],
            "name": self.name,
            "cells": self.cells,
            "reused": self.reused,
            "versions": dict(self.versions),
            "folder": None if self.folder is None else str(self.folder),
            "summary": _list_records(self.summary),
            "correlations": _list_records(self.correlations),
            "failed": [{name: row[name] for name in _TOLD} for row in failed],
            "timings": dict(self.timings),
            "notes": list(self.notes),
        }


def _list_records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    import pandas as pd

    filled = frame.astype(object).where(pd.notna(frame), None)
    return [dict(zip(filled.columns, map(_convert_number, row), strict=True)) for row in filled.itertuples(index=False)]


def _convert_number(value: Any) -> Any:
    """Return a number of numpy as one of Python."""
    return value.item() if hasattr(value, "item") else value


# What `experiment` prints: the cells with their figures, correlations, what could not be done.

_MOST = 40
"""Cells that are shown; the files have all."""
_LONGEST_NAME = 32
_SEVERAL, _LARGE = 100, 1e6
"""From where a figure has no decimals, and from where it is shown with its power of ten."""
_BESIDE = ("classes", "suppressed records", RISKS[1])
"""What is shown beside the losses."""


def print_experiment(console: Console, report: Results) -> None:
    """Print a report."""
    console.print(f"{escape(report.name)}: {report.headline()}", soft_wrap=True)
    for data, cells in report.summary.groupby("data", sort=False):
        measured = cells[(cells["kind"] == "loss") | cells["metric"].isin(_BESIDE)]
        console.print(_render_table(str(data), measured, [_format_head(name) for name in measured["metric"]]))
        scores = cells[cells["kind"] == "utility"]
        if len(scores):
            heads = [_score(each.learner, each.metric) for each in each_of(scores)]
            console.print(_render_table(f"{data}: what learners make of it, mean over splits", scores, heads))
    for head, meaning in _make_legend(report.summary).items():
        console.print(f"[bold]{escape(head)}[/] {escape(meaning)}", soft_wrap=True)
    for data, correlations in report.correlations.groupby("data", sort=False):
        console.print(_render_correlations_table(str(data), correlations))
    if report.failed:
        console.print(_render_faults_table(report))
    print_notes(console, report.notes)
    if report.folder is not None:
        console.print(f"written {escape(str(report.folder))}", soft_wrap=True)


def _render_table(title: str, figures: pd.DataFrame, heads: Sequence[str]) -> ResultTable:
    """Return a table with a row for each cell, and a column for each head."""
    rows: dict[tuple[str, str, int], dict[str, float]] = {}
    for each, head in zip(each_of(figures), heads, strict=True):
        rows.setdefault((each.method, each.required, each.repetition), {})[head] = float(each.value)
    repeated = max((repetition for *_, repetition in rows), default=1) > 1
    first = ["method", "required", *(["run"] if repeated else [])]
    columns = list(dict.fromkeys(heads))
    left_out = f", the first {_MOST} of {format_count(len(rows), 'cell')}" if len(rows) > _MOST else ""
    numbers = frozenset(range(len(first), len(first) + len(columns)))
    table = make_table(f"{title}{left_out}", *first, *columns, numbers=numbers)
    for place, texts in enumerate(zip(*rows, strict=True)):
        # A list of models may be broken, a name not.
        if place < len(table.heads) and max(len(str(text)) for text in texts) <= _LONGEST_NAME:
            table.unbroken.add(place)
    for (method, required, repetition), values in list(rows.items())[:_MOST]:
        shown = [_format_figure(values[head]) if head in values else "-" for head in columns]
        table.add_row(method, required, *([str(repetition)] if repeated else []), *shown)
    return table


def _format_figure(value: float) -> str:
    if abs(value) >= _LARGE:
        return f"{value:.2e}"
    return f"{value:,.0f}" if abs(value) >= _SEVERAL else f"{value:.3g}"


def _format_head(metric: str) -> str:
    return {"suppressed records": "sup-\npressed", KEPT: "kept", RISKS[1]: "found"}.get(metric) or abbreviate_name(
        metric
    )


def _score(learner: str, score: str) -> str:
    return f"{learner}\n{score}"


def _make_legend(summary: pd.DataFrame) -> dict[str, str]:
    """Return the meanings of the heads of losses and risks."""
    losses = summary[summary["kind"] == "loss"].drop_duplicates("metric")
    said = {
        _format_head(each.metric): f"{each.metric}, {each.unit}: {each.direction} is better" for each in each_of(losses)
    }
    if RISKS[1] not in set(summary["metric"]):
        return said
    return {**said, "found": "share of the records that an attacker assigns to the right people, if all are tried"}


def _render_faults_table(report: Results) -> ResultTable:
    """Return a table of what could not be done; what has one reason stands together."""
    reasons: dict[tuple[str, str, str], list[str]] = {}
    for row in report.failed:
        cell = ", ".join(part for part in (row["data"], row["method"]) if part)
        what = row["learner"] or row["metric"] or "the run"
        reasons.setdefault((cell, what, row["reason"]), []).append(row["required"])
    table = make_table(format_count(len(report.failed), "fault"), "cells", "required", "what", "why")
    for (cell, what, why), required in list(reasons.items())[:_MOST]:
        table.add_row(cell, ", ".join(dict.fromkeys(required)), what, why)
    return table


def _render_correlations_table(data: str, correlations: pd.DataFrame) -> ResultTable:
    """Return a table with a row for each loss metric, and a column for each score of each learner."""
    heads = list(dict.fromkeys(_score(each.learner, each.score) for each in each_of(correlations)))
    title = f"{data}: rank correlation of each loss with the drop of each score"
    table = make_table(title, "loss metric", "better", *heads, numbers=frozenset(range(2, 2 + len(heads))))
    for names, group in correlations.groupby(["metric", "direction"], sort=False):
        figures = {_score(each.learner, each.score): each.spearman for each in each_of(group)}
        shown = (f"{figures[head]:+.2f}" if is_known(figures[head]) else "-" for head in heads)
        table.add_row(*(str(name) for name in names), *shown)
    return table
