"""The flow of `anonymize` where the records stay in an engine: count, search, write, count again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import count
from secrets import randbits
from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, Boolean, FromClause, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Attribute, Config, Kind
from toolbox.engines.engine import (
    MOST_COMBINATIONS,
    CountedPersons,
    CountedRecords,
    CountRequest,
    Engine,
    Lacking,
    RecordRecoding,
    ReleasedColumn,
    Staged,
)
from toolbox.errors import EngineError, InputError, ProofError, UnsatisfiableError, UsageError
from toolbox.flows.arguments.configuration import require_declared, require_matchable_missing
from toolbox.flows.arguments.models import find_judged_attributes, make_method, models_of, require_counted_alone
from toolbox.flows.arguments.population import Population
from toolbox.flows.release.pipeline import (
    CountedRelease,
    Outcome,
    place_beside,
    prepare_release,
    report_file,
    write_configuration_file,
)
from toolbox.methods.anonymizer import Anonymizer
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.proof.recount import JudgedValues, Recount
from toolbox.queries.dialect import Table, nth_column
from toolbox.release.formats.gen_vals import Shown, list_released_columns
from toolbox.report.columns import format_columns
from toolbox.steps import Steps, Watcher
from toolbox.store.disk.folders import translate_file_errors
from toolbox.store.engine.store import Store
from toolbox.store.input.layout import Layout, MissingValues, find_columns
from toolbox.store.input.source import column_text, open_arrow_source
from toolbox.store.load.counted import CountedLoader, CountedSource, CountedTables
from toolbox.store.load.sensitive import is_checked

if TYPE_CHECKING:
    from pathlib import Path


# What an engine is asked to count, and its answers as tables of the store.

_COMBINATIONS = "combinations"
"""The setting of every engine for `CountRequest.most`."""
_TRIES = 8
"""Salts that are tried until no two combinations have one key."""


@dataclass(frozen=True)
class EngineCounts:
    """What an engine has counted, in the store."""

    request: CountRequest
    combinations: Table
    """``key, text_1 .., unusable, size, sum_1, sum_2``: a key is of one combination of texts, and one row of it at most
    is of usable records. With persons also ``persons``."""
    held: Mapping[str, Table]
    """For each judged column ``key, text, size``, and ``persons``."""
    counted: CountedRecords
    """The answer itself, in which values have the types of the engine."""
    persons: CountedPersons | None = None


def count_in_engine(
    store: Store, request: CountRequest, count: Callable[[CountRequest], CountedRecords]
) -> EngineCounts:
    """Count in the engine; repeat with another salt while two combinations have the same key.

    Raises
    ------
    EngineError
        If that goes on.
    """
    for salt in range(_TRIES):
        salted = replace(request, salt=request.salt + salt)
        counted = count(salted)
        combinations = _store_combinations(store, counted, len(request.by))
        assert counted.persons is not None or not request.person, "an engine says whether it counts persons"
        if _has_one_key_each(store, combinations, len(request.by)):
            held = {name: _store_sensitive_values(store, counted, index) for index, name in enumerate(request.judged)}
            return EngineCounts(salted, combinations, held, counted, counted.persons)
        store.drop(combinations)
    raise EngineError(f"The engine gives different combinations one key, with each of {_TRIES} salts.")


def _store_combinations(store: Store, counted: CountedRecords, count: int) -> Table:
    """Keep what was counted; values that an engine tells apart may have one text, and are one here."""
    relation = open_arrow_source(store, counted.combinations).relation()
    texts = [column_text(relation, index).label(f"text_{index}") for index in range(1, count + 1)]
    key = cast(relation.c.c0, BigInteger).label("key")
    unusable = cast(relation.c[f"c{count + 1}"], Boolean).label("unusable")
    size, *sums = (func.sum(cast(relation.c[f"c{place}"], BigInteger)) for place in range(count + 2, count + 5))
    # A sum may be beyond 64 bits here, where no engine has begun anew.
    amounts: list[ColumnElement[Any]] = [cast(size, BigInteger).label("size")]
    amounts += [number.label(f"sum_{place}") for place, number in enumerate(sums, start=1)]
    amounts += _add_up_persons(relation, counted, count + 5)
    grouped: list[ColumnElement[Any]] = [key, *texts, unusable]
    return store.create("answer", select(*grouped, *amounts).group_by(*map(nth_column, range(1, len(grouped) + 1))))


def _add_up_persons(relation: FromClause, counted: CountedRecords, place: int) -> list[ColumnElement[Any]]:
    """Return the persons of rows that are one here, where they were counted: nobody is in two of them."""
    if counted.persons is None:
        return []
    return [cast(func.sum(cast(relation.c[f"c{place}"], BigInteger)), BigInteger).label("persons")]


def _has_one_key_each(store: Store, combinations: Table, count: int) -> bool:
    texts = [combinations.c[f"text_{index}"] for index in range(1, count + 1)]
    different = select(combinations.c.key, *texts).where(~combinations.c.unusable).distinct().subquery()
    rows, keys = store.row(select(func.count(), func.count(different.c.key.distinct())))
    return bool(rows == keys)


def _store_sensitive_values(store: Store, counted: CountedRecords, index: int) -> Table:
    relation = open_arrow_source(store, counted.held[index]).relation()
    key, size = (cast(relation.c[name], BigInteger) for name in ("c0", "c2"))
    total = cast(func.sum(size), BigInteger).label("size")
    persons = _add_up_persons(relation, counted, 3)
    rows = select(key.label("key"), column_text(relation, 1).label("text"), total, *persons)
    return store.create("held", rows.group_by(*map(nth_column, (1, 2))))


@dataclass(frozen=True)
class EngineQuestion:
    """What a configuration asks of an engine.

    Parameters
    ----------
    judged : mapping of str to bool
        The sensitive attributes that a privacy model judges, by name, and whether it must know if they are numbers.
    """

    config: Config
    layout: Layout
    judged: Mapping[str, bool]
    secret: int = field(default_factory=lambda: randbits(63), repr=False)
    """Goes into the numbers of persons, and is kept nowhere."""

    @property
    def input_count(self) -> CountRequest:
        """The count of the input."""
        layout = self.layout
        return CountRequest(
            by=self._names(layout.quasi_identifiers),
            judged=(*self._names(self._find_checked_columns()), *self._treated),
            passed=self._list_sources(),
            treated=self._treated,
            lacking=tuple(self._list_missing_columns()),
            person=self.person,
            secret=self.secret,
            most=self._most,
        )

    def release_count(self, made: CountedRelease, person: str | None = None) -> CountRequest:
        """Return the count of the release that was written.

        Parameters
        ----------
        person : str, optional
            The column that still numbers the persons. Without it, a release by person is no more judged.
        """
        headers = {column.text: column.header for column in self.released(made)}
        judged = () if self.person and person is None else self._find_judged_columns().values()
        return CountRequest(
            by=tuple(headers[text] for text in made.mapping.shown),
            judged=(*judged, *self._treated),
            passed=self._list_sources(),
            person=() if person is None else (Lacking(column=person, marks=("",)),),
            secret=self.secret,
            most=self._most,
        )

    def find_person_header(self, made: CountedRelease) -> str | None:
        """Return what the column with the numbers of persons is called until they are counted; None: there is none."""
        if not self.person:
            return None
        # Spark takes capital letters for small ones.
        taken = {column.header.casefold() for column in self.released(made)}
        names = (f"toolbox_person_{place}" for place in count())
        return next(name for name in names if name not in taken)

    def require_one_combination(self, engine: str, counted: CountedPersons | None) -> None:
        """Stop where an engine cannot count persons, as one has several combinations.

        Raises
        ------
        InputError
        """
        if counted is not None and counted.several:
            own, by = (self._names(places) for places in (self._person_positions, self.layout.quasi_identifiers))
            raise counted.make_error(engine, format_columns(own), format_columns(by))

    def loaded(self, answer: EngineCounts) -> CountedTables:
        """Return what the count of the input tells of the records."""
        names, persons = self.layout.names, answer.persons
        name = " + ".join(self._names(self._person_positions))
        return CountedTables(
            answer.combinations,
            {position: answer.held[names[position]] for position in self._find_checked_columns()},
            None if persons is None else (name, persons.number, persons.lacking),
        )

    def released(self, made: CountedRelease) -> tuple[ReleasedColumn, ...]:
        """Return the columns of the release, in the order of the input."""
        shows: tuple[Shown, ...] = ("label", "statistics") if self.config.output.format.has_statistics else ("label",)
        return list_released_columns(self.layout, made.loaded.tables.quasi_identifiers, shows)

    def build_recoding(self, store: Store, made: CountedRelease, answer: EngineCounts) -> RecordRecoding:
        """Return what the engine is to write."""
        keys, classes = made.mapping.keys, made.mapping.classes
        class_id = cast(keys.c.class_id, BigInteger).label("class_id")
        texts = [classes.c[name] for name in made.mapping.shown]
        return RecordRecoding(
            request=answer.request,
            mapping=store.arrow(select(keys.c.key, class_id)),
            classes=store.arrow(select(cast(classes.c.class_id, BigInteger).label("class_id"), *texts)),
            columns=self.released(made),
            person=self.find_person_header(made),
        )

    def recount(self, store: Store, made: CountedRelease, given: EngineCounts, found: EngineCounts) -> Recount:
        """Join the found counts with the expected ones."""
        sensitive, shown = made.loaded.tables.sensitive, made.mapping.shown
        values = {
            name: JudgedValues(tables.kind, tables.codes, tables.overall, tables.tree)
            for name, tables in sensitive.items()
        }
        columns = self._find_judged_columns() if found.persons is not None or not self.person else {}
        return Recount(
            store=store,
            shown=shown,
            stated=_select_expected_classes(made, given),
            found=_name_count_texts(found, shown),
            sums=("sum_1", "sum_2"),
            persons=found.persons is not None,
            held={name: _select_judged_values(found, column, shown) for name, column in columns.items()},
            values=values,
            people=Recount.count_people(made.anonymization.tables, made.mapping, made.models),
        )

    def require_promises(self, store: Store, made: CountedRelease, given: EngineCounts, found: EngineCounts) -> None:
        """Recount what the treatments promise, from what the engine has counted before and after.

        Raises
        ------
        ProofError
        """
        keys = made.mapping.keys
        for name, column in self._treated.items():
            read, shown = given.held[name], found.held[name]
            released = select(read.c.text.label("value"), read.c.size).join_from(read, keys, keys.c.key == read.c.key)
            values = released.subquery()
            if broken := int(store.scalar(column.treatment.count_broken(values, shown))):
                column.treatment.require_no_cause(column.header, values, store.scalar)
            column.treatment.require_kept(column.header, broken)

    @property
    def person(self) -> tuple[Lacking, ...]:
        """The columns that tell persons apart; empty where each record is one."""
        missing = MissingValues.of(self.config)
        return tuple(
            Lacking(column=self.layout.names[position], marks=missing.marks(Attribute(column=column, kind=None)))
            for column, position in zip(self.config.person, self._person_positions, strict=True)
        )

    @property
    def _person_positions(self) -> tuple[int, ...]:
        places = dict(zip(self.config.identifiers, self.layout.identifiers, strict=False))
        return tuple(places[column] for column in self.config.person)

    @property
    def _treated(self) -> Mapping[str, ReleasedColumn]:
        """The columns of single records whose values a release changes, by their names in the engine."""
        shown = self.layout.treated.values()
        return {column.header: column for column in shown if not column.is_unmodified}

    @property
    def _most(self) -> int:
        """Combinations that are fetched at most: a setting that engines have seen to be a number."""
        given = {} if self.config.engine is None else self.config.engine.settings
        return int(given.get(_COMBINATIONS, MOST_COMBINATIONS))

    def _list_sources(self) -> tuple[str, ...]:
        """List the columns whose values are released record by record, by their names in the engine."""
        return self._names(tuple(self.layout.treated))

    def _names(self, positions: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.layout.names[position] for position in positions)

    def _sensitive(self) -> Iterator[tuple[Attribute, int, Kind | None]]:
        yield from zip(self.config.sensitive, self.layout.sensitive, self.layout.sensitive_kinds, strict=True)

    def _find_checked_columns(self) -> list[int]:
        """List the columns whose values are judged, or must fit their declaration."""
        told = ((str(each.column), place, is_checked(each, kind)) for each, place, kind in self._sensitive())
        return [place for name, place, must_fit in told if must_fit or name in self.judged]

    def _find_judged_columns(self) -> dict[str, str]:
        """Return the name of each judged column by that of its attribute."""
        columns = {str(attribute.column): position for attribute, position, _ in self._sensitive()}
        return {name: self.layout.names[columns[name]] for name in self.judged}

    def find_sensitive_headers(self) -> dict[str, str]:
        """Return what the release calls each sensitive attribute that is in it, by its name."""
        shown, columns = self.layout.treated, {str(each.column): place for each, place, _ in self._sensitive()}
        return {name: shown[place].header for name, place in columns.items() if place in shown}

    def _list_missing_columns(self) -> Iterator[Lacking]:
        missing = MissingValues.of(self.config)
        if missing.policy == "keep":
            return
        layout, declared = self.layout, (*self.config.quasi_identifiers, *self.config.sensitive)
        for attribute, position in zip(declared, (*layout.quasi_identifiers, *layout.sensitive), strict=True):
            yield Lacking(column=layout.names[position], marks=missing.marks(attribute))


def _select_expected_classes(made: CountedRelease, given: EngineCounts) -> FromClause:
    """Return the classes as they should be found, with the checksums of their records."""
    keys, classes, rows = made.mapping.keys, made.mapping.classes, given.combinations
    names = ("sum_1", "sum_2", *_list_person_columns(given))
    sums = [func.sum(rows.c[name]).label(name) for name in names]
    placed = keys.join(rows, rows.c.key == keys.c.key)
    summed = select(keys.c.class_id, *sums).select_from(placed).where(~rows.c.unusable).group_by(keys.c.class_id)
    expected = summed.subquery()
    texts = [classes.c[name] for name in made.mapping.shown]
    columns = (*texts, classes.c.size, classes.c.suppressed, *(expected.c[name] for name in names))
    return select(*columns).join_from(classes, expected, expected.c.class_id == classes.c.class_id).subquery()


def _list_person_columns(counts: EngineCounts) -> tuple[str, ...]:
    return () if counts.persons is None else ("persons",)


def _name_count_texts(counts: EngineCounts, shown: Sequence[str]) -> FromClause:
    """Call the texts of a count as the classes call them."""
    combinations = counts.combinations
    texts = [combinations.c[f"text_{index}"].label(name) for index, name in enumerate(shown, start=1)]
    rest = (combinations.c[name] for name in ("key", "size", "sum_1", "sum_2", *_list_person_columns(counts)))
    return select(*texts, *rest).subquery()


def _select_judged_values(found: EngineCounts, column: str, shown: Sequence[str]) -> FromClause:
    """Return the values of a judged column with the texts of their classes."""
    held, combinations = found.held[column], _name_count_texts(found, shown)
    texts = [combinations.c[name] for name in shown]
    same = held.c.key == combinations.c.key
    amounts = (held.c[name] for name in ("size", *_list_person_columns(found)))
    return select(*texts, held.c.text, *amounts).join_from(held, combinations, same).subquery()


# The flow of `anonymize` where the records stay in an engine: count, search, write, count again, publish.

_NO_ORDER = "The records have no order: an engine keeps none."
_UNSEEN = (
    "The values of the columns that are released unchanged stay in the engine, so nobody has looked at them. "
    "Check that none of them names people."
)


def run_on_engine(
    config: Config,
    engine: Engine,
    *,
    method: type[Anonymizer] | None = None,
    models: Sequence[PrivacyModel] = (),
    people: Population | None = None,
    register: Engine | None = None,
    watcher: Watcher | None = None,
    placed: Callable[[], None] = lambda: None,
) -> Outcome:
    """Make a release of records that never leave an engine.

    Parameters
    ----------
    config : Config
    engine : Engine
        Not yet entered.
    people : Population, optional
    register : Engine, optional
        Where the population is, if it is in the engine as well; not yet entered, and only counted.
    method, models, watcher, placed
        As in `toolbox.flows.release.anonymize.run`.

    Raises
    ------
    ToolboxError
        Whatever is wrong; then nothing is published and an older release is untouched.
    """
    steps = Steps(watcher)
    judges = models_of(config, models)
    chosen = make_method(config, judges, method)
    people = people or Population(config, None)
    require_counted_alone(judges, "the records stay in an engine", has_population=people.table is not None)
    people = people.require_for_models(judges, type(chosen))
    _require_counted_persons(config, engine)
    _require_first_header(config, engine)
    judged = find_judged_attributes(judges)
    with Store(config.limits.temp_dir, config.limits) as store, translate_file_errors(store.folder), engine:
        people.expect(store)
        source, layout = _find_columns(config, engine)
        config = _add_release_notes(config, layout, keeps_order=engine.keeps_order)
        question = EngineQuestion(config, layout, judged)
        with steps.step("count"):
            given = count_in_engine(store, question.input_count, engine.count)
        question.require_one_combination(engine.name, given.persons)
        with steps.step("population") if people.is_asked_for else nullcontext():
            known = _count_people(config, store, register) if people.is_remote else people.source(store)
        loader = CountedLoader(config, source, store, question.loaded(given), judged, steps, people=known)
        made = prepare_release(loader, chosen, config, steps)
        _require_clear_names([column.header for column in question.released(made)], "The release")
        with steps.step("write"):
            staged = engine.write(question.build_recoding(store, made, given))
        with steps.step("recount"):
            try:
                staged = _prove_written(engine, store, staged, question, made, given)
            except ProofError:
                _require_same_input(engine, store, given)
                raise
        summary = made.summary(config, chosen, steps, release=(str(config.output.remote),))
        outcome = Outcome(summary, [], (), has_header=True)
        page, outcome = _write_page(engine, staged, question, made, given, judges, outcome)
        beside = report_file(config, outcome.summary, store) | write_configuration_file(config, store) | page
        with steps.show_unlisted("finish"):
            engine.publish(staged)
            placed()
        place_beside(beside, config, store)
    return outcome


def _find_columns(config: Config, engine: Engine) -> tuple[CountedSource, Layout]:
    schema = engine.schema()
    source = CountedSource(engine.name, schema)
    if config.input is not None and config.input.remote is not None:
        source.note_partitions([f"{config.input.remote.url}/"])
    layout = find_columns(config, source)
    _require_clear_names(layout.names, engine.name)
    require_declared(config, layout)
    require_matchable_missing(config, layout, schema, engine.name)
    return source, layout


def _count_people(config: Config, store: Store, register: Engine | None) -> tuple[str, Table]:
    """Count the people of a population that is in the engine, too."""
    assert register is not None, "whoever names it opens it"
    known = replace(config, input=config.population, identifiers=(), sensitive=(), person=(), attacker="rows")
    with register as engine:
        layout = find_columns(known, CountedSource(engine.name, engine.schema()))
        asked = replace(EngineQuestion(known, layout, {}).input_count, judged=(), passed=(), treated={})
        return engine.name, count_in_engine(store, asked, engine.count).combinations


def _add_release_notes(config: Config, layout: Layout, *, keeps_order: bool) -> Config:
    """Add what is otherwise in the release of an engine."""
    passes = any(column.is_unmodified for column in layout.treated.values())
    notes = [*([] if keeps_order else [_NO_ORDER]), *([_UNSEEN] if passes else [])]
    return replace(config, warnings=(*config.warnings, *notes))


def _require_clear_names(names: Sequence[str], whose: str) -> None:
    """Stop where two columns have one name: engines find columns by their names."""
    several = sorted({name for name in names if names.count(name) > 1})
    if several:
        raise UsageError(f"{whose} has several columns called {format_columns(several)}. Give each a name of its own.")


def _require_counted_persons(config: Config, engine: Engine) -> None:
    """Stop where an engine counts no persons, or not as they are to be judged.

    Raises
    ------
    UsageError
    """
    here = "Leave the engine out, so that the records are read here"
    if config.person and not getattr(engine, "counts_persons", False):
        raise UsageError(f"The engine of {engine.name} counts records, no persons. {here}, or declare no person.")
    if config.attacker == "profile":
        compared = "The attacker 'profile' compares all records of each person, which stay in an engine"
        raise UsageError(f"{compared}. {here}, or choose the attacker 'rows'.")


def _require_first_header(config: Config, engine: Engine) -> None:
    """Stop where the header stands below other lines, which no engine leaves out.

    Raises
    ------
    UsageError
    """
    if config.input is not None and config.input.header_line > 1:
        raise UsageError(
            f"The header is in line {config.input.header_line} (headerLine), and {engine.name} reads it in the first. "
            "Leave the engine out, so that the file is read here, or take the lines above the header out of it."
        )


def _prove_written(
    engine: Engine, store: Store, staged: Staged, question: EngineQuestion, made: CountedRelease, given: EngineCounts
) -> Staged:
    """Count what was written, and prove it; the mapping has no part in it. Return what is to be published.

    Persons are counted while a column tells them apart. Then it goes, and what is left is counted once more.
    """
    person = question.find_person_header(made)
    request = question.release_count(made, person)
    found = count_in_engine(store, request, lambda request: engine.recount(staged, request))
    question.recount(store, made, given, found).prove(made.models)
    if person is not None:
        staged = engine.remove_column(staged, person)
        request = question.release_count(made)
        found = count_in_engine(store, request, lambda request: engine.recount(staged, request))
        question.recount(store, made, given, found).prove(())
    question.require_promises(store, made, given, found)
    return staged


def _write_page(
    engine: Engine,
    staged: Staged,
    question: EngineQuestion,
    made: CountedRelease,
    given: EngineCounts,
    judges: Sequence[PrivacyModel],
    outcome: Outcome,
) -> tuple[dict[Path, Path], Outcome]:
    """Count a finished release once more, as judges read it, and write the page, if one is asked for.

    Return the finished page with the name that it will have, and the outcome with what was found for it.
    """
    config = question.config
    if config.output.html is None:
        return {}, outcome
    from toolbox.flows.release.pages import write_run_page

    asked = replace(question.release_count(made), judged=(), passed=())
    sensitive = question.find_sensitive_headers()
    try:
        found = engine.recount(staged, replace(asked, by=(*asked.by, *sensitive.values())))
    except UnsatisfiableError:
        sensitive, found = {}, engine.recount(staged, asked)
    release = found.name_columns((*made.headers, *sensitive))
    original = given.counted.name_columns([str(each.column) for each in config.quasi_identifiers])
    counts = (release, original, sensitive)
    page, summary = write_run_page(config, judges, {}, outcome.summary, made.loaded, counts=counts)
    return page, replace(outcome, summary=summary)


def _require_same_input(engine: Engine, store: Store, given: EngineCounts) -> None:
    """Stop where an input gives other records when it is read again, which is no fault of a release.

    Raises
    ------
    InputError
    """
    again = _store_combinations(store, engine.count(given.request), len(given.request.by))
    first, second = (
        select(*(table.c[name] for name in ("key", "unusable", "size", "sum_1", "sum_2")))
        for table in (given.combinations, again)
    )
    differing = (
        select(func.count()).select_from(one.except_(other).subquery())
        for one, other in ((first, second), (second, first))
    )
    if any(store.scalar(query) for query in differing):
        raise InputError(
            f"{engine.name} gives other records each time it is read, so that no release of it can be proved. A query "
            "with random(), TABLESAMPLE, or LIMIT without an order does so: write its records into a table first, and "
            "name that table. Nothing was released."
        )
