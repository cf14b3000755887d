"""The tables of a release and an earlier one."""

from __future__ import annotations

from rich.console import Console

from toolbox.report.console.tables import plain_table
from toolbox.risks.joint import JointRisk

_LINKS = {"order": "by their order", "none": "by nothing"}


def print_joint(console: Console, joint: JointRisk) -> None:
    """Print what both releases tell together; `JointRisk` explains the figures."""
    link = _LINKS.get(joint.link, f"by {joint.link}")
    console.print(f"beside the earlier release, with rows linked {link}\n")
    if joint.classes is not None:
        _print_crossing(console, joint)
    if joint.values:
        _print_values(console, joint)


def _print_crossing(console: Console, joint: JointRisk) -> None:
    table = plain_table(
        "who hides in both releases at once",
        *("counted", "all", f"below k = {joint.k}", "alone", "fewest"),
        numbers=frozenset(range(1, 5)),
    )
    classes, people = joint.classes, joint.consistency
    if classes is not None:
        figures = classes.records, classes.below_k, classes.alone, classes.smallest
        table.add_row("rows that agree in both", *(f"{figure:,}" for figure in figures))
    if people is not None:
        counts = people.people, people.below_k, people.alone, people.lowest
        table.add_row("rows that fit a person in both", *(f"{count:,}" for count in counts))
    console.print(table)


def _print_values(console: Console, joint: JointRisk) -> None:
    last = f"rows below k = {joint.k}" if joint.classes is None else "class with other values"
    table = plain_table(
        "sensitive values that both releases leave",
        *("attribute", "people", "one is left", "none is left", "fewest", last),
        numbers=frozenset(range(1, 6)),
    )
    for values in joint.values:
        more = values.below_k if joint.classes is None else values.changed
        counts = values.people, values.certain, values.none, values.fewest
        table.add_row(values.attribute, *(f"{count:,}" for count in counts), "" if more is None else f"{more:,}")
    console.print(table)
