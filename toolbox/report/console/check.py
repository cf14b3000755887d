"""The tables of `check`: classes, required privacy models, measured privacy models."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from toolbox.privacy.measures import Measured
from toolbox.privacy.results import ModelResult
from toolbox.report.console.tables import judged_table, plain_table, print_notes


def print_check(
    console: Console,
    *,
    records: int,
    suppressed: int,
    classes: int,
    smallest_class: int | None,
    average_class: float | None,
    judged: Sequence[ModelResult],
    not_proved: Sequence[str] = (),
    measured: Sequence[Measured],
    notes: Sequence[str],
) -> None:
    """Print how anonymous a release is; `CheckReport` explains the figures."""
    average = "-" if average_class is None else f"{average_class:,.1f}"
    smallest = "-" if smallest_class is None else f"{smallest_class:,}"
    console.print(f"[bold]records[/]  {records:,}, {suppressed:,} suppressed")
    console.print(f"[bold]classes[/]  {classes:,}, smallest {smallest}, average {average} records\n")
    if judged:
        console.print(judged_table("required", judged))
    for sentence in not_proved:
        console.print(f"[yellow]not proved[/] {escape(sentence)}\n", soft_wrap=True)
    console.print(_measured_table(measured))
    print_notes(console, notes)


def _measured_table(measured: Sequence[Measured]) -> Table:
    table = plain_table("measured: the strictest that holds", "model", "of", "", "", numbers=frozenset({3}))
    for model in measured:
        parameters = ", ".join(f"{name}={value}" for name, value in model.given.items())
        name = f"{model.name} ({parameters})" if parameters else model.name
        value = "no class" if model.achieved is None else f"{model.achieved:.6g}"
        table.add_row(escape(name), escape(model.attribute or ""), model.parameter, value)
    return table
