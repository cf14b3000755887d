"""The result of a privacy model for a table: what it achieves, and what the model requires."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from sqlalchemy import func, select, union

from toolbox.errors import ProofError
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel, ReleaseModel
from toolbox.queries.dialect import Query
from toolbox.store.engine.store import Store


@dataclass(frozen=True, kw_only=True)
class ModelResult:
    """The result of one privacy model for a table."""

    name: str
    attribute: str | None
    parameters: Mapping[str, object]
    required: float
    achieved: float | None
    """The worst class's value; None if every record is suppressed, so that no class is left."""
    holds: bool
    model: type[PrivacyModel] = field(default=PrivacyModel, compare=False, repr=False)  # type: ignore[type-abstract]
    """What says its own words."""
    is_estimated: ClassVar[bool] = False
    """Whether people were estimated, not counted: then nothing is proved."""

    def document(self) -> dict[str, object]:
        """Return what a document says of it, beside what was required."""
        told = {name: value for name, value in vars(self).items() if name not in ("parameters", "model")}
        return {**told, "estimated": True} if self.is_estimated else told


class EstimatedResult(ModelResult):
    """The result of a privacy model whose people were estimated."""

    is_estimated: ClassVar[bool] = True


def violating(models: Sequence[PrivacyModel], shown: Callable[[str | None], Classes]) -> Query:
    """Return the classes that violate a model: ``equivalence_id``, each once.

    Parameters
    ----------
    models : sequence of PrivacyModel, length >= 1
    shown : callable
        Shows the classes to a model, given its sensitive attribute or None; see
        `toolbox.privacy.classes.members_of`.
    """
    violations = (model.violations(shown(model.attribute)).subquery() for model in models)
    return select(union(*(select(each.c.equivalence_id) for each in violations)).subquery())


def judge_classes(store: Store, classes: Classes, model: PrivacyModel) -> ModelResult:
    """Judge classes by a model.

    Raises
    ------
    ProofError
        If the model does not measure every class once.
    """
    achieved, violations = _measure_and_count(store, classes, model)
    is_estimate = isinstance(model, ReleaseModel) and model.is_estimate
    is_estimate |= model.needs_population and classes.estimates_population
    kind = EstimatedResult if is_estimate else ModelResult
    return kind(
        name=model.name,
        attribute=model.attribute,
        parameters=model.parameters(),
        required=model.required,
        achieved=achieved,
        holds=violations == 0,
        model=type(model),
    )


def require_all(results: Sequence[ModelResult]) -> None:
    """Stop unless all models hold.

    Raises
    ------
    ProofError
    """
    failed = [result for result in results if not result.holds]
    if failed:
        reasons = ", ".join(f"{model.name} requires {model.required:g}, achieved {model.achieved}" for model in failed)
        raise ProofError(f"The finished tables do not satisfy the declared model: {reasons}. Nothing was released.")


def measure_worst_class(store: Store, classes: Classes, model: PrivacyModel) -> float | None:
    """Measure the worst class; None if there are none.

    Raises
    ------
    ProofError
        If the model does not measure every class once.
    """
    return _measure_and_count(store, classes, model)[0]


def judge_release(store: Store, classes: Classes, model: ReleaseModel) -> tuple[float | None, int]:
    """Count the classes of each size, and ask a model about all of them: what they achieve, and 1 if it is too much."""
    size = classes.sizes.c.size
    histogram = store.rows(select(size, func.count()).group_by(size).order_by(size))
    if not histogram:
        return None, 0
    achieved, is_enough = model.judge([(int(records), int(count)) for records, count in histogram])
    return achieved, int(not is_enough)


def _measure_and_count(store: Store, classes: Classes, model: PrivacyModel) -> tuple[float | None, int]:
    """Measure the worst class and count those that violate the model, in one pass over all of them."""
    if isinstance(model, ReleaseModel):
        return judge_release(store, classes, model)
    count = store.count(classes.sizes)
    achieved = model.measured(classes).c.achieved
    violating = func.count().filter(~model.judged("holds", achieved))
    counted = select(model.judged("worst", achieved), func.count(), func.count(achieved), violating)
    with model.errors_told():
        worst, rows, known, violations = store.row(counted)
    if not rows == known == count:
        problem = f"{model.name} did not measure every class once"
        raise ProofError(f"Proof failed: {problem}. Nothing was released; this is a fault of the method.")
    return (worst if count else None), int(violations)
