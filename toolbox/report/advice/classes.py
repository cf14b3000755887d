"""Advice on the classes of a release: too small ones, models that do not hold, values that a class gives away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolbox.messages import counted
from toolbox.privacy.measures import Measured
from toolbox.privacy.results import ModelResult
from toolbox.report.advice.advice import BY_CLASSES, DIVERSE, Advice, on_one_value
from toolbox.risks.certain import CertainValues
from toolbox.risks.coarser import BelowK
from toolbox.risks.risk import Consistency

_FEW = 0.05
"""Share of the records that a publisher may rather suppress than make a column coarser for."""


def on_classes(below: BelowK | None) -> Iterator[Advice]:
    """Advise on records in classes of fewer than k: by the column that was counted to help most."""
    if below is None:
        return
    records = counted(below.records, "record is", "records are")
    where = "alone in their class" if below.k == 2 else f"in classes of fewer than k = {below.k}"
    finding = f"{records} {where}."
    if below.k > below.of:
        remedy = f"No class can be that large: the release has {counted(below.of, 'record')}. Ask for a smaller k."
        yield Advice(finding=finding, severity="high", remedy=remedy)
        return
    few = below.records <= _FEW * below.of
    suppress = f"suppress {'it' if below.records == 1 else f'these {below.records:,}'}"
    if (best := below.best) is None:
        remedy = f"{suppress.capitalize()}, or make several columns coarser at once: no column alone is enough."
        yield Advice(finding=finding, severity="high", remedy=remedy)
        return
    coarser = f"Leave {best.column} out" if best.is_left_out else f"Raise {best.column} by one level of its hierarchy"
    remedy = f"{coarser}, the column that helps most{f', or {suppress}' if few else ''}."
    left = counted(best.records, "record is", "records are") if best.records else "no record is"
    effect = f"With {best.column} {'left out' if best.is_left_out else 'raised'}, {left} left in such classes."
    yield Advice(finding=finding, severity="high", remedy=remedy, effect=effect)


def on_models(judged: Sequence[ModelResult], measured: Sequence[Measured]) -> Iterator[Advice]:
    """Advise on required models that do not hold, and on sensitive attributes that a class gives away."""
    failing = [model for model in judged if not model.holds]
    for model in failing:
        of = f" of {model.attribute}" if model.attribute else ""
        achieved = "no value of it holds" if model.achieved is None else f"{model.achieved:.4g} is achieved"
        yield Advice(
            finding=f"{model.name}{of} is required with {model.required:.4g}, and {achieved}.",
            severity="high",
            remedy="Do not publish this release. Make it again with this model among those that are required.",
        )
    told = {model.attribute for model in failing}
    for one in measured:
        if one.name == DIVERSE and one.attribute not in told and one.achieved == 1:
            yield on_one_value(f"A class has one value of {one.attribute} in all of its records.", one.attribute)


def on_certain(certain: Sequence[CertainValues]) -> Iterator[Advice]:
    """Advise on sensitive values that follow from the class."""
    for values in certain:
        if values.people:
            people = counted(values.people, "person", "people")
            yield on_one_value(
                f"{values.attribute} is certain of {people}, whose class has one value of it.", values.attribute
            )


def on_consistency(found: Consistency | None) -> Iterator[Advice]:
    """Advise on people whom few released records fit."""
    if found is None or not found.below_k:
        return
    people = f"{found.below_k:,} of {counted(found.people, 'person', 'people')}"
    yield Advice(
        finding=f"{people} {'has' if found.below_k == 1 else 'have'} fewer than k = {found.k} released records that "
        "could be theirs.",
        severity="high",
        remedy=BY_CLASSES,
        effect="Everybody then fits at least k of them.",
    )
