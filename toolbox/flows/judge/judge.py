"""One judgement: tables are read once, and all that is wanted is measured on them; and the flow of `measure`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, FromClause, cast, func, literal, select, union_all

from toolbox.config.file_names import add_suffix_to_stem
from toolbox.config.model import Input
from toolbox.errors import SettingError, UsageError, did_you_mean, quote
from toolbox.flows.arguments.checks import require_column_dict
from toolbox.flows.arguments.models import choose_metrics
from toolbox.flows.judge.question import (
    Question,
    TableDescription,
    make_configured_question,
    make_described_question,
)
from toolbox.flows.judge.tables import (
    JudgedTables,
    TableSource,
    check_judged_table,
    check_optional_table,
    open_judging_store,
)
from toolbox.loss.bound import LossBound, explain_beyond, prove_bound, require_bounded_metric
from toolbox.loss.metric import LossMetric, make_standard_metrics, measure_all
from toolbox.loss.pair_columns import KnownValues
from toolbox.loss.pairs import PairChanges, measure_pairs
from toolbox.messages import choose_setting_name, format_count
from toolbox.published.comparing import as_shown, has_class_of_its_own
from toolbox.published.domains import build_sensitive_domain
from toolbox.published.tables import Comparison, Domain, Release
from toolbox.report.judges.measure import LossReport
from toolbox.steps import Steps, Watcher
from toolbox.store.engine.store import Store


class ChildToJudge(NamedTuple):
    """A child table that is judged beside the table of persons, before it is read."""

    question: Question
    release: TableSource
    original: TableSource | None = None
    """The rows that it was made from."""

    @property
    def tables(self) -> tuple[TableSource | None, ...]:
        """All that may be read of it."""
        return self.release, self.original, self.question.original

    def list_alone(self) -> TablesToJudge:
        """Return the tables of a judgement of this one alone."""
        return TablesToJudge(self.release, self.original, counts_roots=True)


@dataclass(frozen=True)
class TablesToJudge:
    """The tables of a judgement, before they are read."""

    release: TableSource
    original: TableSource | None = None
    """The records that it was made from."""
    population: TableSource | None = None
    """All people who could be in it."""
    earlier: TableSource | None = None
    """An earlier release of the same people."""
    control: TableSource | None = None
    """People of the same source who are not in the release."""
    key: str | None = None
    """The column that links the rows of both releases, if one does."""
    is_reordered: bool = False
    """Whether the release was made of the original a moment ago, in another order."""
    counts_roots: bool = False
    """Whether a record of roots is in a class like any other, as in a child table."""
    children: Mapping[str, ChildToJudge] = field(default_factory=dict)
    """Other tables with rows of the same persons, by their names."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What a measure looks at: the tables as they were read."""

    tables: JudgedTables
    beside: Comparison | None = None
    """The release beside the original records."""
    among: Comparison | None = None
    """The release beside the population."""
    children: Mapping[str, Judged] = field(default_factory=dict)
    """The child tables by their names."""

    @property
    def question(self) -> Question:
        """What is asked, with what reading the tables has told."""
        return self.tables.question

    @property
    def store(self) -> Store:
        """Where all tables are."""
        return self.tables.store

    @property
    def people(self) -> Comparison | None:
        """The release beside the people whom an attacker may know: those in it, or else the population.

        None where its values are not those of the people, so that nobody knows who fits them.
        """
        people = self.beside or self.among
        return None if people is None or people.untrue else people

    @cached_property
    def by_person(self) -> Comparison | None:
        """The release beside the original records, with the persons of both; None where these are not known."""
        return None if self.beside is None else self.tables.count_persons(self.beside)

    def find_people(self) -> Comparison:
        """Return the release beside people of whom everybody has one row; these are persons, if the release knows them.

        Raises
        ------
        UsageError
            If a person has several.
        """
        people = self.beside or self.among
        assert people is not None, "the caller has looked"
        return people if self.tables.by_person is None else _match_persons(self, people)

    @cached_property
    def shown(self) -> Release:
        """The release for who looks at its classes, and knows what is beside them; by person, if that is asked."""
        return as_shown(self.tables.by_person or self.tables.release, self.beside, self.among)


def _match_persons(judged: Judged, people: Comparison) -> Comparison:
    """Return a comparison in which everybody is one: each person has one combination, and one class.

    Raises
    ------
    UsageError
        If somebody has several.
    """
    release, store = judged.tables.by_person, judged.store
    assert release is not None and release.persons is not None, "the caller has looked"
    persons = judged.by_person or people.replace_release(release)
    shown, known = release.persons, persons.people.persons
    held = {"classes of the release": select(shown.c.equivalence_id, shown.c.person)}
    if known is not None:
        held["combinations of the original records"] = select(known.c.combination_id, known.c.person)
    for what, rows in held.items():
        places = rows.distinct().subquery()
        several = select(places.c.person).group_by(places.c.person).having(func.count() > 1).subquery()
        if found := int(store.scalar(select(func.count()).select_from(several))):
            matching = choose_setting_name("--matching", python="matching=")
            person = choose_setting_name("--person", python="person=")
            people_are = format_count(found, "person is", "persons are")
            raise UsageError(
                f"Matching gives everybody one row, and {people_are} in several {what}. Make one record of each person "
                f"first, leave {matching} out, or leave {person} out: then each record counts."
            )
    if not has_class_of_its_own(people) or judged.by_person is None:
        return persons
    # All records of a combination became one class, and so did all of its persons.
    pairs, combination = people.pairs, persons.people.combinations
    assert pairs is not None, "it was looked at"
    became = select(pairs.c.combination_id, pairs.c.equivalence_id, combination.c.size.label("records"))
    became = became.join_from(pairs, combination, combination.c.combination_id == pairs.c.combination_id)
    return replace(persons, pairs=store.create("pairs", became))


