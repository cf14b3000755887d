"""A release that is a sample: what `risk` and `check` estimate of the people behind its classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from sqlalchemy import BigInteger, cast, func, literal, select

from toolbox.flows.judge.judge import Judged
from toolbox.privacy.classes import Classes
from toolbox.privacy.measures import MeasuredParameter
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_map import KMap
from toolbox.privacy.results import ModelResult, judge_classes, measure_worst_class
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


@dataclass(frozen=True)
class EstimatedPeople:
    """The people for whom the classes of a sample are estimated to stand, for models that compare with a population."""

    store: Store
    classes: Classes
    basis: str
    """What they are estimated by, in words."""

    @classmethod
    def of(cls, judged: Judged) -> Self | None:
        """Return those of a release; None where no sample is declared, or a population is there to count in."""
        release, sample = judged.tables.sampled, judged.question.sample
        if release is None or judged.among is not None:
            return None
        weighted = weigh_classes(release, sample.fraction)
        people = func.floor(func.greatest(weighted.c.people, weighted.c.size) + 1e-9)
        outside = cast(literal(0), BigInteger).label("outside")
        sizes = select(weighted.c.equivalence_id, weighted.c.size).where(~weighted.c.suppressed).subquery()
        population = select(weighted.c.equivalence_id, people.label("size"), outside).subquery()
        return cls(judged.store, Classes(sizes, population=population, estimates_population=True), sample.basis)

    @staticmethod
    def can_judge(model: PrivacyModel) -> bool:
        """Return whether the people that a model compares with may be estimated from a sample."""
        return isinstance(model, KMap)

    def measure(self) -> MeasuredParameter:
        """Measure k-map by estimated people."""
        achieved = measure_worst_class(self.store, self.classes, KMap(k=1))
        given = {"people": "estimated"}
        return MeasuredParameter(name=KMap.name, attribute=None, parameter="k", achieved=achieved, given=given)

    def judge(self, model: PrivacyModel) -> ModelResult:
        """Judge classes by people who are estimated."""
        return judge_classes(self.store, self.classes, model)

    def say(self, results: Sequence[ModelResult]) -> tuple[str, ...]:
        """Say which of the models that hold compare with people who were estimated."""
        return tuple(
            f"{result.name} {result.required:g} holds for people who are estimated {self.basis}, and not counted."
            for result in results
            if result.is_estimated and result.holds
        )
