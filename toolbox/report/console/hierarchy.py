"""The tables of `toolbox hierarchy`: the levels, the picture of the tree, and the findings of a check."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from toolbox.errors import first_of_each_kind
from toolbox.hierarchy.coverage import Coverage
from toolbox.hierarchy.finding import Finding
from toolbox.hierarchy.outline import Outline
from toolbox.messages import counted
from toolbox.report.console.tables import plain_table, print_notes
from toolbox.report.tree_picture import Picture, plain

_MOST_LABELS = 3


def print_hierarchy(
    console: Console,
    *,
    headline: str,
    outline: Outline,
    picture: Picture,
    coverage: Coverage | None,
    records: dict[int, int] | None,
    notes: Sequence[str],
) -> None:
    """Print the levels and the picture of the tree; `HierarchyReport` explains the figures."""
    console.print(f"[bold]hierarchy[/]  {escape(headline)}", soft_wrap=True)
    if coverage and coverage.uncovered:
        lacking = counted(len(coverage.uncovered), "value")
        of = counted(sum(coverage.uncovered.values()), "record")
        console.print(f"[bold]lacking[/]    {lacking} of {of}")
    console.print()
    console.print(_levels_table(outline, shows_values=picture.lists_values))
    for line in picture.lines(outline, records):
        console.print(escape(line), soft_wrap=True)
    console.print()
    print_notes(console, (*notes, *_left_out(outline, picture)))


def _left_out(outline: Outline, picture: Picture) -> list[str]:
    deepest = outline.height - (0 if outline.all_values() and picture.lists_values else 1)
    if picture.depth >= deepest:
        return []
    shown = counted(picture.depth, "level")
    return [f"The picture shows {shown} below the root, of {deepest}. --depth N shows more, --all everything."]


def _levels_table(outline: Outline, *, shows_values: bool) -> Table:
    table = plain_table("levels", "level", "labels", "such as", numbers=frozenset({0, 1}))
    values = outline.all_values()
    if values:
        table.add_row("0", f"{len(values):,}", escape(_such_as(values if shows_values else [])))
    for level, nodes in enumerate(outline.levels(), start=1):
        table.add_row(f"{level}", f"{len(nodes):,}", escape(_such_as([node.label for node in nodes])))
    return table


def _such_as(labels: list[str]) -> str:
    return ", ".join(map(plain, labels[:_MOST_LABELS])) + (", .." if len(labels) > _MOST_LABELS else "")


def print_hierarchy_check(console: Console, headline: str, findings: Sequence[Finding]) -> None:
    """Print the findings, faults first; `HierarchyCheck` explains them."""
    console.print(f"[bold]hierarchy[/]  {escape(headline)}", soft_wrap=True)
    ordered = sorted(findings, key=lambda finding: not finding.is_fault)
    for finding, more in first_of_each_kind(ordered, lambda finding: f"{finding.kind} {finding.is_fault}"):
        title = "[red]fault[/]  " if finding.is_fault else "[yellow]remark[/] "
        console.print(f"{title}{escape(str(finding))}", soft_wrap=True)
        if more:
            console.print(f"       {more}")
