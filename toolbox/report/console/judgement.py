"""What `check`, `measure` and `risk` say, for eyes: tables on standard output."""

from __future__ import annotations

from functools import singledispatch

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from toolbox.report.bins import binned
from toolbox.report.console.summary import judged_table, plain_table
from toolbox.report.judgement import CheckReport, LossReport, RiskReport
from toolbox.risks.attackers import AttackerRisk

_METRICS_ACROSS = 4
"""Metrics side by side, so that their names fit a terminal."""


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
def _check(report: CheckReport, console: Console) -> None:
    average = "-" if report.average_class is None else f"{report.average_class:,.1f}"
    smallest = "-" if report.smallest_class is None else f"{report.smallest_class:,}"
    console.print(f"[bold]records[/]  {report.records:,}, of which {report.suppressed:,} are suppressed")
    console.print(f"[bold]classes[/]  {report.classes:,}, smallest {smallest}, average {average} records\n")
    if report.judged:
        console.print(judged_table("required", report.judged))
    measured = plain_table("measured: the strictest that holds", "model", "of", "", "", numbers=frozenset({3}))
    for one in report.measured:
        others = ", ".join(f"{name}={value}" for name, value in one.given.items())
        name = f"{one.name} ({others})" if others else one.name
        value = "no class" if one.achieved is None else f"{one.achieved:.6g}"
        measured.add_row(escape(name), escape(one.attribute or ""), one.parameter, value)
    console.print(measured)


@_print.register
def _loss(report: LossReport, console: Console) -> None:
    console.print(f"[bold]records[/]  {report.records:,}\n")
    whole = plain_table("the table", "metric", "value", "unit", "better is", numbers=frozenset({1}))
    for one in report.measures:
        if one.attribute is None:
            whole.add_row(escape(one.name), _number(one.value), escape(one.unit), one.direction)
    console.print(whole)
    names = list(dict.fromkeys(one.name for one in report.measures if one.attribute is not None))
    columns = list(dict.fromkeys(one.attribute for one in report.measures if one.attribute is not None))
    values = {(one.name, one.attribute): one.value for one in report.measures}
    for first in range(0, len(names), _METRICS_ACROSS):
        across = names[first : first + _METRICS_ACROSS]
        each = plain_table(
            "" if first else "each quasi-identifier", "", *across, numbers=frozenset(range(1, len(across) + 1))
        )
        for column in columns:
            shown = (values.get((name, column)) for name in across)
            each.add_row(escape(column), *("" if value is None else _number(value) for value in shown))
        console.print(each)


def _number(value: float) -> str:
    """Write a figure: whole numbers whole, others with four significant digits.

    Examples
    --------
    >>> _number(67949026.0), _number(0.41210033), _number(145306.5619)
    ('67,949,026', '0.4121', '145,307')
    """
    if float(value).is_integer() or abs(value) >= 10_000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


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


def _sizes(report: RiskReport) -> Table:
    table = plain_table(
        "classes by their size", "records", "classes", "records in them", "", numbers=frozenset({0, 1, 2, 3})
    )
    sizes = report.risk.histogram
    classes = {one.first: one.amount for one in binned((one.size, one.classes) for one in sizes)}
    for one in binned((one.size, one.records) for one in sizes):
        share = f"{one.amount / report.risk.records:.2%}"
        table.add_row(one.name, f"{classes[one.first]:,}", f"{one.amount:,}", share)
    return table


def _consistency(report: RiskReport, console: Console) -> None:
    consistent = report.risk.consistency
    assert consistent is not None
    table = plain_table(
        "people by the released records that could be theirs", "records", "people", "", numbers=frozenset({0, 1, 2})
    )
    for one in binned(consistent.counts):
        table.add_row(one.name, f"{one.amount:,}", f"{one.amount / consistent.people:.2%}")
    console.print(table)
    verdict = "[green]nobody[/]" if not consistent.below_k else f"[red]{consistent.below_k:,} people[/]"
    console.print(
        f"{verdict} with fewer than k = {consistent.k} consistent records; the fewest are {consistent.lowest:,}\n"
    )
