"""Measuring a table: the strictest parameter of every privacy model that it satisfies, and who knows a few columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from itertools import combinations, islice, product
from pathlib import Path
from typing import Any

from sqlalchemy import FromClause, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import ModelError, ProofError
from toolbox.extensions import find_last_line
from toolbox.messages import say
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import FewColumnsKAnonymity, KAnonymity, count_alike
from toolbox.privacy.models.k_map import KMap
from toolbox.privacy.registry import list_installed_models
from toolbox.privacy.results import ModelResult, judge_classes, measure_worst_class
from toolbox.queries.dialect import Query
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
    tuple of MeasuredParameter or Unmeasured
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
            reason = say("it takes none of the parameters that were tried; its author can name some in measured_with")
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
        return say("it did not measure every class once")
    if isinstance(error, ModelError):
        return f"it failed: {error.args[1]}"
    file, line = find_last_line(error, module)
    return f"it failed with {type(error.__cause__ or error).__name__} in {Path(file).name}, line {line}"


# Whom somebody finds who knows only a few of the quasi-identifiers: each set of columns is counted by itself.


@dataclass(frozen=True, kw_only=True)
class KnownColumns:
    """Whom somebody finds who knows some columns."""

    columns: tuple[str, ...]
    smallest: int | None
    """Fewest records, or persons, that look alike in these columns; None if there are none."""
    below_k: int
    """Records, or persons, that look like fewer than k."""
    alone: int
    """Those that look like no other."""


@dataclass(frozen=True, kw_only=True)
class FewColumnsRisk:
    """Whom somebody finds who knows a few of the quasi-identifiers. Suppressed records are found by nobody."""

    k: int
    of: int
    """Records, or persons, that are not suppressed."""
    noun: str
    """What is counted."""
    by_size: tuple[KnownColumns, ...]
    """For each number of columns, who is found by any columns of that number, which are not named."""
    sets: tuple[KnownColumns, ...]
    """For each set of columns, the one by which most are found first; of equal ones, the one with fewest columns."""


def measure_few_columns(store: Store, classes: Classes, most: int, k: int) -> FewColumnsRisk:
    """Count whom somebody finds who knows any 1, 2, .. `most` columns.

    Parameters
    ----------
    classes : Classes
        With what they show in each quasi-identifier.
    most : int, >= 1
    k : int
        Fewest records, or persons, among whom one should hide.

    Raises
    ------
    UsageError
        If there are too many sets of so many columns.
    """
    names, by_size, sets = classes.names, [], []
    for size in range(1, min(most, len(names)) + 1):
        # Raises if they are too many, before any is counted.
        FewColumnsKAnonymity(k=k, any=str(size)).list_sets(names)
    for size in range(1, min(most, len(names)) + 1):
        any_of_them = FewColumnsKAnonymity(k=k, any=str(size)).achieved(classes).subquery()
        by_size.append(_count_found(store, classes, any_of_them, any_of_them.c.achieved, k, ("",) * size))
        for columns in combinations(range(len(names)), size):
            alike = count_alike(classes, columns).subquery()
            named = tuple(names[column] for column in columns)
            sets.append(_count_found(store, classes, alike, alike.c.alike, k, named))
    sets.sort(key=lambda found: (-found.below_k, -found.alone, len(found.columns)))
    noun = "record" if classes.persons is None else "person"
    of = int(store.scalar(_count_everybody(classes)))
    return FewColumnsRisk(k=k, of=of, noun=noun, by_size=tuple(by_size), sets=tuple(sets))


def _count_everybody(classes: Classes) -> Query:
    if classes.persons is None:
        return select(func.coalesce(func.sum(classes.sizes.c.size), 0))
    return select(func.count(classes.persons.c.person.distinct()))


def _count_found(
    store: Store,
    classes: Classes,
    measured: FromClause,
    alike: ColumnElement[Any],
    k: int,
    columns: tuple[str, ...],
) -> KnownColumns:
    """Count the records or persons of the classes that look like few others; a person who is in several counts once."""
    members = classes.sizes if classes.persons is None else classes.persons
    joined = measured.join(members, members.c.equivalence_id == measured.c.equivalence_id)
    amount = func.sum(members.c.size) if classes.persons is None else func.count(members.c.person.distinct())
    found = [func.coalesce(amount.filter(rare), 0) for rare in (alike < k, alike == 1)]
    smallest, below, alone = store.row(select(func.min(alike), *found).select_from(joined))
    return KnownColumns(columns=columns, smallest=smallest, below_k=int(below), alone=int(alone))


# A sample: the people for whom its classes are estimated to stand.


@dataclass(frozen=True)
class EstimatedPeople:
    """The people for whom the classes of a sample are estimated to stand, for models that compare with a population."""

    store: Store
    classes: Classes
    basis: str
    """What they are estimated by, in words."""

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
