"""Measuring a table: the strictest parameter of every installed privacy model that the table satisfies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from toolbox.errors import ModelError, ProofError
from toolbox.extensions import last_line
from toolbox.privacy.classes import Classes
from toolbox.privacy.k_anonymity import KAnonymity
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.registry import installed_models
from toolbox.privacy.results import worst_of
from toolbox.privacy.trials import bounds_of, find_trial
from toolbox.store.store import Store

_FIRST = (
    "k-anonymity",
    "k-map",
    "delta-presence",
    "(alpha,k)-anonymity",
    "p-sensitive k-anonymity",
    "distinct l-diversity",
    "entropy l-diversity",
    "recursive (c,l)-diversity",
    "t-closeness",
    "delta-disclosure",
    "basic beta-likeness",
    "enhanced beta-likeness",
)
"""The order in which documents have always listed these models. All others follow, in the order of their names."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The strictest parameter of one privacy model that a table satisfies."""

    name: str
    """Of the model."""
    attribute: str | None
    """The sensitive attribute, if the model protects one."""
    parameter: str
    """Which of the model's parameters was measured, such as ``alpha``; empty for a model without any."""
    achieved: float | None
    """Its value, that of the worst class: the largest, or for upper bounds the smallest, that holds (a strict bound
    holds just above). Infinity: no value holds. None: there is no class."""
    given: Mapping[str, object] = field(default_factory=dict)
    """The model's other parameters as they were taken, such as the k of (alpha,k)-anonymity."""


@dataclass(frozen=True, kw_only=True)
class Unmeasured:
    """A privacy model that could not be measured."""

    name: str
    """Of the model."""
    reason: str


def measure_all(store: Store, classes: Classes, attribute: str | None = None) -> tuple[Measured | Unmeasured, ...]:
    """Measure the classes by every installed privacy model that can judge them.

    Parameters
    ----------
    classes : Classes
        With a histogram, the models of sensitive attributes are measured; with a population, those that compare with
        one. k-anonymity always is.
    attribute : str, optional
        The sensitive attribute that the histogram counts.

    Returns
    -------
    tuple of Measured or Unmeasured
        k-anonymity first. The ``k`` of all other models is that of the table. `PrivacyModel.variants` lists the
        parameters with which a model is measured, once with each.

    Raises
    ------
    ProofError
        If a model of ours does not measure every class once. One by other people is `Unmeasured` then.
    """
    results: list[Measured | Unmeasured] = []
    achieved: dict[str, float | None] = {}
    for model in sorted(installed_models(), key=_place):
        if not _can_be_shown(classes, model):
            continue
        for result in _measurements(store, classes, model, attribute, achieved):
            results.append(result)
            if isinstance(result, Measured):
                achieved.setdefault(result.name, result.achieved)
    return tuple(results)


def _place(model: type[PrivacyModel]) -> tuple[int, str]:
    return (_FIRST.index(model.name) if model.name in _FIRST else len(_FIRST)), model.name


def _can_be_shown(classes: Classes, model: type[PrivacyModel]) -> bool:
    lacks_histogram = model.needs_attribute and classes.histogram is None
    lacks_population = model.needs_population and classes.population is None
    return not (lacks_histogram or lacks_population)


def _measurements(
    store: Store,
    classes: Classes,
    model: type[PrivacyModel],
    attribute: str | None,
    achieved: Mapping[str, float | None],
) -> Iterator[Measured | Unmeasured]:
    """Measure the classes by each variant of one model."""
    smallest = max(int(achieved.get(KAnonymity.name) or 1), 1)
    own = {"attribute": attribute if model.needs_attribute else None}
    for variant in model.variants(classes, achieved):
        trial = find_trial(model, {**variant, **own}, smallest)
        if trial is None:
            reason = "it takes none of the parameters that were tried; its author can name some in measured_with"
            yield Unmeasured(name=model.name, reason=reason)
        elif classes.tree is not None or not trial.needs_hierarchy:
            yield _measured(store, classes, trial)


def _measured(store: Store, classes: Classes, trial: PrivacyModel) -> Measured | Unmeasured:
    bounds = bounds_of(trial)
    try:
        achieved = worst_of(store, classes, trial)
    except Exception as error:  # code by other people may raise anything
        module = type(trial).__module__
        if module.startswith("toolbox."):
            raise
        return Unmeasured(name=trial.name, reason=_reason(error, module))
    return Measured(
        name=trial.name,
        attribute=trial.attribute,
        parameter=next(iter(bounds), ""),
        achieved=achieved,
        given={name: value for name, value in trial.parameters().items() if name not in bounds},
    )


def _reason(error: Exception, module: str) -> str:
    if isinstance(error, ProofError):
        return "it did not measure every class once"
    if isinstance(error, ModelError):
        return f"it failed: {error.args[1]}"
    file, line = last_line(error, module)
    return f"it failed with {type(error.__cause__ or error).__name__} in {Path(file).name}, line {line}"
