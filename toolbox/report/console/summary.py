"""The tables of `anonymize`: facts, proved models, quasi-identifiers, minimal generalisations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from toolbox.privacy.results import ModelResult
from toolbox.report.console.tables import judged_table, plain_table, print_notes
from toolbox.report.quasi_identifiers import QuasiIdentifierResult
from toolbox.store.tables import LatticeNode

_SHOWN_NODES = 10


def print_summary(
    console: Console,
    *,
    facts: Mapping[str, str],
    models: Sequence[ModelResult],
    not_proved: Sequence[str] = (),
    quasi_identifiers: Sequence[QuasiIdentifierResult],
    minimal_nodes: Sequence[LatticeNode],
    notes: Sequence[str],
    release: Sequence[Path | str],
) -> None:
    """Print what was released, what it achieves, and what to know before handing it out.

    Parameters
    ----------
    facts : mapping of str to str
        The lines at the head, by name.
    """
    console.print(_facts_table(facts))
    console.print(judged_table("proved", models))
    for sentence in not_proved:
        console.print(f"[yellow]not proved[/] {escape(sentence)}", soft_wrap=True)
    console.print(_quasi_identifiers_table(quasi_identifiers))
    if minimal_nodes:
        console.print(_minimal_nodes_table(minimal_nodes, quasi_identifiers))
    print_notes(console, notes)
    for path in release:
        console.print(f"[green]released[/] {escape(str(path))}", soft_wrap=True)


def _facts_table(facts: Mapping[str, str]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in facts.items():
        table.add_row(f"[bold]{name}[/]", escape(value))
    return table


def _quasi_identifiers_table(results: Sequence[QuasiIdentifierResult]) -> Table:
    has_levels = any(result.level is not None for result in results)
    columns = ("quasi-identifier", "level" if has_levels else "", "values before", "after", "from .. to")
    table = plain_table("generalised", *columns, numbers=frozenset({1, 2, 3}))
    for result in results:
        level = "" if result.level is None else f"{result.level} of {result.height}"
        values = (f"{result.original_values:,}", f"{result.generalised_values:,}")
        table.add_row(escape(result.name), level, *values, escape(result.range or ""))
    return table


def _minimal_nodes_table(nodes: Sequence[LatticeNode], results: Sequence[QuasiIdentifierResult]) -> Table:
    """Make the table of the minimal satisfying nodes, the best one first; of many, the first."""
    count = len(nodes)
    more = f", of which {_SHOWN_NODES} are shown" if count > _SHOWN_NODES else ""
    names = [result.name for result in results]
    positions = frozenset(range(len(names) + 2))
    table = plain_table(
        f"minimal generalisations: {count:,}{more}", *names, "classes", "suppressed", "", numbers=positions
    )
    levels = tuple(result.level for result in results)
    for node in nodes[:_SHOWN_NODES]:
        is_released = "released" if node.levels == levels else ""
        table.add_row(*map(str, node.levels), f"{node.released:,}", f"{node.suppressed:,}", is_released)
    return table
