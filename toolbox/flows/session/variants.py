"""The variants of a session: the configuration of each, what is kept of it, and how it becomes a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from numbers import Integral
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import FromClause, func, or_, select

from toolbox.config.model import Attribute, Config, MethodFacts, Output, QuasiIdentifier, Requirement
from toolbox.config.values import USUAL_PERIODS
from toolbox.errors import SettingError, UnknownColumnError, UsageError
from toolbox.flows.arguments.anonymize import (
    AnonymizeArguments,
    add_levels,
    declare_columns,
    fill_parameters,
    find_hierarchy_kinds,
    find_original_requirement,
    require_hierarchies,
    require_whole_numbers,
)
from toolbox.flows.arguments.checks import parse_threshold, require_list
from toolbox.flows.arguments.models import check_models, find_smallest_class
from toolbox.flows.session.loads import Declared, Load, OpenedTable
from toolbox.methods.anonymizer import Anonymizer, find_method
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.registry import list_installed_models, make_models
from toolbox.published.comparing import ShownClasses
from toolbox.queries.dialect import Query, Table
from toolbox.report.runs.compare import Variant
from toolbox.store.engine.store import Scope
from toolbox.store.tables import Tables

# The configuration of one run of a session: what was said when it was opened, and what this run says instead.


class RunRequest(NamedTuple):
    """One run."""

    config: Config
    method: type[Anonymizer]
    models: tuple[PrivacyModel, ...]


def make_run_request(declared: Declared, arguments: AnonymizeArguments) -> RunRequest:
    """Return what is run, from the arguments of `Session.run`; what they leave out is as it was opened.

    Raises
    ------
    UsageError
        If an argument is wrong, or a column is no candidate.
    """
    require_whole_numbers(arguments)
    base = declared.config
    named = arguments.method if arguments.method is not None or not declared.asks else base.method
    method = find_method("Mondrian" if named is None else named)
    facts = method.facts(named if isinstance(named, str) else None)
    trees = {str(name): tree for name, tree in arguments.columns.hierarchies.items()}
    chosen = choose_columns(declared, arguments.columns.quasi_identifiers, trees)
    chosen = _set_levels(chosen, arguments.columns.levels)
    protected = tuple(_set_sensitive_hierarchy(attribute, trees) for attribute in base.sensitive)
    require_hierarchies(facts, chosen, declared.dates)
    check_models(arguments.models, protected)
    models = _choose_models(declared, arguments, facts, protected)
    threshold = parse_threshold(arguments.suppression_threshold)
    # As where a configuration is read with another method: settings that it does not know are left out.
    kept = {name: value for name, value in base.settings.items() if name in facts.settings}
    config = replace(
        base,
        method=facts.name,
        settings={**kept, **{name: str(value) for name, value in arguments.settings.items()}},
        k=find_smallest_class(models, base.k if arguments.k is None else arguments.k),
        requirements=tuple(map(_make_requirement, models)) if declared.asks else (),
        suppression_threshold=base.suppression_threshold if threshold is None else threshold,
        seed=base.seed if arguments.seed is None else arguments.seed,
        output=_choose_output(base.output, facts),
        quasi_identifiers=chosen,
        sensitive=protected,
        # Without dates, runs that climb hierarchies and others find what they need in one load.
        periods=USUAL_PERIODS if facts.climbs and _has_dates(declared, chosen) else (),
    )
    return RunRequest(config, method, models)


def _has_dates(declared: Declared, chosen: Sequence[QuasiIdentifier]) -> bool:
    return any(each.kind in ("date", "timestamp") or str(each.column) in declared.dates for each in chosen)


def choose_columns(
    declared: Declared, names: Sequence[object], trees: Mapping[str, Any]
) -> tuple[QuasiIdentifier, ...]:
    """Return quasi-identifiers by their names, all candidates where none is named, with the hierarchies of a run.

    Raises
    ------
    UsageError
        If one is no candidate, or is named twice.
    """
    candidates = declared.candidates
    wanted = list(map(str, require_list("quasi_identifiers", names, "of columns"))) or list(candidates)
    for name in wanted:
        if name not in candidates:
            raise _make_candidate_error(name, candidates)
        if wanted.count(name) > 1:
            raise UsageError(f"quasi_identifiers names {name!r} twice. Name each column once.")
    known = [*candidates, *(str(attribute.column) for attribute in declared.config.sensitive)]
    for name in trees:
        if name not in known:
            raise UnknownColumnError(name, "The session, in hierarchies=,", known)
    return tuple(_set_hierarchy(declared, candidates[name], trees) for name in wanted)


def load_original(table: OpenedTable, names: Sequence[object] = (), *, with_people: bool = False) -> Load:
    """Load the classes that some quasi-identifiers make, all candidates where none is named."""
    chosen = choose_columns(table.declared, names, {})
    return table.load(replace(table.declared.config, quasi_identifiers=chosen), {}, with_people=with_people)


def _set_levels(chosen: tuple[QuasiIdentifier, ...], levels: Mapping[Any, Any]) -> tuple[QuasiIdentifier, ...]:
    """Return quasi-identifiers with the levels of a run; columns that it does not name keep their levels."""
    names = set(map(str, levels))
    said = [attribute for attribute in chosen if str(attribute.column) in names]
    made = {str(attribute.column): attribute for attribute in add_levels(said, levels)}
    return tuple(made.get(str(attribute.column), attribute) for attribute in chosen)


def _make_candidate_error(name: str, candidates: Mapping[str, QuasiIdentifier]) -> UsageError:
    fault = UnknownColumnError(name, "The session, among its candidates,", list(candidates))
    return UsageError(f"{fault} Only columns that were named when it was opened can be quasi-identifiers.")


def _set_hierarchy(declared: Declared, attribute: QuasiIdentifier, trees: Mapping[str, Any]) -> QuasiIdentifier:
    """Return a quasi-identifier with the hierarchy of a run; None takes away the one that it has."""
    name = str(attribute.column)
    if name not in trees:
        return attribute
    tree = trees[name]
    # What the texts of a file seem to be is nothing against what a hierarchy lists.
    is_known = name in declared.kinds and (name in declared.said or not find_hierarchy_kinds({name: tree}))
    kinds = {name: declared.kinds[name]} if is_known else {}
    ((made,), _) = declare_columns([name], [], {} if tree is None else {name: tree}, kinds)
    kept = {field: getattr(attribute, field) for field in ("column", "priority", "weight", "min_level", "max_level")}
    return replace(made, **kept)


def _set_sensitive_hierarchy(attribute: Attribute, trees: Mapping[str, Any]) -> Attribute:
    name = str(attribute.column)
    if name not in trees:
        return attribute
    kinds = {} if attribute.kind is None or attribute.hierarchy is not None else {name: attribute.kind}
    given = {} if trees[name] is None else {name: trees[name]}
    # Some quasi-identifier must be there; it is not looked at.
    _, (made,) = declare_columns([f"not {name}"], [name], given, kinds)
    return replace(made, column=attribute.column)


def _choose_models(
    declared: Declared, arguments: AnonymizeArguments, facts: MethodFacts, protected: Sequence[Attribute]
) -> tuple[PrivacyModel, ...]:
    """Return what every class must satisfy; of a configuration, what it asks for, with the k of the run."""
    if arguments.models:
        return tuple(arguments.models)
    others = {name for name in ("l", "c", "t") if getattr(arguments, name) is not None}
    if not declared.asks or others:
        parameters = fill_parameters(facts, arguments)
        asked = make_models([find_original_requirement(facts, parameters, protected)])
        # What the run does not name stays as the configuration requires it.
        base = make_models(declared.config.requirements) if declared.asks else ()
        return (*(model for model in base if others.isdisjoint(model.parameters())), *asked)
    models, k = make_models(declared.config.requirements), arguments.k
    if k is None:
        return models
    if not any(model.k_is_class_size for model in models):
        return (*models, KAnonymity(k=k))
    # A model with a k is a dataclass that has this field.
    return tuple(replace(model, k=k) if model.k_is_class_size else model for model in models)  # type: ignore[call-arg]


def _make_requirement(model: PrivacyModel) -> Requirement:
    """Return the requirement that a configuration would write for a model.

    Raises
    ------
    UsageError
        If the model is not installed.
    """
    if type(model) not in list_installed_models():
        remedy = "Make it an entry point under toolbox.privacy_models, or open the table instead of a configuration."
        problem = f"A configuration lists installed models, and {type(model).__name__} is none"
        raise UsageError(f"{problem}. {remedy}")
    return Requirement(
        model=model.name, attribute=model.attribute, parameters=MappingProxyType(dict(model.parameters()))
    )


def _choose_output(output: Output, facts: MethodFacts) -> Output:
    """Return the output with a format that the classes of the method can have."""
    if facts.only_format is not None:
        return output.in_format(facts.only_format)
    return output.in_format() if output.format.needs_records else output


# How a variant becomes a release: the arguments of `toolbox.anonymize` that make it anew.


def release_arguments(
    declared: Declared, read: Mapping[str, Any], opened: AnonymizeArguments, run: AnonymizeArguments, asked: RunRequest
) -> Mapping[str, Any]:
    """Return the arguments of `toolbox.anonymize` that make the release of a run.

    Parameters
    ----------
    read : mapping of str to object
        The argument ``source`` and those that say how it was read, such as ``separator``.
    opened, run : AnonymizeArguments
        What was said when it was opened, and of the run.
    asked : RunRequest
        What became of both.
    """
    if declared.asks:
        return MappingProxyType({"source": asked.config})
    names = [str(attribute.column) for attribute in asked.config.quasi_identifiers]
    columns, known = opened.columns, {*names, *map(str, opened.columns.sensitive)}
    trees = {**_convert_keys(columns.hierarchies), **_convert_keys(run.columns.hierarchies)}
    levels = {**_convert_keys(columns.levels), **_convert_keys(run.columns.levels)}
    described: dict[str, Any] = {
        **read,
        "quasi_identifiers": names,
        "sensitive": list(columns.sensitive),
        "identifiers": list(columns.identifiers),
        "person": list(columns.person),
        "hierarchies": {name: tree for name, tree in trees.items() if tree is not None and name in known},
        "kinds": {name: kind for name, kind in _convert_keys(columns.kinds).items() if name in known},
        "priorities": {name: rank for name, rank in _convert_keys(columns.priorities).items() if name in names},
        "weights": {name: weight for name, weight in _convert_keys(columns.weights).items() if name in names},
        "levels": {name: pair for name, pair in levels.items() if name in names},
        "on_missing": opened.on_missing,
        "limits": opened.limits,
        "population": opened.population,
        "tables": dict(opened.tables or {}),
    }
    apart = {"columns", "settings", "call", *described}
    described |= {field.name: getattr(run, field.name) for field in fields(run) if field.name not in apart}
    needed = {"source", "quasi_identifiers"}
    said = {name: value for name, value in described.items() if name in needed or not _is_nothing(value)}
    return MappingProxyType({**said, **run.settings})


def _convert_keys(described: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name): value for name, value in described.items()}


def _is_nothing(value: object) -> bool:
    return value is None or (isinstance(value, (list, tuple, dict)) and not value)


# The variants that a session keeps until they are dropped, so that their records can be looked at.


@dataclass(frozen=True, eq=False)
class StoredVariant:
    """What one run has made."""

    load: Load
    tables: Tables
    """As the method has left them."""
    shown: ShownClasses
    """Its classes as readers see them."""
    roots: Mapping[str, Sequence[str]]
    """What the root of each hierarchy may be called."""
    rows: Table
    """``row, records, class_id, size, people, suppressed, changed`` of each row of the session that is released: its
    class, and whether any of its values is another one in the release."""
    scope: Scope

    @property
    def classes(self) -> Table:
        """``key, text_1 .., size, persons, suppressed``: the key is the number of the class."""
        return self.shown.classes

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its quasi-identifiers."""
        return tuple(str(attribute.column) for attribute in self.load.config.quasi_identifiers)


