"""What `check`, `measure` and `risk` say, for eyes: tables on standard output."""

from __future__ import annotations

from functools import singledispatch

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from toolbox.report.console import plain_table
from toolbox.report.judgement import RiskReport
from toolbox.risk.attackers import AttackerRisk

_BINS = (1, 2, 3, 4, 5, 6, 10, 20, 50, 100, 1000)
"""First sizes of the rows of a histogram; the last one has no end."""


def print_report(report: object, console: Console | None = None) -> None:
    """Show a report, and what to know of its figures."""
    console = console or Console(highlight=False)
    _print(report, console)
    for note in getattr(report, "notes", ()):
        console.print(f"[yellow]note[/] {escape(note)}", soft_wrap=True)


@singledispatch
def _print(report: object, console: Console) -> None:
    raise TypeError(f"no table shows a {type(report).__name__}")


@_print.register
def _risk(report: RiskReport, console: Console) -> None:
    risk = report.risk
    alone = risk.uniqueness
    console.print(f"[bold]records[/]  {risk.records:,}, of which {risk.suppressed:,} are suppressed")
    in_population = "" if alone.in_population is None else f"; {alone.in_population:,} in the population, too"
    console.print(f"[bold]unique[/]   {alone.records:,} records ({alone.share:.2%}){in_population}\n")
    attackers = plain_table(
        f"an attacker who knows the quasi-identifiers (at risk: above {risk.threshold:g})",
        *("attacker", "highest risk", "average", "lowest", "records at risk", ""),
        numbers=frozenset(range(1, 6)),
    )
    for name, one in (("prosecutor: knows who is in it", risk.prosecutor), ("journalist: does not", risk.journalist)):
        if one is not None:
            attackers.add_row(name, *_figures(one))
    if risk.marketer is not None:
        attackers.add_row("marketer: tries everybody", "", f"{risk.marketer:.4g}", "", "", "")
    console.print(attackers)
    console.print(_sizes(report))
    if risk.consistency is not None:
        _consistency(report, console)


def _figures(risk: AttackerRisk) -> tuple[str, ...]:
    figures = (f"{one:.4g}" for one in (risk.highest, risk.average, risk.lowest))
    return (*figures, f"{risk.records_at_risk:,}", f"{risk.share_at_risk:.2%}")


def _bin(number: int) -> int:
    """Find the row of a histogram that a number belongs to."""
    return sum(first <= number for first in _BINS) - 1


def _bin_name(index: int) -> str:
    """Name a row of a histogram.

    Examples
    --------
    >>> [_bin_name(_bin(number)) for number in (0, 1, 7, 5000)]
    ['0', '1', '6 to 9', '1,000 or more']
    """
    if index < 0:
        return "0"
    if index == len(_BINS) - 1:
        return f"{_BINS[-1]:,} or more"
    first, last = _BINS[index], _BINS[index + 1] - 1
    return f"{first}" if first == last else f"{first} to {last:,}"


def _sizes(report: RiskReport) -> Table:
    table = plain_table(
        "classes by their size", "records", "classes", "records in them", "", numbers=frozenset({0, 1, 2, 3})
    )
    rows: dict[int, tuple[int, int]] = {}
    for one in report.risk.histogram:
        classes, records = rows.get(_bin(one.size), (0, 0))
        rows[_bin(one.size)] = classes + one.classes, records + one.records
    for index, (classes, records) in sorted(rows.items()):
        table.add_row(_bin_name(index), f"{classes:,}", f"{records:,}", f"{records / report.risk.records:.2%}")
    return table


def _consistency(report: RiskReport, console: Console) -> None:
    consistent = report.risk.consistency
    assert consistent is not None
    table = plain_table(
        "people by the released records that could be theirs", "records", "people", "", numbers=frozenset({0, 1, 2})
    )
    rows: dict[int, int] = {}
    for number, people in consistent.counts:
        rows[_bin(number)] = rows.get(_bin(number), 0) + people
    for index, people in sorted(rows.items()):
        table.add_row(_bin_name(index), f"{people:,}", f"{people / consistent.people:.2%}")
    console.print(table)
    verdict = "[green]nobody[/]" if not consistent.below_k else f"[red]{consistent.below_k:,} people[/]"
    console.print(
        f"{verdict} with fewer than k = {consistent.k} consistent records; the fewest are {consistent.lowest:,}\n"
    )
