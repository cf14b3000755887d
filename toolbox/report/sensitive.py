"""What `risk` and `report` say of sensitive values: the document, and what near values are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

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


def near_values(found: Similarity) -> list[tuple[str, int]]:
    """Return how near the values of some classes are to each other, with the people of these classes."""
    levels = [("one value" if not level else f"below one node of level {level}", n) for level, n in found.levels]
    narrow = [(f"different, in an interval with {share:.0%} of the records", n) for share, n in found.narrow]
    return levels + narrow


def _similarity_document(found: Similarity) -> dict[str, Any]:
    levels = [{"level": level, "people": people} for level, people in found.levels]
    return {"levels": levels, "narrow": _by_level(found.narrow)}


def _by_level(counts: Sequence[tuple[float, int]]) -> dict[str, int]:
    return {f"{level:.4g}": people for level, people in counts}