class Wanted(NamedTuple):
    """One thing that is measured under the name that a report has for it, and what must be read for it."""

    find: Callable[[Judged], Any]
    step: str = "measure"
    """The step that it is a part of."""
    needs_pairs: bool = False
    """Whether each original record is put beside its released one, if that can be told."""
    needs_statistics: bool = False
    """Whether the statistics of classes are read."""
    counts_values: bool = False
    """Whether it counts the values that original records may have; then what only the population has is none."""


class Judgement(NamedTuple):
    """What was measured."""

    found: dict[str, Any]
    """By the names of what was wanted."""
    readings: tuple[str, ...]
    """How the tables were read, where that is not certain."""


def judge(
    question: Question, tables: TablesToJudge, wanted: Mapping[str, Wanted], steps: Steps | None = None
) -> Judgement:
    """Read the tables once, and measure all that is wanted on them.

    Raises
    ------
    ToolboxError
        If a table cannot be read, or a value of the release stands for nothing that is known.
    """
    steps, found = steps or Steps(), dict[str, Any]()
    people = (tables.original, tables.population, tables.control)
    beside = [each for child in tables.children.values() for each in child.tables]
    with open_judging_store(question, tables.release, *people, tables.earlier, *beside) as store:
        with steps.step("read"):
            judged = _read_tables(question, store, tables, wanted)
        for step, measures in groupby(wanted.items(), lambda item: item[1].step):
            with steps.step(step):
                found |= {name: measure.find(judged) for name, measure in measures}
        return Judgement(found, judged.tables.notes)


def _read_tables(question: Question, store: Store, tables: TablesToJudge, wanted: Mapping[str, Wanted]) -> Judged:
    """Read the tables, as far as what is wanted needs it."""
    measures = wanted.values()
    read = JudgedTables(
        question,
        store,
        tables.release,
        tables.original,
        key=tables.key,
        with_statistics=any(measure.needs_statistics for measure in measures),
        is_reordered=tables.is_reordered,
        counts_roots=tables.counts_roots,
    )
    among = beside = None
    if tables.population is not None:
        among = read.compare_with_population(tables.population)
    if tables.original is not None:
        others = None if any(measure.counts_values for measure in measures) else among
        beside = read.compare_with_original(pairs=any(measure.needs_pairs for measure in measures), among=others)
    children = {
        name: _read_tables(child.question, store, child.list_alone(), wanted) for name, child in tables.children.items()
    }
    return Judged(tables=read, beside=beside, among=among, children=children)


# The child tables of a question: those that a call names, and those of a configuration that stand beside the release.


class NamedChild(NamedTuple):
    """What a call says of a child table beside what it says of its columns."""

    release: Any
    original: Any = None
    key: str | None = None


_OF_CHILDREN = NamedChild._fields


def list_named_children(tables: Any) -> dict[str, NamedChild]:
    """Return the child tables that a Python call names: tables, or dictionaries of what is said of them.

    Raises
    ------
    UsageError
    """
    found = {}
    for name, said in require_column_dict("tables", tables).items():
        words = dict(said) if isinstance(said, Mapping) else {"release": said}
        for word in words:
            if word not in _OF_CHILDREN:
                hint = did_you_mean(str(word), _OF_CHILDREN)
                takes = f"It takes {', '.join(_OF_CHILDREN)}; columns are called {name}.ward."
                raise UsageError(f"tables[{name!r}] says {word!r}, which means nothing.{hint} {takes}")
        if words.get("release") is None:
            raise UsageError(f"tables[{name!r}] names no release. Write tables={{{name!r}: 'release_{name}.csv'}}.")
        found[str(name)] = NamedChild(**words)
    return found


def make_children(
    question: Question,
    release: TableSource,
    named: Mapping[str, NamedChild],
    described: TableDescription,
) -> dict[str, ChildToJudge]:
    """Return the child tables that are judged, each with the k that the whole release requires.

    Parameters
    ----------
    release : path, Input or pyarrow.Table
        That of the table of persons.
    named : mapping of str to NamedChild
        The child tables that the call names.
    described : TableDescription
        What it says of the columns of all tables, where no configuration does.

    Raises
    ------
    UsageError
        If a table has no quasi-identifiers, or nothing says whose its rows are.
    """
    chosen = _describe_children(question, named, described) if question.by_name else _find_configured(question)
    if unknown := [name for name in named if name not in chosen]:
        problem = f"{question.config.source} has no table {quote(unknown[0])} with quasi-identifiers."
        raise UsageError(f"{problem}{did_you_mean(unknown[0], list(chosen))} Declare it there.")
    found = {}
    for name, asked in chosen.items():
        said = named.get(name)
        if said is not None and said.key is not None and not question.by_name:
            raise UsageError(f"{question.config.source} says what the key of the table {name} is. Leave key out.")
        own = _find_release_beside(name, asked, release) if said is None else check_judged_table(said.release, asked)
        if own is None:
            continue
        of_release = asked if (k := question.smallest_class) is None else asked.require_k(k)
        given = None if said is None else check_optional_table(said.original, asked)
        found[name] = ChildToJudge(of_release, own, asked.original if given is None else given)
    return found


