"""What `risk` says of a release and an earlier one: the document, and notes in words."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from toolbox.messages import counted, either
from toolbox.risks.joint import JointRisk


def joint_document(joint: JointRisk) -> dict[str, Any]:
    """Return the part ``earlier`` of the JSON document; its names are stable."""
    return {
        "link": joint.link,
        "k": joint.k,
        "classes": None if joint.classes is None else asdict(joint.classes),
        "consistency": None if joint.consistency is None else asdict(joint.consistency),
        "sensitive": [asdict(values) for values in joint.values],
    }


def joint_notes(joint: JointRisk, *, in_python: bool = False) -> list[str]:
    """Return what follows for the publisher, and what would lower the risk."""
    if wrong := _wrongly_linked(joint):
        remedy = either("--key NAME, or --key none", python="key='name', or key='none'", in_python=in_python)
        return [
            f"The order does not link the rows of one person: {wrong}. What is counted by this link says nothing. Name "
            f"the column that links them, {remedy}."
        ]
    return [*_linked_notes(joint), *_value_notes(joint)]


def _wrongly_linked(joint: JointRisk) -> str:
    """Say how it shows that rows of the same place are not one person's; nothing if it does not."""
    if joint.link != "order":
        return ""
    if joint.consistency is not None and joint.consistency.unmatched:
        return f"{counted(joint.consistency.unmatched, 'person fits', 'people fit')} no pair of linked rows"
    for values in joint.values:
        if values.none:
            return f"{counted(values.none, 'pair', 'pairs')} of linked rows can have no {values.attribute} in common"
    return ""


def _linked_notes(joint: JointRisk) -> list[str]:
    notes = []
    classes, consistency = joint.classes, joint.consistency
    below = consistency.below_k if consistency is not None else classes.below_k if classes is not None else 0
    if below:
        nouns = ("person hides", "people hide") if consistency else ("row hides", "rows hide")
        remedy = "Release in a random order" if joint.link == "order" else "Release nothing by which rows can be linked"
        notes.append(
            f"Whoever links the rows of both releases finds that {counted(below, *nouns)} among fewer than "
            f"k = {joint.k}. {remedy}, or with the same classes as before."
        )
    if consistency is not None and consistency.unmatched:
        notes.append(f"{counted(consistency.unmatched, 'person is', 'people are')} not in both releases.")
    return notes


def _value_notes(joint: JointRisk) -> list[str]:
    notes = []
    for values in joint.values:
        if values.none:
            people = counted(values.none, "person has", "people have")
            notes.append(f"{people} no {values.attribute} in common: it has changed, or they are not in both releases.")
        if values.certain:
            people = counted(values.certain, "person", "people")
            notes.append(
                f"Both releases together leave one {values.attribute} for {people}. Keep the same values in the class "
                "of each person (m-invariance)."
            )
    return notes
