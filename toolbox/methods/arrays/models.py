"""Asking the privacy models about classes that a search may form: in SQL, and for the number of persons on arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import BigInteger, FromClause, cast, func, select

from toolbox.methods.arrays.combinations import (
    Flags,
    Numbers,
    PersonPairs,
    Whole,
    combinations_of,
    decode_pairs,
    encode_pairs,
    find_pairs,
    find_starts,
    is_first,
    list_run_positions,
)
from toolbox.privacy.classes import Classes, members_of
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.results import violating
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables

Keys = NDArray[np.uint64]
"""Random numbers of intervals, and their sums."""


class Covered(NamedTuple):
    """The people of a population beside classes."""

    people: Numbers
    """Whom each class covers by its generalised values."""
    outside: Numbers
    """For each class, whom no class of its release covers, or who would be covered no more."""


def find_judge(tables: Tables, models: Sequence[PrivacyModel]) -> ClassJudge | None:
    """Return who is asked about classes beside their sizes; None where these say it all."""
    asked = [model for model in models if tables.person_pairs is not None or not isinstance(model, KAnonymity)]
    return ClassJudge(tables, asked) if asked else None


@dataclass(frozen=True)
class ClassJudge:
    """The privacy models that every class must satisfy."""

    tables: Tables
    models: Sequence[PrivacyModel]

    @cached_property
    def _pairs(self) -> PersonPairs | None:
        return find_pairs(self.tables)

    @property
    def may_refuse_unions(self) -> bool:
        """Whether classes that satisfy the models may be none together: of persons who are in several."""
        return self.tables.person_pairs is not None and not all(model.holds_with_others for model in self.models)

    @property
    def asks_people(self) -> bool:
        """Whether a model compares classes with a population."""
        return any(model.needs_population for model in self.models)

    @property
    def counts_outside(self) -> bool:
        """Whether a model asks whom no class covers."""
        return any(model.counts_outside for model in self.models)

    def mark_refused(
        self, combination_ids: Whole, sizes: Whole, classes: Whole, count: int, covered: Covered | None = None
    ) -> Flags:
        """Mark the classes that do not satisfy every model.

        Parameters
        ----------
        combination_ids : array
            The members of all classes; a combination may be in several.
        sizes : array
            The records of each.
        classes : array
            The class of each, numbered from 0.
        count : int
            Number of classes.
        covered : Covered, optional
            The people of each class, where a model asks for them.
        """
        if self._pairs is None:
            return self._ask(self.models, combination_ids, sizes, classes, count, covered)
        least = max(model.least_records for model in self.models)
        marked = self._pairs.mark_few(combination_ids, classes, count, least)
        others = [model for model in self.models if not isinstance(model, KAnonymity)]
        if others:
            marked |= self._ask(others, combination_ids, sizes, classes, count, covered)
        return marked

    def _ask(
        self,
        models: Sequence[PrivacyModel],
        combination_ids: Whole,
        sizes: Whole,
        classes: Whole,
        count: int,
        covered: Covered | None,
    ) -> Flags:
        """Ask models in SQL."""
        store = self.tables.store
        columns = {"combination_id": combination_ids, "equivalence_id": classes, "size": sizes}
        members = store.from_arrays("members", columns)
        people = None
        if covered is not None:
            columns = {"equivalence_id": np.arange(count), "size": covered.people, "outside": covered.outside}
            people = store.from_arrays("people", columns)

        def shown(attribute: str | None) -> Classes:
            return members_of(self.tables, members, attribute).add_people(people, self.tables)

        marked = mark_refused_classes(store, models, shown, count)
        store.drop(members, *([] if people is None else [people]))
        return marked


def mark_refused_classes(
    store: Store, models: Sequence[PrivacyModel], shown: Callable[[str | None], Classes], count: int
) -> Flags:
    """Mark the classes, numbered from 0, that do not satisfy every model."""
    marked = np.zeros(count, np.bool_)
    marked[store.to_arrays(violating(models, shown))["equivalence_id"]] = True
    return marked


# Persons who are suppressed with all of their rows: because a reader can join these, or because that is asked for.


class PersonsLeft(ABC):
    """The persons of tables with what they show at a node, of whom some must be suppressed with all of their rows.

    Parameters
    ----------
    tables : Tables
        Their persons are counted by pairs.
    """

    def __init__(self, tables: Tables) -> None:
        assert tables.persons is not None and tables.persons.pairs is not None, "these persons are counted by pairs"
        self._tables, pairs = tables, tables.persons.pairs.c
        rows = select(pairs.person, pairs.combination_id, pairs.records).order_by(pairs.person, pairs.combination_id)
        fetched = tables.store.to_arrays(rows)
        ids = tables.store.to_arrays(
            select(tables.combinations.c.combination_id).order_by(tables.combinations.c.combination_id)
        )["combination_id"]
        self._places: Numbers = np.searchsorted(ids, fetched["combination_id"])
        self._ids, self._person = ids, fetched["person"].astype(np.int64)
        self._records: Numbers = fetched["records"].astype(np.int64)
        self._starts = find_starts(np.bincount(self._person, minlength=tables.persons.count))

    @staticmethod
    def of(tables: Tables) -> PersonsLeft:
        """Return the persons by what a reader sees of them: by profiles, or row by row."""
        return (_JoinedPersons if tables.joins_rows else _WholePersons)(tables)

    @property
    def count(self) -> int:
        """How many persons there are."""
        return len(self._starts)

    @abstractmethod
    def mark_rare(self, classes: Numbers, models: Sequence[PrivacyModel], most: int | None = None) -> Flags:
        """Mark the persons who must be suppressed so that the others satisfy the models.

        Parameters
        ----------
        classes : array of int, >= 0
            The class of each combination, in the order of their numbers.
        models : sequence of PrivacyModel
            None of them looks beyond a class.
        most : int, optional
            Where there are more of them, some are enough.
        """

    def count_records(self, marked: Flags) -> Numbers:
        """Count the records of each combination that are of marked persons."""
        kept = marked[self._person]
        counted = np.bincount(self._places[kept], weights=self._records[kept], minlength=len(self._ids))
        return counted.astype(np.int64)

    def _find_refused(
        self, cells: Mapping[str, Numbers], who: Mapping[str, Numbers], classes: Numbers, models: Sequence[PrivacyModel]
    ) -> Numbers:
        """Find the cells that violate a model, asking in SQL.

        Parameters
        ----------
        cells : mapping
            ``equivalence_id, size``: the persons of each cell, which is a class of a profile.
        who : mapping
            ``person, profile``, of those who are left.
        """
        store, persons = self._tables.store, self._tables.persons
        assert persons is not None
        sizes, left = store.from_arrays("cells", cells), store.from_arrays("profiles", who)
        where = store.from_arrays("placed", {"combination_id": self._ids, "class_id": classes})

        def shown(attribute: str | None) -> Classes:
            if attribute is None:
                return Classes(sizes)
            sensitive = self._tables.sensitive[attribute]
            held = _count_values(persons.values[attribute], left, where, _count_classes(classes))
            described = (held, sensitive.overall, sensitive.kind, sensitive.tree)
            return Classes(sizes, *described, counts_persons=True)

        refused: Numbers = store.to_arrays(violating(models, shown))["equivalence_id"].astype(np.int64)
        store.drop(sizes, left, where)
        return refused


class _Profiles(NamedTuple):
    """How persons look in all of their rows together."""

    number: Numbers
    """The profile of each person, from 0."""
    persons: Numbers
    """How many persons have each."""


class _JoinedPersons(PersonsLeft):
    """Persons of whom a reader can join the rows.

    A profile is the multiset of the classes of a person's rows: who knows all of them finds everybody with this
    profile, and nobody else. Persons of a profile are released or suppressed together.
    """

    def _find_profiles(self, classes: Numbers) -> _Profiles:
        """Find out who looks like whom, by the class of each combination.

        Persons are told apart by sums of hashes of their classes, so that two profiles may be taken for one, with a
        chance of 1 in 2^64 for each pair. The proof compares the profiles themselves.
        """
        # Sums of unsigned numbers begin anew at 2^64, and depend on no order.
        shown = _scatter(classes)[self._places] * self._records.astype(np.uint64)
        sums = np.add.reduceat(shown, self._starts)
        _, number, persons = np.unique(sums, return_inverse=True, return_counts=True)
        return _Profiles(number.astype(np.int64), persons.astype(np.int64))

    def mark_rare(self, classes: Numbers, models: Sequence[PrivacyModel], most: int | None = None) -> Flags:
        """Mark the persons whose profile violates a model: it judges what their rows of one class hold."""
        profiles = self._find_profiles(classes)
        rare: Flags = profiles.persons < max(model.least_records for model in models)
        others = [model for model in models if not isinstance(model, KAnonymity)]
        if others and not rare.all():
            span = _count_classes(classes)
            cells = np.sort(encode_pairs(profiles.number[self._person], classes[self._places], span))
            cells = cells[is_first(cells)]
            described = {"equivalence_id": cells, "size": profiles.persons[cells // span]}
            who = {"person": np.arange(self.count), "profile": profiles.number}
            rare[self._find_refused(described, who, classes, others) // span] = True
        marked: Flags = rare[profiles.number]
        return marked


class _WholePersons(PersonsLeft):
    """Persons whose rows are judged one by one, and who are suppressed with all of them.

    Where somebody is gone, other classes may be too small: whoever is in these goes, too, until all are large enough.
    For k-anonymity nobody goes who could stay. Each person goes once, so that all rounds together look at each pair of
    a person and a class a few times, as in the search for the k-core of a graph (Batagelj and Zaversnik 2003).
    """

    def mark_rare(self, classes: Numbers, models: Sequence[PrivacyModel], most: int | None = None) -> Flags:
        """Mark the persons of classes that violate a model, and of those that do so without them."""
        members = _Members.sort(classes[self._places], self._person, _count_classes(classes), self.count)
        marked, least = np.zeros(self.count, np.bool_), max(model.least_records for model in models)
        others = [model for model in models if not isinstance(model, KAnonymity)]
        refused = np.flatnonzero(members.sizes < least)
        while True:
            while len(gone := members.list_persons(refused, marked)):
                marked[gone] = True
                refused = members.leave(gone, least)
            lost = int(marked.sum())
            if not others or lost == self.count or (most is not None and lost > most):
                return marked
            refused = self._ask(members, marked, classes, others)
            if not len(refused):
                return marked

    def _ask(self, members: _Members, marked: Flags, classes: Numbers, models: Sequence[PrivacyModel]) -> Numbers:
        """Find the classes of those who are left that violate a model."""
        shown, left = np.flatnonzero(members.sizes), np.flatnonzero(~marked)
        cells = {"equivalence_id": shown, "size": members.sizes[shown]}
        return self._find_refused(cells, {"person": left, "profile": np.zeros_like(left)}, classes, models)


class _Members(NamedTuple):
    """Which persons are in which classes: each pair once, in the order of the classes, and in that of the persons."""

    sizes: Numbers
    """How many persons each class has, of those who are left."""
    persons: Numbers
    by_class: tuple[Numbers, Numbers]
    """Where the persons of each class start, and how many there were."""
    classes: Numbers
    by_person: tuple[Numbers, Numbers]

    @classmethod
    def sort(cls, classes: Numbers, persons: Numbers, class_count: int, person_count: int) -> Self:
        """Sort the pairs."""
        pairs = np.sort(encode_pairs(classes, persons, person_count))
        class_of, person_of = decode_pairs(pairs[is_first(pairs)], person_count)
        order = np.argsort(person_of, kind="stable")
        sizes = np.bincount(class_of, minlength=class_count)
        lengths = np.bincount(person_of, minlength=person_count)
        by_class, by_person = (find_starts(sizes), sizes.copy()), (find_starts(lengths), lengths)
        return cls(sizes, person_of, by_class, class_of[order], by_person)

    def list_persons(self, classes: Numbers, marked: Flags) -> Numbers:
        """List the persons of classes who are not marked."""
        starts, lengths = self.by_class
        found = np.unique(self.persons[list_run_positions(starts[classes], lengths[classes])])
        unmarked: Numbers = found[~marked[found]]
        return unmarked

    def leave(self, persons: Numbers, least: int) -> Numbers:
        """Take persons out of their classes; list the classes that have too few persons then."""
        starts, lengths = self.by_person
        touched, times = np.unique(
            self.classes[list_run_positions(starts[persons], lengths[persons])], return_counts=True
        )
        self.sizes[touched] -= times
        left = self.sizes[touched]
        few: Numbers = touched[(left > 0) & (left < least)]
        return few


def _count_classes(classes: Numbers) -> int:
    """Return the number behind the last class."""
    return int(classes.max()) + 1


def _count_values(values: FromClause, who: FromClause, where: FromClause, span: int) -> FromClause:
    """Count the different persons of a profile who have a value in rows of a class: ``equivalence_id, value, ..``."""
    cell = (cast(who.c.profile, BigInteger) * span + where.c.class_id).label("equivalence_id")
    joined = values.join(who, who.c.person == values.c.person)
    joined = joined.join(where, where.c.combination_id == values.c.combination_id)
    rows = select(cell, values.c.value, values.c.person).select_from(joined).distinct().subquery()
    amount = cast(func.count(), BigInteger).label("records")
    return select(rows.c.equivalence_id, rows.c.value, amount).group_by(rows.c.equivalence_id, rows.c.value).subquery()


def _scatter(numbers: Numbers) -> NDArray[np.uint64]:
    """Spread numbers over 64 bits, each to another place (the finaliser of splitmix64, Steele and others 2014)."""
    mixed = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


# The people of a population whom classes cover: all who have the classes' intervals at the classes' levels.
#
# Those who have the very combinations of a class's records are a part of them, which costs nothing to count. Only
# where these are too few all others are looked at, and of a large population only for some seconds: after that the
# part counts, by which a class may be held to cover fewer people than it does, and never more.

_MOST_WORK = 200_000_000
"""Combinations of people that are looked at, in all: about four seconds."""
_PARTS = 3
"""Into how many sums a key is split, each of which serves many classes."""
_MOST_KEPT = 60_000_000
"""Most numbers in the sums that are kept."""


@dataclass
class CoveredPeople:
    """The combinations of a population.

    Parameters
    ----------
    values : list of arrays
        For each quasi-identifier, the rank of the value in each combination.
    sizes : array
        People of each.
    keys : list of lists of arrays
        For each quasi-identifier and level, the number of the interval of each value: drawn at random, so that the sums
        of those of two combinations are the same only where all intervals are.
    """

    values: list[Whole]
    sizes: Numbers
    keys: list[list[Keys]]
    work: int = 0
    """What was looked at already."""
    _sums: dict[tuple[int, ...], Keys] = field(default_factory=dict)

    @classmethod
    def fetch(cls, tables: Tables, codes: Sequence[Sequence[Whole]]) -> Self | None:
        """Fetch the combinations of the population; None where there is none.

        Parameters
        ----------
        codes : sequence of sequences of arrays
            For each quasi-identifier and level, the interval of each value.
        """
        if tables.population is None:
            return None
        _, sizes, values = combinations_of(tables, tables.population)
        generator = np.random.default_rng(1)
        keys = []
        for column in codes:
            numbers = generator.integers(0, 2**64, 1 + max(int(code.max()) for code in column), np.uint64)
            keys.append([numbers[code] for code in column])
        return cls(values, sizes.astype(np.result_type(sizes, np.int64), copy=False), keys)

    @property
    def count(self) -> int:
        """Number of people."""
        return int(self.sizes.sum())

    def covered(self, levels: Numbers, values: Sequence[Whole], at_least: Numbers, *, exactly: bool) -> Numbers:
        """Count the people whom classes cover.

        Parameters
        ----------
        levels : array
            The level of each quasi-identifier (axis 0) in each class (axis 1).
        values : sequence of arrays
            For each quasi-identifier, the value of one member of each class.
        at_least : array
            People of whom it is known that a class covers them.
        exactly : bool
            Whether all are counted, however long that takes.
        """
        covered = at_least.copy()
        nodes, of_class = np.unique(levels, axis=1, return_inverse=True)
        order = np.argsort(of_class.ravel(), kind="stable")
        ends = np.cumsum(np.bincount(of_class.ravel(), minlength=nodes.shape[1]))
        for index, classes in enumerate(np.split(order, ends[:-1])):
            if self.work > _MOST_WORK and not exactly:
                break
            node = nodes[:, index].tolist()
            covered[classes] = self._at(node, self._sum_parts(node, [value[classes] for value in values]))
        return covered

    def _at(self, levels: Sequence[int], wanted: Keys) -> Numbers:
        """Count the people who have each of some keys at a node."""
        self.work += len(self.sizes)
        known, places = np.unique(wanted, return_inverse=True)
        own = self._compute_own_keys(levels)
        place = np.minimum(np.searchsorted(known, own), len(known) - 1)
        is_known = known[place] == own
        counted = np.bincount(place[is_known], self.sizes[is_known], len(known)).astype(self.sizes.dtype)
        found: Numbers = counted[places]
        return found

    def _compute_own_keys(self, levels: Sequence[int]) -> Keys:
        """Return the key of each combination at a node, as the sum of parts that are kept."""
        total = np.zeros(len(self.sizes), np.uint64)
        width = -(-len(levels) // _PARTS)
        for start in range(0, len(levels), width):
            part = (start, *levels[start : start + width])
            if part not in self._sums:
                if len(self._sums) * len(self.sizes) > _MOST_KEPT:
                    self._sums.clear()
                columns = slice(start, start + width)
                self._sums[part] = self._sum_parts(levels[columns], self.values[columns], self.keys[columns])
            total += self._sums[part]
        return total

    def _sum_parts(
        self, levels: Sequence[int], values: Sequence[Whole], keys: Sequence[list[Keys]] | None = None
    ) -> Keys:
        total = np.zeros(len(values[0]), np.uint64)
        for key, level, value in zip(keys or self.keys, levels, values, strict=True):
            total += key[level][value]
        return total