@dataclass(eq=False)
class KeptVariants:
    """Numbers the variants that are kept, from 1."""

    table: OpenedTable
    _kept: dict[int, StoredVariant] = field(default_factory=dict)
    _last: int = 0

    def add(
        self, load: Load, tables: Tables, shown: ShownClasses, roots: Mapping[str, Sequence[str]], scope: Scope
    ) -> int:
        """Keep what a run has made, and return its number.

        Parameters
        ----------
        roots : mapping of quasi-identifier to texts
            What the root of its hierarchy may be called.
        scope : Scope
            In which it was made.
        """
        store = self.table.store
        rows = store.create("released", _select_released_rows(load.rows(store), tables, shown))
        load.holders += 1
        self._last += 1
        self._kept[self._last] = StoredVariant(load, tables, shown, roots, rows, scope)
        return self._last

    def find(self, variant: Variant | int) -> StoredVariant:
        """Return what was kept of a variant.

        Raises
        ------
        UsageError
            If it was not kept, or is dropped.
        """
        return self._kept[self.number_of(variant)]

    def number_of(self, variant: Variant | int) -> int:
        """Return the number of a variant.

        Raises
        ------
        UsageError
            If it was not kept, or is dropped.
        """
        number = variant.number if isinstance(variant, Variant) else variant
        if number is None:
            raise UsageError("The variant was not kept. Run it with keep=True to look at its records.")
        if not isinstance(number, Integral):
            raise SettingError("variant", number, "a variant that was kept, or its number")
        if number not in self._kept:
            known = ", ".join(map(str, self._kept)) or "none"
            raise UsageError(f"The session keeps no variant {number}. It keeps: {known}.")
        return int(number)

    def drop(self, variant: Variant | int) -> None:
        """Forget a variant.

        Raises
        ------
        UsageError
            If it was not kept, or is dropped.
        """
        kept = self._kept.pop(self.number_of(variant))
        kept.load.holders -= 1
        self.table.forget(kept.scope)


def _select_released_rows(rows: Table, tables: Tables, shown: ShownClasses) -> Query:
    """Select the class of each row, and whether the release shows anything of it in another way."""
    what, classes, before = shown.keys, shown.classes, tables.combinations
    joined: FromClause = rows.join(what, what.c.key == rows.c.key).join(classes, classes.c.key == what.c.class_id)
    joined = joined.join(before, before.c.combination_id == rows.c.class_id)
    changes = []
    for index, column in enumerate(tables.quasi_identifiers, start=1):
        as_it_was = column.intervals.alias()
        joined = joined.join(as_it_was, as_it_was.c.interval_id == before.c[f"interval_{index}"])
        changes.append(func.nullif(as_it_was.c.label, "").is_distinct_from(classes.c[f"text_{index}"]))
    sizes, changed = (classes.c.size, classes.c.persons.label("people")), or_(classes.c.suppressed, *changes)
    figures = rows.c.records, classes.c.key.label("class_id"), *sizes, classes.c.suppressed, changed.label("changed")
    return select(rows.c.row, *figures).select_from(joined)
