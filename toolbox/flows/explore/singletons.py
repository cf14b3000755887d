"""The flow of `singletons`: the fewest changes for the people who stand out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from numbers import Integral
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from sqlalchemy import FromClause, String, cast, func, or_, select

from toolbox.config.model import Config, Kind, QuasiIdentifier
from toolbox.errors import SettingError, UnknownColumnError
from toolbox.flows.arguments.configuration import read_figures, read_objects
from toolbox.flows.judge.question import Question
from toolbox.flows.judge.tables import TableSource, open_judging_store
from toolbox.messages import name_command_options
from toolbox.queries.scales import Figures, is_code, is_no_number
from toolbox.report.explore.singletons import SingletonsReport
from toolbox.steps import Steps, Watcher
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.layout import find_columns
from toolbox.store.input.source import Source, open_arrow_source
from toolbox.store.load.loading import Loader

if TYPE_CHECKING:
    from toolbox.methods.singletons.columns import Scope

Scopes: TypeAlias = Literal["local", "global", "both"]
_SMALLEST_CLASS = 2


def compare_variants(
    question: Question,
    data: TableSource,
    *,
    k: int | None = None,
    scope: Scopes = "both",
    rules: Mapping[str, Sequence[str]] = MappingProxyType({}),
    watcher: Watcher | None = None,
) -> SingletonsReport:
    """Measure every variant; `toolbox.singletons` explains the arguments.

    Raises
    ------
    ToolboxError
    """
    from toolbox.methods.singletons.columns import read_rows
    from toolbox.methods.singletons.comparing import compare

    smallest = (question.smallest_class or _SMALLEST_CLASS) if k is None else k
    if not isinstance(smallest, Integral) or isinstance(smallest, bool) or smallest < 2:
        raise SettingError("k", smallest, "a whole number of at least 2")
    if scope not in get_args(Scopes):
        raise SettingError("scope", scope, "one of " + ", ".join(get_args(Scopes)))
    steps = Steps(watcher)
    with read_objects(question.config.limits), open_judging_store(question, data) as store:
        with steps.step("read"):
            source = _open_source(question, store, data)
            question, readings = _find_number_notation(question, source, store)
            config = _add_kinds(question, source, store)
            _require_known(rules, [str(attribute.column) for attribute in config.quasi_identifiers])
            loaded = Loader(config, source, store, steps=steps).load()
        with steps.step("compare"):
            # As the method sees the table: by person, where persons are declared.
            counted = loaded.tables.fold()
            rows = read_rows(counted, smallest, rules)
            scopes: Sequence[Scope] = ("local", "global") if scope == "both" else (scope,)
            compared = compare(rows, smallest, scopes, report=steps.say)
    return SingletonsReport(
        k=smallest,
        records=loaded.records_read,
        incomplete=loaded.records_skipped,
        unchanged=compared.unchanged,
        variants=tuple(variant.figures for variant in compared.ranked),
        all_tried=compared.all_tried,
        readings=readings,
        person="" if loaded.tables.persons is None else loaded.tables.persons.name,
        timings=steps.timings(),
        toolbox_version=version("anonymisation-toolbox"),
    )


def _open_source(question: Question, store: Store, data: TableSource) -> Source:
    if not isinstance(data, Path):
        return open_arrow_source(store, data)
    declared = None if question.by_name else question.config.input
    # The input of a configuration may be several files.
    is_declared = declared is not None and data == declared.path
    return InputFiles(declared if declared and is_declared else question.input_of(data)).source(store)


def _require_known(rules: Mapping[str, Sequence[str]], names: Sequence[str]) -> None:
    for name in rules:
        if name not in names:
            raise UnknownColumnError(name, "the list of quasi-identifiers", names)
        if isinstance(rules[name], str) or not isinstance(rules[name], Iterable):
            raise SettingError(f"rules[{name!r}]", rules[name], "a list of rules, such as ['parent']")


def _find_number_notation(question: Question, source: Source, store: Store) -> tuple[Question, tuple[str, ...]]:
    """Find out how numbers are written, where nobody says it; return what is to be said of it as well."""
    declared, relation = question.config.input, source.relation()
    positions = find_columns(question.config, source).quasi_identifiers
    texts: dict[str, FromClause] = {}
    for attribute, position in zip(question.config.quasi_identifiers, positions, strict=True):
        if _is_open(attribute, source, position):
            text = func.nullif(cast(relation.c[f"c{position}"], String), "")
            texts[str(attribute.column)] = store.create("texts", select(text.label("text")).distinct())
    guesses = declared is not None and declared.guesses_figures
    with name_command_options(question.by_name):
        figures, notes = read_figures(store, texts, question.figures, guesses=guesses)
    return question if figures is None else question.set_number_notation(figures), tuple(notes)


def _add_kinds(question: Question, source: Source, store: Store) -> Config:
    """Return the configuration with the kinds of those columns of text whose kind is not declared."""
    config = question.config
    if not question.by_name:
        return config
    positions = find_columns(config, source).quasi_identifiers
    attributes = [
        replace(attribute, kind=_find_kind(source, store, position, question.figures))
        if _is_open(attribute, source, position)
        else attribute
        for attribute, position in zip(config.quasi_identifiers, positions, strict=True)
    ]
    return replace(config, quasi_identifiers=tuple(attributes))


def _is_open(attribute: QuasiIdentifier, source: Source, position: int) -> bool:
    """Return whether the kind of a column of text is not declared."""
    declared = attribute.kind or attribute.has_hierarchy or attribute.categories
    return not declared and source.kinds[position] is None


def _find_kind(source: Source, store: Store, position: int, figures: Figures) -> Kind:
    relation = source.relation()
    text = func.nullif(cast(relation.c[f"c{position}"], String), "")
    words = select(func.count()).select_from(relation).where(or_(is_no_number(text, figures), is_code(text)))
    return "category" if store.scalar(words) else "number"
