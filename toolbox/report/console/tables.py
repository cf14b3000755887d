"""What all reports print on a console: tables without lines, privacy models, notes."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from toolbox.privacy.results import ModelResult


def plain_table(title: str, *columns: str, numbers: frozenset[int] = frozenset()) -> Table:
    """Make a table without lines around it.

    Parameters
    ----------
    title, *columns : str
        Shown as they are, also with brackets.
    numbers : frozenset of int
        Positions of the columns that hold numbers.
    """
    table = Table(title=escape(title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for position, column in enumerate(columns):
        table.add_column(escape(column), justify="right" if position in numbers else "left", overflow="fold")
    return table


def judged_table(title: str, models: Sequence[ModelResult]) -> Table:
    """Make the table of the privacy models that are required of a release."""
    table = plain_table(title, "model", "required", "achieved", "", numbers=frozenset({1, 2}))
    for model in models:
        parameters = [f"{name}={value}" for name, value in model.parameters.items() if value != model.required]
        name = model.name + (f" ({', '.join(parameters)})" if parameters else "")
        name += f" of {model.attribute}" if model.attribute else ""
        achieved = "-" if model.achieved is None else f"{model.achieved:g}"
        verdict = "[green]holds[/]" if model.holds else "[red]fails[/]"
        table.add_row(escape(name), f"{model.required:g}", achieved, verdict)
    return table


def print_notes(console: Console, notes: Sequence[str]) -> None:
    """Print what to know of the figures, a line for each note."""
    for note in notes:
        console.print(f"[yellow]note[/] {escape(note)}", soft_wrap=True)
