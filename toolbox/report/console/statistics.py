"""The table of what statistics of classes give back."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from toolbox.report.console.tables import plain_table
from toolbox.report.statistics import solved_in_words
from toolbox.risks.statistics.figures import StatisticsRisk


def print_statistics(console: Console, found: StatisticsRisk) -> None:
    """Print which values follow from statistics; `StatisticsRisk` explains the figures."""
    table = plain_table(
        "values that follow from the statistics of their class",
        *("column", "classes", "solved", "not decided", "cells disclosed", "", "tried"),
        numbers=frozenset(range(1, 6)),
    )
    for column in found.columns:
        counts = (column.classes, column.solved, column.undecided, column.cells_disclosed)
        share = f"{column.share_disclosed:.2%}"
        table.add_row(escape(column.column), *(f"{count:,}" for count in counts), share, solved_in_words(column))
    table.add_row("all", "", "", "", f"{found.cells_disclosed:,}", f"{found.share_disclosed:.2%}", "")
    console.print(table)
