"""What `risk` says of sensitive values: the document, and notes in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from toolbox.messages import counted
from toolbox.risks.sensitive.figures import SensitiveRisk, Similarity


def sensitive_document(found: SensitiveRisk) -> dict[str, Any]:
    """Return the part of the JSON document about one attribute; its names are stable."""
    skewness = found.skewness
    return {
        **asdict(found),
        "believed_above": _by_level(found.believed_above),
        "skewness": {
            "largest_ratio": skewness.largest_ratio,
            "grown_by_factor": _by_level(skewness.grown_by_factor),
            "grown_by": _by_level(skewness.grown_by),
        },
        "similarity": None if found.similarity is None else _similarity_document(found.similarity),
    }


def _similarity_document(found: Similarity) -> dict[str, Any]:
    levels = [{"level": level, "people": people} for level, people in found.levels]
    return {"levels": levels, "narrow": _by_level(found.narrow)}


def _by_level(counts: Sequence[tuple[float, int]]) -> dict[str, int]:
    return {f"{level:.4g}": people for level, people in counts}


def sensitive_notes(found: Iterable[SensitiveRisk]) -> list[str]:
    """Return what follows for the publisher, and what would lower the risk."""
    notes = []
    for attribute in found:
        if attribute.certain:
            people = counted(attribute.certain, "person", "people")
            notes.append(
                f"{attribute.attribute} is certain of {people}, whose class has one value. l-diversity prevents that."
            )
        notes += _near_notes(attribute)
    return notes


def _near_notes(attribute: SensitiveRisk) -> list[str]:
    """Tell of classes whose values differ and mean nearly the same."""
    if attribute.similarity is None or not attribute.similarity.levels:
        return []
    # Level 0 is one value; the highest is just below the root.
    (_, same), *others = attribute.similarity.levels
    if not others or others[-1][1] == same:
        return []
    level, people = others[-1]
    return [
        f"{attribute.attribute} is known in part of {counted(people - same, 'more person', 'more people')}: the values "
        f"of their class differ, and are all below one node of level {level} of the hierarchy. t-closeness with "
        "distance='hierarchical' limits that."
    ]
