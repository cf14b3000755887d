"""The flow of `measure`: every loss metric of a release, pairs of columns, and the least that any release must lose."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import NamedTuple

from sqlalchemy import BigInteger, FromClause, cast, func, literal, select, union_all

from toolbox.errors import SettingError, UsageError
from toolbox.flows.arguments.models import choose_metrics
from toolbox.flows.judge.judge import ChildToJudge, Judged, TablesToJudge, Wanted, judge, make_children, reading_objects
from toolbox.flows.judge.question import Question
from toolbox.flows.judge.tables import TableSource
from toolbox.loss.bound import LossBound, explain_beyond, prove_bound, require_bounded_metric
from toolbox.loss.metric import LossMetric, make_standard_metrics, measure_all
from toolbox.loss.pair_columns import KnownValues
from toolbox.loss.pairs import PairChanges, measure_pairs
from toolbox.messages import choose_setting_name, mark, say
from toolbox.published.comparing import has_class_of_its_own
from toolbox.published.domains import build_sensitive_domain
from toolbox.published.tables import Comparison, Domain
from toolbox.report.judges.measure import LossReport
from toolbox.steps import Steps, Watcher


@reading_objects
def measure_release(
    question: Question,
    original: TableSource,
    release: TableSource,
    *,
    label: str | None = None,
    k: int | None = None,
    metrics: Sequence[str | LossMetric] = (),
    bound: Bounding | None = None,
    pairs: bool = False,
    watcher: Watcher | None = None,
) -> LossReport:
    """Measure what a release has lost; `toolbox.measure` explains the arguments.

    Parameters
    ----------
    bound : Bounding, optional
        Which bounds are proved besides, of the table of persons.
    pairs : bool
        Whether pairs of columns are compared besides.

    Raises
    ------
    ToolboxError
        If a table cannot be read, or a value of the release stands for nothing that is known.
    """
    if label is not None and not isinstance(label, str):
        raise SettingError("label", label, "the name of a column, or None")
    chosen = choose_metrics(metrics)
    steps = Steps(watcher)
    if question.is_anatomy and label is not None:
        raise UsageError("An anatomy keeps labels apart from quasi-identifiers. Leave the label out.")
    asked = question if label is None else question.add_sensitive(label)
    losses_wanted = make_loss_measure(label, k, chosen, pairs=pairs)
    wanted = {"losses": losses_wanted, **list_bound_measures(bound, k, steps.say)}
    children = make_children(asked, release)
    _require_originals(children)
    beside = {name: child for name, child in children.items() if child.original is not None}
    found, _ = judge(asked, TablesToJudge(release=release, original=original, children=beside), wanted, steps)
    losses: LossReport = put_beside(found["losses"], found.get(BOUNDS, ()))
    return replace(losses, timings=steps.timings())


def _require_originals(children: Mapping[str, ChildToJudge]) -> None:
    """Stop where a call names the release of a child table, and not the rows that it was made from."""
    for name, child in children.items():
        if child.original is None and child.question.by_name:
            said = choose_setting_name(
                f"--table {name}=RELEASE:original=FILE", python=f"tables={{{name!r}: {{'original': .., ..}}}}"
            )
            raise UsageError(f"measure compares the table {name} with the rows it was made from. Write {said}.")


def make_loss_measure(
    label: str | None = None, k: int | None = None, chosen: Sequence[LossMetric] = (), *, pairs: bool = False
) -> Wanted:
    """Return the measure of what a release has lost; its report has no timings.

    Parameters
    ----------
    label : str, optional
        By default the sensitive attribute, if there is only one.
    chosen : sequence of LossMetric, optional
        Those to measure; by default all.
    pairs : bool
        Whether pairs of columns are compared besides.
    """
    find = partial(_measure_losses, label=label, k=k, chosen=chosen, pairs=pairs)
    return Wanted(find, needs_pairs=True, counts_values=True)


def _measure_losses(
    judged: Judged, label: str | None, k: int | None, chosen: Sequence[LossMetric], *, pairs: bool
) -> LossReport:
    tables, comparison = judged.tables, judged.beside
    assert comparison is not None, "a loss is measured beside the original records"
    question = tables.question
    if label is None and len(question.sensitive) == 1 and not question.is_anatomy:
        label = str(question.sensitive[0].column)
    names = {metric.name for metric in chosen}
    all_metrics = make_standard_metrics(question.smallest_class if k is None else k)
    # Those that are installed know the k of the release.
    of_others = [metric for metric in chosen if metric.name not in {each.name for each in all_metrics}]
    metrics = [*(metric for metric in all_metrics if not names or metric.name in names), *of_others]
    by_person, notes = _count_persons(judged, comparison)
    measured = measure_all(comparison, metrics, label, by_person)
    return LossReport(
        measures=measured.measures,
        left_out=measured.left_out,
        records=tables.release.records,
        persons=None if by_person is None else by_person.people.records,
        pairs=_measure_pairs(judged, comparison) if pairs else None,
        timings={},
        toolbox_version=version("anonymisation-toolbox"),
        readings=(*notes, *question.tell_unjudged_tables(judged.children), *tables.notes),
        tables={name: _measure_losses(child, None, k, chosen, pairs=pairs) for name, child in judged.children.items()},
    )


def _count_persons(judged: Judged, comparison: Comparison) -> tuple[Comparison | None, tuple[str, ...]]:
    """Return the comparison with persons, where these are declared and known, and what to know of the figures.

    Raises
    ------
    UsageError
        If somebody names who the persons are, and nobody can tell which ones a class has.
    """
    tables, question = judged.tables, judged.question
    if not question.person or question.is_anatomy:
        return None, question.unnamed_persons
    named, headers = " + ".join(question.person), tables.records.source.headers or ()
    told = tell_persons(named)
    if all(headers.count(name) == 1 for name in question.person):
        return judged.by_person, (told,)
    if has_class_of_its_own(comparison):
        return tables.count_persons(comparison, by_pairs=True), (told,)
    unknown = f"The release has no {named}, and nobody can tell which persons are in each class"
    why = comparison.unpaired or "records that agree in all quasi-identifiers are in several classes"
    if question.by_name:
        # A name that is in neither table is wrong itself.
        tables.read_original_with(*question.person)
        person = choose_setting_name("--person", python="person=")
        raise UsageError(f"{unknown}: {why}. Keep the column in the table that you measure, or leave {person} out.")
    return None, (f"{unknown}, so that all metrics count records: {why}.",)


def tell_persons(named: str) -> str:
    """Say in which metrics persons are counted."""
    words = mark("Persons are counted (by %(column)s) in the sizes of classes, and records in all other metrics.")
    return say(words, column=named)


# What analysts ask: pairs of columns before and after.


def _measure_pairs(judged: Judged, comparison: Comparison) -> PairChanges:
    truth = judged.tables.read_original_truth(comparison.people)
    known = None if truth is None else KnownValues(tuple(_list_sensitive_domains(judged, truth)), truth)
    return measure_pairs(comparison, known)


def _list_sensitive_domains(judged: Judged, truth: FromClause) -> Iterator[Domain]:
    """Yield the values of each sensitive attribute, of the original records and of the release."""
    release, records, question = judged.tables.release, judged.tables.records, judged.tables.question
    positions = records.positions[len(question.quasi_identifiers) :]
    nobody = cast(literal(0), BigInteger).label("records")
    for place, (attribute, position) in enumerate(zip(question.sensitive, positions, strict=False), start=1):
        known, shown = truth.c[f"value_{place}"], release.held.c[release.sensitive[str(attribute.column)]]
        before = select(known.label("text"), truth.c.size.label("records"))
        both = union_all(before, select(shown.label("text"), nobody)).subquery()
        kind, zone = records.source.kinds[position], records.source.zones[position]
        yield build_sensitive_domain(judged.store, attribute, both, kind, zone, question.figures, records.source.name)


# The least that any release of this kind must lose.

BOUND_SECONDS = 60.0
"""Most seconds of the search for each bound, if nobody says it."""


class Bounding(NamedTuple):
    """Which bounds are proved."""

    metrics: Sequence[LossMetric]
    """Sums over cells."""
    seconds: float = BOUND_SECONDS
    """Most time of each search."""


def choose_bound(asked: Sequence[str | LossMetric], seconds: float | None) -> Bounding | None:
    """Return the bounds that a call asks for; None if it asks for none.

    Raises
    ------
    UsageError
        If there is no such metric, or it is no sum over cells; or if only a time is named.
    """
    if not (chosen := choose_metrics(asked)):
        if seconds is not None:
            timed = choose_setting_name("--bound-seconds", python="bound_seconds=")
            remedy = choose_setting_name("--bound lm", python="bound=['lm']")
            raise UsageError(f"{timed} limits the search for a bound, and none is asked for. Write {remedy} as well.")
        return None
    for metric in chosen:
        require_bounded_metric(metric)
    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if seconds is not None and not (is_number and seconds >= 0):
        raise SettingError("seconds", seconds, "0 or more seconds, such as 30")
    return Bounding(chosen, BOUND_SECONDS if seconds is None else seconds)


@reading_objects
def find_loss_bound(
    question: Question, original: TableSource, bound: Bounding, k: int, *, watcher: Watcher | None = None
) -> LossBound:
    """Prove what every k-anonymous recoding of a table loses; `toolbox.loss_bound` explains the arguments.

    Raises
    ------
    ToolboxError
        If the table cannot be read.
    """
    steps = Steps(watcher)
    wanted = list_bound_measures(bound, k, steps.say)
    found, _ = judge(question, TablesToJudge(release=original, original=original), wanted, steps)
    proved: LossBound = found[BOUNDS][0]
    return replace(proved, beyond="")


BOUNDS = "bounds"
"""The name under which bounds are found."""


def list_bound_measures(bound: Bounding | None, k: int | None, report: Callable[[str], None]) -> Mapping[str, Wanted]:
    """Return the measure of the bounds, if any are asked for; `put_beside` puts them beside the losses."""

    def prove(judged: Judged) -> list[LossBound]:
        assert judged.beside is not None and bound is not None, "a loss is measured beside the original records"
        return prove_bounds(judged.beside, bound, judged.question.smallest_class if k is None else k, report)

    return {} if bound is None else {BOUNDS: Wanted(prove, "bound", counts_values=True)}


def prove_bounds(
    comparison: Comparison,
    bound: Bounding,
    k: int | None,
    report: Callable[[str], None],
    known: dict[Hashable, LossBound] | None = None,
) -> list[LossBound]:
    """Prove what every release of the people loses at least, and say whether the one at hand is of this kind.

    Parameters
    ----------
    k : int, optional
        Of the release; None: the size of its smallest class.
    report : callable
        Is told how far the search is.
    known : dict, optional
        What was proved before of the same people, which is added to.
    """
    known = {} if known is None else known
    if k is None:
        classes = comparison.release.classes
        k = comparison.store.scalar(select(func.min(classes.c.size)).where(~classes.c.suppressed))
    least, beyond = int(k or 1), explain_beyond(comparison, int(k or 1))
    for metric in bound.metrics:
        if (metric, least, bound.seconds) not in known:
            known[metric, least, bound.seconds] = prove_bound(comparison, metric, least, bound.seconds, report)
    return [replace(known[metric, least, bound.seconds], beyond=beyond) for metric in bound.metrics]


def put_beside(losses: LossReport, bounds: Sequence[LossBound]) -> LossReport:
    """Put bounds beside what the release itself has lost, as far as that was measured."""
    lost = {each.name: each.value for each in losses.measures if each.attribute is None}
    return replace(losses, bounds=tuple(replace(bound, released=lost.get(bound.metric)) for bound in bounds))
