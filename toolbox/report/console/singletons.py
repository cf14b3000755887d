"""The table of `singletons`: the variants in the order of the election."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from toolbox.methods.singletons.comparing import VariantFigures
from toolbox.report.console.tables import plain_table, print_notes


def print_singletons(
    console: Console,
    variants: Sequence[VariantFigures],
    *,
    k: int,
    records: int,
    complete: int,
    unchanged: VariantFigures,
    top: int,
    notes: Sequence[str],
) -> None:
    """Print the variants, the elected one first.

    Parameters
    ----------
    complete : int
        Records that lack no value.
    unchanged : VariantFigures
        The table as it is.
    top : int
        How many variants to show.
    """
    best = variants[0]
    console.print(f"[bold]records[/]    {records:,}, of which {complete:,} are complete")
    console.print(f"[bold]below k={k}[/]  {unchanged.below_k:,} ({unchanged.share:.2%}) stand out as it is")
    changes = f"{best.below_k:,} below k, {best.modified:,} modified"
    console.print(f"[bold]elected[/]    {escape(best.name)}: {changes}\n", soft_wrap=True)
    title = f"the variants in the order of the election, {min(top, len(variants)):,} of {len(variants):,}"
    table = plain_table(title, "below k", "", "modified", "distinct", "", "variant", numbers=frozenset(range(4)))
    for variant in variants[:top]:
        released = "" if variant.covers else "centroids"
        figures = (f"{variant.below_k:,}", f"{variant.share:.2%}", f"{variant.modified:,}", f"{variant.distinct:,}")
        table.add_row(*figures, released, escape(variant.name))
    console.print(table)
    print_notes(console, notes)
