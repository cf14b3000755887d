"""What `risk` says of a release and an earlier one: the document, and notes in words."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from toolbox.messages import counted, either
from toolbox.risks.joint import JointClasses, JointConsistency, JointRisk


def joint_document(joint: JointRisk) -> dict[str, Any]:
    """Return the part ``earlier`` of the JSON document; its names are stable."""
    return {
        "link": joint.link,
        "k": joint.k,
        "classes": None if joint.classes is None else _with_counts(joint.classes, "records"),
        "consistency": None if joint.consistency is None else _with_counts(joint.consistency, "people"),
        "sensitive": [asdict(values) for values in joint.values],
    }


def _with_counts(figures: JointClasses | JointConsistency, noun: str) -> dict[str, Any]:
    return {**asdict(figures), "counts": [{"rows": rows, noun: amount} for rows, amount in figures.counts]}


def joint_notes(joint: JointRisk, *, in_python: bool = False) -> list[str]:
    """Return what to know of the figures; `toolbox.report.advice` says what would lower the risk."""
    if wrong := wrongly_linked(joint):
        remedy = either("--key NAME, or --key none", python="key='name', or key='none'", in_python=in_python)
        return [
            f"The order does not link the rows of one person: {wrong}. The figures with this link mean nothing. Name "
            f"the column that links them, {remedy}."
        ]
    notes = []
    if joint.consistency is not None and joint.consistency.unmatched:
        notes.append(f"{counted(joint.consistency.unmatched, 'person is', 'people are')} not in both releases.")
    for values in joint.values:
        if values.none:
            people = counted(values.none, "person has", "people have")
            notes.append(f"{people} no {values.attribute} in common: it has changed, or they are not in both releases.")
    return notes


def wrongly_linked(joint: JointRisk) -> str:
    """Return the evidence that rows in the same place belong to different people; nothing if there is none."""
    if joint.link != "order":
        return ""
    if joint.consistency is not None and joint.consistency.unmatched:
        return f"{counted(joint.consistency.unmatched, 'person fits', 'people fit')} no pair of linked rows"
    for values in joint.values:
        if values.none:
            return f"{counted(values.none, 'pair', 'pairs')} of linked rows can have no {values.attribute} in common"
    return ""
