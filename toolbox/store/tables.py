"""The tables that a method reads and rewrites: AnonRecordTable, EquivalenceTable, and what their codes mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from sqlalchemy import FromClause, Integer, and_, case, cast, func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Kind, QuasiIdentifier
from toolbox.errors import UsageError
from toolbox.queries.dialect import Query, Table, find_row_place
from toolbox.queries.scales import PLAIN, Scale
from toolbox.store.engine.store import Store

_HARDLY_SHARED = 3
"""Records for each key on average, from which it pays to count or write out something for each key first."""


@dataclass(frozen=True, kw_only=True)
class QuasiIdentifierTables:
    """One quasi-identifier in the store: its ground values, their generalisations, and the intervals both name."""

    name: str
    position: int
    """Column of the input, from 0."""
    kind: Literal["number", "category"]
    """Dates are numbers."""
    ground: Table
    """``ground(level_0, value, label, level_1 .. level_<height>)``: one row per value that occurs, in the table or in
    its population. ``level_0`` numbers the values in their order from 0; the other levels name the intervals above it.
    ``value`` is the number itself, or the code of a category."""
    intervals: Table
    """``intervals(interval_id, level, label, low, high, low_closed, high_closed, members)``: all that a class may be
    called. Ids below `values` are ground values. ``members`` lists the ``level_0`` of a set of categories; null
    where the bounds say it all. Level is null for what lies in no hierarchy."""
    height: int
    """Levels above the ground values, the highest of them the root."""
    root: int
    """Interval of the root, which stands for a suppressed value."""
    values: int
    """Number of values that occur."""
    codes: Table
    """``codes(value, ..)``: every category that a distribution names, also if it does not occur; empty for numbers."""
    has_hierarchy: bool
    """Whether the configuration declares one; without it the root is ``*``."""
    scale: Scale = PLAIN
    """How numbers are written; dates are numbers, too."""
    is_ordered: bool = False
    """Whether the order of its categories means something, so that a range of them is a value: ``low..mid``."""
    codes_are_known: bool = True
    """Whether a release may show its values as codes: numbers are their own, and in 2010 categories were shown so."""
    attribute: QuasiIdentifier | None = None
    """The column as it is declared, with values that its hierarchy lists and nobody has."""
    priority: int | None = None
    """Rank of importance as declared, 1 the most important."""
    weight: float | None = None
    """Share in weighted information loss as declared."""
    listed: tuple[float, ...] = ()
    """The numbers that the file of its hierarchy lists, also those that do not occur."""
    missing_value: float | None = None
    """The value of missing ones that are kept, where it is a category."""
    has_elsewhere: bool = False
    """Whether its last value stands for records of a table without the column: it is as the first at all levels."""

    @property
    def level_range(self) -> tuple[int, int]:
        """The lowest and the highest level that a release may have."""
        if self.attribute is None:
            return 0, self.height
        high = self.attribute.max_level
        return self.attribute.min_level, self.height if high is None else high

    def level(self, level: int) -> ColumnElement[int]:
        """Return the column of `ground` that names the generalised value at a level."""
        return self.ground.c[f"level_{level}"]


@dataclass(frozen=True, kw_only=True)
class SensitiveTables:
    """One sensitive attribute in the store: what its values are, and how often they occur."""

    name: str
    position: int
    """Column of the input, from 0."""
    kind: Kind
    codes: Table
    """``codes(text, value)``: for each text that occurs, null included, the number itself or the code of a category."""
    histogram: Table
    """``histogram(combination_id, value, records)``: how often a value occurs in each initial combination."""
    overall: Table
    """``overall(value, records)``: how often in all."""
    tree: Table | None = None
    """``tree(value, node, cost, level)``: the nodes of the hierarchy that a value is below; None without one."""


@dataclass(frozen=True, kw_only=True)
class PopulationFigures:
    """How many people could be in the table, by the values that it knows."""

    name: str
    """What messages call it."""
    people: int
    left_out: int
    """People who are not among them, because a value is missing."""
    records_outside: int
    """Records of the table whose combination nobody of the population has."""

    def document(self) -> dict[str, object]:
        """Return what a report says of the population."""
        return dict(vars(self))


@dataclass(frozen=True, kw_only=True)
class PopulationTables:
    """The people who could be in the table, by the values that it knows; see `toolbox.store.load.beside`."""

    figures: PopulationFigures
    combinations: Table
    """``combinations(combination_id, size, interval_1 ..)``: one row per distinct combination of ground values, with
    the number of people who have it."""
    is_estimated: bool = False
    """Whether the table is a sample, whose records stand for them: sizes then are sums of weights."""


class LatticeNode(NamedTuple):
    """A node of the generalisation lattice."""

    levels: tuple[int, ...]
    """The level of each quasi-identifier, 0 for ungeneralised."""
    classes: int
    """Number of equivalence classes of the table at these levels, before anything is suppressed."""
    released: int
    """Number of those that satisfy the models, and are released."""
    suppressed: int
    """Records in the others; or persons, where these are suppressed with all of their records."""


@dataclass(frozen=True, kw_only=True)
class Searched:
    """What a search of the lattice has found out."""

    nodes: int
    """Nodes of the lattice."""
    checked: int
    """Nodes whose classes were counted."""
    objective: str
    """Name of the loss metric."""
    value: float | None
    """What the released node has of it; None if the metric has no value for any satisfying node that was checked."""
    bound: float | None
    """What no node can be better than; None if nothing is known."""
    is_proved: bool
    """Whether the released node is the best of all."""
    tagged: tuple[Tagged, ...] = ()
    """Every node, where they are asked for."""

    @property
    def lack(self) -> str:
        """What is said if there is no value."""
        which = "that satisfies the models" if self.is_proved else "that was found"
        return f"no release {which} has a value of {self.objective}"

    def document(self) -> dict[str, object]:
        """Return what a report says of the search; the nodes have a file of their own."""
        return {name: value for name, value in vars(self).items() if name != "tagged"}


class Tagged(NamedTuple):
    """What a search knows of a node."""

    levels: tuple[int, ...]
    tag: str
    """``satisfies``, ``fails`` or ``unknown``."""
    is_checked: bool
    """Whether its classes were counted; otherwise the tag follows from other nodes."""
    is_minimal: bool
    classes: int | None
    released: int | None
    suppressed: int | None
    value: float | None
    """That of the objective."""


class RegionTree(NamedTuple):
    """How a method has cut the table into regions: arrays with a row for each node, parents before children.

    Node 0 is the whole table. Bounds are those of `toolbox.methods.mondrian.partitions.Regions`.
    """

    dimension: Any
    """The quasi-identifier that is cut; -1 where none is."""
    rank: Any
    """The rank of the value at which it is cut."""
    inclusive: Any
    """Whether this value goes to the left."""
    left: Any
    """The node of the left side, behind which that of the right side stands; -1 where there is no cut."""
    lower: Any
    """For each quasi-identifier (axis 0) the lower bound of each node (axis 1)."""
    upper: Any


@dataclass(frozen=True, kw_only=True)
class Reapplied:
    """What became of a saved recoding on another table."""

    unseen: Mapping[str, int]
    """Records with a value that the recoding does not know, by column."""
    kept: int
    """Records with the generalised values that the recoding says."""
    merged: int
    """Records whose class was too small, or was needed by a smaller one, and which are in a wider class now."""
    merged_classes: int
    """The classes of the recoding in which these records were."""
    suppressed: int
    """Records whose class was too small, and which are suppressed; or persons, if these lose all of their records."""

    def document(self) -> dict[str, object]:
        """Return what a report says of it."""
        return {**vars(self), "unseen": dict(self.unseen)}


class Identified(NamedTuple):
    """What tells which records may be of one person: for the proof alone, and forgotten before writing."""

    table: Table
    """Where the hashes stand."""
    columns: Mapping[str, str]
    """The name of each identifier, by the column with the hashes of its values; null where the value is missing."""

    @property
    def records(self) -> FromClause:
        """``record_id, key`` and the columns, one row per record, in the order of the input."""
        hashes = (self.table.c[column] for column in self.columns)
        return select(find_row_place(self.table).label("record_id"), self.table.c.key, *hashes).subquery("identified")


@dataclass(frozen=True, kw_only=True)
class PersonTables:
    """The persons whom the records are about: classes count these instead of records."""

    name: str
    """What messages call the column, or the columns, that tell persons apart."""
    count: int
    """How many there are. All records without a value are of one person, so that nobody counts twice."""
    lacking: int
    """Records without a value."""
    combinations: Table | None
    """As `Tables.combinations`, with a size in persons; None where some have several combinations, or each one record.
    """
    pairs: Table | None
    """``pairs(combination_id, person, records)``, each pair once, with persons numbered from 0; None where every person
    has one combination, so that persons of combinations add up, and no rows are joined."""
    joined: bool = False
    """Whether a reader sees which records are of one person: then persons must be alike in all of their records."""
    whole: bool = False
    """Whether a person is suppressed with all records, also where these are in several classes."""
    values: Mapping[str, Table] = field(default_factory=lambda: MappingProxyType({}))
    """With pairs, for each judged sensitive attribute ``values(combination_id, value, person)``, each once."""
    suppressed: int | None = None
    """Of finished tables, the persons of whom a record is suppressed; None before the proof has counted them."""


@dataclass(frozen=True, kw_only=True)
class Tables:
    """The state of an anonymisation; each method turns one into another, and several may exist at once."""

    store: Store
    quasi_identifiers: tuple[QuasiIdentifierTables, ...]
    records: FromClause | None
    """The records as they were read, in input order: ``(record_id, key, c<position> ..)`` with the key of their
    combination and all columns that pass through. Without `keys`, ``combination_id`` and ``equivalence_id`` instead of
    the key. None where they stay elsewhere, counted."""
    keys: Table | None
    """``(key, combination_id, equivalence_id)``: the combination and the class of all records with a key; None where
    the class of a record does not follow from its combination."""
    equivalence: Table
    """EquivalenceTable: ``(equivalence_id, size, suppressed, interval_1 .. interval_q)``."""
    combinations: Table
    """The initial EquivalenceTable, ``(combination_id, size, interval_1 ..)``: one row per distinct combination of
    ground values."""
    record_count: int
    sensitive: Mapping[str, SensitiveTables] = field(default_factory=lambda: MappingProxyType({}))
    """The sensitive attributes that a privacy model judges, by their names."""
    identified: Identified | None = None
    """The identifiers of the records; None if there are none, or nobody asks for people."""
    persons: PersonTables | None = None
    """The persons of the records, where they are declared: then `sensitive` counts persons, too. None: each record is
    one."""
    population: PopulationTables | None = None
    """All people who could be in the table, where they are known. `QuasiIdentifierTables.ground` has their values,
    too."""
    by_number: bool = False
    """Whether a release tells classes apart by their numbers alone, as the groups of anatomy: then values are not
    generalised, and every interval of `equivalence` is the root."""
    shows_means: bool = False
    """Whether the labels of intervals that are no values say the mean of a class: the bounds of an interval cover the
    values of its records, its label does not."""
    levels: tuple[int, ...] | None = None
    """Level of each quasi-identifier, 0 for ungeneralised, where a method has chosen one for the whole column."""
    minimal_nodes: tuple[LatticeNode, ...] = ()
    """Every minimal satisfying node of the generalisation lattice, the best one first, where a method has searched
    for all of them."""
    searched: Searched | None = None
    """How a method has searched the lattice."""
    lists_nodes: bool = False
    """Whether somebody asks for every node of a lattice that is searched."""
    is_saved: bool = False
    """Whether somebody saves the recoding, so that a method keeps how it was found."""
    regions: RegionTree | None = None
    """How a method has cut the table into the regions after which classes are named, if the recoding is saved."""
    reapplied: Reapplied | None = None
    """What became of a saved recoding, if one was applied."""
    notes: tuple[str, ...] = ()
    """What a method wants the publisher to know; the summary tells it. No cell is quoted."""
    values: dict[str, Table] = field(default_factory=dict, init=False, repr=False, compare=False)
    """``value, size``: the different values of columns that pass through, once somebody has counted them."""
    report: Callable[[str], None] = field(default=lambda message: None, repr=False)
    """Tells the user how far the method has come."""

    @property
    def anon_record(self) -> FromClause:
        """AnonRecordTable: ``(record_id, combination_id, equivalence_id, c<position> ..)``, one row per record.

        Record ids are in input order; ``combination_id`` is the row of `combinations` that the record was read as, and
        stays, whatever a method does.

        Raises
        ------
        UsageError
            If the records stay elsewhere.
        """
        records, keys = self.kept_records, self.keys
        if keys is None:
            return records
        passed = [column for column in records.c if column.name not in ("record_id", "key")]
        rows = select(records.c.record_id, keys.c.combination_id, keys.c.equivalence_id, *passed)
        return rows.join_from(records, keys, records.c.key == keys.c.key).subquery("anon_record")

    @property
    def kept_records(self) -> FromClause:
        """The records.

        Raises
        ------
        UsageError
            If they stay elsewhere.
        """
        if self.records is None:
            raise UsageError(
                "Single records are looked at here, but they stay where they are: only combinations were counted. "
                "Choose another method, or use toolbox.anonymize on the records themselves."
            )
        return self.records

    def placed(self) -> Query:
        """Count the records of each pair of initial combination and class.

        Where the class of a record follows from its combination, no record is looked at.

        Returns
        -------
        Select, one row per pair
            ``combination_id, equivalence_id, size``, in records.
        """
        if self.keys is None:
            # The one look at the records.
            record = self.anon_record.c
            pair = (record.combination_id, record.equivalence_id)
            return select(*pair, func.count().label("size")).group_by(*pair)
        keys, combination = self.keys, self.combinations
        # A combination has several keys where its values were written in several ways.
        pairs = select(keys.c.combination_id, keys.c.equivalence_id).distinct().subquery()
        same = pairs.c.combination_id == combination.c.combination_id
        return select(*pairs.c, combination.c.size).join_from(pairs, combination, same)

    @property
    def hardly_shares_keys(self) -> bool:
        """Whether so few records have the same key that it takes less to look a key up for each than to count keys."""
        return self.keys is not None and _HARDLY_SHARED * self.store.count(self.keys) > self.record_count

    @property
    def interval_names(self) -> list[str]:
        """Names of the interval columns of an EquivalenceTable, in configuration order."""
        return [f"interval_{index}" for index, _ in enumerate(self.quasi_identifiers, start=1)]

    @property
    def person_count(self) -> int:
        """Number of persons; of records, where no person is declared."""
        return self.record_count if self.persons is None else self.persons.count

    @property
    def person_pairs(self) -> Table | None:
        """``combination_id, person`` where persons of combinations do not add up; otherwise sizes say it all."""
        return None if self.persons is None else self.persons.pairs

    @property
    def joins_rows(self) -> bool:
        """Whether persons are judged by all of their rows together, because a reader can join these."""
        return self.persons is not None and self.persons.joined

    @property
    def suppresses_persons(self) -> bool:
        """Whether persons with records in several classes are suppressed with all of them, and counted so."""
        persons = self.persons
        return persons is not None and persons.pairs is not None and (persons.joined or persons.whole)

    def without_persons(self, suppressed: Table) -> Tables:
        """Suppress all records of some persons, whatever their combinations are.

        The class of a record then does not follow from its combination.

        Parameters
        ----------
        suppressed : Table
            ``person``, the numbers of `PersonTables.pairs`.
        """
        assert self.identified is not None, "the persons of records are known until the proof is made"
        (name,), who = self.identified.columns, self.identified.records
        hashes = select(who.c[name]).distinct().subquery()
        # Persons are numbered in the order of their hashes.
        number = (func.row_number().over(order_by=hashes.c[name]) - 1).label("number")
        numbered = select(hashes.c[name], number).subquery()
        found = numbered.join(suppressed, suppressed.c.person == numbered.c.number)
        return self.hide(select(numbered.c[name].label("person")).select_from(found).subquery())

    def hide(self, hidden: FromClause) -> Tables:
        """Suppress all records of some persons, ``person`` as the records name them, as `without_persons` does."""
        identified, store, record = self.identified, self.store, self.anon_record
        assert identified is not None, "the persons of records are known until the proof is made"
        (name,), who = identified.columns, identified.records
        # Few are suppressed in most releases: their records are looked up, instead of the person of each record.
        whole = select(who.c.record_id).where(who.c[name].in_(select(hidden.c.person)))
        found = store.create("hidden_records", whole)
        joined = record.outerjoin(found, found.c.record_id == record.c.record_id)
        is_hidden = found.c.record_id.is_not(None)
        equivalence_id = case((is_hidden, literal(0)), else_=record.c.equivalence_id).label("equivalence_id")
        others = [column for column in record.c if column.name != "equivalence_id"]
        rows = store.create("placed", select(*others, equivalence_id).select_from(joined), lasting=True)
        store.drop(found)
        return replace(self, records=rows, keys=None, equivalence=self._count_classes_again(rows))

    def _count_classes_again(self, rows: Table) -> Table:
        """Count the records of each class, of which 0 is that of suppressed ones: an EquivalenceTable."""
        old = self.equivalence
        sizes = select(rows.c.equivalence_id, cast(func.count(), old.c.size.type).label("size"))
        sized = sizes.group_by(rows.c.equivalence_id).subquery()
        columns = zip(self.interval_names, self.quasi_identifiers, strict=True)
        shown = [func.coalesce(old.c[name], column.root).label(name) for name, column in columns]
        is_suppressed = (sized.c.equivalence_id == 0).label("suppressed")
        joined = sized.outerjoin(old, old.c.equivalence_id == sized.c.equivalence_id)
        classes = select(sized.c.equivalence_id, sized.c.size, is_suppressed, *shown).select_from(joined)
        ordered = classes.order_by(sized.c.equivalence_id)
        return self.store.create("equivalence", ordered, lasting=True)

    def fold(self) -> Tables:
        """Return tables whose sizes count persons, where every person has one combination: a search sees only these."""
        persons = self.persons
        if persons is None or persons.combinations is None or persons.joined:
            return self
        folded = replace(persons, pairs=None)
        return replace(self, combinations=persons.combinations, record_count=persons.count, persons=folded)

    def unfold(self, finished: Tables) -> Tables:
        """Return what a search has made of `fold` with classes that count records again."""
        if self.fold() is self or not isinstance(finished, Tables):
            return finished
        placed = replace(finished, combinations=self.combinations).placed().subquery()
        size = cast(func.sum(placed.c.size), self.combinations.c.size.type).label("size")
        sizes = select(placed.c.equivalence_id, size).group_by(placed.c.equivalence_id).subquery()
        old = finished.equivalence
        others = [column for column in old.c if column.name not in ("equivalence_id", "size")]
        rows = select(old.c.equivalence_id, sizes.c.size, *others)
        rows = rows.join_from(old, sizes, sizes.c.equivalence_id == old.c.equivalence_id).order_by(old.c.equivalence_id)
        return replace(
            finished,
            equivalence=self.store.create("equivalence", rows, lasting=True),
            combinations=self.combinations,
            record_count=self.record_count,
            persons=self.persons,
        )

    def at(self, levels: Sequence[int]) -> Query:
        """Generalise every combination to the same levels, and number its class.

        Parameters
        ----------
        levels : sequence of int
            One for each quasi-identifier, 0 for ungeneralised; each must have a hierarchy with all leaves at one depth.

        Returns
        -------
        Select, one row per combination
            ``combination_id, size, equivalence_id, interval_1 ..``. A class is numbered by the first of its
            combinations.
        """
        rows = select(self._generalise_combinations(self.combinations, levels)).cte()
        intervals = [rows.c[name] for name in self.interval_names]
        # A window over all combinations would take twice as long as to group and to join them.
        first = func.min(rows.c.combination_id).label("equivalence_id")
        classes = select(first, *intervals).group_by(*intervals).subquery()
        same = and_(*(classes.c[interval.name] == interval for interval in intervals))
        columns = rows.c.combination_id, rows.c.size, classes.c.equivalence_id
        return select(*columns, *intervals).join_from(rows, classes, same)

    def count_people_at(self, levels: Sequence[int]) -> Query:
        """Count the people of the population by their values at the same levels: ``size, interval_1 ..``."""
        assert self.population is not None, "the caller knows that there is one"
        rows = self._generalise_combinations(self.population.combinations, levels)
        intervals = [rows.c[name] for name in self.interval_names]
        return select(cast(func.sum(rows.c.size), rows.c.size.type).label("size"), *intervals).group_by(*intervals)

    def _generalise_combinations(self, combination: Table, levels: Sequence[int]) -> FromClause:
        """Generalise combinations to the same levels: ``combination_id, size, interval_1 ..``."""
        joined: FromClause = combination
        values = []
        for column, level, name in zip(self.quasi_identifiers, levels, self.interval_names, strict=True):
            ground = column.ground.alias()
            joined = joined.join(ground, ground.c.level_0 == combination.c[name])
            values.append(ground.c[f"level_{level}"].label(name))
        return select(combination.c.combination_id, combination.c.size, *values).select_from(joined).subquery()

    def recoded(
        self,
        assignment: Query,
        *,
        members: Query | None = None,
        quasi_identifiers: Sequence[QuasiIdentifierTables] | None = None,
        levels: Sequence[int] | None = None,
    ) -> Tables:
        """Recode each initial combination to the generalised values that a method has chosen for it.

        Parameters
        ----------
        assignment : Select
            ``combination_id, size, suppressed, interval_1 .. interval_q``: each row of `combinations` once. With
            members, ``part, size, ..``: parts of many combinations, which have one size and one set of values.
        members : Select, optional
            ``combination_id, part``: each row of `combinations` once.
        quasi_identifiers : sequence, optional
            With the intervals that the assignment names, where the method has made new ones.
        levels : sequence of int, optional
            The level of each column, if the method recodes whole columns.

        Returns
        -------
        Tables
            Combinations that agree in all generalised values form one class. Records are not rewritten: the
            AnonRecordTable looks the class of a record up by its key.
        """
        if self.keys is None:
            raise ValueError("the classes of these records do not follow from their combinations")
        chosen = self.store.create("assignment", assignment)
        columns = [chosen.c.suppressed, *(chosen.c[name] for name in self.interval_names)]
        class_id = cast(func.row_number().over(order_by=columns), Integer)
        size = cast(func.sum(chosen.c.size), chosen.c.size.type)
        grouped = select(class_id.label("equivalence_id"), size.label("size"), *columns).group_by(*columns)
        equivalence = self.store.create("equivalence", grouped, lasting=True)
        same = and_(*(column == equivalence.c[column.name] for column in columns))
        named, key = chosen.join(equivalence, same), self.keys.c
        if members is None:
            joined = self.keys.join(named, chosen.c.combination_id == key.combination_id)
            equivalence_id: ColumnElement[int] = equivalence.c.equivalence_id
        else:
            part = select(chosen.c.part, equivalence.c.equivalence_id).select_from(named).subquery()
            member, equivalence_id = members.subquery(), part.c.equivalence_id
            joined = self.keys.join(member, member.c.combination_id == key.combination_id)
            joined = joined.join(part, part.c.part == member.c.part)
        classed = select(key.key, key.combination_id, equivalence_id).select_from(joined)
        keys = self.store.create("keys", classed, lasting=True)
        self.store.drop(chosen)
        return replace(
            self,
            keys=keys,
            equivalence=equivalence,
            quasi_identifiers=tuple(quasi_identifiers or self.quasi_identifiers),
            levels=None if levels is None else tuple(levels),
        )
