"""The tables of `measure`: the metrics of the whole table, and those of each quasi-identifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from toolbox.loss.metric import Measure
from toolbox.report.console.tables import plain_table, print_notes

_METRICS_ACROSS = 4
"""Metrics side by side, so that their names fit a terminal."""


def print_losses(console: Console, *, records: int, measures: Sequence[Measure], notes: Sequence[str]) -> None:
    """Print what a release has lost; `LossReport` explains the figures."""
    console.print(f"[bold]records[/]  {records:,}\n")
    console.print(_whole_table([measure for measure in measures if measure.attribute is None]))
    for table in _column_tables([measure for measure in measures if measure.attribute is not None]):
        console.print(table)
    print_notes(console, notes)


def _whole_table(measures: Sequence[Measure]) -> Table:
    table = plain_table("the table", "metric", "value", "unit", "better is", numbers=frozenset({1}))
    for measure in measures:
        table.add_row(escape(measure.name), _figure(measure.value), escape(measure.unit), measure.direction)
    return table


def _column_tables(measures: Sequence[Measure]) -> Iterator[Table]:
    """Yield tables of the quasi-identifiers, a few metrics in each."""
    metrics = list(dict.fromkeys(measure.name for measure in measures))
    columns = list(dict.fromkeys(str(measure.attribute) for measure in measures))
    values = {(measure.name, measure.attribute): measure.value for measure in measures}
    for first in range(0, len(metrics), _METRICS_ACROSS):
        across = metrics[first : first + _METRICS_ACROSS]
        title = "" if first else "each quasi-identifier"
        table = plain_table(title, "", *across, numbers=frozenset(range(1, len(across) + 1)))
        for column in columns:
            shown = (values.get((metric, column)) for metric in across)
            table.add_row(escape(column), *("" if value is None else _figure(value) for value in shown))
        yield table


def _figure(value: float) -> str:
    """Write a figure: whole numbers whole, others with four significant digits.

    Examples
    --------
    >>> _figure(67949026.0), _figure(0.41210033), _figure(145306.5619)
    ('67,949,026', '0.4121', '145,307')
    """
    if float(value).is_integer() or abs(value) >= 10_000:
        return f"{value:,.0f}"
    return f"{value:.4g}"
