"""From the arguments of a Python call to a `Config`, checked as a configuration file is."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, get_args

from toolbox.config import values
from toolbox.config.formats import FORMATS, GEN_VALS, FormatName
from toolbox.config.given import BadValueError
from toolbox.config.limits import limits_of
from toolbox.config.model import (
    Attribute,
    Column,
    Config,
    Input,
    Kind,
    Limits,
    MethodFacts,
    OnMissing,
    Order,
    Output,
    Period,
    QuasiIdentifier,
    Requirement,
    Statistics,
    Suppressed,
    Undeclared,
)
from toolbox.config.requirements import OriginalParameters, original_requirement, parameters_of, the_sensitive_attribute
from toolbox.config.values import LARGEST_INTEGER
from toolbox.errors import SettingError, UnknownColumnError, UsageError, shortened
from toolbox.hierarchy.from_file import FileHierarchy, hierarchy_from_rows, read_hierarchy_file
from toolbox.hierarchy.from_mapping import rows_of
from toolbox.methods.anonymizer import Anonymizer
from toolbox.methods.registry import find_method
from toolbox.notices import tell, warn
from toolbox.privacy.model import PrivacyModel
from toolbox.wording import is_asked_in_python

_Word = TypeVar("_Word", bound=str)
_Default = TypeVar("_Default", int, None)

_MOST_DIGITS = 60

TABLE = Path("the table")
"""What messages call the records of a call."""


def describe(
    *,
    quasi_identifiers: Sequence[object],
    sensitive: Sequence[object],
    identifiers: Sequence[object],
    hierarchies: Mapping[Any, Any],
    kinds: Mapping[Any, str],
    priorities: Mapping[Any, int],
    weights: Mapping[Any, float],
    method: str | type[Anonymizer] | None,
    k: int | None,
    l: float | None,  # noqa: E741 - as in the configuration
    c: float | None,
    t: float | None,
    models: Sequence[PrivacyModel],
    suppression_threshold: int | None,
    suppressed: Suppressed | None,
    on_missing: OnMissing | None,
    undeclared: Undeclared | None,
    output_format: FormatName | None,
    order: Order | None,
    statistics: Statistics | None,
    seed: int | None,
    limits: Limits | str | None,
    settings: Mapping[str, object],
    dates: Collection[str] = (),
) -> Config:
    """Make the configuration of a call; `toolbox.anonymize` explains the arguments.

    Parameters
    ----------
    dates : collection of str
        Columns that hold dates as their type says.

    Raises
    ------
    UsageError
        If an argument is wrong.
    """
    _require_whole_numbers(k, seed, suppression_threshold)
    facts = chosen_method(method).facts(method if isinstance(method, str) else None)
    declared, protected = described_attributes(quasi_identifiers, sensitive, hierarchies, kinds)
    _require_fitting(facts, models, declared, protected, dates)
    given = _original_parameters(facts, models, {"k": k, "l": l, "c": c, "t": t})
    return Config(
        source="anonymize()",
        path=None,
        method=facts.name,
        settings={name: str(value) for name, value in settings.items()},
        k=smallest_class(models, given.k),
        requirements=() if models else (_original_requirement(facts, given, protected),),
        suppression_threshold=suppression_threshold,
        seed=seed,
        undeclared=_one_of("undeclared", undeclared or "pass", Undeclared),
        input=Input(path=TABLE, missing="", on_missing=_one_of("on_missing", on_missing or "skip", OnMissing)),
        output=_output(facts, output_format, order, statistics, suppressed),
        limits=limits_of(limits) or Limits(),
        identifiers=tuple(_column(name) for name in identifiers),
        quasi_identifiers=ranked(declared, priorities, weights),
        sensitive=protected,
        periods=values.USUAL_PERIODS if facts.climbs else (),
    )


def _require_whole_numbers(k: int | None, seed: int | None, suppression_threshold: int | None) -> None:
    for name, number, least in (("k", k, 1), ("seed", seed, 0), ("suppression_threshold", suppression_threshold, 0)):
        _whole_number(name, number, least)


def _output(
    facts: MethodFacts,
    output_format: FormatName | None,
    order: Order | None,
    statistics: Statistics | None,
    suppressed: Suppressed | None,
) -> Output:
    name = facts.only_format or _one_of("output_format", output_format or GEN_VALS.name, FormatName)
    return Output(
        path=None,
        format=FORMATS[name],
        statistics=_one_of("statistics", statistics or "exact", Statistics),
        order=_one_of("order", order or "shuffled", Order),
        suppressed=_one_of("suppressed", suppressed or "keep", Suppressed),
    )


def described_attributes(
    quasi_identifiers: Sequence[object],
    sensitive: Sequence[object],
    hierarchies: Mapping[Any, Any],
    kinds: Mapping[Any, str],
) -> tuple[tuple[QuasiIdentifier, ...], tuple[Attribute, ...]]:
    """Put the hierarchy and the kind of each column beside it; columns may be named by anything that has a text."""
    for argument, value in (("quasi_identifiers", quasi_identifiers), ("sensitive", sensitive)):
        if isinstance(value, str):
            raise UsageError(f"{argument} is a text. Write a list of columns, [{value!r}].")
    if len(quasi_identifiers) == 0:
        raise UsageError("quasi_identifiers is empty. Name the columns of the table that an attacker may know.")
    names, others = list(map(str, quasi_identifiers)), list(map(str, sensitive))
    trees = {str(name): hierarchy for name, hierarchy in hierarchies.items()}
    types = {str(name): _kind(f"kinds[{name!r}]", kind) for name, kind in kinds.items()}
    _known("hierarchies", trees, [*names, *others])
    _known("kinds", types, [*names, *others])
    return (
        tuple(_quasi_identifier(name, trees.get(name), types.get(name)) for name in names),
        tuple(_sensitive(name, trees.get(name), types.get(name)) for name in others),
    )


def ranked(
    declared: Sequence[QuasiIdentifier], priorities: Mapping[Any, int], weights: Mapping[Any, float]
) -> tuple[QuasiIdentifier, ...]:
    """Put the rank and the weight of each quasi-identifier beside it."""
    names = [str(one.column) for one in declared]
    ranks = {str(name): _rank(str(name), rank) for name, rank in priorities.items()}
    shares = {str(name): _share(str(name), weight) for name, weight in weights.items()}
    _known("priorities", ranks, names)
    _known("weights", shares, names)
    return tuple(
        replace(one, priority=ranks.get(name), weight=shares.get(name))
        for one, name in zip(declared, names, strict=True)
    )


def _rank(name: str, value: object) -> int:
    if isinstance(value, Integral) and not isinstance(value, bool) and 1 <= int(value) <= LARGEST_INTEGER:
        return int(value)
    raise SettingError(f"priorities[{name!r}]", value, "a whole number of at least 1, the most important")


def _share(name: str, value: object) -> float:
    argument = f"weights[{name!r}]"
    if (number := _real(argument, value)) > 0:
        return number
    raise SettingError(argument, value, "a number above 0")


def _original_requirement(facts: MethodFacts, given: OriginalParameters, protected: Sequence[Attribute]) -> Requirement:
    try:
        attribute = the_sensitive_attribute(facts, [str(one.column) for one in protected])
    except BadValueError as error:
        raise UsageError(f"{error.args[0]} Name one in sensitive=, or give privacy models in models=.") from None
    return original_requirement(facts, given, attribute)


def check_models(models: Sequence[PrivacyModel], protected: Sequence[Attribute]) -> None:
    """Stop where a model is none, or protects a column that is not declared as sensitive."""
    if isinstance(models, PrivacyModel):
        raise UsageError("models= is one model. Write a list, such as [KAnonymity(k=5)].")
    known = [str(one.column) for one in protected]
    for model in models:
        if not isinstance(model, PrivacyModel):
            found = getattr(model, "__name__", type(model).__name__)
            raise UsageError(f"models= holds {found}, which is no privacy model. Write [KAnonymity(k=5)], say.")
        if model.attribute is not None and model.attribute not in known:
            raise UnknownColumnError(model.attribute, "The call, in sensitive=,", known)


def chosen_method(given: str | type[Anonymizer] | None) -> type[Anonymizer]:
    """Find the method of a call; None: Mondrian."""
    return find_method("Mondrian" if given is None else given)


def _original_parameters(
    facts: MethodFacts, models: Sequence[PrivacyModel], given: Mapping[str, float | None]
) -> OriginalParameters:
    """Fill in the defaults; a c of 0 or less stands for none, as it always did.

    Raises
    ------
    UsageError
        If a parameter would be ignored: the caller asks for more than would be kept.
    """
    for name, value in given.items():
        if value is not None and models:
            raise UsageError(
                f"{name}= stands beside models=. Put it into one of the models, or leave one of the two out."
            )
        if value is not None and name not in parameters_of(facts):
            takes = " and ".join(f"{one}=" for one in parameters_of(facts))
            raise UsageError(
                f"{name}= means nothing to {facts.name}, which takes {takes}. See models= to ask for more."
            )
    reals = {name: _real(name, value) for name, value in given.items() if name != "k" and value is not None}
    c = reals.get("c")
    return OriginalParameters(
        k=10 if given["k"] is None else int(given["k"]),
        l=reals.get("l", 10.0),
        c=None if c is not None and c <= 0 else c,
        t=reals.get("t", 0.2),
    )


def _real(name: str, value: object) -> float:
    """Read a finite number, of Python or of numpy."""
    if isinstance(value, Real) and not isinstance(value, bool):
        with suppress(OverflowError):
            if math.isfinite(number := float(value)):
                return number
    raise SettingError(name, value, "a finite number")


def smallest_class(models: Sequence[PrivacyModel], default: _Default) -> int | _Default:
    """Return the largest k that is the size of a class."""
    return max((int(model.parameters()["k"]) for model in models if model.k_is_class_size), default=default)


def _require_fitting(
    facts: MethodFacts,
    models: Sequence[PrivacyModel],
    declared: Sequence[QuasiIdentifier],
    protected: Sequence[Attribute],
    dates: Collection[str],
) -> None:
    """Stop where a method or a model cannot work on the columns."""
    _require_hierarchies(facts, declared, dates)
    check_models(models, protected)


def _require_hierarchies(facts: MethodFacts, declared: Sequence[QuasiIdentifier], dates: Collection[str]) -> None:
    kinds = dict.fromkeys(dates, "date")
    lacking = [
        repr(str(one.column))
        for one in declared
        if one.hierarchy is None and (one.kind or kinds.get(str(one.column))) not in ("date", "timestamp")
    ]
    if facts.full_domain and lacking:
        raise UsageError(
            f"{facts.name} generalises whole columns and needs a hierarchy for {', '.join(lacking)}. "
            "Add it to hierarchies=, or use Mondrian."
        )


def _one_of(name: str, value: _Word, words: object) -> _Word:
    if value not in get_args(words):
        raise SettingError(name, value, "one of " + ", ".join(map(repr, get_args(words))))
    return value


def _whole_number(name: str, value: object, least: int) -> None:
    if value is None:
        return
    if not isinstance(value, Integral) or isinstance(value, bool) or not least <= int(value) <= LARGEST_INTEGER:
        if isinstance(value, Integral) and abs(int(value)) >= 10**_MOST_DIGITS:
            # Python does not write numbers of thousands of digits.
            found: object = f"a number of more than {_MOST_DIGITS} digits"
        else:
            found = value if len(str(value)) < _MOST_DIGITS else shortened(value)
        raise SettingError(name, found, f"a whole number of at least {least}, or None")


def _known(argument: str, given: Mapping[str, object], columns: Sequence[str]) -> None:
    """Stop where an argument describes a column that is not declared."""
    for name in given:
        if name not in columns:
            raise UnknownColumnError(name, f"The call, in {argument}=,", columns)


def _column(name: object) -> Column:
    return Column(index=None, name=str(name))


def _kind(argument: str, given: object) -> tuple[Kind, str | None]:
    """Read what a column holds, and how it writes its dates: ``date %d.%m.%Y``."""
    if isinstance(given, str) and given.split(" ")[0].lower() in get_args(Kind):
        try:
            kind, _, form = values.kind(given).partition(" ")
            return cast("Kind", kind), form or None
        except BadValueError as error:
            raise UsageError(f"{argument} is {given!r}, which {error.args[0]}. {error.args[1]}") from None
    raise SettingError(argument, given, "one of " + ", ".join(map(repr, get_args(Kind))))


def _quasi_identifier(name: str, hierarchy: Any, nature: tuple[Kind, str | None] | None) -> QuasiIdentifier:
    kind, form = nature or (None, None)
    if hierarchy is None:
        return QuasiIdentifier(column=_column(name), kind=kind, format=form)
    if (periods := _periods(name, hierarchy)) and kind not in ("number", "category"):
        return QuasiIdentifier(column=_column(name), kind=kind, format=form, periods=periods)
    if kind in ("date", "timestamp"):
        raise UsageError(f"{name!r} is a {kind}. Write hierarchies={{{name!r}: 'month,year,decade'}}, say.")
    found = _hierarchy(name, hierarchy, cast('Literal["number", "category"] | None', kind))
    return QuasiIdentifier(
        column=_column(name),
        kind=found.kind,
        hierarchy=found.hierarchy,
        categories=found.categories,
        listed=found.listed,
    )


def _periods(name: str, given: Any) -> tuple[Period, ...]:
    """Take the names of periods, such as ``month,year``; nothing if a hierarchy is something else."""
    words = given.split(",") if isinstance(given, str) else given
    if not isinstance(words, (list, tuple)) or not words or not all(word in values.PERIODS for word in words):
        return ()
    try:
        return values.ordered_periods(words)
    except BadValueError as error:
        raise UsageError(f"hierarchies[{name!r}] {error.args[0]}. {error.args[1]}") from None


def _sensitive(name: str, hierarchy: Any, nature: tuple[Kind, str | None] | None) -> Attribute:
    given = _quasi_identifier(name, hierarchy, nature)
    return Attribute(
        column=given.column,
        kind=given.kind,
        format=given.format,
        categories=given.categories,
        hierarchy=given.hierarchy,
        listed=given.listed,
    )


def _hierarchy(name: str, given: Any, kind: Literal["number", "category"] | None) -> FileHierarchy:
    if isinstance(given, (str, Path)):
        found = read_hierarchy_file(Path(given), kind, name=name)
        if found.note:
            (warn if is_asked_in_python() else tell)(found.note)
        return found
    if isinstance(given, Mapping):
        rows: Any = rows_of(given, name)
    else:
        rows = given.to_numpy().tolist() if hasattr(given, "to_numpy") else given
    return hierarchy_from_rows(rows, f"the hierarchy of {name!r}", kind)
