"""The tables of an attacker who matches everybody at once."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from toolbox.charts.bins import binned
from toolbox.messages import counted
from toolbox.report.console.tables import plain_table
from toolbox.risks.matching.figures import Beliefs, MatchingRisk


def print_matching(console: Console, matching: MatchingRisk) -> None:
    """Print what such an attacker finds; `MatchingRisk` explains the figures."""
    found = matching.beliefs
    if found is None:
        people = counted(matching.unassigned, "person gets", "people get")
        console.print(f"[red]{people} no row[/], however rows are assigned\n")
        return
    if not matching.people:
        console.print("Everybody has told which row is theirs: nobody is left to find\n")
        return
    console.print(f"an attacker who {matching.attack.in_words()}. Everybody has one row\n")
    console.print(_remaining_table(matching, found))
    console.print(_beliefs_table(matching, found))
    if found.values:
        console.print(_values_table(matching, found))


def _remaining_table(matching: MatchingRisk, found: Beliefs) -> Table:
    table = plain_table(
        "people by the rows that remain for them", *("rows", "people", ""), numbers=frozenset({0, 1, 2})
    )
    for row in binned(found.counts):
        table.add_row(row.name, f"{row.amount:,}", f"{row.amount / matching.people:.2%}")
    return table


def _beliefs_table(matching: MatchingRisk, found: Beliefs) -> Table:
    table = plain_table(
        "people by how strongly one row is believed to be theirs",
        *("the row that is believed in most", "people", ""),
        numbers=frozenset({1, 2}),
    )
    for level, people in found.believed_above:
        table.add_row(f"above {level:.4g}", f"{people:,}", f"{people / matching.people:.2%}")
    table.add_row(
        "guessed rightly, as expected", f"{found.expected_hits:,.1f}", f"{found.expected_hits / matching.people:.2%}"
    )
    if found.right_guesses is not None:
        right = found.right_guesses
        table.add_row("guessed rightly, in truth", f"{right * matching.people:,.1f}", f"{right:.2%}")
    return table


def _values_table(matching: MatchingRisk, found: Beliefs) -> Table:
    levels = [f"above {level:.4g}" for level, _ in found.values[0].believed_above]
    table = plain_table(
        "people by how strongly a sensitive value is believed, and guesses that are right",
        *("attribute", *levels, "certain", "right, as expected", "without the release"),
        numbers=frozenset(range(1, len(levels) + 4)),
    )
    for values in found.values:
        believed = [f"{people:,}" for _, people in values.believed_above]
        hits = f"{values.expected_hits / matching.people:.2%}"
        table.add_row(values.attribute, *believed, f"{values.certain:,}", hits, f"{values.share_without_release:.2%}")
    return table
