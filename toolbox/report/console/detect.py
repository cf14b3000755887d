"""The tables of `detect`: the subsets with most singletons, and the columns."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from toolbox.detection.election import Detection
from toolbox.report.console.tables import plain_table, print_notes

_MOST_IDENTIFIERS = 20


def print_detection(console: Console, detection: Detection, *, top: int, notes: Sequence[str]) -> None:
    """Print the columns that identify people.

    Parameters
    ----------
    top : int
        How many subsets to show.
    """
    best = detection.best
    console.print(f"[bold]records[/]           {detection.records:,}, of which {detection.complete:,} lack no value")
    console.print(f"[bold]identifiers[/]       {_identifiers(detection)}", soft_wrap=True)
    columns = " or ".join(escape(", ".join(subset.columns)) for subset in best[:3]) or "none"
    figures = f": {best[0].singletons:,} singletons ({best[0].share:.2%})" if best else ""
    console.print(f"[bold]quasi-identifier[/]  {columns}{figures}\n", soft_wrap=True)
    if detection.subsets:
        console.print(_subsets_table(detection, top))
    console.print(_columns_table(detection))
    print_notes(console, notes)


def _identifiers(detection: Detection) -> str:
    shown = [escape(" + ".join(columns)) for columns in detection.identifiers[:_MOST_IDENTIFIERS]]
    more = len(detection.identifiers) - len(shown)
    return ", ".join([*shown, *([f"and {more:,} more"] if more else [])]) or "none"


def _subsets_table(detection: Detection, top: int) -> Table:
    count = len(detection.subsets)
    title = f"the subsets with most singletons, {min(top, count):,} of {count:,}"
    names = ("singletons", "", "distinct", "ratio", "separated", "risk", "columns")
    table = plain_table(title, *names, numbers=frozenset(range(6)))
    for subset in detection.subsets[:top]:
        table.add_row(
            f"{subset.singletons:,}",
            f"{subset.share:.2%}",
            f"{subset.distinct:,}",
            f"{subset.distinct_ratio:.4f}",
            f"{subset.separation_ratio:.6f}",
            f"{subset.largest_risk:.2g}",
            escape(", ".join(subset.columns)),
        )
    return table


def _columns_table(detection: Detection) -> Table:
    """Make the table of the columns; those that add most come first."""
    names = ("values", "missing", "alone", "adds", "best without", "column")
    title = "the columns: singletons of each alone, those that it adds on average, those of the best without it"
    table = plain_table(title, *names, numbers=frozenset(range(5)))
    for column in sorted(detection.columns, key=lambda column: (not column.is_identifier, -(column.adds or 0.0))):
        figures = (column.singletons, None if column.adds is None else round(column.adds, 1), column.without)
        shown = ("" if figure is None else f"{figure:,}" for figure in figures)
        name = f"{column.name} (identifier)" if column.is_identifier else column.name
        table.add_row(f"{column.values:,}", f"{column.missing:,}", *shown, escape(name))
    return table
