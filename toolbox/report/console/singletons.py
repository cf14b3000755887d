"""What `singletons` says, for eyes: a table on standard output."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from toolbox.report.console.summary import plain_table
from toolbox.report.singletons import SingletonsReport

DEFAULT_TOP = 20


def print_singletons(report: SingletonsReport, *, top: int = DEFAULT_TOP, console: Console | None = None) -> None:
    """Show the variants, those first that leave fewest people standing out, and what to know of them."""
    console = console or Console(highlight=False)
    unchanged, best = report.unchanged, report.best
    console.print(
        f"[bold]records[/]    {report.records:,}, of which {report.records - report.incomplete:,} are complete"
    )
    console.print(f"[bold]below k={report.k}[/]  {unchanged.below_k:,} ({unchanged.share:.2%}) stand out as it is")
    told = f"{best.below_k:,} below k, {best.modified:,} modified"
    console.print(f"[bold]elected[/]    {escape(best.name)}: {told}\n", soft_wrap=True)
    title = f"the variants in the order of the election, {min(top, len(report.variants)):,} of {len(report.variants):,}"
    table = plain_table(title, "below k", "", "modified", "distinct", "", "variant", numbers=frozenset(range(4)))
    for one in report.variants[:top]:
        released = "" if one.covers else "centroids"
        figures = (f"{one.below_k:,}", f"{one.share:.2%}", f"{one.modified:,}", f"{one.distinct:,}")
        table.add_row(*figures, released, escape(one.name))
    console.print(table)
    for note in report.notes:
        console.print(f"[yellow]note[/] {escape(note)}", soft_wrap=True)
