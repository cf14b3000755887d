"""What `risk` says of an attacker who matches everybody at once: the document, and notes in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from toolbox.messages import counted
from toolbox.risks.matching.figures import MatchingRisk, ValueBeliefs


def matching_document(matching: MatchingRisk) -> dict[str, Any]:
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
        "believed_above": None if found is None else _by_level(found.believed_above),
        "believed_by_tenths": [] if found is None else [list(people) for people in found.tenths],
        "right_guesses": None if found is None else found.right_guesses,
        "converged": None if found is None else found.has_converged,
        "counts": [] if found is None else [{"matchable": rows, "people": people} for rows, people in found.counts],
        "sensitive": [] if found is None else [_values_document(values) for values in found.values],
    }


def _by_level(believed: Sequence[tuple[float, int]]) -> dict[str, int]:
    return {f"{level:.4g}": people for level, people in believed}


def _values_document(values: ValueBeliefs) -> dict[str, Any]:
    return {**asdict(values), "believed_above": _by_level(values.believed_above)}


def matching_notes(matching: MatchingRisk) -> list[str]:
    """Return what to know of the figures; `toolbox.report.advice` says what would lower the risk."""
    if (found := matching.beliefs) is None:
        people = counted(matching.unassigned, "person gets", "people get")
        return [f"{people} no row, however rows are assigned: the release does not hold exactly these people."]
    if found.has_converged:
        return []
    return [
        f"Beliefs had not settled after {found.rounds:,} rounds: take those figures as rough. The others are exact."
    ]
