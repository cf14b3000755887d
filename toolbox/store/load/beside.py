"""Tables that are read beside the records: all people who could be in them, and child tables of the same persons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Self

from sqlalchemy import (
    BigInteger,
    Double,
    FromClause,
    Integer,
    Select,
    and_,
    case,
    cast,
    exists,
    false,
    func,
    literal,
    or_,
    select,
    union_all,
)
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Config, QuasiIdentifier
from toolbox.config.settings import SETTINGS, value_of
from toolbox.errors import InputError, quote
from toolbox.messages import choose_setting_name, say_count
from toolbox.messages import format_count as number_of
from toolbox.queries.dialect import Query, Table, count_where, find_row_place, sum_stably
from toolbox.queries.scales import Figures
from toolbox.store.engine.store import Store
from toolbox.store.input.layout import Layout, MissingValues, find_columns
from toolbox.store.input.source import Source, WeightColumn, column_text
from toolbox.store.load.combinations import PERSON, PersonReader, count_texts, number_combinations
from toolbox.store.tables import Identified, PopulationFigures, PopulationTables, QuasiIdentifierTables, Tables
from toolbox.store.values.column_type import NO_CATEGORY, OUTSIDE, TextDomain

# A population: the people who could be in a table, reduced to combinations of the values that both have. It is read as
# the table is: the same columns, the same missing values, the same hierarchies. A value that only the population has
# becomes a ground value like all others, so that whatever covers it covers these people.


@dataclass(frozen=True)
class CountedPeople:
    """The people of a population, by the texts of their quasi-identifiers."""

    store: Store
    name: str
    counted: Table
    """``text_1 .., size``: the people of each combination; nobody who lacks a value."""
    left_out: int
    """People who lack a value."""
    rejected: int
    """Lines that could not be read."""
    is_estimated: bool = False
    """Whether they are those for whom the records of a sample stand."""

    @classmethod
    def count(cls, store: Store, config: Config, counted: Table, name: str, missing: MissingValues) -> Self:
        """Return the people of whom somebody has counted the combinations of texts: ``text_1 .., size``.

        Raises
        ------
        InputError
            If nobody is left who has all values.
        """
        attributes: Sequence[QuasiIdentifier] = config.quasi_identifiers
        columns = [(attribute, counted.c[f"text_{index}"]) for index, attribute in enumerate(attributes, start=1)]
        lacks = missing.is_disqualifying(columns)
        amounts = func.sum(counted.c.size), func.sum(counted.c.size).filter(lacks)
        total, left_out = map(int, store.row(select(*(func.coalesce(amount, 0) for amount in amounts))))
        if total == left_out:
            problem = "nobody is in it" if not total else "everybody in it lacks a value of a quasi-identifier"
            raise InputError(f"{name}: {problem}. A population holds all people who could be in the table.")
        values = [missing.value(attribute, text).label(text.name) for attribute, text in columns]
        size = cast(func.sum(counted.c.size), BigInteger).label("size")
        kept = store.create("people", select(*values, size).where(~lacks).group_by(*values))
        return cls(store, name, kept, left_out, rejected=0)

    def texts(self, index: int) -> Select[str]:
        """Select the texts of a quasi-identifier, counted from 0."""
        return select(self.counted.c[f"text_{index + 1}"].label("text")).distinct()

    def require_known(self, domains: Sequence[TextDomain]) -> None:
        """Stop where people have values that the column cannot have.

        Raises
        ------
        InputError
            With every problem of every column.
        """
        problems = [
            problem for index, domain in enumerate(domains) for problem in self._list_unknown_problems(index, domain)
        ]
        if problems:
            what = "values of the population that do not fit their column"
            raise InputError("\n".join([f"{self.name}: {what}", *(f"  {problem}" for problem in problems)]))

    def _list_unknown_problems(self, index: int, domain: TextDomain) -> list[str]:
        own, texts = self.texts(index).subquery(), domain.texts
        found = (
            select(texts.c.problem, func.count())
            .join_from(own, texts, own.c.text == texts.c.text)
            .where(texts.c.problem.is_not(None))
            .group_by(texts.c.problem)
            .order_by(texts.c.problem)
        )
        outside = "Add them to the hierarchy, or take these people out of the population."
        return [
            f"{domain.name}: {number_of(count, 'value')}, {problem}. "
            f"{outside if problem in (NO_CATEGORY, OUTSIDE) else 'Correct them.'}"
            for problem, count in self.store.rows(found)
        ]

    def tables(
        self, domains: Sequence[TextDomain], quasi_identifiers: Sequence[QuasiIdentifierTables], records: Table
    ) -> PopulationTables:
        """Turn combinations of texts into those of values; `records` has those of the table, as `Tables` does."""
        texts = [self.counted.c[f"text_{index}"] for index, _ in enumerate(domains, start=1)]
        place = cast(find_row_place(self.counted), BigInteger).label("key")
        keyed = select(place, self.counted.c.size, *texts)
        combinations, keys = number_combinations(self.store, keyed, domains, quasi_identifiers, rewritten=True)
        people = int(self.store.scalar(select(func.sum(combinations.c.size))))
        names = [f"interval_{index}" for index, _ in enumerate(domains, start=1)]
        same = and_(*(combinations.c[name] == records.c[name] for name in names))
        unknown = select(func.coalesce(func.sum(records.c.size), 0)).where(~exists().where(same))
        outside = int(self.store.scalar(unknown))
        self.store.drop(keys, self.counted)
        figures = PopulationFigures(name=self.name, people=people, left_out=self.left_out, records_outside=outside)
        return PopulationTables(figures=figures, combinations=combinations, is_estimated=self.is_estimated)

    def notes(self, figures: PopulationFigures) -> Iterator[str]:
        """Yield what a publisher should know of the population."""
        if self.rejected:
            yield say_count(
                "%(population)s: %(count)s line could not be read, and nobody is in them.",
                "%(population)s: %(count)s lines could not be read, and nobody is in them.",
                self.rejected,
                population=self.name,
            )
        if self.left_out:
            yield say_count(
                "%(population)s: %(count)s person lacks a value, and nobody who does is counted.",
                "%(population)s: %(count)s people lack a value, and nobody who does is counted.",
                self.left_out,
                population=self.name,
            )
        if figures.records_outside:
            yield say_count(
                "%(count)s record has values that nobody in %(population)s has: the population should hold everybody "
                "who could be in the table. Only its own people count.",
                "%(count)s records have values that nobody in %(population)s has: the population should hold everybody "
                "who could be in the table. Only its own people count.",
                figures.records_outside,
                population=self.name,
            )


def read_people(store: Store, config: Config, source: Source, missing: MissingValues) -> CountedPeople:
    """Count the people of each combination of texts.

    A register knows neither what is sensitive nor, perhaps, what identifies people; it has the quasi-identifiers.

    Raises
    ------
    ConfigurationError
        If it lacks one of them.
    InputError
        If it cannot be read, or nobody is in it.
    """
    layout = find_columns(replace(config, identifiers=(), sensitive=()), source)
    relation = source.relation()
    texts = [column_text(relation, position) for position in layout.quasi_identifiers]
    counted = store.create("people", count_texts(texts, false()))
    people = CountedPeople.count(store, config, counted, source.name, missing)
    everybody = people.left_out + int(store.scalar(select(func.sum(people.counted.c.size))))
    store.drop(counted)
    return replace(people, rejected=source.account(everybody).rejects.count)


# A sample instead of a population: each record stands for as many people like it as its weight says.


def weigh_people(
    store: Store,
    config: Config,
    source: Source,
    missing: MissingValues,
    unusable: ColumnElement[bool],
    persons: PersonReader | None = None,
) -> CountedPeople:
    """Estimate the people of each combination of texts by the records of a sample: the sum of their weights.

    A person with several records stands for one number of people, of which each of them has the same share: so the
    people of several combinations add up, and are never more than those of the persons who have them.

    Parameters
    ----------
    source : Source
        The table itself.
    unusable : condition on the columns of the input
        Records that are skipped, so that no class of a release has them.
    persons : PersonReader, optional
        Finds out who the records are about.

    Raises
    ------
    InputError
        If a record has no weight, or a person several.
    """
    layout, relation = find_columns(config, source), source.relation()
    attributes: Sequence[QuasiIdentifier] = config.quasi_identifiers
    texts = [column_text(relation, position) for position in layout.quasi_identifiers]
    columns = list(zip(attributes, texts, strict=True))
    values = [missing.value(*column).label(f"text_{index}") for index, column in enumerate(columns, start=1)]
    fraction, name = (value_of(config, SETTINGS[setting]) for setting in ("sampling_fraction", "sample_weight"))
    share = literal(float(fraction or 1), Double)
    people: ColumnElement[Any] = cast(func.count(), Double) / share
    weight = None
    if name is not None:
        declared = config.input
        figures = Figures(declared.decimal, declared.thousands) if declared else Figures()
        weight = WeightColumn((source.headers or ()).index(name), figures)
        weight.require_all(store, source)
        people = weight.sum_up(relation)
    kept = ~func.coalesce(or_(unusable, missing.is_disqualifying(columns)), False)
    if persons is None:
        size = cast(people, Double).label("size")
        counted = store.create("people", select(*values, size).where(kept).group_by(*values))
    else:
        person, least = persons.code(relation, missing), (1 / share).label("least")
        bounds = [least, least.label("most")] if weight is None else weight.list_bounds(relation)
        held = select(*values, person, *bounds, func.count().label("records")).where(kept).group_by(*values, person)
        each = store.create("each", held)
        if weight is not None:
            weight.require_one_for_each(store, source, each, persons.columns, persons.nobody)
        counted = store.create("people", _share_out_weights(each, [value.name for value in values]))
        store.drop(each)
    basis = "the sampling fraction" if name is None else f"the weights {name}"
    return CountedPeople(store, basis, counted, 0, 0, is_estimated=True)


def _share_out_weights(each: Table, names: Sequence[str]) -> Query:
    """Sum up the weights of persons for each combination, by the share of their records that have it: ``.., size``.

    Parameters
    ----------
    each : Table
        The columns of these names, ``person, least, records``.
    """
    columns = each.c.person, func.min(each.c.least).label("weight"), func.sum(each.c.records).label("records")
    whole = select(*columns).group_by(each.c.person).subquery()
    share: ColumnElement[Any] = each.c.records * whole.c.weight / whole.c.records
    values = [each.c[name] for name in names]
    joined = each.join(whole, whole.c.person == each.c.person)
    return select(*values, cast(sum_stably(share), Double).label("size")).select_from(joined).group_by(*values)


# Child tables: rows of the same persons, such as their visits. The persons of the main table that are released take
# their rows with them.


@dataclass(frozen=True)
class ChildRows:
    """The rows of a child table, as they were read."""

    store: Store
    rows: Table
    """``key, c<position> .., person``: the columns that pass through; the key is that of the only class."""
    read: int
    orphans: int
    """Rows without a person, or of one whom the main table does not have."""
    rejected: int
    """Lines that could not be read."""
    lacking: int = 0
    """Rows that lack a value which is judged."""

    def keep(self, released: FromClause) -> ReleasedRows:
        """Keep the rows of persons who are released, and forget whose they are.

        Parameters
        ----------
        released : FromClause
            ``person``, the number of each person who is released.
        """
        store, rows = self.store, self.rows
        is_released = exists().where(released.c.person == rows.c[PERSON])
        persons = func.count(rows.c[PERSON].distinct()).filter(is_released)
        found = store.row(select(count_where(is_released), persons).select_from(rows))
        kept, with_rows = (int(count or 0) for count in found)
        shown = [column.name for column in rows.c if column.name != PERSON]
        if kept < self.read:
            remaining = [rows.c[name] for name in shown]
            ordered = select(*remaining).where(is_released).order_by(find_row_place(rows))
            left = store.create("rows", ordered, lasting=True)
            store.drop(rows)
        else:
            store.drop_columns(rows, [PERSON])
            left = rows
        numbered = select(find_row_place(left).label("record_id"), *(left.c[name] for name in shown))
        record = store.create_view("record", numbered)
        return ReleasedRows(self, self._place_in_one_class(record, kept), kept, with_rows, store.count(released))

    def _place_in_one_class(self, record: FromClause, count: int) -> Tables:
        """Return rows that no quasi-identifier tells apart as all other rooms know records: in one class."""
        store, none, number = self.store, {"combination_id": (int, [0])}, {"equivalence_id": (int, [0])}
        size = {"size": (int, [count])}
        return Tables(
            store=store,
            quasi_identifiers=(),
            records=record,
            keys=store.create_constant("keys", {"key": (int, [0]), **none, **number}),
            equivalence=store.create_constant("equivalence", {**number, **size, "suppressed": (bool, [False])}),
            combinations=store.create_constant("combinations", {**none, **size}),
            record_count=count,
        )


@dataclass(frozen=True)
class ReleasedRows:
    """The rows of a child table whose persons are released."""

    table: ChildRows
    tables: Tables
    """As a method has finished those of the main table."""
    count: int
    persons: int
    """Persons who have such rows."""
    all_persons: int
    """Persons of the main table who are released."""

    def document(self) -> dict[str, int]:
        """Return the counts that reports tell."""
        rows = self.table
        return {
            "records_read": rows.read,
            "records_released": self.count,
            "records_of_persons_left_out": rows.read - self.count - rows.orphans - rows.lacking,
            "orphans": rows.orphans,
            **({"records_lacking_values": rows.lacking} if rows.lacking else {}),
            "lines_rejected": rows.rejected,
            "persons": self.persons,
            "persons_without_records": self.all_persons - self.persons,
        }


@dataclass(frozen=True)
class ChildReader:
    """Reads a child table, whose persons have the numbers of the main table.

    Parameters
    ----------
    config : Config
        Of the child table.
    persons : PersonReader
        Of the main table.
    """

    store: Store
    name: str
    config: Config
    source: Source
    layout: Layout
    persons: PersonReader

    @classmethod
    def open(cls, name: str, config: Config, source: Source, persons: PersonReader) -> Self:
        """Find the columns.

        Raises
        ------
        ConfigurationError
            If a declared column is not there.
        """
        layout = find_columns(config, source)
        own = replace(persons, columns=layout.find_persons(config))
        return cls(persons.store, name, config, source, layout, own)

    def read(self, everybody: FromClause) -> ChildRows:
        """Read the rows.

        Parameters
        ----------
        everybody : FromClause
            ``person``: all persons of the main table.

        Raises
        ------
        InputError
            If the table cannot be read, or if persons of it are not in the main table and nobody says what becomes of
            their rows.
        """
        store, layout, relation = self.store, self.layout, self.source.relation()
        missing, nobody = MissingValues.of(self.config), self.persons.nobody
        keeps, is_drawn = layout.needs_persons, layout.needs_person_draw
        codes = self.persons.list_codes(relation, missing, keeps=keeps, is_drawn=is_drawn)
        columns = [relation.c[f"c{position}"] for position in layout.treated]
        only_class = cast(literal(0), BigInteger).label("key")
        rows = store.create("rows", select(only_class, *columns, *codes), lasting=True)
        read, person = store.count(rows), rows.c[PERSON]
        account = self.source.account(read)
        is_unknown = (person != nobody) & ~exists().where(everybody.c.person == person)
        counts = select(count_where(person == nobody), count_where(is_unknown)).select_from(rows)
        # Of no row at all there is no sum.
        lacking, unknown = (int(count or 0) for count in store.row(counts))
        refuse_orphans(self.source, self.config, self.name, lacking, unknown)
        return ChildRows(store, rows, read, lacking + unknown, account.rejects.count)


def refuse_orphans(source: Source, config: Config, name: str, lacking: int, unknown: int) -> None:
    """Stop where rows have no person, unless they are to be left out; who is meant is never told.

    Parameters
    ----------
    config : Config
        Of the child table.
    lacking : int
        Rows without a value of the key.
    unknown : int
        Rows of persons whom the main table does not have.

    Raises
    ------
    InputError
    """
    if not (lacking or unknown) or config.others["orphans"] == "drop":
        return
    wrong = []
    if unknown:
        records = number_of(unknown, "record is", "records are")
        wrong.append(f"{records} of persons whom the main table does not have")
    if lacking:
        records = number_of(lacking, "record lacks", "records lack")
        wrong.append(f"{records} a value of the key {quote(str(config.person[0]))}")
    dropping = choose_setting_name(
        f"orphans='drop' of the table {name}",
        options=f"--table {name}=FILE:orphans=drop",
        python=f"tables={{{name!r}: {{'orphans': 'drop', ..}}}}",
    )
    remedy = f"Is the key right? {dropping} leaves them out. Nothing was released."
    raise InputError(f"{source.name}: {' and '.join(wrong)}. {remedy}")


def find_released_persons(identified: Identified, finished: Tables, nobody: ColumnElement[int]) -> Table:
    """Find the persons of whom any record is released and not suppressed: ``person``.

    Parameters
    ----------
    identified : Identified
        Of the records, before the numbers of their persons are forgotten.
    finished : Tables
        Proved.
    """
    who, record, classes = identified.records, finished.anon_record, finished.equivalence
    is_shown = (classes.c.equivalence_id == record.c.equivalence_id) & ~classes.c.suppressed
    joined = record.join(classes, is_shown).join(who, who.c.record_id == record.c.record_id)
    released = select(who.c[PERSON].label("person")).select_from(joined).where(who.c[PERSON] != nobody)
    return finished.store.create("released", released.distinct(), lasting=True)


# Child tables with quasi-identifiers of their own. All tables are searched as one, of which each record has its own
# columns, and elsewhere in the others: a value that stays what it is at every level. So no record of one table is ever
# like one of another, and what is known of a person is all of her records together, of whatever table they are.


@dataclass(frozen=True)
class JoinedTables:
    """Several tables with records of the same persons, which are searched together and taken apart afterwards."""

    parts: tuple[Tables, ...]
    """The tables as they were read; that of the persons first."""
    tables: Tables
    """All of them as one; its methods choose one level for each column."""

    @classmethod
    def join(cls, parts: Mapping[str, Tables], persons: PersonReader) -> Self:
        """Join tables.

        Parameters
        ----------
        parts : mapping of str to Tables
            By what stands before the names of their columns.
        persons : PersonReader
            Has read the persons of all of them.
        """
        store, tables = persons.store, tuple(parts.values())
        columns = [
            _add_elsewhere(store, column, f"{prefix}{column.name}")
            for prefix, part in parts.items()
            for column in part.quasi_identifiers
        ]
        stacked = store.create("combinations", _stack_combinations(tables, columns), lasting=True)
        records = store.create("joined", _stack_records(tables), lasting=True)
        numbers = stacked.c.combination_id
        classes = [column for column in stacked.c if column.name not in ("combination_id", "size")]
        keys = select(cast(numbers, BigInteger).label("key"), numbers, numbers.label("equivalence_id"))
        keyed = store.create("keys", keys, lasting=True)
        equivalence = select(numbers.label("equivalence_id"), stacked.c.size, false().label("suppressed"), *classes)
        made = Tables(
            store=store,
            quasi_identifiers=tuple(columns),
            records=store.create_view("record", select(find_row_place(records).label("record_id"), records.c.key)),
            keys=keyed,
            equivalence=store.create_view("equivalence", equivalence),
            combinations=stacked,
            record_count=sum(part.record_count for part in tables),
            identified=Identified(records, MappingProxyType({PERSON: persons.name})),
            persons=persons.count(records, keyed, stacked),
        )
        return cls(tables, made)

    def take_apart(self, finished: Tables) -> tuple[Tables, ...]:
        """Return what a method has made of each table, with the persons suppressed whom it has suppressed in all."""
        assert finished.levels is not None, "methods that join tables choose a level for each column"
        hidden, start, made = self._find_hidden(finished), 0, []
        for part in self.parts:
            levels = finished.levels[start : start + len(part.quasi_identifiers)]
            start += len(levels)
            generalised = part.store.create("generalised", part.at(levels))
            shown = [generalised.c[name] for name in part.interval_names]
            assignment = select(generalised.c.combination_id, generalised.c.size, false().label("suppressed"), *shown)
            whole = part.recoded(assignment, levels=levels)
            part.store.drop(generalised)
            made.append(whole if hidden is None else whole.hide(hidden))
        if hidden is not None:
            self.tables.store.drop(hidden)
        return (replace(made[0], searched=finished.searched, notes=finished.notes), *made[1:])

    def _find_hidden(self, finished: Tables) -> Table | None:
        """Find the persons of whom a record is suppressed, ``person``; None if there are none."""
        classes, record = finished.equivalence, finished.anon_record
        if not finished.store.scalar(select(count_where(classes.c.suppressed)).select_from(classes)):
            return None
        identified = self.tables.identified
        assert identified is not None, "persons are declared"
        who = identified.records
        joined = record.join(who, who.c.record_id == record.c.record_id)
        joined = joined.join(classes, (classes.c.equivalence_id == record.c.equivalence_id) & classes.c.suppressed)
        return finished.store.create("hidden", select(who.c[PERSON].label("person")).select_from(joined).distinct())


def _add_elsewhere(store: Store, column: QuasiIdentifierTables, name: str) -> QuasiIdentifierTables:
    """Add a ground value that stays what it is at every level, behind all others; nodes are numbered behind it."""
    count, ground, interval = column.values, column.ground, column.intervals
    # It looks like the first value, so that whoever measures a loss finds none in it.
    values = _add_one_more(ground, ["level_0", *(f"level_{level}" for level in range(1, 1 + column.height))], count)
    names = _add_one_more(interval, ["interval_id"], count)
    return replace(
        column,
        name=name,
        ground=store.create("ground", values, lasting=True),
        intervals=store.create("intervals", names, lasting=True),
        root=column.root + 1,
        values=count + 1,
        has_elsewhere=True,
    )


def _add_one_more(rows: Table, numbers: Sequence[str], count: int) -> Select[Any]:
    """Add a copy of the first row with another number, from which on all numbers are one higher."""
    first = rows.c[numbers[0]] == 0
    moved = {name: case((rows.c[name] >= count, rows.c[name] + 1), else_=rows.c[name]) for name in numbers}
    others = [cast(moved[c.name], Integer).label(c.name) if c.name in moved else c for c in rows.c]
    added = [cast(literal(count), Integer).label(c.name) if c.name in moved else c for c in rows.c]
    return select(union_all(select(*others), select(*added).where(first)).subquery())


def _stack_combinations(parts: Sequence[Tables], columns: Sequence[QuasiIdentifierTables]) -> Select[Any]:
    """Select the combinations of all tables, those of one behind those of the other, which keeps them in order."""
    stacked, first, start = [], 0, 0
    for part in parts:
        own, combination = part.combinations, list[ColumnElement[Any]]()
        held = dict(enumerate(part.interval_names, start=start))
        for place, column in enumerate(columns):
            value = own.c[held[place]] if place in held else literal(column.values - 1)
            combination.append(cast(value, Integer).label(f"interval_{place + 1}"))
        number = cast(own.c.combination_id + first, Integer).label("combination_id")
        stacked.append(select(number, cast(own.c.size, BigInteger).label("size"), *combination))
        first, start = first + part.store.count(own), start + len(held)
    rows = union_all(*stacked).subquery()
    return select(rows).order_by(rows.c.combination_id)


def _stack_records(parts: Sequence[Tables]) -> Select[Any]:
    """Select the combination of each record of all tables, as its key, and its person."""
    stacked, first = [], 0
    for part in parts:
        assert part.keys is not None and part.identified is not None, "they were read with their persons"
        keys, records = part.keys, part.identified.table
        key = cast(keys.c.combination_id + first, BigInteger).label("key")
        stacked.append(select(key, records.c[PERSON]).join_from(records, keys, keys.c.key == records.c.key))
        first += part.store.count(part.combinations)
    return select(union_all(*stacked).subquery())