def _describe_children(
    question: Question, named: Mapping[str, NamedChild], described: TableDescription
) -> dict[str, Question]:
    """Return the questions about tables that a call names."""
    if named and len(question.person) != 1:
        declare = choose_setting_name("--person patient", python="person='patient'")
        raise UsageError(
            f"The table {next(iter(named))} has rows of the same persons, whom one column must tell apart. "
            f"Write {declare}, say."
        )
    found = {}
    for name, said in named.items():
        own = described.of_table(name, question.person if said.key is None else (said.key,))
        if not own.quasi_identifiers:
            columns = choose_setting_name(f"--qi {name}.ward", python=f"quasi_identifiers=['{name}.ward']")
            raise UsageError(f"Nothing names what somebody may know of the table {name}. Write {columns}, say.")
        found[name] = make_described_question(question.config.source, own)
    return found


def _find_configured(question: Question) -> dict[str, Question]:
    """Return the questions about the child tables of a configuration that have quasi-identifiers."""
    tables = question.config.child_tables.items()
    return {name: make_configured_question(child) for name, child in tables if child.quasi_identifiers}


def _find_release_beside(name: str, asked: Question, release: TableSource) -> TableSource | None:
    """Return the release of a child table that stands beside that of the persons; None if there is none."""
    beside = add_suffix_to_stem(release, f"_{name}") if isinstance(release, Path) else None
    own = asked.release if isinstance(release, Input) else beside
    first = own.path if isinstance(own, Input) else own
    return own if first is not None and first.exists() else None


# The flow of `measure`: every loss metric of a release beside the original records.


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
    children: Mapping[str, ChildToJudge] = MappingProxyType({}),
    watcher: Watcher | None = None,
) -> LossReport:
    """Measure what a release has lost; `toolbox.measure` explains the arguments.

    Parameters
    ----------
    bound : Bounding, optional
        Which bounds are proved besides, of the table of persons.
    pairs : bool
        Whether pairs of columns are compared besides, of the same.

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
    wanted = {"losses": make_loss_measure(label, k, chosen), **list_bound_measures(bound, k, steps.say)}
    if pairs:
        wanted["pairs"] = make_pairs_measure()
    _require_originals(children)
    beside = {name: child for name, child in children.items() if child.original is not None}
    found, _ = judge(asked, TablesToJudge(release=release, original=original, children=beside), wanted, steps)
    losses: LossReport = put_beside(found["losses"], found.get(BOUNDS, ()))
    return replace(losses, pairs=found.get("pairs"), timings=steps.timings())


def _require_originals(children: Mapping[str, ChildToJudge]) -> None:
    """Stop where a call names the release of a child table, and not the rows that it was made from."""
    for name, child in children.items():
        if child.original is None and child.question.by_name:
            said = choose_setting_name(
                f"--table {name}=RELEASE:original=FILE", python=f"tables={{{name!r}: {{'original': .., ..}}}}"
            )
            raise UsageError(f"measure compares the table {name} with the rows it was made from. Write {said}.")


def make_loss_measure(label: str | None = None, k: int | None = None, chosen: Sequence[LossMetric] = ()) -> Wanted:
    """Return the measure of what a release has lost; its report has no timings.

    Parameters
    ----------
    label : str, optional
        By default the sensitive attribute, if there is only one.
    chosen : sequence of LossMetric, optional
        Those to measure; by default all.
    """
    return Wanted(partial(_measure_losses, label=label, k=k, chosen=chosen), needs_pairs=True, counts_values=True)


def _measure_losses(judged: Judged, label: str | None, k: int | None, chosen: Sequence[LossMetric]) -> LossReport:
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
        timings={},
        toolbox_version=version("anonymisation-toolbox"),
        readings=(*notes, *question.tell_unjudged_tables(judged.children), *tables.notes),
        tables={name: _measure_losses(child, None, k, chosen) for name, child in judged.children.items()},
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
    told = f"Persons are counted (by {named}) in the sizes of classes, and records in all other metrics."
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


# What analysts ask: pairs of columns before and after.


def make_pairs_measure() -> Wanted:
    """Return the measure of how each pair of columns has changed."""
    return Wanted(_measure_pairs, "pairs", needs_pairs=True, counts_values=True)


def _measure_pairs(judged: Judged) -> PairChanges:
    comparison = judged.beside
    assert comparison is not None, "pairs are compared with those of the original records"
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
