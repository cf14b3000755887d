"""Advice on attackers who match everybody at once, or who hold an earlier release."""

from __future__ import annotations

from collections.abc import Iterator

from toolbox.messages import counted
from toolbox.report.advice.advice import BY_CLASSES, Advice, on_one_value
from toolbox.report.joint import wrongly_linked
from toolbox.risks.joint import JointRisk
from toolbox.risks.matching.figures import Beliefs, MatchingRisk


def on_matching(matching: MatchingRisk | None) -> Iterator[Advice]:
    """Advise on what an attacker learns who matches everybody at once."""
    if matching is None or (found := matching.beliefs) is None:
        return
    if found.matchable_below_k:
        people = counted(found.matchable_below_k, "person has", "people have")
        one = f", {found.matchable_with_one:,} of them one" if found.matchable_with_one else ""
        yield Advice(
            finding=f"When everybody must have a row, {people} fewer than k = {matching.k} left{one}.",
            severity="high",
            remedy=BY_CLASSES,
            effect=_unless_told(matching, "At least k rows then remain for everybody."),
        )
    yield from _on_beliefs(matching, found)
    for values in found.values:
        if values.certain:
            people = counted(values.certain, "person", "people")
            finding = f"{values.attribute} is certain of {people}, whichever row is theirs."
            # Rows of several classes may be theirs, or fewer than those of one.
            yield on_one_value(finding, values.attribute, is_by_class=False)


def _on_beliefs(matching: MatchingRisk, found: Beliefs) -> Iterator[Advice]:
    level, believed = found.believed_above[-1]
    if believed > found.matchable_with_one:
        more = counted(believed - found.matchable_with_one, "person", "people")
        yield Advice(
            finding=f"{more} with several rows left: one row is believed more strongly than {level:.4g}.",
            severity="medium",
            remedy=BY_CLASSES,
            effect=_unless_told(matching, "No row is then believed more strongly than 1/k."),
        )


def _unless_told(matching: MatchingRisk, effect: str) -> str | None:
    """Return what classes lead to, unless some people of a class have told which rows are theirs: then less remains."""
    return None if matching.attack.insiders else effect


def on_earlier(joint: JointRisk | None) -> Iterator[Advice]:
    """Advise on what an earlier release tells besides, where the link is one."""
    if joint is None or wrongly_linked(joint):
        return
    classes, people = joint.classes, joint.consistency
    below = people.below_k if people is not None else classes.below_k if classes is not None else 0
    if below:
        nouns = ("person hides", "people hide") if people else ("row hides", "rows hide")
        remedy = "Release in a random order" if joint.link == "order" else "Release nothing by which rows can be linked"
        yield Advice(
            finding=f"Somebody who links the rows of both releases finds that {counted(below, *nouns)} among fewer "
            f"than k = {joint.k}.",
            severity="high" if joint.link == "order" else "medium",
            remedy=f"{remedy}, or with the same classes as before.",
        )
    for values in joint.values:
        if values.certain:
            people_of = counted(values.certain, "person", "people")
            yield Advice(
                finding=f"Both releases together leave one {values.attribute} for {people_of}.",
                severity="high",
                remedy="Keep the same values in the class of each person (m-invariance).",
            )
