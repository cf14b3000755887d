"""From the arguments of `toolbox.anonymize` and of its columns to a `Config`, checked as a configuration file is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from numbers import Integral
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, Self, TypeAlias, cast, get_args

from toolbox.config import values
from toolbox.config.built_columns import declare_builder, find_unfit_kind
from toolbox.config.formats import FORMATS, GEN_VALS, FormatName
from toolbox.config.model import (
    DEFAULT_K,
    DEFAULT_L,
    DEFAULT_T,
    Attacker,
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
    QuasiIdentifier,
    Requirement,
    Statistics,
    Suppressed,
    Undeclared,
    find_levels_fault,
)
from toolbox.config.reading.overrides import parse_limits
from toolbox.config.reading.requirements import (
    OriginalParameters,
    choose_original_requirement,
    find_sensitive_attribute,
    list_original_parameters,
)
from toolbox.errors import BadValueError, SettingError, UnknownColumnError, UsageError, did_you_mean
from toolbox.flows.arguments.checks import (
    AMONG_SETTINGS,
    TABLE,
    Reading,
    SampleDesign,
    as_tuple,
    check_finite_number,
    check_path,
    check_word,
    declare_treatments,
    freeze_arguments,
    list_earlier_tables,
    name_column_position,
    name_earlier,
    name_paths,
    name_suppression,
    parse_switch,
    parse_threshold,
    require_whole_number,
)
from toolbox.flows.arguments.models import add_k_anonymity, check_models, find_smallest_class
from toolbox.hierarchy.builders.builder import Builder, BuilderError
from toolbox.hierarchy.builders.words import make_builder, parse_builder_words
from toolbox.hierarchy.date_formats import PERIODS, Period
from toolbox.hierarchy.outline import FileHierarchy, convert_to_rows, read_hierarchy_file, read_hierarchy_rows
from toolbox.messages import choose_setting_name, is_asked_in_python, print_note, warn
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
    attacker: Attacker | None
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
    save_recoding: str | Path | None = None
    tables: Mapping[str, Mapping[str, Any]] | None = None
    """Child tables: of each where it is, its key, and what its columns are."""

    @classmethod
    def of_nothing(cls, columns: ColumnArguments, call: str, **said: Any) -> Self:
        """Return the arguments of a call that has few of them; all others say nothing."""
        silent: dict[str, Any] = dict.fromkeys(field.name for field in fields(cls))
        return cls(**{**silent, "models": (), "settings": {}, **said, "columns": columns, "call": call})

    def in_file(self, reading: Reading) -> Self:
        """Return the same with the columns by their positions, if a file without a header is read."""
        return replace(self, columns=self.columns.number_columns()) if reading.header is False else self

    def with_models_listed(self) -> Self:
        """Return the same with a tuple of models; a k beside them is added as one more model."""
        models = as_tuple(self.models)
        if not models or self.k is None:
            return replace(self, models=models)
        return replace(self, models=add_k_anonymity(models, self.k), k=None)

    def with_tables_apart(self) -> Self:
        """Return the same with the child tables, which the call takes among its settings."""
        settings = {name: value for name, value in self.settings.items() if name != "tables"}
        return replace(self, tables=cast("Any", self.settings.get("tables")), settings=settings)

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
    if columns.person and arguments.rows_are_people:
        raise UsageError("rows_are_people= says that each record is a person, and person= names one. Leave one out.")
    if arguments.attacker == "profile" and not columns.person:
        raise UsageError("attacker='profile' asks for the rows of each person, and person= names none. Name a column.")
    declared, protected = declare_columns(
        columns.quasi_identifiers, columns.sensitive, columns.hierarchies, columns.kinds
    )
    require_hierarchies(facts, declared, dates)
    check_models(models, protected)
    parameters, on_missing = fill_parameters(facts, arguments), arguments.on_missing
    return Config(
        source=f"{arguments.call}()",
        path=None,
        method=facts.name,
        settings={name: str(value) for name, value in arguments.settings.items() if name not in AMONG_SETTINGS},
        k=find_smallest_class(models, parameters.k),
        requirements=() if models else (find_original_requirement(facts, parameters, protected),),
        suppression_threshold=parse_threshold(arguments.suppression_threshold),
        seed=arguments.seed,
        rows_are_people=parse_switch("rows_are_people", arguments.rows_are_people),
        attacker=None if arguments.attacker is None else check_word("attacker", arguments.attacker, Attacker),
        undeclared=check_word("undeclared", arguments.undeclared or "pass", Undeclared),
        input=Input(path=TABLE, missing="", on_missing=on_missing and check_word("on_missing", on_missing, OnMissing)),
        output=_make_output(facts, arguments),
        limits=parse_limits(arguments.limits) or Limits(),
        identifiers=tuple(Column(index=None, name=name) for name in columns.dropped),
        person=tuple(Column(index=None, name=str(name)) for name in columns.person),
        quasi_identifiers=add_levels(add_ranks(declared, columns.priorities, columns.weights), columns.levels),
        sensitive=protected,
        earlier=list_earlier_tables(arguments.settings.get("earlier")),
        others={
            **name_paths(key=columns.key, same_domain_as=columns.same_domain_as),
            **name_earlier(*map(arguments.settings.get, ("earlier_key", "earlier_repair"))),
            **SampleDesign.of_call(arguments.settings).name_settings(),
            **name_suppression(arguments.settings.get("suppress_by"), has_persons=bool(columns.person)),
        },
        treated=declare_treatments(columns.treatments, columns.quasi_identifiers, columns.sensitive),
        periods=values.USUAL_PERIODS if facts.climbs else (),
    )


def require_known(arguments: AnonymizeArguments, method: type[Anonymizer] | None = None) -> None:
    """Stop where neither the call nor the method knows an argument, or where the word for the index is wrong.

    Parameters
    ----------
    method : type of Anonymizer, optional
        The method, where not the arguments alone name it.

    Raises
    ------
    UsageError
    """
    method = method or arguments.chosen_method
    own = sorted(method.facts().settings)
    known = [field.name for field in (*fields(arguments.columns), *fields(arguments))]
    names = [name for name in known if name not in ("columns", "settings", "call")]
    for name in arguments.settings:
        if name.lower() not in own and (name not in AMONG_SETTINGS or arguments.call != "anonymize"):
            takes = f"{method.name} has the settings {', '.join(own)}" if own else f"{method.name} has no settings"
            raise UsageError(
                f"{arguments.call}() has no argument {name!r}.{did_you_mean(name, [*names, *own])} {takes}."
            )
    if arguments.index not in (None, *get_args(Index)):
        raise SettingError("index", arguments.index, "one of " + ", ".join(map(repr, get_args(Index))))


def require_whole_numbers(arguments: AnonymizeArguments) -> None:
    """Stop where k, the seed or the threshold is no whole number in its range.

    Raises
    ------
    SettingError
    """
    require_whole_number("k", arguments.k, 1)
    require_whole_number("seed", arguments.seed, 0)


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
        recoding=None if arguments.save_recoding is None else check_path("save_recoding", arguments.save_recoding),
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


# The columns that the arguments of a call declare, each with its kind, its hierarchy, its rank and its weight.

_LISTS: Final = ("quasi_identifiers", "sensitive", "identifiers", "person")
_DICTS: Final = ("hierarchies", "kinds", "priorities", "weights", "levels", "treatments")
_DECLARING: Final = "The command line, in --qi and --sensitive,"


@dataclass(frozen=True)
class ColumnArguments:
    """The arguments of `toolbox.anonymize` that describe columns, in its order."""

    quasi_identifiers: Sequence[object] = ()
    sensitive: Sequence[object] = ()
    identifiers: Sequence[object] = ()
    person: Sequence[object] = field(default=(), kw_only=True)
    """One column, or several that tell persons apart together."""
    hierarchies: Mapping[Any, Any] = field(default_factory=lambda: MappingProxyType({}))
    kinds: Mapping[Any, str] = field(default_factory=lambda: MappingProxyType({}))
    priorities: Mapping[Any, int] = field(default_factory=lambda: MappingProxyType({}))
    weights: Mapping[Any, float] = field(default_factory=lambda: MappingProxyType({}))
    levels: Mapping[Any, Any] = field(default_factory=lambda: MappingProxyType({}))
    treatments: Mapping[Any, str] = field(default_factory=lambda: MappingProxyType({}), kw_only=True)
    key: str | Path | None = field(default=None, kw_only=True)
    same_domain_as: str | Path | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if isinstance(self.person, str):
            object.__setattr__(self, "person", (self.person,))
        freeze_arguments(self, _LISTS, _DICTS)

    @property
    def dropped(self) -> tuple[str, ...]:
        """The names of the columns that are no part of a release: identifiers, and those of the person."""
        return tuple(dict.fromkeys(map(str, (*self.identifiers, *self.person))))

    def number_columns(self) -> ColumnArguments:
        """Return the same with the columns by their positions, as in a file without a header."""
        lists: dict[str, Any] = {name: [name_column_position(each) for each in getattr(self, name)] for name in _LISTS}
        dicts: dict[str, Any] = {
            name: {name_column_position(key): value for key, value in getattr(self, name).items()} for name in _DICTS
        }
        return replace(self, **lists, **dicts)


class _Nature(NamedTuple):
    """What a column holds."""

    kind: Kind | None = None
    date_format: str | None = None


def find_hierarchy_kinds(hierarchies: Mapping[Any, Any]) -> set[str]:
    """Return the columns whose hierarchy says what they hold; none does not, nor a builder that takes anything.

    Raises
    ------
    UsageError
        If one names a builder, and its settings are wrong.
    """
    return {str(name) for name, hierarchy in hierarchies.items() if _tells_kind(str(name), hierarchy)}


def _tells_kind(name: str, hierarchy: Any) -> bool:
    builder = _find_builder(name, hierarchy)
    return hierarchy is not None and (builder is None or builder.takes != "anything")


def declare_columns(
    quasi_identifiers: Sequence[object],
    sensitive: Sequence[object],
    hierarchies: Mapping[Any, Any],
    kinds: Mapping[Any, str],
) -> tuple[tuple[QuasiIdentifier, ...], tuple[Attribute, ...]]:
    """Declare quasi-identifiers and sensitive attributes; the name of a column may be of any type that has a text.

    Raises
    ------
    UsageError
        If there is no quasi-identifier, or a hierarchy or a kind is wrong or belongs to no declared column.
    """
    if len(quasi_identifiers) == 0:
        raise UsageError("quasi_identifiers is empty. Name the columns of the table that an attacker may know.")
    names, protected = list(map(str, quasi_identifiers)), list(map(str, sensitive))
    trees = {str(name): hierarchy for name, hierarchy in hierarchies.items()}
    natures = {str(name): _parse_kind(f"kinds[{name!r}]", kind) for name, kind in kinds.items()}
    _require_declared("hierarchies", trees, [*names, *protected])
    _require_declared("kinds", natures, [*names, *protected])
    return (
        tuple(_make_quasi_identifier(name, trees.get(name), natures.get(name, _Nature())) for name in names),
        tuple(_make_sensitive(name, trees.get(name), natures.get(name, _Nature())) for name in protected),
    )


def add_ranks(
    declared: Sequence[QuasiIdentifier], priorities: Mapping[Any, int], weights: Mapping[Any, float]
) -> tuple[QuasiIdentifier, ...]:
    """Return the quasi-identifiers with their ranks and weights.

    Raises
    ------
    UsageError
        If a rank or a weight is wrong or belongs to no quasi-identifier.
    """
    names = [str(attribute.column) for attribute in declared]
    ranks = {str(name): _rank(str(name), rank) for name, rank in priorities.items()}
    shares = {str(name): _parse_weight(str(name), weight) for name, weight in weights.items()}
    _require_declared("priorities", ranks, names)
    _require_declared("weights", shares, names)
    return tuple(
        replace(attribute, priority=ranks.get(name), weight=shares.get(name))
        for attribute, name in zip(declared, names, strict=True)
    )


def add_levels(declared: Sequence[QuasiIdentifier], levels: Mapping[Any, Any]) -> tuple[QuasiIdentifier, ...]:
    """Return the quasi-identifiers with their lowest and highest levels.

    Raises
    ------
    UsageError
        If levels are wrong or belong to no quasi-identifier.
    """
    given = {str(name): _parse_levels(str(name), pair) for name, pair in levels.items()}
    _require_declared("levels", given, [str(attribute.column) for attribute in declared])
    made = []
    for attribute in declared:
        low, high = given.get(str(attribute.column), (0, None))
        made.append(replace(attribute, min_level=low, max_level=high))
        if (fault := find_levels_fault(made[-1])) is not None:
            raise UsageError(" ".join(fault))
    return tuple(made)


def _parse_levels(name: str, pair: object) -> tuple[int, int | None]:
    """Read a pair of levels, of which None leaves one open."""
    if isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2:
        low, high = (0 if pair[0] is None else pair[0]), pair[1]
        if _is_level(low) and (high is None or _is_level(high)):
            return int(low), None if high is None else int(high)
    raise SettingError(f"levels[{name!r}]", pair, "the lowest and the highest level, such as (1, 3) or (1, None)")


def _is_level(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and 0 <= int(value) <= values.LARGEST_INTEGER


def _rank(name: str, value: object) -> int:
    if isinstance(value, Integral) and not isinstance(value, bool) and 1 <= int(value) <= values.LARGEST_INTEGER:
        return int(value)
    raise SettingError(f"priorities[{name!r}]", value, "a whole number of at least 1, the most important")


def _parse_weight(name: str, value: object) -> float:
    argument = f"weights[{name!r}]"
    if (weight := check_finite_number(argument, value)) > 0:
        return weight
    raise SettingError(argument, value, "a number above 0")


def _require_declared(argument: str, described: Mapping[str, object], columns: Sequence[str]) -> None:
    """Stop where an argument describes a column that is not declared."""
    known = set(columns)
    for name in described:
        if name not in known:
            raise UnknownColumnError(
                name, choose_setting_name(_DECLARING, python=f"The call, in {argument}=,"), columns
            )


def _parse_kind(argument: str, kind: object) -> _Nature:
    """Read the kind of a column, and the format of its dates: ``date %d.%m.%Y``."""
    if isinstance(kind, str) and kind.split(" ")[0].lower() in get_args(Kind):
        try:
            name, _, date_format = values.parse_kind(kind).partition(" ")
            return _Nature(cast("Kind", name), date_format or None)
        except BadValueError as error:
            raise UsageError(f"{argument} is {kind!r}, which {error.args[0]}. {error.args[1]}") from None
    raise SettingError(argument, kind, "one of " + ", ".join(map(repr, get_args(Kind))))


def _make_quasi_identifier(name: str, hierarchy: Any, nature: _Nature) -> QuasiIdentifier:
    column = Column(index=None, name=name)
    kind, date_format = nature
    if hierarchy is None:
        return QuasiIdentifier(column=column, kind=kind, format=date_format)
    if (builder := _find_builder(name, hierarchy)) is not None:
        if (unfit := find_unfit_kind(builder, kind)) is not None:
            remedy = unfit.replace("type=", f"kinds={{{name!r}: ") + "}"
            takes = (
                f"{name!r} is declared as a {kind}, and hierarchies[{name!r}], {builder.name}, takes {builder.takes}."
            )
            raise UsageError(f"{takes} Write {remedy}, or another hierarchy.")
        return declare_builder(QuasiIdentifier(column=column, kind=kind, format=date_format), builder)
    if (periods := _find_periods(name, hierarchy)) and kind not in ("number", "category"):
        return QuasiIdentifier(column=column, kind=kind, format=date_format, periods=periods)
    if kind in ("date", "timestamp"):
        raise UsageError(f"{name!r} is a {kind}. Write hierarchies={{{name!r}: 'month,year,decade'}}, say.")
    tree = _read_hierarchy(name, hierarchy, cast('Literal["number", "category"] | None', kind))
    return QuasiIdentifier(
        column=column,
        kind=tree.kind,
        hierarchy=tree.hierarchy,
        categories=tree.categories,
        listed=tree.listed,
    )


def _find_builder(name: str, hierarchy: Any) -> Builder | None:
    """Return the builder that a hierarchy is, or that it names as the command line does; None if it is none."""
    if isinstance(hierarchy, Builder):
        return hierarchy
    try:
        attributes = parse_builder_words(hierarchy) if isinstance(hierarchy, str) else None
        return None if attributes is None else make_builder(attributes)
    except BuilderError as error:
        said = choose_setting_name(f"--hierarchy {name}", python=f"hierarchies[{name!r}]")
        raise UsageError(f"{said}, {error}") from None


def _find_periods(name: str, hierarchy: Any) -> tuple[Period, ...]:
    """Return the periods that a hierarchy names, such as ``month,year``; nothing if it is something else."""
    words = hierarchy.split(",") if isinstance(hierarchy, str) else hierarchy
    if not isinstance(words, (list, tuple)) or not words or not all(word in PERIODS for word in words):
        return ()
    try:
        return values.parse_ordered_periods(words)
    except BadValueError as error:
        raise UsageError(f"hierarchies[{name!r}] {error.args[0]}. {error.args[1]}") from None


def _make_sensitive(name: str, hierarchy: Any, nature: _Nature) -> Attribute:
    described = _make_quasi_identifier(name, hierarchy, nature)
    return Attribute(
        column=described.column,
        kind=described.kind,
        format=described.format,
        categories=described.categories,
        hierarchy=described.hierarchy,
        listed=described.listed,
        builder=described.builder,
        other=described.other,
    )


def _read_hierarchy(name: str, hierarchy: Any, kind: Literal["number", "category"] | None) -> FileHierarchy:
    if isinstance(hierarchy, (str, Path)):
        tree = read_hierarchy_file(Path(hierarchy), kind, name=name)
        if tree.note:
            (warn if is_asked_in_python() else print_note)(tree.note)
        return tree
    if isinstance(hierarchy, Mapping):
        rows: Any = convert_to_rows(hierarchy, name)
    else:
        rows = hierarchy.to_numpy().tolist() if hasattr(hierarchy, "to_numpy") else hierarchy
    if not isinstance(rows, Iterable) or isinstance(rows, type):
        raise SettingError(f"hierarchies[{name!r}]", hierarchy, "the path of a file, rows, a dict or a builder")
    rows = list(rows)
    if not all(isinstance(row, Iterable) and not isinstance(row, str) for row in rows):
        expected = f"rows of a value and its generalisations, such as [({name!r}, '*')]"
        raise UsageError(f"hierarchies[{name!r}] holds what is no row. Write {expected}.")
    return read_hierarchy_rows(rows, f"the hierarchy of {name!r}", kind)
