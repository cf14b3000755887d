"""The flow of `check`: every privacy model is measured on the classes of a release, or on the groups of an anatomy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sqlalchemy import BigInteger, cast, func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import InputError, UnknownColumnError, UsageError
from toolbox.flows.arguments.population import find_population_input
from toolbox.flows.judge.question import Question
from toolbox.flows.judge.tables import JudgedTables, TableSource, open_judging_store
from toolbox.messages import choose_setting_name
from toolbox.privacy.classes import Classes, form_classes
from toolbox.privacy.measures import MeasuredParameter, Unmeasured, measure_all
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.people import count_people_required
from toolbox.privacy.registry import check_hierarchies
from toolbox.privacy.results import ModelResult, judge_classes
from toolbox.published.records import Records
from toolbox.published.records import build_release_classes as release_classes_of
from toolbox.published.tables import Release
from toolbox.report.judges.check import CheckReport
from toolbox.risks.coarser import count_below_k
from toolbox.risks.risk import find_matches
from toolbox.steps import Steps, Watcher
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.layout import find_columns
from toolbox.store.input.source import Source

# The groups of an anatomy, read back from its two tables: `check` judges them, as nothing else hides people.

_GROUP = "group"


def form_group_classes(question: Question, store: Store) -> Release:
    """Form the groups of an anatomy as classes, with the sensitive values that each holds.

    Records that show nothing but roots in the table of the quasi-identifiers are suppressed, and so is their group.

    Raises
    ------
    InputError
        If one of the tables cannot be read.
    """
    release, hidden = _read_groups(question, store), _find_suppressed_groups(question, store)
    cells, classes = release.cells[0], release.classes
    is_hidden = classes.c.cell_1.in_(select(cells.c.cell_id).where(cells.c.text.in_(hidden)))
    columns = [is_hidden.label(column.name) if column.name == "suppressed" else column for column in classes.c]
    return replace(release, classes=store.create("classes", select(*columns)))


def _read_groups(question: Question, store: Store) -> Release:
    """Read the table of the sensitive values, whose first column is the group."""
    source = _open_source(question, store, of_quasi_identifiers=False)

    def value(position: int, text: ColumnElement[str]) -> ColumnElement[str]:
        return question.missing.value(question.sensitive[position - 1], text) if position else text

    counted = Records(store, source, (0, *_find_sensitive(question, store, source)), value=value).counted
    names = [str(attribute.column) for attribute in question.sensitive]
    return release_classes_of(store, counted, name=source.name, quasi_identifiers=[_GROUP], sensitive=names)


def _find_suppressed_groups(question: Question, store: Store) -> list[str]:
    """Find the suppressed groups in the table of the quasi-identifiers, whose last column is the group."""
    source = _open_source(question, store, of_quasi_identifiers=True)
    names = [str(attribute.column) for attribute in question.quasi_identifiers]
    counted = Records(store, source, range(len(names) + 1)).counted
    release = release_classes_of(
        store, counted, name=source.name, quasi_identifiers=names, sensitive=[_GROUP], roots=question.roots
    )
    held, classes = release.held, release.classes
    groups = select(held.c.text_1).distinct().where(classes.c.suppressed)
    joined = groups.join_from(held, classes, classes.c.equivalence_id == held.c.equivalence_id)
    return [group for (group,) in store.rows(joined)]


def _open_source(question: Question, store: Store, *, of_quasi_identifiers: bool) -> Source:
    first, second = question.config.output.format.suffixes
    table = question.table(first if of_quasi_identifiers else second)
    assert table is not None, "a release in files has both tables"
    return InputFiles(table).source(store)


def _find_sensitive(question: Question, store: Store, source: Source) -> Sequence[int]:
    """Find the sensitive attributes among the columns that pass through, which follow the group.

    Raises
    ------
    UsageError
        If only the original records could tell where one is, and they cannot be read.
    """
    with suppress(InputError):
        if question.original is not None:
            layout = find_columns(question.config, InputFiles(question.original).source(store))
            return [1 + layout.passed_through.index(position) for position in layout.sensitive]
    headers = list(source.headers or ())
    for attribute in question.sensitive:
        if headers.count(str(attribute.column)) != 1:
            table = choose_setting_name(
                "--qi group --sensitive NAME", python="quasi_identifiers=['group'], sensitive=[..]"
            )
            raise UsageError(
                f"{source.name}: only the original records tell which column is {attribute.column}, and they cannot be "
                f"read. Put them where the configuration says, or judge the table with {table}."
            )
    return [headers.index(str(attribute.column)) for attribute in question.sensitive]


# The flow of `check`: every privacy model is measured, and those that a release must satisfy are judged.


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
    if population is None or isinstance(population, Path):
        population = find_population_input(question.config, population)
    require_parts(question, population)
    steps = Steps(watcher)
    with open_judging_store(question, release, population) as store:
        with steps.step("read"):
            tables = JudgedTables(question, store, release)
        with steps.step("measure"):
            report = check_tables(tables, population=population, harmonised=harmonised)
    return replace(report, timings=steps.timings())


def check_tables(
    tables: JudgedTables, *, population: TableSource | None = None, harmonised: bool = False
) -> CheckReport:
    """Measure and judge a release that is open; the report has no timings."""
    question, store = tables.question, tables.store
    few = tables.few_people(count_people_required(question.models) or 2)
    release = form_group_classes(question, store) if question.is_anatomy else tables.release
    shown = _form_all_classes(tables, release, population)
    by_attribute = form_attribute_classes(release, question, harmonised=harmonised)
    measured = list(_measure_models(store, shown, by_attribute, harmonised=harmonised))
    judged = list(_judge_models(store, question.models, shown, by_attribute, harmonised=harmonised))
    return CheckReport(
        **_count_classes(release),
        records=tables.release.records,
        measured=tuple(model for model in measured if isinstance(model, MeasuredParameter)),
        unmeasured=tuple(dict.fromkeys(model for model in measured if isinstance(model, Unmeasured))),
        judged=tuple(judged),
        harmonised=harmonised,
        below=None if question.is_anatomy else count_below_k(release, question.smallest_class or 2),
        readings=tables.notes,
        timings={},
        toolbox_version=version("anonymisation-toolbox"),
        not_proved=few,
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
    shown: Classes,
    by_attribute: Mapping[str, Classes],
    *,
    harmonised: bool,
) -> Iterator[ModelResult]:
    """Judge the models that the release must satisfy."""
    for model in models:
        if model.attribute is not None:
            yield judge_classes(store, by_attribute[model.attribute], model)
            continue
        yield judge_classes(store, shown, model)
        if harmonised and not model.needs_population:
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
        if model.needs_population and population is None:
            remedy = choose_setting_name("--population FILE", python="population=")
            raise UsageError(f"{model.name} compares with a population, and none is named. Write {remedy}.")
    if question.is_anatomy and population is not None:
        raise UsageError("The groups of an anatomy describe no people to compare a population with. Leave it out.")
    check_hierarchies(question.models, question.sensitive)


def _form_all_classes(tables: JudgedTables, release: Release, population: TableSource | None) -> Classes:
    """Return the classes without sensitive values; suppressed records are in none."""
    store, classes = tables.store, release.classes
    sizes = store.create("sizes", select(classes.c.equivalence_id, classes.c.size).where(~classes.c.suppressed))
    if population is None:
        return Classes(sizes)
    comparison = tables.compare_with_population(population)
    matches = find_matches(comparison)
    # Suppressed records are in no class, so that nobody is described by them.
    covered, fitting = matches.people_covered(), matches.count_released_records(with_suppressed=False)
    nowhere = select(func.coalesce(func.sum(fitting.c.size), 0)).where(fitting.c.consistent == 0)
    outside = cast(literal(store.scalar(nowhere)), BigInteger).label("outside")
    people = store.create("people", select(covered.c.equivalence_id, covered.c.people.label("size"), outside))
    store.drop(covered, fitting)
    return Classes(sizes, population=people)


def form_attribute_classes(release: Release, question: Question, *, harmonised: bool) -> Mapping[str, Classes]:
    """Return the classes with the values of each sensitive attribute."""
    held, classes = release.held, release.classes
    attributes = {release.sensitive[str(attribute.column)]: attribute for attribute in question.sensitive}
    texts = [held.c[text] for text in attributes]
    rows = select(held.c.equivalence_id, *texts, held.c.records, classes.c.suppressed)
    joined = rows.join_from(held, classes, classes.c.equivalence_id == held.c.equivalence_id).subquery()
    return form_classes(
        release.store,
        joined,
        ["equivalence_id"],
        attributes,
        harmonised=harmonised,
        records="records",
        hidden="suppressed",
        figures=question.figures,
        orders=release.orders,
    )


def _count_classes(release: Release) -> dict[str, Any]:
    """Count the classes, and sum up their sizes."""
    classes = release.classes
    size = classes.c.size
    is_class = ~classes.c.suppressed
    columns = (
        func.count().filter(is_class),
        func.min(size).filter(is_class),
        func.avg(size).filter(is_class),
        func.coalesce(func.sum(size).filter(classes.c.suppressed), 0),
    )
    count, smallest, average, suppressed = release.store.row(select(*columns))
    return {"classes": count, "smallest_class": smallest, "average_class": average, "suppressed": int(suppressed)}
