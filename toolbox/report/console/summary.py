"""The summary for eyes: tables on standard error."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from toolbox.privacy.results import ModelResult
from toolbox.report.columns import listed
from toolbox.report.summary import Summary

_SHOWN_NODES = 10
_SHOWN_NAMES = 20


def print_summary(summary: Summary, console: Console | None = None) -> None:
    """Show what was released, what it achieved, and what to know before handing it out."""
    console = console or Console(stderr=True, highlight=False)
    console.print(_facts(summary))
    console.print(judged_table("proved", summary.proof.models))
    console.print(_quasi_identifiers(summary))
    if summary.minimal_nodes:
        console.print(_minimal_nodes(summary))
    for note in summary.notes:
        console.print(f"[yellow]note[/] {escape(note)}", soft_wrap=True)
    for path in summary.release:
        console.print(f"[green]released[/] {escape(str(path))}", soft_wrap=True)


def plain_table(title: str, *columns: str, numbers: frozenset[int] = frozenset()) -> Table:
    """Make a table without lines around it; some columns, by their positions, hold numbers."""
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for position, column in enumerate(columns):
        table.add_column(column, justify="right" if position in numbers else "left", overflow="fold")
    return table


def _facts(summary: Summary) -> Table:
    proof = summary.proof
    table = Table(box=None, show_header=False, pad_edge=False)
    settings = ", ".join(f"{name}={value}" for name, value in summary.settings.items())
    average = "-" if proof.average_class is None else f"{proof.average_class:,.1f}"
    smallest = "-" if proof.smallest_class is None else f"{proof.smallest_class:,}"
    rows = {
        "method": f"{summary.method} ({settings})" if settings else summary.method,
        "records": f"{summary.records_read:,} read, {summary.records_skipped:,} skipped, "
        f"{proof.records_suppressed:,} suppressed, {summary.records_released:,} released",
        "classes": f"{proof.classes:,}, smallest {smallest}, average {average} records",
        **_kept(summary),
        **_passed(summary),
        "seconds": ", ".join(f"{step} {seconds:.2f}" for step, seconds in summary.timings.items()),
    }
    for name, value in rows.items():
        table.add_row(f"[bold]{name}[/]", escape(value))
    return table


def _kept(summary: Summary) -> dict[str, str]:
    found = summary.information
    if found is None:
        return {}
    return {"kept": f"{found.share:.0%} of the information, {found.after:.1f} of {found.before:.1f} bits"}


def _passed(summary: Summary) -> dict[str, str]:
    names = [one.name if one.is_declared else f"{one.name} (not declared)" for one in summary.passed]
    return {"unchanged": listed(names, most=_SHOWN_NAMES)} if names else {}


def judged_table(title: str, models: Sequence[ModelResult]) -> Table:
    """Show how a release stands to privacy models."""
    table = plain_table(title, "model", "required", "achieved", "", numbers=frozenset({1, 2}))
    for model in models:
        others = [f"{name}={value}" for name, value in model.parameters.items() if value != model.required]
        name = model.name + (f" ({', '.join(others)})" if others else "")
        name += f" of {model.attribute}" if model.attribute else ""
        achieved = "-" if model.achieved is None else f"{model.achieved:g}"
        table.add_row(
            escape(name), f"{model.required:g}", achieved, "[green]holds[/]" if model.holds else "[red]fails[/]"
        )
    return table


def _quasi_identifiers(summary: Summary) -> Table:
    has_levels = any(one.level is not None for one in summary.quasi_identifiers)
    columns = ("quasi-identifier", "level" if has_levels else "", "values before", "after", "from .. to")
    table = plain_table("generalised", *columns, numbers=frozenset({1, 2, 3}))
    for one in summary.quasi_identifiers:
        level = "" if one.level is None else f"{one.level} of {one.height}"
        table.add_row(
            escape(one.name), level, f"{one.original_values:,}", f"{one.generalised_values:,}", escape(one.range or "")
        )
    return table


def _minimal_nodes(summary: Summary) -> Table:
    """Show every minimal satisfying node, the best one first; of many, the first."""
    count = len(summary.minimal_nodes)
    names = [one.name for one in summary.quasi_identifiers]
    shown = summary.minimal_nodes[:_SHOWN_NODES]
    title = f"minimal generalisations: {count:,}" + (
        f", of which {_SHOWN_NODES} are shown" if count > len(shown) else ""
    )
    table = plain_table(title, *names, "classes", "suppressed", "", numbers=frozenset(range(len(names) + 2)))
    chosen = tuple(one.level for one in summary.quasi_identifiers)
    for node in shown:
        is_released = "released" if node.levels == chosen else ""
        table.add_row(*map(str, node.levels), f"{node.released:,}", f"{node.suppressed:,}", is_released)
    return table
