"""The table of `init`: each column with its role, why, how sure that is, and how it is generalised."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from toolbox.report.columns import listed
from toolbox.report.console.tables import plain_table, print_notes
from toolbox.suggestions.plan import Plan

MOST_SHOWN = 200
"""Columns of a wide table that are shown."""


def print_suggestion(console: Console, plan: Plan, notes: Sequence[str]) -> None:
    """Print what is suggested for each column."""
    console.print(f"[bold]records[/]  {plan.records:,}\n")
    table = plain_table("what each column may be", "column", "role", "how sure", "why", "hierarchy")
    for narrow in (1, 2):
        table.columns[narrow].no_wrap = True
    for column in plan.columns[:MOST_SHOWN]:
        hierarchy = plan.generalisation_of(column).words if column.role == "quasi-identifier" else ""
        table.add_row(*map(escape, (listed([column.name]), column.role, column.sureness, column.why, hierarchy)))
    console.print(table)
    if (more := len(plan.columns) - MOST_SHOWN) > 0:
        console.print(f"and {more:,} more columns")
    print_notes(console, notes)
