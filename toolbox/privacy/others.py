"""Privacy models of other people, measured as ours are: without anything being required.

A model measures classes only once it has parameters. Ours are made in `measures`, by what is known of them. Of all
others only the fields are known, so small numbers are tried until the model takes them. What a class achieves does not
depend on the bound it is compared with, so any will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from itertools import islice, product
from pathlib import Path
from types import MappingProxyType
from typing import Any

from toolbox.errors import ProofError
from toolbox.extensions import last_line
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.registry import installed_models
from toolbox.privacy.results import worst_of
from toolbox.store.store import Store

_SHARES = (0.5, 0.1, 1.5)
_WHOLE = (1, 2, 5)
_MOST_TRIED = 1_000


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
    given: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    """The model's other parameters as they were taken, such as the k of (alpha,k)-anonymity."""


@dataclass(frozen=True, kw_only=True)
class Unmeasured:
    """A privacy model that could not be measured."""

    name: str
    """Of the model."""
    reason: str


def measure_others(
    store: Store, classes: Classes, attribute: str | None, smallest: int
) -> Iterator[Measured | Unmeasured]:
    """Measure the installed privacy models that are none of ours.

    Parameters
    ----------
    classes : Classes
    attribute : str, optional
        The sensitive attribute that the histogram counts.
    smallest : int
        Records in the smallest class: what a parameter ``k`` is taken to be, where it is not what is measured.
    """
    for model in installed_models():
        is_ours = model.__module__.startswith("toolbox.")
        lacks_histogram = model.needs_attribute and classes.histogram is None
        lacks_population = model.needs_population and classes.population is None
        if not (is_ours or lacks_histogram or lacks_population):
            yield from _measured(store, classes, model, attribute if model.needs_attribute else None, smallest)


def _measured(
    store: Store, classes: Classes, model: type[PrivacyModel], attribute: str | None, smallest: int
) -> Iterator[Measured | Unmeasured]:
    trial = next(_trials(model, attribute, smallest), None)
    if trial is None:
        reason = "it takes none of the parameters that were tried; its author can name some in measured_with"
        yield Unmeasured(name=model.name, reason=reason)
        return
    if trial.needs_hierarchy and classes.tree is None:
        return
    bound = _bound(trial)
    try:
        achieved = worst_of(store, classes, trial)
    except ProofError:
        yield Unmeasured(name=model.name, reason="it did not measure every class once")
    except Exception as error:  # code by other people may raise anything
        file, line = last_line(error, model.__module__)
        kind = type(error.__cause__ or error).__name__
        yield Unmeasured(name=model.name, reason=f"it failed with {kind} in {Path(file).name}, line {line}")
    else:
        others = {name: value for name, value in trial.parameters().items() if name != bound}
        yield Measured(
            name=model.name,
            attribute=attribute,
            parameter=bound,
            achieved=achieved,
            given=MappingProxyType(others),
        )


def _trials(model: type[PrivacyModel], attribute: str | None, smallest: int) -> Iterator[PrivacyModel]:
    """Make the model with parameters that may do, those first that are known to."""
    needed = [one for one in fields(model) if one.default is MISSING and one.default_factory is MISSING]
    unknown = [one for one in needed if one.name not in model.measured_with]
    for values in islice(product(*(_tried(one, smallest) for one in unknown)), _MOST_TRIED):
        tried = {one.name: value for one, value in zip(unknown, values, strict=True)}
        given: dict[str, Any] = {**tried, **model.measured_with, "attribute": attribute}
        with suppress(Exception):  # what a model by other people does not take
            yield model(**given)


def _tried(parameter: Field[Any], smallest: int) -> tuple[float, ...]:
    """Choose values to try: the size of the smallest class for k, nothing for what is no number."""
    # An annotation is a text where its module postpones them.
    kind = getattr(parameter.type, "__name__", str(parameter.type))
    if parameter.name == "k":
        return (smallest, *_WHOLE)
    return {"int": _WHOLE, "float": (*_SHARES, *_WHOLE)}.get(kind, ())


def _bound(model: PrivacyModel) -> str:
    """Find the parameter that a class is compared with: what is required; of several, the one that changes it."""
    equal = [name for name, value in model.parameters().items() if value == model.required]
    for name in equal if len(equal) > 1 else ():
        for other in (*_SHARES, *_WHOLE):
            changed: dict[str, Any] = {name: other}
            with suppress(Exception):
                if replace(model, **changed).required != model.required:
                    return name
    return equal[0] if equal else ""
