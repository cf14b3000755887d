"""One judgement: its tables are named, read once, and all that is wanted is measured on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from itertools import groupby
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeAlias, TypeVar

from sqlalchemy import BigInteger, FromClause, and_, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.file_names import add_suffix_to_stem, has_types
from toolbox.config.model import Input
from toolbox.errors import UsageError, did_you_mean, quote
from toolbox.flows.arguments.checks import require_column_dict
from toolbox.flows.arguments.configuration import read_objects
from toolbox.flows.judge.question import Question, make_configured_question, make_described_question
from toolbox.flows.judge.tables import (
    JudgedTables,
    TableSource,
    check_judged_table,
    check_optional_table,
    open_judging_store,
)
from toolbox.messages import choose_setting_name, format_count
from toolbox.published.comparing import as_shown, has_class_of_its_own
from toolbox.published.tables import ROOT, Comparison, Release
from toolbox.queries.dialect import Query, Table
from toolbox.steps import Steps
from toolbox.store.engine.store import Store
from toolbox.store.input.source import column_text
from toolbox.store.load.loading import Loaded

FinishedTables: TypeAlias = Loaded
"""What was loaded, with the finished tables that a run has made of it and proved."""


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
    made: FinishedTables | None = None
    """The finished tables of which the release was written a moment ago: where they say it all, it is not read."""
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
    known: dict[object, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What several measures ask of the same tables, once it was asked."""

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


_P = ParamSpec("_P")
_R = TypeVar("_R")


def reading_objects(flow: Callable[Concatenate[Question, _P], _R]) -> Callable[Concatenate[Question, _P], _R]:
    """Let a flow read objects of stores, as the limits of its question allow it."""

    @wraps(flow)
    def run(question: Question, /, *arguments: _P.args, **named: _P.kwargs) -> _R:
        with read_objects(question.config.limits):
            return flow(question, *arguments, **named)

    return run


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
    if tables.made is not None and not _can_count(question, tables.made):
        tables = replace(tables, made=None)
    opened = open_judging_store(question, tables.release, *people, tables.earlier, *beside)
    with opened if tables.made is None else nullcontext(tables.made.tables.store) as store:
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
        counted=None if tables.made is None else _count_finished_classes(question, tables.made),
    )
    among = beside = None
    if tables.population is not None:
        among = read.compare_with_population(tables.population)
    if tables.original is not None:
        others = None if any(measure.counts_values for measure in measures) else among
        beside = read.compare_with_original(pairs=any(measure.needs_pairs for measure in measures), among=others)
    children = {
        name: _read_tables(child.question, store, TablesToJudge(child.release, child.original), wanted)
        for name, child in tables.children.items()
    }
    return Judged(tables=read, beside=beside, among=among, children=children)


# The classes of finished tables, as a reader of the release finds them.


def _can_count(question: Question, made: FinishedTables) -> bool:
    """Return whether finished tables say all that a reader of the released text finds in its declared columns."""
    config, treated = question.config, made.layout.treated
    output, form, source = config.output, config.output.format, config.input
    return (
        form.can_be_judged
        and not (form.tells_classes_apart or form.needs_records or output.escapes_formulas)
        and config.compatibility.name is None
        and not (config.person or question.sample.is_declared or config.population)
        and all(treated[position].is_unmodified for position in made.layout.sensitive)
        and (source is not None and not has_types(source.path))
        and (output.path is not None and not has_types(output.path))
    )


