"""The flow of `risk`: who is at risk, by class, among a population, by sensitive values and statistics of classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, cast, func, select

from toolbox.config.model import QuasiIdentifier
from toolbox.errors import SettingError, UsageError
from toolbox.flows.judge.attackers import make_attackers
from toolbox.flows.judge.classes.released import (
    count_persons,
    form_attribute_classes,
    form_group_classes,
    tell_few_people,
)
from toolbox.flows.judge.classes.wider import count_profiles, tell_unjoined
from toolbox.flows.judge.judge import Judged, TablesToJudge, Wanted, judge, make_children, reading_objects
from toolbox.flows.judge.question import Question, StatisticsColumn
from toolbox.flows.judge.tables import JudgedTables, TableSource
from toolbox.hierarchy.hierarchy import Interval
from toolbox.messages import choose_setting_name
from toolbox.methods.anonymizer import find_method
from toolbox.published.cells.notations import parse_column_interval, parse_interval, parse_members
from toolbox.published.tables import ROOT, Comparison
from toolbox.report.advice import Minimality, find_minimality
from toolbox.report.judges.risk import RiskReport
from toolbox.risks.coarser import BelowK, count_below_k
from toolbox.risks.figures import Attack, SolvedStatistics, StatisticsRisk
from toolbox.risks.individual import SampleRisk, measure_sample_risk
from toolbox.risks.risk import DEFAULT_THRESHOLD, Risk, measure_risk, require_threshold
from toolbox.risks.sensitive import AttributeInClasses, SensitiveRisk, measure_sensitive_risk
from toolbox.steps import Steps, Watcher

if TYPE_CHECKING:
    from toolbox.queries.dialect import Table
    from toolbox.risks.statistics.fitting import Label, ValueGrid


# The part of `risk` about sensitive values: what the class of a person tells of them.


def parse_beliefs(question: Question, above: float | Sequence[float] | None) -> list[float]:
    """Return the beliefs above which people are counted, too: one, several or none.

    Raises
    ------
    SettingError
    UsageError
    """
    if above is None:
        return []
    beliefs = list(above) if isinstance(above, Sequence) and not isinstance(above, str) else [above]
    for belief in beliefs:
        if not isinstance(belief, Real) or isinstance(belief, bool) or not 0 < belief < 1:
            raise SettingError("above", belief, "a probability above 0 and below 1, such as 0.75")
    if beliefs and not question.sensitive:
        sensitive = choose_setting_name("--sensitive NAMES", python="sensitive=")
        raise UsageError(f"A belief is one in sensitive values, and none are named. Also write {sensitive}.")
    return [float(belief) for belief in beliefs]


def measure_sensitive(judged: Judged, above: Sequence[float] = ()) -> tuple[SensitiveRisk, ...]:
    """Measure what classes, or the groups of an anatomy, tell of each sensitive attribute; none of no class.

    Parameters
    ----------
    above : sequence of float
        Beliefs above which people are counted, too.
    """
    question = judged.question
    if not question.sensitive:
        return ()
    shown = form_group_classes(question, judged.store) if question.is_anatomy else judged.shown
    found = []
    for name, classes in form_attribute_classes(judged, shown).items():
        histogram, overall = classes.judged
        attribute = AttributeInClasses(
            name=name,
            sizes=classes.sizes,
            histogram=histogram,
            overall=overall,
            persons=count_persons(judged.tables),
            is_number=classes.kind == "number",
            tree=classes.tree,
        )
        found.append(measure_sensitive_risk(judged.store, attribute, above=above))
    return tuple(risk for risk in found if risk is not None)


# The part of `risk` about statistics of classes: what mean, variance and distribution give back.


def measure_statistics(judged: Judged) -> StatisticsRisk | None:
    """Count the classes whose values follow from their statistics; None for a release without any."""
    tables, beside = judged.tables, judged.beside
    if not tables.statistics:
        return None
    described = _form_described_classes(tables)
    solve = {"moments": _solve_moments, "distribution": _solve_shares}
    columns = tuple(
        solve[column.kind](tables, described, column, place, beside) for place, column in _number_texts(tables)
    )
    tables.store.drop(described)
    return StatisticsRisk(columns=columns)


def _number_texts(tables: JudgedTables) -> list[tuple[int, StatisticsColumn]]:
    """Return the columns with the numbers of their texts."""
    first = 1 + len(tables.release.quasi_identifiers) + len(tables.release.sensitive)
    return list(enumerate(tables.statistics, start=first))


def _form_described_classes(tables: JudgedTables) -> Table:
    """Form the classes that readers can tell apart, by labels and statistics: ``text_1 .., size``."""
    counted = tables.records.counted
    numbers = range(1, len(tables.release.quasi_identifiers) + 1)
    texts = [counted.c[f"text_{number}"] for number in (*numbers, *(place for place, _ in _number_texts(tables)))]
    size = cast(func.sum(counted.c.size), BigInteger).label("size")
    return tables.store.create("described", select(*texts, size).group_by(*texts))


def _count_alike_classes(tables: JudgedTables, described: Table, column: StatisticsColumn, place: int) -> Any:
    """Count the classes that look alike in one column and tell something: ``label, size, classes, told``."""
    label, told = described.c[f"text_{column.number + 1}"], described.c[f"text_{place}"]
    classes = cast(func.count(), BigInteger).label("classes")
    rows = select(label.label("label"), described.c.size, classes, told.label("told")).where(told.is_not(None))
    return tables.store.arrow(rows.group_by(label, described.c.size, told))


def _solve_moments(
    tables: JudgedTables, described: Table, column: StatisticsColumn, place: int, beside: Comparison | None
) -> SolvedStatistics:
    from toolbox.risks.statistics.fitting import Label, find_grid
    from toolbox.risks.statistics.solving import ClassFigures

    question = tables.question
    rows, attribute = _count_alike_classes(tables, described, column, place), question.quasi_identifiers[column.number]
    labels, numbers = _encode_column(rows["label"])
    sizes, classes, told = rows["size"].to_numpy(), rows["classes"].to_numpy(), rows["told"].combine_chunks()
    figures = ClassFigures.read(numbers, sizes, classes, told, question.figures.decimal)
    named = _find_label_intervals(attribute)
    return figures.solve(
        tables.release.quasi_identifiers[column.number],
        [_label(Label, text, named, tables) for text in labels],
        cells=tables.release.records,
        grid=None if beside is None else _find_grid(find_grid, beside, column.number),
        is_rounded=not question.by_name and question.config.output.statistics == "rounded",
    )


def _solve_shares(
    tables: JudgedTables, described: Table, column: StatisticsColumn, place: int, beside: Comparison | None
) -> SolvedStatistics:
    from toolbox.risks.statistics.solving import ClassShares

    rows, attribute = (
        _count_alike_classes(tables, described, column, place),
        tables.question.quasi_identifiers[column.number],
    )
    labels, numbers = _encode_column(rows["label"])
    sizes, classes, told = rows["size"].to_numpy(), rows["classes"].to_numpy(), rows["told"].combine_chunks()
    figures = ClassShares.read(numbers, sizes, classes, told)
    wide = {label for label, interval in _find_label_intervals(attribute).items() if interval.low < interval.high}
    is_wide = [text in (ROOT, "") or text in wide or parse_members(text) is not None for text in labels]
    return figures.solve(tables.release.quasi_identifiers[column.number], is_wide, cells=tables.release.records)


def _encode_column(texts: Any) -> tuple[list[str], Any]:
    """Return the distinct texts of a column, and which of them each row has; no text is an empty one."""
    encoded = texts.combine_chunks().fill_null("").dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy()


def _find_label_intervals(attribute: QuasiIdentifier) -> Mapping[str, Interval]:
    """Return what the labels of a hierarchy stand for, the lowest node where several share one."""
    if attribute.hierarchy is None:
        return {}
    return {node.label: node.interval for node, _ in attribute.hierarchy.nodes()}


def _label(make: type[Label], text: str, named: Mapping[str, Interval], tables: JudgedTables) -> Label | None:
    """Return what a text stands for; a suppressed cell may be any number."""
    if (node := named.get(text)) is not None:
        return make(node, is_node=True)
    if text in (ROOT, ""):
        return make(Interval(float("-inf"), float("inf")), is_node=True)
    interval = parse_column_interval(tables.question.figures, text) or parse_interval(text)
    return None if interval is None else make(interval, is_node=False)


def _find_grid(find: Callable[[Any], ValueGrid | None], beside: Comparison, index: int) -> ValueGrid | None:
    """Return the grid of the values that the people have; others may be listed."""
    values = beside.people.domains[index].values
    held = select(values.c.number).where(values.c.number.is_not(None), values.c.records > 0)
    numbers = beside.store.to_arrays(held)["number"]
    return find(numbers) if len(numbers) else None


# The part of `risk` about a sample: whom its classes are estimated to stand for in the population.


def make_sample_measure(k: int, threshold: float | None) -> Wanted:
    """Return what measures the risk of a sample."""
    return Wanted(partial(_measure_sample, threshold=threshold, k=k))


def _measure_sample(judged: Judged, *, threshold: float | None, k: int) -> SampleRisk | None:
    """Measure the risk of a sample; None where nothing says how records were drawn."""
    release, sample = judged.tables.sampled, judged.question.sample
    if release is None:
        return None
    highest = DEFAULT_THRESHOLD if threshold is None else threshold
    require_threshold(highest)
    return measure_sample_risk(
        release,
        weight=sample.weight,
        fraction=sample.fraction,
        has_households=sample.household is not None,
        threshold=highest,
        k=k,
    )


# The flow of `risk`: who is still at risk, by class, among a population, and by the records that fit a person.

FEWEST_FITTING = 5
"""How many records a person should hide among where nothing is asked of a release."""


def list_risk_measures(
    question: Question, *, k: int, threshold: float | None = None, above: Sequence[float] = ()
) -> dict[str, Wanted]:
    """Return what is measured of who is at risk.

    Parameters
    ----------
    k : int
        Fewest records that a person should hide among.
    threshold : float, optional
        Risk above which a record is at risk.
    above : sequence of float
        Beliefs above which people are counted.
    """
    highest = DEFAULT_THRESHOLD if threshold is None else threshold

    def measure_attackers(judged: Judged) -> Risk:
        beside = judged.by_person or judged.beside
        return measure_risk(judged.shown, original=beside, population=judged.among, threshold=highest, k=k)

    def measure_below(judged: Judged) -> BelowK | None:
        # Anatomy hides what is sensitive, and not who somebody is.
        return None if question.is_anatomy else count_below_k(judged.shown, k, judged.people)

    return {
        "risk": Wanted(measure_attackers),
        "below": Wanted(measure_below),
        "statistics": Wanted(measure_statistics, needs_statistics=True),
        "sensitive": Wanted(partial(measure_sensitive, above=above)),
    }


@reading_objects
def assess_risk(
    question: Question,
    release: TableSource,
    *,
    original: TableSource | None = None,
    population: TableSource | None = None,
    threshold: float | None = None,
    k: int | None = None,
    attack: Attack | None = None,
    earlier: TableSource | None = None,
    link: str | None = None,
    above: float | Sequence[float] | None = None,
    few_columns: int | None = None,
    control: TableSource | None = None,
    watcher: Watcher | None = None,
) -> RiskReport:
    """Measure who is still at risk; `toolbox.risk` explains the arguments.

    Raises
    ------
    ToolboxError
        If a table cannot be read, or a value of the release stands for nothing that is known.
    """
    steps, smallest = Steps(watcher), _find_fewest_records(question, k)
    beliefs = parse_beliefs(question, above)
    attackers = make_attackers(
        question,
        attack=attack,
        earlier=earlier,
        link=link,
        original=original,
        population=population,
        few_columns=few_columns,
        control=control,
    )
    # The rows of a child table are compared where those of the persons are.
    beside = {
        name: each if original else each._replace(original=None)
        for name, each in make_children(question, release).items()
    }
    tables = TablesToJudge(release, original, population, earlier, control, attackers.key, children=beside)
    of_each_table = {
        "few": Wanted(lambda judged: (*tell_few_people(judged, smallest), *tell_unjoined(judged))),
        "persons": Wanted(lambda judged: count_persons(judged.tables)),
        "untrue": Wanted(lambda judged: () if judged.beside is None else judged.beside.untrue),
        **list_risk_measures(question, k=smallest, threshold=threshold, above=beliefs),
    }
    wanted = {
        **of_each_table,
        "sample": make_sample_measure(smallest, threshold),
        "profiles": Wanted(partial(count_profiles, k=smallest)),
        "tables": Wanted(partial(_measure_children, wanted=of_each_table)),
        **attackers.list_measures(smallest),
    }
    found, readings = judge(question, tables, wanted, steps)
    report = _make_report(question, found, readings)
    return replace(report, minimality=_find_minimality(question), timings=steps.timings())


def _measure_children(judged: Judged, wanted: Mapping[str, Wanted]) -> dict[str, RiskReport]:
    """Measure each child table by itself."""
    return {
        name: _make_report(child.question, {each: one.find(child) for each, one in wanted.items()}, child.tables.notes)
        for name, child in judged.children.items()
    }


def _make_report(question: Question, found: dict[str, Any], readings: Sequence[str]) -> RiskReport:
    few, persons = found.pop("few"), found.pop("persons")
    person = () if persons is None else question.person
    return RiskReport(
        **found,
        timings={},
        toolbox_version=version("anonymisation-toolbox"),
        person=person,
        readings=(*few, *_tell_persons(person), *readings),
    )


def _tell_persons(person: Sequence[str]) -> Iterator[str]:
    if person:
        yield f"Persons are counted (by {' + '.join(person)}), also where a name in the document says records."


def _find_fewest_records(question: Question, k: int | None) -> int:
    """Return the fewest records that a person should hide among."""
    fewest = (question.smallest_class or FEWEST_FITTING) if k is None else k
    if not isinstance(fewest, Integral) or isinstance(fewest, bool) or fewest < 1:
        raise SettingError("k", k, "a whole number of at least 1")
    return int(fewest)


def _find_minimality(question: Question) -> Minimality | None:
    """Return what the method gives away, where a configuration says which one made the release."""
    return None if question.by_name else find_minimality(find_method(question.config.method), question.models)
