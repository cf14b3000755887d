"""Measuring a table: the strictest parameter of every installed privacy model that the table satisfies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from itertools import islice, product
from pathlib import Path
from typing import Any

from toolbox.errors import ModelError, ProofError
from toolbox.extensions import find_last_line
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.registry import list_installed_models
from toolbox.privacy.results import measure_worst_class
from toolbox.store.engine.store import Store

# Trials: privacy models with parameters, made to measure a table of which nothing is required.
#
# A model measures classes only once it has parameters. Of an installed model only their names and types are known, so
# small numbers are tried until the model takes them. What a class achieves does not depend on the bound it is
# compared with, so any bound will do.

_SHARES = (0.5, 0.1, 1.5)
_WHOLE = (1, 2, 5)
_MOST_TRIED = 1_000


def find_trial(model: type[PrivacyModel], parameters: Mapping[str, Any], smallest: int) -> PrivacyModel | None:
    """Return the model with the first parameters that it accepts; None if it accepts no tried parameters.

    Parameters
    ----------
    parameters : mapping of str to value
        Those that are known; numbers are tried for all others that have no default.
    smallest : int
        What a parameter ``k`` is tried with first: the records of the smallest class.

    Examples
    --------
    >>> from toolbox.privacy.models.k_with_values import AlphaKAnonymity
    >>> str(find_trial(AlphaKAnonymity, {"attribute": "illness"}, smallest=3))
    '(alpha,k)-anonymity (alpha=0.5, k=3) of illness'
    """
    return next(_list_trials(model, parameters, smallest), None)


def _list_trials(model: type[PrivacyModel], parameters: Mapping[str, Any], smallest: int) -> Iterator[PrivacyModel]:
    """Yield the model with each combination of values that it takes, the likely ones first."""
    needed = [each for each in fields(model) if each.default is MISSING and each.default_factory is MISSING]
    unknown = [each for each in needed if each.name not in parameters]
    for values in islice(product(*(_list_tried_values(each, smallest) for each in unknown)), _MOST_TRIED):
        tried: dict[str, Any] = {each.name: value for each, value in zip(unknown, values, strict=True)}
        with suppress(Exception):  # what a model by other people does not take
            yield model(**tried, **parameters)


def _list_tried_values(parameter: Field[Any], smallest: int) -> tuple[float, ...]:
    """Return the values to try: for k the size of the smallest class; none for a parameter that is no number."""
    # An annotation is a text where its module postpones them.
    kind = getattr(parameter.type, "__name__", str(parameter.type))
    if parameter.name == "k":
        return (smallest, *_WHOLE)
    return {"int": _WHOLE, "float": (*_SHARES, *_WHOLE)}.get(kind, ())


def list_bounds(model: PrivacyModel) -> tuple[str, ...]:
    """Return the parameters that classes are compared with, the measured one first; empty if there is none.

    If the model does not name them, it is the parameter that equals what is required; if several do, it is the one that
    changes what is required.

    Examples
    --------
    >>> from toolbox.privacy.models.k_with_values import PSensitiveKAnonymity
    >>> list_bounds(PSensitiveKAnonymity(p=3, k=3, attribute="illness"))
    ('p',)
    """
    if model.bounds:
        return model.bounds
    equal = [name for name, value in model.parameters().items() if value == model.required]
    for name in equal if len(equal) > 1 else ():
        for other in (*_SHARES, *_WHOLE):
            changed: dict[str, Any] = {name: other}
            with suppress(Exception):
                if replace(model, **changed).required != model.required:
                    return (name,)
    return tuple(equal[:1])


# Measuring a table: the strictest parameter of every installed privacy model that the table satisfies.


@dataclass(frozen=True, kw_only=True)
class MeasuredParameter:
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
    model: type[PrivacyModel] = field(default=PrivacyModel, compare=False, repr=False)  # type: ignore[type-abstract]
    """What says its own words."""


@dataclass(frozen=True, kw_only=True)
class Unmeasured:
    """A privacy model that could not be measured."""

    name: str
    """Of the model."""
    reason: str


def measure_all(
    store: Store, classes: Classes, attribute: str | None = None
) -> tuple[MeasuredParameter | Unmeasured, ...]:
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
    results: list[MeasuredParameter | Unmeasured] = []
    achieved: dict[str, float | None] = {}
    for model in sorted(list_installed_models(), key=lambda model: model.rank):
        if not _can_be_shown(classes, model):
            continue
        for result in _measure_variants(store, classes, model, attribute, achieved):
            results.append(result)
            if isinstance(result, MeasuredParameter):
                achieved.setdefault(result.name, result.achieved)
    return tuple(results)


def _can_be_shown(classes: Classes, model: type[PrivacyModel]) -> bool:
    lacks_histogram = model.needs_attribute and classes.histogram is None
    lacks_population = model.needs_population and classes.population is None
    return not (lacks_histogram or lacks_population)


def _measure_variants(
    store: Store,
    classes: Classes,
    model: type[PrivacyModel],
    attribute: str | None,
    achieved: Mapping[str, float | None],
) -> Iterator[MeasuredParameter | Unmeasured]:
    """Measure the classes by each variant of one model."""
    smallest = max(int(achieved.get(KAnonymity.name) or 1), 1)
    own = {"attribute": attribute if model.needs_attribute else None}
    for variant in model.variants(classes, achieved):
        trial = find_trial(model, {**variant, **own}, smallest)
        if trial is None:
            reason = "it takes none of the parameters that were tried; its author can name some in measured_with"
            yield Unmeasured(name=model.name, reason=reason)
        elif classes.tree is not None or not trial.needs_hierarchy:
            yield _measure_trial(store, classes, trial)


def _measure_trial(store: Store, classes: Classes, trial: PrivacyModel) -> MeasuredParameter | Unmeasured:
    bounds = list_bounds(trial)
    try:
        achieved = measure_worst_class(store, classes, trial)
    except Exception as error:  # code by other people may raise anything
        module = type(trial).__module__
        if module.startswith("toolbox."):
            raise
        return Unmeasured(name=trial.name, reason=_explain_error(error, module))
    return MeasuredParameter(
        name=trial.name,
        attribute=trial.attribute,
        parameter=next(iter(bounds), ""),
        achieved=achieved,
        given={name: value for name, value in trial.parameters().items() if name not in bounds},
        model=type(trial),
    )


def _explain_error(error: Exception, module: str) -> str:
    if isinstance(error, ProofError):
        return "it did not measure every class once"
    if isinstance(error, ModelError):
        return f"it failed: {error.args[1]}"
    file, line = find_last_line(error, module)
    return f"it failed with {type(error.__cause__ or error).__name__} in {Path(file).name}, line {line}"