def _count_finished_classes(question: Question, made: FinishedTables) -> Release | None:
    """Count what the classes of finished tables hold that were proved, instead of reading what was written of them.

    None where classes share a name that only a reader of the texts takes for one.
    """
    tables, names = made.tables, [str(attribute.column) for attribute in question.quasi_identifiers]
    store, drops = tables.store, question.config.output.suppressed == "drop"
    released = select(tables.equivalence)
    released = released.where(~tables.equivalence.c.suppressed) if drops else released
    rows = released.subquery()
    columns = zip(tables.quasi_identifiers, tables.interval_names, strict=True)
    cells = tuple(store.create("cells", _name_intervals(column.intervals, rows.c[name])) for column, name in columns)
    told_apart = store.each(select(func.count() - func.count(each.c.text.distinct())) for each in cells)
    if any(told_apart):
        return None
    codes = [rows.c[name].label(f"cell_{index}") for index, name in enumerate(tables.interval_names, start=1)]
    hides = []
    for code, each, name in zip(codes, cells, names, strict=True):
        is_root = each.c.text.in_([ROOT, *question.roots[name]])
        hides.append(code.in_(select(each.c.cell_id).where(is_root)))
    columns_of_class = rows.c.equivalence_id, rows.c.size, and_(*hides).label("suppressed"), *codes
    classes = store.create("classes", select(*columns_of_class))
    sensitive = {str(each.column): f"text_{index}" for index, each in enumerate(question.sensitive, start=1)}
    held = store.create("held", _select_held_values(question, made, sensitive, classes))
    records = int(store.scalar(select(func.coalesce(func.sum(classes.c.size), 0))))
    return Release(
        store=store,
        name="",
        quasi_identifiers=tuple(names),
        cells=cells,
        classes=classes,
        held=held,
        sensitive=sensitive,
        records=records,
    )


def _name_intervals(interval: FromClause, shown: ColumnElement[int]) -> Query:
    """Count the records that show each interval, by what it is called: ``cell_id, text, records``."""
    size = cast(func.sum(shown.table.c.size), BigInteger).label("records")
    used = select(shown.label("cell_id"), size).group_by(shown).subquery()
    text = func.nullif(interval.c.label, "").label("text")
    return select(used.c.cell_id, text, used.c.records).join_from(
        used, interval, interval.c.interval_id == used.c.cell_id
    )


def _select_held_values(
    question: Question, made: FinishedTables, sensitive: Mapping[str, str], classes: Table
) -> Query:
    """Count how many records of each class have which sensitive texts: ``equivalence_id, text_1 .., records``."""
    if not sensitive:
        return select(classes.c.equivalence_id, classes.c.size.label("records"))
    record, missing, texts = made.tables.anon_record, question.missing, list[ColumnElement[str]]()
    for attribute, position in zip(question.sensitive, made.layout.sensitive, strict=True):
        text = column_text(record, position)
        texts.append(func.nullif(text if missing.kept is None else missing.value(attribute, text), ""))
    labelled = [text.label(name) for text, name in zip(texts, sensitive.values(), strict=True)]
    key = record.c.equivalence_id
    counted = select(key, *labelled, func.count().label("records")).group_by(key, *texts)
    return (
        counted.where(key.in_(select(classes.c.equivalence_id)))
        if question.config.output.suppressed == "drop"
        else counted
    )


# The child tables of a question: those that a call names, and those of a configuration that stand beside the release.


class _NamedChild(NamedTuple):
    """What a call says of a child table beside what it says of its columns."""

    release: Any
    original: Any = None
    key: str | None = None


_OF_CHILDREN = _NamedChild._fields


def _list_named(tables: Any) -> dict[str, _NamedChild]:
    """Return the child tables that a call names: tables, or dictionaries of what is said of them.

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
        found[str(name)] = _NamedChild(**words)
    return found


def make_children(question: Question, release: TableSource) -> dict[str, ChildToJudge]:
    """Return the child tables that are judged, each with the k that the whole release requires.

    Parameters
    ----------
    release : path, Input or pyarrow.Table
        That of the table of persons.

    Raises
    ------
    UsageError
        If a table has no quasi-identifiers, or nothing says whose its rows are.
    """
    named = {} if question.description is None else _list_named(question.description.tables)
    chosen = _describe_children(question, named) if question.by_name else _find_configured(question)
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
        of_child = replace(asked, counts_roots=True)
        of_release = of_child if (k := question.smallest_class) is None else of_child.require_k(k)
        given = None if said is None else check_optional_table(said.original, asked)
        found[name] = ChildToJudge(of_release, own, asked.original if given is None else given)
    return found


def _describe_children(question: Question, named: Mapping[str, _NamedChild]) -> dict[str, Question]:
    """Return the questions about tables that a call names."""
    described = question.description
    assert described is not None, "no configuration says it"
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
