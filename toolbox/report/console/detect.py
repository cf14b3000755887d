"""What `detect` says, for eyes: tables on standard output."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from toolbox.detection.election import Detection
from toolbox.report.console.summary import plain_table
from toolbox.report.detect import DetectionReport

DEFAULT_TOP = 20
_MOST_IDENTIFIERS = 20


def print_detection(report: DetectionReport, *, top: int = DEFAULT_TOP, console: Console | None = None) -> None:
    """Show what identifies people, and what to know of the figures.

    Parameters
    ----------
    top : int
        How many subsets to show.
    """
    console = console or Console(highlight=False)
    found = report.detection
    console.print(f"[bold]records[/]           {found.records:,}, of which {found.complete:,} lack no value")
    console.print(f"[bold]identifiers[/]       {_identifiers(found)}", soft_wrap=True)
    best = " or ".join(escape(", ".join(one.columns)) for one in found.best[:3]) or "none"
    told = f": {found.best[0].singletons:,} singletons ({found.best[0].share:.2%})" if found.best else ""
    console.print(f"[bold]quasi-identifier[/]  {best}{told}\n", soft_wrap=True)
    if found.subsets:
        console.print(_subsets(found, top))
    console.print(_columns(found))
    for note in report.notes:
        console.print(f"[yellow]note[/] {escape(note)}", soft_wrap=True)


def _identifiers(found: Detection) -> str:
    shown = [escape(" + ".join(one)) for one in found.identifiers[:_MOST_IDENTIFIERS]]
    more = len(found.identifiers) - len(shown)
    return ", ".join([*shown, *([f"and {more:,} more"] if more else [])]) or "none"


def _subsets(found: Detection, top: int) -> Table:
    title = f"the subsets with most singletons, {min(top, len(found.subsets)):,} of {len(found.subsets):,}"
    names = ("singletons", "", "distinct", "ratio", "separated", "risk", "columns")
    table = plain_table(title, *names, numbers=frozenset(range(6)))
    for one in found.subsets[:top]:
        table.add_row(
            f"{one.singletons:,}",
            f"{one.share:.2%}",
            f"{one.distinct:,}",
            f"{one.distinct_ratio:.4f}",
            f"{one.separation_ratio:.6f}",
            f"{one.largest_risk:.2g}",
            escape(", ".join(one.columns)),
        )
    return table


def _columns(found: Detection) -> Table:
    """Show what each column contributes, those that add most first."""
    names = ("values", "missing", "alone", "adds", "best without", "column")
    title = "the columns: singletons of each alone, those that it adds on average, those of the best without it"
    table = plain_table(title, *names, numbers=frozenset(range(5)))
    for one in sorted(found.columns, key=lambda one: (not one.is_identifier, -(one.adds or 0.0))):
        figures = (one.singletons, None if one.adds is None else round(one.adds, 1), one.without)
        shown = ("" if figure is None else f"{figure:,}" for figure in figures)
        name = f"{one.name} (identifier)" if one.is_identifier else one.name
        table.add_row(f"{one.values:,}", f"{one.missing:,}", *shown, escape(name))
    return table
