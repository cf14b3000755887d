"""The tables of `risk`: attackers, classes by their size, people by the released records that fit them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from toolbox.charts.bins import binned
from toolbox.messages import counted
from toolbox.report.console.joint import print_joint
from toolbox.report.console.matching import print_matching
from toolbox.report.console.sensitive import print_sensitive
from toolbox.report.console.statistics import print_statistics
from toolbox.report.console.tables import plain_table, print_notes
from toolbox.risks.attackers import AttackerRisk
from toolbox.risks.joint import JointRisk
from toolbox.risks.matching.figures import MatchingRisk
from toolbox.risks.risk import Consistency, Risk
from toolbox.risks.sensitive.figures import SensitiveRisk
from toolbox.risks.statistics.figures import StatisticsRisk


def print_risk(
    console: Console,
    risk: Risk,
    *,
    notes: Sequence[str],
    sensitive: Sequence[SensitiveRisk] = (),
    statistics: StatisticsRisk | None = None,
    matching: MatchingRisk | None = None,
    joint: JointRisk | None = None,
) -> None:
    """Print who is still at risk; `RiskReport` explains the figures."""
    unique = risk.uniqueness
    console.print(f"[bold]records[/]  {risk.records:,}, {risk.suppressed:,} suppressed")
    in_population = "" if unique.in_population is None else f"; {unique.in_population:,} in the population, too"
    console.print(f"[bold]unique[/]   {unique.records:,} records ({unique.share:.2%}){in_population}\n")
    console.print(_attackers_table(risk))
    console.print(_sizes_table(risk))
    if risk.consistency is not None:
        _print_consistency(console, risk.consistency)
    if statistics is not None:
        print_statistics(console, statistics)
    if sensitive:
        print_sensitive(console, sensitive)
    if matching is not None:
        print_matching(console, matching)
    if joint is not None:
        print_joint(console, joint)
    print_notes(console, notes)


def _attackers_table(risk: Risk) -> Table:
    table = plain_table(
        f"an attacker who knows the quasi-identifiers (at risk: above {risk.threshold:g})",
        *("attacker", "highest risk", "average", "lowest", "records at risk", ""),
        numbers=frozenset(range(1, 6)),
    )
    attackers = {"prosecutor: knows who is in it": risk.prosecutor, "journalist: does not": risk.journalist}
    for name, attacker in attackers.items():
        if attacker is not None:
            table.add_row(name, *_figures(attacker))
    if risk.marketer is not None:
        table.add_row("marketer: tries everybody", "", f"{risk.marketer:.4g}", "", "", "")
    return table


def _figures(attacker: AttackerRisk) -> tuple[str, ...]:
    figures = (f"{figure:.4g}" for figure in (attacker.highest, attacker.average, attacker.lowest))
    return (*figures, f"{attacker.records_at_risk:,}", f"{attacker.share_at_risk:.2%}")


def _sizes_table(risk: Risk) -> Table:
    table = plain_table(
        "classes by their size", "records", "classes", "records in them", "", numbers=frozenset({0, 1, 2, 3})
    )
    classes = {bar.first: bar.amount for bar in binned((bar.size, bar.classes) for bar in risk.histogram)}
    for row in binned((bar.size, bar.records) for bar in risk.histogram):
        table.add_row(row.name, f"{classes[row.first]:,}", f"{row.amount:,}", f"{row.amount / risk.records:.2%}")
    return table


def _print_consistency(console: Console, consistency: Consistency) -> None:
    table = plain_table(
        "people by the released records that could be theirs", "records", "people", "", numbers=frozenset({0, 1, 2})
    )
    for row in binned(consistency.counts):
        table.add_row(row.name, f"{row.amount:,}", f"{row.amount / consistency.people:.2%}")
    console.print(table)
    below = counted(consistency.below_k, "person", "people")
    verdict = "[green]nobody[/]" if not consistency.below_k else f"[red]{below}[/]"
    console.print(
        f"{verdict} with fewer than k = {consistency.k} consistent records; the fewest are {consistency.lowest:,}\n"
    )
