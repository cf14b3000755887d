"""One run of a session: from loaded combinations to a variant, proved and measured; it can be cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from sqlalchemy import FromClause, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Config
from toolbox.errors import CancelledError, InputError, SettingError, UnknownColumnError, UsageError
from toolbox.flows.arguments.models import find_judged_attributes, find_smallest_class, make_method, models_of
from toolbox.flows.arguments.population import require_population
from toolbox.flows.judge.measure import Bounding, prove_bounds, put_beside, tell_persons
from toolbox.flows.judge.question import Question
from toolbox.flows.release.pipeline import make_release, summarise_unordered
from toolbox.flows.session.loads import Load, OpenedTable, select_combinations
from toolbox.flows.session.variants import KeptVariants, RunRequest
from toolbox.loss.metric import LossMetric, Measured, measure_all
from toolbox.messages import choose_setting_name, mark
from toolbox.methods.anonymizer import Anonymization
from toolbox.privacy.model import PrivacyModel
from toolbox.published.comparing import (
    ShownClasses,
    add_held_values,
    compare_with_people,
    count_persons_beside,
    list_ambiguity_notes,
)
from toolbox.published.tables import Comparison
from toolbox.queries.dialect import Query, Table
from toolbox.release.formats.gen_vals_dist import build_mapping
from toolbox.report.judges.measure import LossReport
from toolbox.report.runs.compare import Variant
from toolbox.risks.risk import AttackerRisk, count_class_sizes, measure_attacker_risk, require_threshold
from toolbox.steps import Steps
from toolbox.store.engine.store import Scope, Store
from toolbox.store.input.source import column_text

if TYPE_CHECKING:
    import pyarrow as pa


# Cancelling a run: at the next words of its method, or in the middle of a statement.

_EVERY = 0.05
"""Seconds between two looks whether the run is cancelled."""


@runtime_checkable
class Switch(Protocol):
    """What a `threading.Event` is, as far as it matters here."""

    def is_set(self) -> bool:
        """Return whether the run is cancelled."""


Cancel: TypeAlias = "Switch | Callable[[], bool]"
"""What says whether a run is cancelled; it is asked from another thread, too."""


class Cancelling:
    """Ends a run that is cancelled.

    Parameters
    ----------
    cancel : threading.Event or callable, optional
        None: nobody cancels it.

    Raises
    ------
    SettingError
        If it is neither.
    """

    def __init__(self, cancel: Cancel | None) -> None:
        if cancel is not None and not isinstance(cancel, Switch) and not callable(cancel):
            raise SettingError("cancel", cancel, "a threading.Event, or a function that returns True to cancel")
        self._asked = cancel.is_set if isinstance(cancel, Switch) else cancel
        self._cancelled = False
        self._fault: BaseException | None = None

    def require_going_on(self) -> None:
        """Stop if the run is cancelled.

        Raises
        ------
        CancelledError
        """
        if self._is_cancelled():
            raise CancelledError("The run was cancelled. Nothing of it is left.") from self._fault

    @contextmanager
    def interrupt_when_cancelled(self, store: Store) -> Iterator[None]:
        """Interrupt the statements of the block as soon as the run is cancelled.

        Raises
        ------
        CancelledError
            Instead of whatever the interrupt has led to.
        """
        if self._asked is None:
            yield
            return
        self.require_going_on()
        is_over = threading.Event()
        thread = threading.Thread(target=self._watch, args=(store, is_over), daemon=True)
        thread.start()
        try:
            yield
        except Exception:
            if self._cancelled:
                self.require_going_on()
            raise
        finally:
            # Before anything is dropped: an interrupt must not meet the statements that clean up.
            is_over.set()
            thread.join()

    def _watch(self, store: Store, is_over: threading.Event) -> None:
        while not is_over.wait(_EVERY):
            if self._is_cancelled():
                store.interrupt()

    def _is_cancelled(self) -> bool:
        if self._asked is not None and not self._cancelled:
            try:
                self._cancelled = bool(self._asked())
            except Exception as error:
                self._fault, self._cancelled = error, True
        return self._cancelled


# One run of a session: from loaded combinations to a variant, proved and measured; nothing else of it is left.

NO_LABEL = mark("it looks at sensitive values; measure the written release")


@dataclass(frozen=True, kw_only=True)
class RequestedFigures:
    """What is to be told of a variant besides its summary."""

    metrics: tuple[LossMetric, ...] = ()
    threshold: float
    """Risk above which a record is at risk."""
    label: str | None = None
    """The sensitive attribute that metrics of classification take for the class label; None: these are left out."""
    classes: bool = False
    """Whether the classes themselves are fetched."""
    kept_in: KeptVariants | None = None
    """Keeps what the run makes; None: nothing of it is left."""
    bound: Bounding | None = None
    """What is proved that every release loses at least."""
    nodes: bool = False
    """Whether the method tells what it knows of every node of the lattice, as far as it does, and there are few."""
    sample: int | None = None
    """About how many records are run where nearly all of many are different; None: all."""
    judged: Mapping[str, bool] = field(default_factory=dict)
    """Sensitive attributes that other runs judge, so that all are loaded at once, and whether as numbers."""

    def __post_init__(self) -> None:
        require_threshold(self.threshold)


def preview_release(
    table: OpenedTable,
    asked: RunRequest,
    wanted: RequestedFigures,
    steps: Steps,
    cancelling: Cancelling,
    *,
    arguments: Mapping[str, Any],
) -> Variant:
    """Run a method on loaded combinations, prove what it has made, and measure that.

    Parameters
    ----------
    arguments : mapping
        Those of `toolbox.anonymize` that would make the release.

    Raises
    ------
    ToolboxError
        Whatever is wrong; the combinations are as they were.
    """
    config, store = asked.config, table.store
    table = table if wanted.sample is None else table.find_sample(config, wanted.sample)
    _require_whole_classes(config)
    judges = models_of(config, asked.models)
    with_people = require_population(judges, is_named=table.population is not None, of_session=config)
    method = make_method(config, judges, asked.method)

    def report(words: str) -> None:
        cancelling.require_going_on()
        steps.say(words)

    lasting = table.keep_beyond_scope() if wanted.kept_in is not None else nullcontext(Scope())
    with table.temporary_scope(), cancelling.interrupt_when_cancelled(store), lasting as scope:
        with steps.step("read"):
            judged = _find_judged_attributes(find_judged_attributes(judges), wanted.judged)
            load = table.load(config, judged, steps, with_people=with_people)
        anonymization = make_release(load.loaded, method, config, steps, say=report, nodes=wanted.nodes)
        # Who asks now has waited for the method in vain, but not for what follows.
        cancelling.require_going_on()
        with steps.step("measure"):
            shown = _select_shown_classes(store, config, anonymization, load.persons(store, table.source))
            measuring = _Measuring(table, load, config, shown, judges, wanted.label, report)
            measured = _collect_measures(measuring, wanted)
        summary = summarise_unordered(config, method, load.loaded, anonymization, steps)
        # Last of all: what fails before is not kept.
        keeper = wanted.kept_in
        roots = Question(config=config).roots
        number = None if keeper is None else keeper.add(load, anonymization.tables, shown, roots, scope)
    if (losses := measured.pop("losses")) is not None:
        losses = replace(losses, timings=summary.timings)
    of = table.sampled_from
    summary = summary if of is None else summary.tell_sample(of)
    return Variant(summary=summary, losses=losses, arguments=arguments, number=number, sampled_from=of, **measured)


def _find_judged_attributes(own: Mapping[str, bool], others: Mapping[str, bool]) -> dict[str, bool]:
    """Return all judged attributes, and whether somebody must know if they are numbers."""
    return {name: own.get(name, False) or others.get(name, False) for name in {**others, **own}}


def _require_whole_classes(config: Config) -> None:
    """Stop where a format deals single records into groups, which a session does not have.

    Raises
    ------
    UsageError
    """
    if reason := config.output.format.needs_records:
        alone = choose_setting_name("Run it by itself: toolbox -config FILE", python="Use toolbox.anonymize")
        problem = f"{config.method} {reason}, and only their combinations are kept here"
        raise UsageError(f"{problem}. {alone}, or choose another method.")


@dataclass(frozen=True)
class _Measuring:
    """What losses are measured on."""

    table: OpenedTable
    load: Load
    config: Config
    shown: ShownClasses
    judges: Sequence[PrivacyModel]
    label: str | None
    report: Callable[[str], None]
    """Is told how far a search for a bound is."""

    def compare_with_people(self, *, needs_pairs: bool) -> Comparison:
        """Put the classes beside the people."""
        config, store = self.config, self.table.store
        beside = compare_with_people(
            store,
            self.load.people(store, self.table.source),
            self.shown,
            quasi_identifiers=[str(attribute.column) for attribute in config.quasi_identifiers],
            roots=Question(config=config).roots,
            needs_pairs=needs_pairs,
        )
        if self.label is None:
            return beside
        return add_held_values(beside, self.shown, self.label, store.create("held", self._labels(self.label)))

    def count_persons(self, comparison: Comparison) -> Comparison | None:
        """Return the comparison with the persons of both sides; None where records count."""
        store, persons = self.table.store, self.load.persons(self.table.store, self.table.source)
        if persons is None:
            return None
        keys, classes = self.shown.keys, comparison.release.find_class_keys(self.shown.classes)
        of_class = select(classes.c.equivalence_id, persons.c.person).join_from(
            persons, keys, keys.c.key == persons.c.key
        )
        release = comparison.release.set_persons(of_class.join(classes, classes.c.key == keys.c.class_id).distinct())
        return count_persons_beside(comparison, release, store.create("read", self.load.select_by_person(persons)), 1)

    def _labels(self, label: str) -> Query:
        """Select the label of each row that is released: ``key, text, records``."""
        source, rows = self.table.source, self.load.rows(self.table.store)
        names = [str(attribute.column) for attribute in self.config.sensitive]
        if label not in names:
            raise UnknownColumnError(label, "The run, among its sensitive attributes,", names)
        text = column_text(source.relation(), self.load.loaded.layout.sensitive[names.index(label)])
        joined = rows.join(source.relation(), source.row_number() == rows.c.row)
        return select(rows.c.key, text.label("text"), rows.c.records).select_from(joined)

    def measured(self, metrics: Sequence[LossMetric], comparison: Comparison) -> Measured:
        """Measure all metrics; without a label, leave out those that look at values of a sensitive attribute."""
        k = find_smallest_class(self.judges, None)
        unlabelled = [metric for metric in metrics if metric.needs_label and self.label is None]
        measurable = [_add_k(metric, k) for metric in metrics if metric not in unlabelled]
        by_person = None
        if any(metric.counts_persons for metric in measurable):
            by_person = self.count_persons(comparison)
        measured = measure_all(comparison, measurable, self.label, by_person)
        left_out = tuple(metric.left_out(NO_LABEL) for metric in unlabelled)
        return Measured(measured.measures, (*measured.left_out, *left_out))

    def add_bounds(self, losses: LossReport, bound: Bounding, comparison: Comparison) -> LossReport:
        """Add what every release of the people loses at least; what was proved before is not proved again."""
        k = find_smallest_class(self.judges, None)
        return put_beside(losses, prove_bounds(comparison, bound, k, self.report, self.load.bounds))


def _collect_measures(measuring: _Measuring, wanted: RequestedFigures) -> dict[str, Any]:
    """Return what a variant says of its classes, by the names that it has there."""
    store, shown = measuring.table.store, measuring.shown
    return {
        "losses": _measure_losses(measuring, wanted),
        "risk": _measure_risk(store, shown, wanted.threshold),
        "sizes_before": count_class_sizes(store, _select_sizes_as_read(measuring.load)),
        "sizes_after": count_class_sizes(store, _select_class_sizes(shown)),
        "classes": _fetch_classes(store, measuring.config, shown) if wanted.classes else None,
    }


def _measure_losses(measuring: _Measuring, wanted: RequestedFigures) -> LossReport | None:
    if not wanted.metrics:
        return None
    notes: tuple[str, ...] = ()
    comparison: Comparison | None = None
    try:
        comparison = measuring.compare_with_people(needs_pairs=any(metric.needs_pairs for metric in wanted.metrics))
        measured, notes = measuring.measured(wanted.metrics, comparison), list_ambiguity_notes(comparison)
    except InputError as error:
        # Labels that nobody can read are a fault of a method or a hierarchy; the variant is proved all the same.
        measured = Measured((), tuple(metric.left_out(str(error)) for metric in wanted.metrics))
    tables = measuring.load.loaded.tables
    losses = LossReport(
        measures=measured.measures,
        left_out=measured.left_out,
        records=tables.record_count,
        persons=None if tables.persons is None else tables.person_count,
        timings={},
        toolbox_version=version("anonymisation-toolbox"),
        readings=notes if tables.persons is None else (tell_persons(tables.persons.name), *notes),
    )
    if wanted.bound is None or comparison is None:
        return losses
    return measuring.add_bounds(losses, wanted.bound, comparison)


def _add_k(metric: LossMetric, k: int | None) -> LossMetric:
    """Return a metric with the k of the release where it counts with one that nobody has set."""
    if k is None or getattr(metric, "k", 0) is not None:
        return metric
    return replace(metric, k=k)  # type: ignore[call-arg]


def _select_shown_classes(
    store: Store, config: Config, anonymization: Anonymization, persons: Table | None
) -> ShownClasses:
    """Write the classes as the release shows them; suppressed records are in it, as roots.

    Parameters
    ----------
    persons : Table, optional
        ``key, person``, where persons count.
    """
    plain = replace(config, output=replace(config.output.in_format(), suppressed="keep"))
    mapping = build_mapping(anonymization.tables, plain)
    texts = [
        func.nullif(mapping.classes.c[name], "").label(f"text_{index}")
        for index, name in enumerate(mapping.shown, start=1)
    ]
    classes, rows = mapping.classes.c, select(mapping.classes)
    people: ColumnElement[int] = classes.size
    if persons is not None:
        key, who = mapping.keys.c, func.count(persons.c.person.distinct()).label("people")
        counted = select(key.class_id, who).join_from(mapping.keys, persons, persons.c.key == key.key)
        of_class = counted.group_by(key.class_id).subquery()
        rows, people = rows.join(of_class, of_class.c.class_id == classes.class_id), of_class.c.people
    sizes = classes.size, people.label("persons")
    shown = rows.with_only_columns(classes.class_id.label("key"), *texts, *sizes, classes.suppressed)
    return ShownClasses(mapping.keys, store.create("shown", shown))


def _fetch_classes(store: Store, config: Config, shown: ShownClasses) -> pa.Table:
    names = ("class_id", "size", "suppressed", *(str(attribute.column) for attribute in config.quasi_identifiers))
    classes = shown.classes.c
    texts = [classes[f"text_{index}"] for index, _ in enumerate(config.quasi_identifiers, start=1)]
    table = store.arrow(select(classes.key, classes.size, classes.suppressed, *texts).order_by(classes.key))
    return table.rename_columns(list(names))


def _measure_risk(store: Store, shown: ShownClasses, threshold: float) -> AttackerRisk | None:
    """Measure the risk of an attacker by the classes that are released, as a reader tells them apart."""
    size = _select_class_sizes(shown).c.size
    return measure_attacker_risk(store, select(size.label("records"), size.label("hidden_among")).subquery(), threshold)


def _select_class_sizes(shown: ShownClasses) -> FromClause:
    """Return the sizes of the classes, in persons where these count; suppressed records are in none."""
    classes = shown.classes.c
    return select(classes.persons.label("size")).where(~classes.suppressed).subquery()


def _select_sizes_as_read(load: Load) -> FromClause:
    """Return the sizes of the classes as the records were read, in persons where these count."""
    combinations = select_combinations(load.loaded).subquery().c
    return select(combinations.people.label("size")).subquery()
