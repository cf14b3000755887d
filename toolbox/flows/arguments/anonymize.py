"""From the arguments of `toolbox.anonymize` to a `Config`, checked as a configuration file is."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self, TypeAlias

from toolbox.config import values
from toolbox.config.given import BadValueError
from toolbox.config.model import (
    DEFAULT_K,
    DEFAULT_L,
    DEFAULT_T,
    FORMATS,
    GEN_VALS,
    Attribute,
    Column,
    Config,
    FormatName,
    Input,
    Limits,
    MethodFacts,
    OnMissing,
    Order,
    Output,
    Portion,
    QuasiIdentifier,
    Requirement,
    Statistics,
    Suppressed,
    Undeclared,
)
from toolbox.config.overrides import parse_limits
from toolbox.config.reading.requirements import (
    OriginalParameters,
    choose_original_requirement,
    find_sensitive_attribute,
    list_original_parameters,
)
from toolbox.errors import SettingError, UsageError
from toolbox.flows.arguments.checks import check_finite_number, check_word, require_whole_number
from toolbox.flows.arguments.columns import ColumnArguments, add_levels, add_ranks, declare_columns
from toolbox.flows.arguments.models import check_models, find_smallest_class
from toolbox.flows.arguments.reading import TABLE, Reading
from toolbox.messages import choose_setting_name
from toolbox.methods.anonymizer import Anonymizer, find_method
from toolbox.privacy.model import PrivacyModel

Index: TypeAlias = Literal["drop", "keep"]
"""What becomes of the index of a DataFrame."""


@dataclass(frozen=True)
class AnonymizeArguments:
    """The arguments of `toolbox.anonymize`, in its order, except the source; those of columns stand together."""

    columns: ColumnArguments
    method: str | type[Anonymizer] | None
    k: int | None
    l: float | None  # noqa: E741 - as in the configuration
    c: float | None
    t: float | None
    models: Sequence[PrivacyModel]
    suppression_threshold: int | str | None
    suppressed: Suppressed | None
    on_missing: OnMissing | None
    undeclared: Undeclared | None
    rows_are_people: bool | None
    output_format: FormatName | None
    order: Order | None
    statistics: Statistics | None
    seed: int | None
    index: Index | None
    limits: Limits | str | None
    population: Any
    """All people who could be in the table: a path or a table."""
    settings: Mapping[str, object]
    call: str = "anonymize"
    """The name of the call."""

    @classmethod
    def of_nothing(cls, columns: ColumnArguments, call: str, **said: Any) -> Self:
        """Return the arguments of a call that has few of them; all others say nothing."""
        silent: dict[str, Any] = dict.fromkeys(field.name for field in fields(cls))
        return cls(**{**silent, "models": (), "settings": {}, **said, "columns": columns, "call": call})

    def in_file(self, reading: Reading) -> Self:
        """Return the same with the columns by their positions, if a file without a header is read."""
        return replace(self, columns=self.columns.number_columns()) if reading.header is False else self

    @property
    def said(self) -> list[str]:
        """The arguments that are set; each setting by its own name."""
        values = {**vars(self.columns), **vars(self), "columns": None, "settings": None, "call": None}
        names = [name for name, value in values.items() if value is not None and not _is_empty(value)]
        return [*names, *self.settings]

    @property
    def chosen_method(self) -> type[Anonymizer]:
        """The method; Mondrian where none is named.

        Raises
        ------
        UsageError
            If there is no such method.
        """
        return find_method("Mondrian" if self.method is None else self.method)


def _is_empty(value: object) -> bool:
    return isinstance(value, (Sequence, Mapping)) and not value


def describe(arguments: AnonymizeArguments, *, dates: Collection[str] = ()) -> Config:
    """Make the configuration of a call.

    Parameters
    ----------
    dates : collection of str
        Columns that hold dates as their type says.

    Raises
    ------
    UsageError
        If an argument is wrong.
    """
    require_whole_numbers(arguments)
    method, models = arguments.method, arguments.models
    facts = arguments.chosen_method.facts(method if isinstance(method, str) else None)
    columns = arguments.columns
    declared, protected = declare_columns(
        columns.quasi_identifiers, columns.sensitive, columns.hierarchies, columns.kinds
    )
    require_hierarchies(facts, declared, dates)
    check_models(models, protected)
    parameters = fill_parameters(facts, arguments)
    return Config(
        source=f"{arguments.call}()",
        path=None,
        method=facts.name,
        settings={name: str(value) for name, value in arguments.settings.items()},
        k=find_smallest_class(models, parameters.k),
        requirements=() if models else (find_original_requirement(facts, parameters, protected),),
        suppression_threshold=parse_threshold(arguments.suppression_threshold),
        seed=arguments.seed,
        rows_are_people=_parse_switch("rows_are_people", arguments.rows_are_people),
        undeclared=check_word("undeclared", arguments.undeclared or "pass", Undeclared),
        input=Input(
            path=TABLE, missing="", on_missing=check_word("on_missing", arguments.on_missing or "skip", OnMissing)
        ),
        output=_make_output(facts, arguments),
        limits=parse_limits(arguments.limits) or Limits(),
        identifiers=tuple(Column(index=None, name=name) for name in columns.dropped),
        person=tuple(Column(index=None, name=str(name)) for name in columns.person),
        quasi_identifiers=add_levels(add_ranks(declared, columns.priorities, columns.weights), columns.levels),
        sensitive=protected,
        periods=values.USUAL_PERIODS if facts.climbs else (),
    )


def _parse_switch(name: str, value: bool | None) -> bool:
    """Return a switch; None is off.

    Raises
    ------
    SettingError
    """
    if value is None or isinstance(value, bool):
        return bool(value)
    raise SettingError(name, value, "True or False")


def require_whole_numbers(arguments: AnonymizeArguments) -> None:
    """Stop where k, the seed or the threshold is no whole number in its range.

    Raises
    ------
    SettingError
    """
    require_whole_number("k", arguments.k, 1)
    require_whole_number("seed", arguments.seed, 0)


def parse_threshold(given: int | str | None) -> int | Portion | None:
    """Read a number of records, or a share of all such as ``'2%'``.

    Raises
    ------
    SettingError
    """
    if not isinstance(given, str):
        require_whole_number("suppression_threshold", given, 0)
        return given
    try:
        return values.parse_threshold(given)
    except BadValueError:
        expected = "a number of records, or a share of them such as '2%'"
        raise SettingError("suppression_threshold", given, expected) from None


def _make_output(facts: MethodFacts, arguments: AnonymizeArguments) -> Output:
    name = facts.only_format or arguments.output_format or GEN_VALS
    if name not in FORMATS:
        raise SettingError("output_format", name, "one of " + ", ".join(map(repr, FORMATS.names)))
    return Output(
        path=None,
        format=FORMATS[name],
        statistics=check_word("statistics", arguments.statistics or "exact", Statistics),
        order=check_word("order", arguments.order or "shuffled", Order),
        suppressed=check_word("suppressed", arguments.suppressed or "keep", Suppressed),
    )


def require_hierarchies(facts: MethodFacts, declared: Sequence[QuasiIdentifier], dates: Collection[str]) -> None:
    """Stop where a method generalises whole columns, and a column has no hierarchy.

    Raises
    ------
    UsageError
    """
    kinds = dict.fromkeys(dates, "date")
    lacking = [
        repr(str(attribute.column))
        for attribute in declared
        if not attribute.has_hierarchy
        and (attribute.kind or kinds.get(str(attribute.column))) not in ("date", "timestamp")
    ]
    if facts.full_domain and lacking:
        remedy = choose_setting_name("Declare it, as a <vgh> or by --hierarchy", python="Add it to hierarchies=")
        raise UsageError(
            f"{facts.name} generalises whole columns and needs a hierarchy for {', '.join(lacking)}. "
            f"{remedy}, or use Mondrian."
        )


def fill_parameters(facts: MethodFacts, arguments: AnonymizeArguments) -> OriginalParameters:
    """Fill in the defaults; a c of 0 or less means none, as it always did.

    Raises
    ------
    UsageError
        If a parameter would be ignored: the caller asks for more than would be kept.
    """
    parameters = {"k": arguments.k, "l": arguments.l, "c": arguments.c, "t": arguments.t}
    for name, value in parameters.items():
        if value is not None and arguments.models:
            raise UsageError(
                f"{name}= cannot be combined with models=. Put it into one of the models, or leave one of the two out."
            )
        if value is not None and name not in list_original_parameters(facts):
            takes = " and ".join(f"{parameter}=" for parameter in list_original_parameters(facts))
            raise UsageError(
                f"{name}= means nothing to {facts.name}, which takes {takes}. See models= to ask for more."
            )
    reals = {
        name: check_finite_number(name, value)
        for name, value in parameters.items()
        if name != "k" and value is not None
    }
    c = reals.get("c")
    return OriginalParameters(
        k=DEFAULT_K if arguments.k is None else int(arguments.k),
        l=reals.get("l", DEFAULT_L),
        c=None if c is not None and c <= 0 else c,
        t=reals.get("t", DEFAULT_T),
    )


def find_original_requirement(
    facts: MethodFacts, parameters: OriginalParameters, protected: Sequence[Attribute]
) -> Requirement:
    """Return the model that the original parameters of a method ask for.

    Raises
    ------
    UsageError
        If it protects a sensitive attribute, and there is not just one.
    """
    try:
        attribute = find_sensitive_attribute(facts, [str(attribute.column) for attribute in protected])
    except BadValueError as error:
        raise UsageError(f"{error.args[0]} Name one in sensitive=, or give privacy models in models=.") from None
    return choose_original_requirement(facts, parameters, attribute)
