"""A release that is a sample: what `risk` and `check` estimate of the people behind its classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from sqlalchemy import BigInteger, cast, func, literal, select

from toolbox.flows.judge.judge import Judged
from toolbox.privacy.classes import Classes
from toolbox.privacy.measures import MeasuredParameter
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_map import KMap
from toolbox.privacy.results import EstimatedResult, ModelResult, judge_classes, measure_worst_class
from toolbox.risks.individual import SampleRisk, measure_sample_risk, weigh_classes
from toolbox.risks.risk import DEFAULT_THRESHOLD, require_threshold
from toolbox.store.engine.store import Store


def measure_sample(judged: Judged, *, threshold: float | None, k: int) -> SampleRisk | None:
    """Measure the risk of a sample; None where nothing says how records were drawn."""
    release, sample = judged.tables.sampled, judged.question.sample
    if release is None:
        return None
    highest = DEFAULT_THRESHOLD if threshold is None else threshold
    require_threshold(highest)
    return measure_sample_risk(
        release,
        weight=sample.weight,
        fraction=sample.fraction,
        has_households=sample.household is not None,
        threshold=highest,
        k=k,
    )


def is_estimable(model: PrivacyModel) -> bool:
    """Return whether the people that a model compares with may be estimated from a sample."""
    return isinstance(model, KMap)


def judge_estimated(store: Store, estimated: Classes, model: PrivacyModel) -> ModelResult:
    """Judge classes by people who are estimated."""
    found = judge_classes(store, estimated, model)
    return EstimatedResult(**{each.name: getattr(found, each.name) for each in fields(found)})


def measure_estimated(store: Store, estimated: Classes) -> MeasuredParameter:
    """Measure k-map by estimated people."""
    achieved = measure_worst_class(store, estimated, KMap(k=1))
    given = {"people": "estimated"}
    return MeasuredParameter(name=KMap.name, attribute=None, parameter="k", achieved=achieved, given=given)


def estimate_people(judged: Judged) -> Classes | None:
    """Return the classes with the people for whom they are estimated to stand; None where no sample is declared."""
    release = judged.tables.sampled
    if release is None:
        return None
    weighted = weigh_classes(release, judged.question.sample.fraction)
    people = func.floor(func.greatest(weighted.c.people, weighted.c.size) + 1e-9)
    outside = cast(literal(0), BigInteger).label("outside")
    sizes = select(weighted.c.equivalence_id, weighted.c.size).where(~weighted.c.suppressed).subquery()
    population = select(weighted.c.equivalence_id, people.label("size"), outside).subquery()
    return Classes(sizes, population=population)


def say_estimated(judged: Judged, results: Sequence[ModelResult]) -> tuple[str, ...]:
    """Say which of the models that hold compare with people who were estimated."""
    basis = judged.question.sample.basis
    return tuple(
        f"{result.name} {result.required:g} holds for people who are estimated {basis}, and not counted."
        for result in results
        if result.is_estimated and result.holds
    )
