"""What `risk` says of an attacker who matches everybody at once, or who holds an earlier release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console

from toolbox.charts.rows import count_in_bins
from toolbox.messages import choose_setting_name, format_count
from toolbox.report.advice import advise_on_earlier, advise_on_matching, find_wrong_links
from toolbox.report.console import ResultTable, make_table
from toolbox.report.judges.face import MeasureFace
from toolbox.risks.joint import JointClasses, JointConsistency, JointRisk
from toolbox.risks.matching.figures import MatchingBeliefs, MatchingRisk, ValueBeliefs

# What `risk` says of a release and an earlier one: the document, and notes in words.


def build_joint_document(joint: JointRisk) -> dict[str, Any]:
    """Return the part ``earlier`` of the JSON document; its names are stable."""
    return {
        "link": joint.link,
        "k": joint.k,
        "classes": None if joint.classes is None else _build_counts_document(joint.classes, "records"),
        "consistency": None if joint.consistency is None else _build_counts_document(joint.consistency, "people"),
        "sensitive": [asdict(values) for values in joint.values],
    }


def _build_counts_document(figures: JointClasses | JointConsistency, noun: str) -> dict[str, Any]:
    return {**asdict(figures), "counts": [{"rows": rows, noun: amount} for rows, amount in figures.counts]}


def list_joint_notes(joint: JointRisk, *, in_python: bool = False) -> list[str]:
    """Return what to know of the figures; `toolbox.report.advice` says what would lower the risk."""
    if wrong := find_wrong_links(joint):
        remedy = choose_setting_name(
            "--key NAME, or --key none", python="key='name', or key='none'", in_python=in_python
        )
        return [
            f"The order does not link the rows of one person: {wrong}. The figures with this link mean nothing. Name "
            f"the column that links them, {remedy}."
        ]
    notes = []
    if joint.consistency is not None and joint.consistency.unmatched:
        notes.append(f"{format_count(joint.consistency.unmatched, 'person is', 'people are')} not in both releases.")
    for values in joint.values:
        if values.none:
            people = format_count(values.none, "person has", "people have")
            notes.append(f"{people} no {values.attribute} in common: it has changed, or they are not in both releases.")
    return notes


# What `risk` says of an attacker who matches everybody at once: the document, and notes in words.


def build_matching_document(matching: MatchingRisk) -> dict[str, Any]:
    """Return the part ``matching`` of the JSON document; its names are stable."""
    found = matching.beliefs
    return {
        "people": matching.people,
        "rows": matching.rows,
        "k": matching.k,
        "known": list(matching.attack.known),
        "insiders": matching.attack.insiders,
        "unassigned": matching.unassigned,
        "matchable_below_k": None if found is None else found.matchable_below_k,
        "matchable_with_one": None if found is None else found.matchable_with_one,
        "fewest": None if found is None else found.fewest,
        "expected_hits": None if found is None else found.expected_hits,
        "believed_above": None if found is None else _name_levels(found.believed_above),
        "believed_by_tenths": [] if found is None else [list(people) for people in found.tenths],
        "right_guesses": None if found is None else found.right_guesses,
        "converged": None if found is None else found.has_converged,
        "counts": [] if found is None else [{"matchable": rows, "people": people} for rows, people in found.counts],
        "sensitive": [] if found is None else [_build_values_document(values) for values in found.values],
    }


def _name_levels(believed: Sequence[tuple[float, int]]) -> dict[str, int]:
    return {f"{level:.4g}": people for level, people in believed}


def _build_values_document(values: ValueBeliefs) -> dict[str, Any]:
    return {**asdict(values), "believed_above": _name_levels(values.believed_above)}


def list_matching_notes(matching: MatchingRisk) -> list[str]:
    """Return what to know of the figures; `toolbox.report.advice` says what would lower the risk."""
    if (found := matching.beliefs) is None:
        people = format_count(matching.unassigned, "person gets", "people get")
        return [f"{people} no row, however rows are assigned: the release does not hold exactly these people."]
    if found.has_converged:
        return []
    return [
        f"Beliefs had not settled after {found.rounds:,} rounds: take those figures as rough. The others are exact."
    ]


# The tables of a release and an earlier one.

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
    table = make_table(
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
    table = make_table(
        "sensitive values that both releases leave",
        *("attribute", "people", "one is left", "none is left", "fewest", last),
        numbers=frozenset(range(1, 6)),
    )
    for values in joint.values:
        more = values.below_k if joint.classes is None else values.changed
        counts = values.people, values.certain, values.none, values.fewest
        table.add_row(values.attribute, *(f"{count:,}" for count in counts), "" if more is None else f"{more:,}")
    console.print(table)


# The tables of an attacker who matches everybody at once.


def print_matching(console: Console, matching: MatchingRisk) -> None:
    """Print what such an attacker finds; `MatchingRisk` explains the figures."""
    found = matching.beliefs
    if found is None:
        people = format_count(matching.unassigned, "person gets", "people get")
        console.print(f"[red]{people} no row[/], however rows are assigned\n")
        return
    if not matching.people:
        console.print("Everybody has told which row is theirs: nobody is left to find\n")
        return
    console.print(f"an attacker who {matching.attack.in_words()}. Everybody has one row\n")
    console.print(_make_remaining_table(matching, found))
    console.print(_make_beliefs_table(matching, found))
    if found.values:
        console.print(_make_values_table(matching, found))


def _make_remaining_table(matching: MatchingRisk, found: MatchingBeliefs) -> ResultTable:
    table = make_table("people by the rows that remain for them", *("rows", "people", ""), numbers=frozenset({0, 1, 2}))
    for row in count_in_bins(found.counts):
        table.add_row(row.name, f"{row.amount:,}", f"{row.amount / matching.people:.2%}")
    return table


def _make_beliefs_table(matching: MatchingRisk, found: MatchingBeliefs) -> ResultTable:
    table = make_table(
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


def _make_values_table(matching: MatchingRisk, found: MatchingBeliefs) -> ResultTable:
    levels = [f"above {level:.4g}" for level, _ in found.values[0].believed_above]
    table = make_table(
        "people by how strongly a sensitive value is believed, and guesses that are right",
        *("attribute", *levels, "certain", "right, as expected", "without the release"),
        numbers=frozenset(range(1, len(levels) + 4)),
    )
    for values in found.values:
        believed = [f"{people:,}" for _, people in values.believed_above]
        hits = f"{values.expected_hits / matching.people:.2%}"
        table.add_row(values.attribute, *believed, f"{values.certain:,}", hits, f"{values.share_without_release:.2%}")
    return table


MATCHING = MeasureFace(
    "matching",
    key="matching",
    document=build_matching_document,
    show=print_matching,
    list_notes=lambda found, _: list_matching_notes(found),
    advise=lambda found, _: advise_on_matching(found),
)
JOINT = MeasureFace(
    "joint",
    key="earlier",
    document=build_joint_document,
    show=print_joint,
    list_notes=lambda found, in_python: list_joint_notes(found, in_python=in_python),
    advise=lambda found, _: advise_on_earlier(found),
)
