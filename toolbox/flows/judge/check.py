"""The flow of `check`: every privacy model is measured on the classes of a release, or on the groups of an anatomy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version

from toolbox.errors import UnknownColumnError, UsageError
from toolbox.flows.arguments.population import find_named_population
from toolbox.flows.judge.classes.released import (
    count_classes,
    count_persons,
    form_all_classes,
    form_attribute_classes,
    form_group_classes,
    tell_few_people,
)
from toolbox.flows.judge.classes.wider import (
    count_profiles,
    form_joined_classes,
    form_weighted_classes,
    is_counted_together,
    list_counted_alone,
    tell_unjoined,
)
from toolbox.flows.judge.judge import Judged, TablesToJudge, Wanted, judge, make_children, reading_objects
from toolbox.flows.judge.question import Question
from toolbox.flows.judge.tables import TableSource
from toolbox.messages import choose_setting_name
from toolbox.privacy.classes import Classes
from toolbox.privacy.measures import EstimatedPeople, MeasuredParameter, Unmeasured, measure_all
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.people import count_people_required
from toolbox.privacy.registry import check_hierarchies
from toolbox.privacy.results import ModelResult, judge_classes
from toolbox.report.judges.check import CheckReport
from toolbox.risks.coarser import count_below_k
from toolbox.steps import Steps, Watcher
from toolbox.store.engine.store import Store

# The flow of `check`: every privacy model is measured, and those that a release must satisfy are judged.


@reading_objects
def check_release(
    question: Question,
    release: TableSource,
    *,
    population: TableSource | None = None,
    harmonised: bool = False,
    watcher: Watcher | None = None,
) -> CheckReport:
    """Measure every privacy model, and judge those that are required; `toolbox.check` explains the arguments.

    Raises
    ------
    UsageError
        If a required model lacks what it needs: its sensitive attribute, a hierarchy, a population.
    ToolboxError
        If a table cannot be read.
    """
    population = find_named_population(question.config, population)
    require_parts(question, population)
    steps = Steps(watcher)
    wanted = {"check": Wanted(partial(measure_models, harmonised=harmonised))}
    beside = {name: child._replace(original=None) for name, child in make_children(question, release).items()}
    found, _ = judge(question, TablesToJudge(release, population=population, children=beside), wanted, steps)
    report: CheckReport = replace(found["check"], timings=steps.timings())
    return report


def measure_models(judged: Judged, *, harmonised: bool = False) -> CheckReport:
    """Measure and judge all models; the report has no timings."""
    question, store, tables = judged.question, judged.store, judged.tables
    few = tell_few_people(judged, count_people_required(question.models) or 2)
    release = form_group_classes(question, store) if question.is_anatomy else tables.by_person or tables.release
    shown = form_all_classes(store, release, judged.among)
    by_attribute = form_attribute_classes(judged, release, harmonised=harmonised)
    weighted = form_weighted_classes(judged)
    estimated = None if weighted is None else EstimatedPeople(store, weighted, question.sample.basis)
    measured = list(_measure_models(store, shown, by_attribute, harmonised=harmonised))
    if estimated is not None:
        measured.append(estimated.measure())
    together = form_joined_classes(judged)
    classes = {False: shown, True: shown if together is None else together}
    required = list(_judge_models(store, question.models, classes, by_attribute, estimated, harmonised=harmonised))
    return CheckReport(
        **{**count_classes(release), "suppressed": count_classes(tables.release)["suppressed"]},
        persons=count_persons(tables),
        records=tables.release.records,
        measured=tuple(model for model in measured if isinstance(model, MeasuredParameter)),
        unmeasured=tuple(dict.fromkeys(model for model in measured if isinstance(model, Unmeasured))),
        judged=tuple(required),
        harmonised=harmonised,
        below=None if question.is_anatomy else count_below_k(release, question.smallest_class or 2),
        readings=tables.notes,
        timings={},
        toolbox_version=version("anonymisation-toolbox"),
        not_proved=(
            *few,
            *tell_unjoined(judged),
            *(f"{model} is counted in the table of persons alone." for model in list_counted_alone(judged)),
            *(() if estimated is None else estimated.say(required)),
        ),
        profiles=count_profiles(judged, question.smallest_class or 2),
        requires_profiles=question.smallest_class is not None and question.config.attacker != "rows",
        tables={name: measure_models(child, harmonised=harmonised) for name, child in judged.children.items()},
    )


def _measure_models(
    store: Store, shown: Classes, by_attribute: Mapping[str, Classes], *, harmonised: bool
) -> Iterator[MeasuredParameter | Unmeasured]:
    """Measure all models on the classes, then on the classes with each sensitive attribute."""
    yield from measure_all(store, shown)
    for name, classes in by_attribute.items():
        for model in measure_all(store, classes, name):
            if isinstance(model, Unmeasured):
                yield model
            # A model that protects the identity alone is measured again only where classes are split by other columns.
            elif harmonised or model.attribute is not None:
                yield replace(model, attribute=name)


def _judge_models(
    store: Store,
    models: Sequence[PrivacyModel],
    classes_of: Mapping[bool, Classes],
    by_attribute: Mapping[str, Classes],
    estimated: EstimatedPeople | None,
    *,
    harmonised: bool,
) -> Iterator[ModelResult]:
    """Judge the models that the release must satisfy: on its classes, or on those of all tables together (true)."""
    for model in models:
        if estimated is not None and estimated.can_judge(model):
            yield estimated.judge(model)
            continue
        if model.attribute is not None:
            yield judge_classes(store, by_attribute[model.attribute], model)
            continue
        yield judge_classes(store, classes_of[is_counted_together(model)], model)
        if harmonised and not model.looks_beyond_class:
            for name, classes in by_attribute.items():
                yield replace(judge_classes(store, classes, model), attribute=name)


def require_parts(question: Question, population: TableSource | None) -> None:
    """Stop where a required model lacks what it needs, before any table is read.

    Raises
    ------
    UsageError
    """
    known = [str(attribute.column) for attribute in question.sensitive]
    for model in question.models:
        if model.attribute is not None and model.attribute not in known:
            raise UnknownColumnError(model.attribute, "The list of sensitive attributes", known)
        can_estimate = EstimatedPeople.can_judge(model) and question.sample.is_declared
        if model.needs_population and population is None and not can_estimate:
            remedy = choose_setting_name("--population FILE", python="population=")
            raise UsageError(f"{model.name} compares with a population, and none is named. Write {remedy}.")
    if question.is_anatomy and population is not None:
        raise UsageError("The groups of an anatomy describe no people to compare a population with. Leave it out.")
    check_hierarchies(question.models, question.sensitive)
