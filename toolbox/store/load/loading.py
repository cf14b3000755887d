"""Reading: from the records, or from counted combinations of texts, to the initial tables of a run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from secrets import randbits
from types import MappingProxyType
from typing import Any

from sqlalchemy import BigInteger, FromClause, String, case, cast, exists, false, func, literal, null, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Attribute, Column, Config
from toolbox.errors import InputError
from toolbox.queries.dialect import Query, Table, find_row_place, hash_values
from toolbox.queries.scales import Figures
from toolbox.steps import Steps
from toolbox.store.engine.connection import SHARE_OF_SCAN
from toolbox.store.engine.store import Store
from toolbox.store.input.layout import (
    Layout,
    MissingValues,
    complete_quasi_identifiers,
    find_columns,
    open_pseudonyms,
    require_weights,
)
from toolbox.store.input.source import Account, Source, column_text
from toolbox.store.load.beside import ChildReader, CountedPeople, find_released_persons, read_people, weigh_people
from toolbox.store.load.combinations import (
    PERSON,
    PersonReader,
    count_texts,
    find_injective_salt,
    hash_texts,
    number_combinations,
    select_spellings,
)
from toolbox.store.load.dictionary import WORTH_LEARNING, EncodedRecord, find_lacking, learn
from toolbox.store.load.problems import ask_what_becomes, check_domains, refuse_missing, require_records
from toolbox.store.load.sensitive import SensitiveReader, SensitiveTexts
from toolbox.store.tables import Identified, PersonTables, SensitiveTables, Tables
from toolbox.store.values.column_type import TextDomain, TypeHints, read_domain
from toolbox.store.values.generalisations import create_quasi_identifier_tables


@dataclass(frozen=True)
class Loaded:
    """The initial tables, with the notes and counts of the reading."""

    tables: Tables
    layout: Layout
    records_read: int
    """Records that were cut into values, the skipped ones included."""
    records_skipped: int
    """Records that were left out because a declared column has no value."""
    account: Account
    """What is left of the input beside these records."""
    notes: tuple[str, ...] = ()
    """What was found out about columns, and what to write where it is not meant."""
    linked: Identified | None = None
    """What tells persons apart in several releases: the hash of its texts, until persons were counted."""


class Loading(ABC):
    """Loads one input into one store; how its combinations are counted, subclasses know.

    Parameters
    ----------
    judged : mapping of str to bool, optional
        The sensitive attributes that a privacy model judges, by name, and whether it must know if they are numbers.
    steps : Steps, optional
        Is told how far each reading is.
    """

    _identified: Identified | None = None
    """The identifiers of the records that were kept."""
    _linked: Identified | None = None
    """As `Loaded.linked`."""
    _repeats = False
    """Whether several rows may hold the same texts."""
    _spelled: Sequence[Table] = ()
    """If numbers stand for texts in what was counted, ``number, text`` of each quasi-identifier."""

    def __init__(
        self,
        config: Config,
        source: Source,
        store: Store,
        judged: Mapping[str, bool] = MappingProxyType({}),
        steps: Steps | None = None,
    ) -> None:
        self._steps = steps or Steps()
        self._config = config
        self._source = source
        self._store = store
        self.layout = self._layout = layout = find_columns(config, source)
        declared = config.input
        self._missing = MissingValues.of(config)
        attributes = complete_quasi_identifiers(config, source, layout.quasi_identifiers)
        self._quasi_identifiers = list(zip(attributes, layout.quasi_identifiers, strict=True))
        self._sensitive = list(zip(config.sensitive, layout.sensitive, strict=True))
        self._judged = judged
        self._figures = Figures(declared.decimal, declared.thousands) if declared else Figures()
        self._notes: list[str] = list(source.notes)
        self._compatibility = config.compatibility
        # Enumerations live as long as the store, and not in a file that is kept.
        self._may_learn = config.limits.store is None

    def open_pseudonyms(self, others: Sequence[Layout] = ()) -> Mapping[str, str] | None:
        """Let the store make the pseudonyms of the run; return what reports say of them, None where there are none.

        Parameters
        ----------
        others : sequence of Layout, optional
            Those of the tables that are released together with this one.

        Raises
        ------
        UsageError
        InputError
        """
        return open_pseudonyms(self._config, (self.layout, *others), self._store)

    def load(self, population: Source | None = None, *, asks: bool = False) -> Loaded:
        """Read the input.

        Parameters
        ----------
        population : Source, optional
            All people who could be in it. Their values become values of the quasi-identifiers. The input itself is a
            sample, whose records stand for them.
        asks : bool
            Whether somebody must have chosen what becomes of records that lack a value, unless they are few.

        Raises
        ------
        ConfigurationError
            If a declared column is not there.
        InputError
            If the input cannot be read, a value is outside its domain, or no record is left.
        """
        counted = self._count()
        size, unusable = counted.c.size, self._is_unusable(counted)
        totals = select(func.coalesce(func.sum(size), 0), func.coalesce(func.sum(size).filter(unusable), 0))
        read, skipped = map(int, self._store.row(totals))
        account = self._account(read)
        self._steps.records = read
        if skipped and self._missing.policy == "fail":
            self._refuse_missing(skipped)
        require_records(self._source.name, read, skipped, account.rejects.count)
        usable = self._store.create("usable", select(counted).where(~unusable)) if skipped else counted
        people = self._read_people(population)
        domains = [self._domain(index, usable, counted, people) for index, _ in enumerate(self._quasi_identifiers)]
        if people is not None:
            people.require_known(domains)
        check_domains(self._store, self._source, domains)
        if asks and self._missing.needs_choice(read, skipped):
            ask_what_becomes(self._source.name, read, skipped, self._count_missing(counted))
        quasi_identifiers = tuple(
            create_quasi_identifier_tables(self._store, domain, names_by_code=self._compatibility.names_by_code)
            for domain in domains
        )
        combinations, keys = number_combinations(
            self._store,
            self._select_keyed_combinations(usable),
            domains,
            quasi_identifiers,
            rewritten=self._missing.rewrites or self._repeats,
            spelled=select_spellings(self._missing, self._quasi_identifiers, self._spelled),
        )
        known = None if people is None else people.tables(domains, quasi_identifiers, combinations)
        self._notes += [] if people is None or known is None else people.notes(known.figures)
        records = self._keep(usable, expected=read - skipped, skips=skipped > 0)
        self._store.drop(*{counted, usable}, *self._spelled, *(domain.texts for domain in domains))
        sensitive = self._read_sensitive(records, keys)
        persons, sensitive = self._count_persons(keys, combinations, sensitive)
        tables = Tables(
            store=self._store,
            quasi_identifiers=quasi_identifiers,
            records=records,
            keys=keys,
            equivalence=self._create_single_classes(combinations, len(quasi_identifiers)),
            combinations=combinations,
            record_count=read - skipped,
            sensitive=sensitive,
            identified=self._identified,
            persons=persons,
            population=known,
        )
        return Loaded(tables, self._layout, read, skipped, account, tuple(self._notes), self._linked)

    def _read_people(self, population: Source | None) -> CountedPeople | None:
        return None if population is None else read_people(self._store, self._config, population, self._missing)

    @abstractmethod
    def _count(self) -> Table:
        """Count the records of each combination of texts: ``text_1 .., unusable, size``, and more if need be."""

    @abstractmethod
    def _key(self, usable: Table, texts: Sequence[ColumnElement[str]]) -> ColumnElement[int]:
        """Return the key of a combination of texts, which no other has."""

    @abstractmethod
    def _keep(self, usable: Table, *, expected: int, skips: bool) -> FromClause | None:
        """Keep the usable records, ``record_id, key, c<position> ..``; None where they stay elsewhere."""

    @abstractmethod
    def _held(self, records: FromClause | None, position: int) -> SensitiveTexts:
        """Return the texts of a sensitive attribute, to be counted."""

    @abstractmethod
    def _refuse_missing(self, skipped: int) -> None:
        """Stop because ``onMissing='fail'`` and values are missing."""

    def _count_missing(self, counted: FromClause) -> dict[str, int]:
        """Count the records that lack a value of each column that is known here."""
        columns = self._list_counted_texts(counted)
        return self._sum_missing(columns, counted, counted.c.size)

    def _sum_missing(
        self, columns: Sequence[tuple[Attribute, ColumnElement[str]]], of: FromClause, size: ColumnElement[int]
    ) -> dict[str, int]:
        sums = [func.coalesce(func.sum(size).filter(self._missing.test(*column)), 0) for column in columns]
        counts = map(int, self._store.row(select(*sums).select_from(of)))
        return {str(attribute.column): count for (attribute, _), count in zip(columns, counts, strict=True)}

    def _account(self, read: int) -> Account:
        """Compare the records that were read with those of the input."""
        return self._source.account(read)

    def _list_counted_texts(self, counted: FromClause) -> list[tuple[Attribute, ColumnElement[str]]]:
        numbered = enumerate(self._quasi_identifiers, start=1)
        return [(attribute, counted.c[f"text_{index}"]) for index, (attribute, _) in numbered]

    def _is_unusable(self, counted: FromClause) -> ColumnElement[bool]:
        """Test whether the records of a combination are skipped."""
        columns = self._list_counted_texts(counted)
        return or_(counted.c.unusable, find_lacking(self._store, self._missing, columns, self._spelled))

    def _domain(self, index: int, usable: Table, counted: Table, people: CountedPeople | None) -> TextDomain:
        (attribute, text), (_, any_text) = (self._list_counted_texts(each)[index] for each in (usable, counted))
        rows: FromClause = usable
        if self._spelled:
            spelled, number = self._spelled[index], text
            text = any_text = spelled.c.text
            rows = usable.join(spelled, spelled.c.number == number)
        value = self._missing.value(attribute, text).label("text")
        texts = select(value).distinct()
        if self._spelled and usable is not counted:
            texts = texts.where(spelled.c.number.in_(select(number)))
        if people is not None:
            texts = select(texts.union(people.texts(index)).subquery().c.text)
        position = self._quasi_identifiers[index][1]
        kind = self._source.kinds[position] or ("number" if self._compatibility.takes_text_for_numbers else None)
        domain = read_domain(
            self._store,
            attribute,
            position=position,
            clues=TypeHints(kind, self._source.zones[position], self._figures, "number"),
            texts=texts,
            all_texts=select(any_text.label("text")),
            kept_missing=self._missing.kept,
            counted=select(value, usable.c.size.label("records")).select_from(rows),
        )
        self._notes += domain.nature.notes
        return domain

    def _select_keyed_combinations(self, usable: Table) -> Query:
        """Select each combination with its key and the texts of its values."""
        columns = self._list_counted_texts(usable)
        texts: list[ColumnElement[Any]] = [text for _, text in columns]
        values = texts if self._spelled else [self._missing.value(*each).label(each[1].name) for each in columns]
        key = self._key(usable, texts)
        return select(key.label("key"), usable.c.size, *values)

    def _read_sensitive(self, records: FromClause | None, keys: Table) -> Mapping[str, SensitiveTables]:
        reader = SensitiveReader(
            store=self._store,
            source=self._source,
            missing=self._missing,
            judged=self._judged,
            figures=self._figures,
        )
        kinds = self._layout.sensitive_kinds
        declared = [(*column, kind) for column, kind in zip(self._sensitive, kinds, strict=True)]
        tables = reader.read(declared, lambda position: self._held(records, position), keys)
        self._notes += reader.notes
        return MappingProxyType(tables)

    def _count_persons(
        self, keys: Table, combinations: Table, sensitive: Mapping[str, SensitiveTables]
    ) -> tuple[PersonTables | None, Mapping[str, SensitiveTables]]:
        """Find out who the records are about, where that is declared; then sensitive values count persons, too."""
        return None, sensitive

    def _create_single_classes(self, combinations: Table, count: int) -> Table:
        intervals = [combinations.c[f"interval_{index}"] for index in range(1, count + 1)]
        classes = select(
            combinations.c.combination_id.label("equivalence_id"),
            combinations.c.size,
            false().label("suppressed"),
            *intervals,
        )
        return self._store.create_view("equivalence", classes)


class Loader(Loading):
    """Reads the records of one input into one store.

    The input is read twice: the first time to count each distinct combination of quasi-identifier texts, the second
    time to keep the records, each with the key of its combination. Everything between works on the combinations. Of a
    large text both are done in one reading, where the first records show the values of all.
    """

    _salt = 0
    """With which no two combinations have one key."""
    _read: Table | None = None
    """The records, if one reading has both counted and kept them."""

    def __init__(
        self,
        config: Config,
        source: Source,
        store: Store,
        judged: Mapping[str, bool] = MappingProxyType({}),
        steps: Steps | None = None,
    ) -> None:
        super().__init__(config, source, store, judged, steps)
        require_weights(config, source)
        # What nobody has declared is left out as well, but names nobody.
        declared = self._layout.identifiers[: len(config.identifiers)]
        self._people = () if config.rows_are_people else declared
        self._secret = randbits(63)
        self.persons = PersonReader.of(config, self._layout, store)
        """Finds out who the records are about; None where no person is declared."""
        self._linking: tuple[int, ...] = ()
        self._aside: Table | None = None

    def link_by(self, positions: Sequence[int]) -> None:
        """Keep with the records a hash of some columns that other releases have as well."""
        self._linking = tuple(positions)

    def load_without(self, aside: Table, loaded: Loaded, population: Source | None) -> Loaded:
        """Read the input again, and leave the records of some persons out.

        Parameters
        ----------
        aside : Table
            ``person``: the hash by which they are linked.
        loaded : Loaded
            What was read with them.
        """
        self._aside, self._read, self._spelled, self._notes = aside, None, (), list(self._source.notes)
        again = self.load(population)
        return replace(again, records_read=loaded.records_read, records_skipped=loaded.records_skipped)

    def judge_links(self, loaded: Loaded, name: str, values: Table, tree: Table) -> Loaded:
        """Make where persons are in other releases a sensitive attribute, which models may judge.

        Parameters
        ----------
        name : str
            Of the attribute.
        values : Table
            ``person, value``, by the hash by which persons are linked; who is not in it has the value 0.
        tree : Table
            As `SensitiveTables.tree`.
        """
        store, tables, linked = self._store, loaded.tables, loaded.linked
        assert linked is not None and tables.keys is not None and tables.records is not None, "they were read here"
        records, keys, link = linked.table, tables.keys, linked.table.c[self._link]
        who = select(link.label("person")).distinct().subquery()
        code = func.coalesce(values.c.value, 0.0).label("value")
        joined = who.outerjoin(values, values.c.person == who.c.person)
        codes = store.create("codes", select(cast(who.c.person, String).label("text"), code).select_from(joined))
        placed = records.join(keys, keys.c.key == records.c.key)
        placed = placed.join(codes, codes.c.text.is_not_distinct_from(cast(link, String)))
        amount = cast(func.count(), BigInteger).label("records")
        by = keys.c.combination_id, codes.c.value
        histogram = store.create("histogram", select(*by, amount).select_from(placed).group_by(*by))
        in_all = cast(func.sum(histogram.c.records), BigInteger).label("records")
        overall = store.create("overall", select(histogram.c.value, in_all).group_by(histogram.c.value))
        position = self._source.width
        made: Mapping[str, SensitiveTables] = {
            name: SensitiveTables(
                name=name,
                position=position,
                kind="category",
                codes=codes,
                histogram=histogram,
                overall=overall,
                tree=tree,
            )
        }
        persons = tables.persons
        if self.persons is not None and persons is not None:
            counted, made = self.persons.count_values(records, keys, persons, made)
            persons = replace(counted, values=MappingProxyType({**persons.values, **counted.values}))
        shown = [records.c[column.name] for column in tables.records.c if column.name != "record_id"]
        view = store.create_view("record", select(find_row_place(records).label("record_id"), *shown, link))
        sensitive = MappingProxyType({**tables.sensitive, **made})
        return replace(loaded, tables=replace(tables, records=view, sensitive=sensitive, persons=persons))

    def _count(self) -> Table:
        """Count the records of each combination of texts, in a first reading, which may be the only one."""
        relation = self._source.relation()
        if (counted := self._count_at_once(relation)) is not None:
            return counted
        texts = self._texts(relation)
        with self._steps.reading("count", self._store.share, until=SHARE_OF_SCAN):
            return self._store.create("counted", self._counting(relation, texts))

    def _count_at_once(self, relation: FromClause) -> Table | None:
        """Read all records once, if their values can be learned from the first ones; None if they cannot."""
        records = self._source.expected_records
        if records is None or records < WORTH_LEARNING or not self._may_learn:
            return None
        passed = tuple(self._layout.treated)
        if (learned := learn(self._store, relation, self._layout.quasi_identifiers, passed)) is None:
            return None
        row = EncodedRecord(
            self._texts(relation),
            self._has_other_missing(relation),
            {position: relation.c[f"c{position}"] for position in passed},
            self._list_hashes(relation),
        )
        with self._steps.reading("read", self._store.share):
            read = self._store.create("records", learned.find_record_keys(row))
        found = learned.counted(read, row)
        if found is None:
            self._store.drop(read)
            return None
        self._read, self._spelled = found.records, found.spelled
        return found.counted

    def _counting(self, relation: FromClause, texts: Sequence[ColumnElement[str]]) -> Query:
        return count_texts(texts, self._has_other_missing(relation))

    def _texts(self, relation: FromClause) -> list[ColumnElement[str]]:
        return [column_text(relation, position) for position in self._layout.quasi_identifiers]

    def _read_people(self, population: Source | None) -> CountedPeople | None:
        if population is not self._source:
            return super()._read_people(population)
        unusable = self._has_other_missing(population.relation())
        return weigh_people(self._store, self._config, population, self._missing, unusable, self.persons)

    def _has_other_missing(self, relation: FromClause) -> ColumnElement[bool]:
        """Test whether a record lacks a value in a column that is no quasi-identifier."""
        sensitive = [(attribute, column_text(relation, position)) for attribute, position in self._sensitive]
        declared = {*self._layout.quasi_identifiers, *self._layout.sensitive}
        texts = [column_text(relation, position) for position in range(self._source.width) if position not in declared]
        aside = [] if self._aside is None else [self._hash_link(relation).in_(select(self._aside.c.person))]
        return or_(self._missing.is_disqualifying(sensitive), self._missing.marked(texts), *aside)

    def _key(self, usable: Table, texts: Sequence[ColumnElement[str]]) -> ColumnElement[int]:
        if self._read is not None:
            return usable.c.key
        self._salt = find_injective_salt(self._store, usable, texts)
        return hash_texts(texts, self._salt)

    def _keep(self, usable: Table, *, expected: int, skips: bool) -> FromClause | None:
        """Create the table of records with their keys, in a second reading if there was not only one."""
        if self._read is not None:
            records = self._remove_skipped(self._read, usable) if skips else self._read
        else:
            with self._steps.reading("keep", self._store.share):
                records = self._store.create("records", self._read_again(skips=skips), lasting=True)
        # A record with an unknown key would be found by the proof, which looks every key up.
        if self._store.count(records) != expected:
            # The first reading does not decode the columns that pass through; the second one may have refused some.
            self._source.require_encoding()
            raise InputError(f"{self._source.name} changed while it was read. Run again when nothing writes to it.")
        names = self._layout.names
        hashes = {f"id_{position}": names[position] for position in self._people}
        if self.persons is not None:
            hashes = {PERSON: self.persons.name}
        if hashes:
            self._identified = Identified(records, MappingProxyType(hashes))
        if self._linking:
            name = " + ".join(names[position] for position in self._linking)
            self._linked = Identified(records, MappingProxyType({self._link: name}))
        shown = [column for column in records.c if column.name not in {*hashes, self._link}]
        return self._store.create_view("record", select(find_row_place(records).label("record_id"), *shown))

    def _list_hashes(self, relation: FromClause) -> list[ColumnElement[Any]]:
        """Hash the identifiers, and what tells persons apart in several releases; a missing value stays missing."""
        links = [self._hash_link(relation).label(self._link)] if self._linking else []
        return [*self._hash_identifiers(relation), *links]

    @property
    def _link(self) -> str:
        """The column of the records with the hash of what tells persons apart in several releases."""
        return f"c{self._source.width}"

    def _hash_link(self, relation: FromClause) -> ColumnElement[int]:
        texts, is_missing = [], []
        for position in self._linking:
            text = column_text(relation, position)
            column = Attribute(column=Column(index=position, name=self._layout.names[position]), kind=None)
            is_missing.append(or_(text.is_(None), self._missing.test(column, text)))
            texts.append(self._layout.find_linking_text(position, text))
        return case((or_(*is_missing), null()), else_=hash_values(*texts))

    def _hash_identifiers(self, relation: FromClause) -> list[ColumnElement[Any]]:
        """Hash the identifiers, with a secret that nobody keeps; a missing value stays missing.

        Where the column of the person is declared, only that one counts.
        """
        if self.persons is not None:
            keeps, is_drawn = self._layout.needs_persons, self._layout.needs_person_draw
            return self.persons.list_codes(relation, self._missing, keeps=keeps, is_drawn=is_drawn)
        hashes: list[ColumnElement[Any]] = []
        for column, position in zip(self._config.identifiers, self._people, strict=False):
            text = column_text(relation, position)
            is_missing = self._missing.test(Attribute(column=column, kind=None), text)
            hashed_text = case((is_missing, null()), else_=hash_values(text, literal(self._secret)))
            hashes.append(hashed_text.label(f"id_{position}"))
        return hashes

    def _count_persons(
        self, keys: Table, combinations: Table, sensitive: Mapping[str, SensitiveTables]
    ) -> tuple[PersonTables | None, Mapping[str, SensitiveTables]]:
        if self.persons is None or self._identified is None:
            return None, sensitive
        records = self._identified.table
        persons = self.persons.count(records, keys, combinations)
        return self.persons.count_values(records, keys, persons, sensitive)

    def open_child(self, name: str, config: Config, source: Source) -> ChildReader:
        """Return what reads a child table, which has rows of the same persons."""
        assert self.persons is not None, "persons are declared"
        return ChildReader.open(name, config, source, self.persons)

    def find_released(self, finished: Tables) -> Table:
        """Find the persons of whom any record is released and not suppressed, before their numbers are forgotten."""
        assert self.persons is not None and self._identified is not None, "persons are declared"
        return find_released_persons(self._identified, finished, self.persons.nobody)

    def list_persons(self, loaded: Loaded) -> Table:
        """List the numbers of all persons of the input, also of those whose records were left out: ``person``."""
        assert self.persons is not None and self._identified is not None, "persons are declared"
        if loaded.records_skipped:
            code: ColumnElement[int] = self.persons.code(self._source.relation(), self._missing)
        else:
            code = self._identified.table.c[PERSON]
        return self._store.create("everybody", select(code.label("person")).distinct(), lasting=True)

    def _remove_skipped(self, read: Table, usable: Table) -> Table:
        place = find_row_place(read)
        kept = select(read).where(exists().where(usable.c.key == read.c.key)).order_by(place)
        records = self._store.create("records", kept)
        self._store.drop(read)
        return records

    def _read_again(self, *, skips: bool) -> Query:
        """Select the records with their keys, without a join, which would lose their order."""
        relation = self._source.relation()
        texts = self._texts(relation)
        passed = [relation.c[f"c{position}"] for position in self._layout.treated]
        kept = select(hash_texts(texts, self._salt).label("key"), *passed, *self._list_hashes(relation))
        if not skips:
            return kept
        return kept.where(~self._has_any_missing(relation, texts))

    def _has_any_missing(self, relation: FromClause, texts: Sequence[ColumnElement[str]]) -> ColumnElement[bool]:
        """Test whether a record is skipped."""
        values = [(attribute, text) for (attribute, _), text in zip(self._quasi_identifiers, texts, strict=True)]
        return or_(self._has_other_missing(relation), self._missing.is_disqualifying(values))

    def _refuse_missing(self, skipped: int) -> None:
        refuse_missing(self._store, self._source, self._list_present_texts())

    def _count_missing(self, counted: FromClause) -> dict[str, int]:
        relation = self._source.relation()
        columns = [*self._quasi_identifiers, *self._sensitive]
        texts = [(attribute, column_text(relation, position)) for attribute, position in columns]
        return self._sum_missing(texts, relation, literal(1))

    def _list_present_texts(self) -> list[tuple[Attribute, int, Query]]:
        """List, for each declared column, its texts that are not missing."""
        relation = self._source.relation()
        columns: list[tuple[Attribute, int, Query]] = []
        for attribute, position in [*self._quasi_identifiers, *self._sensitive]:
            text = column_text(relation, position)
            present = select(text.label("text")).where(~self._missing.test(attribute, text)).distinct()
            columns.append((attribute, position, present))
        return columns

    def _held(self, records: FromClause | None, position: int) -> SensitiveTexts:
        assert records is not None, "they are kept"
        known = select(column_text(self._source.relation(), position).label("text"))
        return SensitiveTexts(records.c.key, column_text(records, position), func.count(), known)
