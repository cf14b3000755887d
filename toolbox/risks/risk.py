"""Who is still at risk in a release: by class, by population, and by the records that fit each person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Real
from typing import NamedTuple

from sqlalchemy import BigInteger, Double, FromClause, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import SettingError, UsageError
from toolbox.published.tables import Comparison, Release
from toolbox.queries.dialect import Query, Table, collect_sorted
from toolbox.store.engine.store import Store
from toolbox.store.prefix_join import Side, build_side, pair_fitting_rows, sum_covered_weights

_TOLERANCE = 1e-12

# Consistency: the released records that could be a person, and the people that a released record could be.
#
# A released value is consistent with what it covers: an interval with the numbers within, a suppressed value with
# all. Where levels are mixed, a class of k equal records says little: a person may fit one record of another class
# only. So this counts the records that an attacker would find who knows a person's quasi-identifiers.
#
# `toolbox.store.prefix_join` finds the pairs.


def find_matches(comparison: Comparison) -> Matches:
    """Find all people and classes that fit, and keep what was found for whoever asks next."""
    if Matches not in comparison.known:
        comparison.known[Matches] = Matches(comparison)
    matches = comparison.known[Matches]
    assert isinstance(matches, Matches)
    return matches


@contextmanager
def _match_people(comparison: Comparison) -> Iterator[Matches]:
    """Find all people and classes that fit; what was not kept before is dropped again."""
    if Matches in comparison.known:
        yield find_matches(comparison)
        return
    matches = Matches(comparison)
    try:
        yield matches
    finally:
        matches.drop()


def count_consistent_records(comparison: Comparison) -> Table:
    """Count, for each combination of people, the released records that are consistent with it.

    Returns
    -------
    Table
        ``combination_id, size, consistent``: those who have the combination, and the records that could be theirs.
    """
    with _match_people(comparison) as matches:
        return matches.count_released_records()


class Matches:
    """All people and classes that fit; suppressed classes, which fit everybody, are only counted.

    Parameters
    ----------
    comparison : Comparison
    known : sequence of int
        The quasi-identifiers that must fit, from 0; without any all of them.

    Raises
    ------
    UsageError
        If released values are not those of the records.
    """

    def __init__(self, comparison: Comparison, known: Sequence[int] = ()) -> None:
        if comparison.untrue:
            raise UsageError(
                f"{comparison.release.name}: {', '.join(comparison.untrue)}: the values are not those of the records, "
                "so that nobody can tell whom they fit. Ask for the risk by class alone."
            )
        self._comparison = comparison
        self._store = comparison.store
        order = [index for index in _order(comparison) if not known or index in known]
        people, classes = comparison.people, comparison.release.classes
        values = [people.value_names[index] for index in order]
        cells = [comparison.release.cell_names[index] for index in order]
        self._people = build_side(self._store, people.combinations, "combination_id", values)
        self._classes = build_side(self._store, classes, "equivalence_id", cells, where=~classes.c.suppressed)
        self._depth = len(order)
        self._last = f"prefix_{self._depth}"
        spans = [comparison.cells[index].spans for index in order]
        self._pairs = pair_fitting_rows(self._store, self._people, self._classes, spans)

    def count_released_records(self, *, with_suppressed: bool = True) -> Table:
        """Count the released records of each combination: ``combination_id, size, consistent``.

        Parameters
        ----------
        with_suppressed : bool
            Whether suppressed records, which could be anybody's, count.
        """
        person, fits, of_class = self._people.table, self._pairs, self._classes.table
        joined = person.outerjoin(fits, fits.c.value == person.c[self._last])
        joined = joined.outerjoin(of_class, of_class.c[self._last] == fits.c.cell)
        consistent = func.coalesce(func.sum(of_class.c.weight), 0) + (self.suppressed if with_suppressed else 0)
        keys = [person.c.id.label("combination_id"), person.c.weight.label("size")]
        counted = select(*keys, cast(consistent, BigInteger).label("consistent")).select_from(joined)
        return self._store.create("consistent", counted.group_by(person.c.id, person.c.weight))

    def people_covered(self) -> Table:
        """Count the people of each class that is not suppressed: ``equivalence_id, size, people``."""
        found = sum_covered_weights(self._people, self._classes, self._pairs, self._depth).subquery().c
        names = {"id": "equivalence_id", "weight": "size", "covered": "people"}
        return self._store.create("covered", select(*(found[name].label(label) for name, label in names.items())))

    def pairs(self) -> Table:
        """List the classes that cover each combination of people, suppressed ones left out.

        Returns
        -------
        Table
            ``combination_id, equivalence_id``.
        """
        person, fits, of_class = self._people.table, self._pairs, self._classes.table
        joined = person.join(fits, fits.c.value == person.c[self._last])
        joined = joined.join(of_class, of_class.c[self._last] == fits.c.cell)
        keys = [person.c.id.label("combination_id"), of_class.c.id.label("equivalence_id")]
        return self._store.create("fits", select(*keys).select_from(joined))

    def people(self) -> Query:
        """Count the people who agree in all that must fit: ``person, weight``; persons are numbered from 1."""
        return self._weights(self._people, "person")

    def classes(self) -> Query:
        """Count the released records, those not suppressed, that do: ``class, weight``; classes are numbered from 1."""
        return self._weights(self._classes, "class")

    def fitting(self) -> Query:
        """List who fits what: ``person, class``, as `people` and `classes` number them."""
        return select(self._pairs.c.value.label("person"), self._pairs.c.cell.label("class"))

    def truth(self) -> Query | None:
        """Count who truly became what: ``person, class, records``, class 0 if suppressed; None if nobody knows."""
        pairs, person, of_class = self._comparison.pairs, self._people.table, self._classes.table
        if pairs is None:
            return None
        keys = person.c[self._last].label("person"), func.coalesce(of_class.c[self._last], 0).label("class")
        joined = pairs.join(person, person.c.id == pairs.c.combination_id)
        joined = joined.outerjoin(of_class, of_class.c.id == pairs.c.equivalence_id)
        records = cast(func.sum(pairs.c.records), BigInteger).label("records")
        return select(*keys, records).select_from(joined).group_by(*keys)

    def held(self, attribute: str) -> Query:
        """Count the values of a sensitive attribute: ``class, value, records``; class 0 is suppressed.

        Where persons are known, the different ones who have each value.
        """
        release, of_class = self._comparison.release, self._classes.table
        held = release.held if release.persons is None else release.persons
        records = func.sum(held.c.records) if release.persons is None else func.count(held.c.person.distinct())
        text = held.c[release.sensitive[attribute]]
        key = func.coalesce(of_class.c[self._last], 0).label("class")
        joined = held.outerjoin(of_class, of_class.c.id == held.c.equivalence_id)
        rows = select(key, text.label("text"), cast(records, BigInteger).label("records"))
        grouped = rows.select_from(joined).group_by(key, text).subquery()
        value = (func.dense_rank().over(order_by=[grouped.c.text]) - 1).label("value")
        return select(grouped.c["class"], value, grouped.c.records)

    @property
    def suppressed(self) -> int:
        """How many released records are suppressed: they fit everybody."""
        classes = self._comparison.release.classes
        return int(self._store.scalar(select(func.coalesce(func.sum(classes.c.size), 0)).where(classes.c.suppressed)))

    def drop(self) -> None:
        """Drop the tables."""
        self._store.drop(self._pairs, self._people.table, self._classes.table)

    def _weights(self, counted: Side, name: str) -> Query:
        prefix = counted.table.c[self._last]
        weight = cast(func.sum(counted.table.c.weight), BigInteger).label("weight")
        return select(prefix.label(name), weight).group_by(prefix).order_by(prefix)


def _order(comparison: Comparison) -> Sequence[int]:
    """Return the order of the quasi-identifiers: those whose cells cover least come first, as they exclude most."""
    columns = zip(comparison.release.cells, comparison.cells, strict=True)
    shares = comparison.store.each(_find_share_covered(released, cells.meanings) for released, cells in columns)
    names = (domain.name for domain in comparison.people.domains)
    return [index for *_, index in sorted(zip(shares, names, range(len(shares)), strict=True))]


def _find_share_covered(released: Table, meanings: Table) -> Query:
    covered = func.sum(cast(meanings.c.people, Double) * released.c.records) / func.sum(released.c.records)
    return select(covered).select_from(released.join(meanings, meanings.c.cell_id == released.c.cell_id))


# The same in persons: a person is found by one of their records, if they have several.


class FittingPersons:
    """The persons of groups of rows that fit people. Whoever fits the same groups is looked at once.

    Parameters
    ----------
    comparison : Comparison
        With the persons of the people.
    fits : Table
        ``combination_id``, and the number of a group that fits it, each pair once.
    """

    def __init__(self, comparison: Comparison, fits: Table) -> None:
        self._store, self._people = comparison.store, comparison.people
        combination, group = fits.c
        listed = select(combination.label("combination_id"), collect_sorted(group).label("groups"))
        lists = self._store.create("lists", listed.group_by(combination))
        set_id, first = (func.row_number().over() - 1).label("set_id"), func.min(lists.c.combination_id).label("first")
        sets = self._store.create("sets", select(set_id, first, lists.c.groups).group_by(lists.c.groups))
        rows = select(lists.c.combination_id, sets.c.set_id).join_from(lists, sets, sets.c.groups == lists.c.groups)
        self.of_people = self._store.create("of_people", rows)
        """``combination_id, set_id``; who fits nothing is not in it."""
        groups = select(sets.c.set_id, group.label("group_id")).join_from(sets, fits, combination == sets.c.first)
        self.groups = self._store.create("groups", groups)
        """``set_id, group_id``."""
        self._store.drop(lists, sets)

    def count(self, members: Query, everywhere: int = 0) -> Table:
        """Count the different persons of the groups that fit: ``combination_id, persons``.

        Parameters
        ----------
        members : Select
            ``group_id, person``, each pair once.
        everywhere : int
            Persons who are among none of these, and fit everybody.
        """
        key, of_group, combination = self.groups.c.set_id, members.subquery(), self._people.combinations
        joined = self.groups.join(of_group, of_group.c.group_id == self.groups.c.group_id)
        size = func.count(of_group.c.person.distinct()).label("size")
        sized = select(key, size).select_from(joined).group_by(key).subquery()
        placed = self.of_people
        rows = combination.outerjoin(placed, placed.c.combination_id == combination.c.combination_id)
        rows = rows.outerjoin(sized, sized.c.set_id == placed.c.set_id)
        persons = cast(func.coalesce(sized.c.size, 0) + everywhere, BigInteger).label("persons")
        return self._store.create("fitting", select(combination.c.combination_id, persons).select_from(rows))

    def count_people(self, members: Query, everywhere: int = 0) -> tuple[tuple[int, int], ...]:
        """Count people by the fewest persons that fit one of their records, if any do, ascending."""
        counted, held = self.count(members, everywhere), self._people.persons
        assert held is not None, "whose records they are was read"
        joined = held.join(counted, counted.c.combination_id == held.c.combination_id)
        # Whoever has a record that nothing fits is still found by another one.
        least = func.coalesce(func.min(func.nullif(counted.c.persons, 0)), 0)
        fewest = select(least.label("fewest")).select_from(joined).group_by(held.c.person).subquery()
        rows = select(fewest.c.fewest, func.count()).group_by(fewest.c.fewest).order_by(fewest.c.fewest)
        found = tuple((int(number), int(people)) for number, people in self._store.rows(rows))
        self._store.drop(counted)
        return found

    def drop(self) -> None:
        """Drop the tables."""
        self._store.drop(self.of_people, self.groups)


# Who is still at risk in a release: by class, by population, and by the records that fit each person.

DEFAULT_THRESHOLD = 0.2
"""Risk above which a record counts as at risk: fewer than five among whom it hides."""


@dataclass(frozen=True, kw_only=True)
class Uniqueness:
    """Records that are alone in their class."""

    records: int
    """In a class of their own."""
    share: float
    """The same, as a share of the records that are not suppressed."""
    in_population: int | None
    """Of these, records that fit nobody else of the population either; None without a population."""


@dataclass(frozen=True, kw_only=True)
class Consistency:
    """How many released records could be each original person's."""

    people: int
    k: int
    below_k: int
    """People with fewer than k consistent records."""
    share_below_k: float
    alone: int
    """People with exactly one."""
    unmatched: int
    """People with none: the release does not cover them."""
    lowest: int
    average_risk: float
    """Mean of one over the number of consistent records, people with none left out; 0 if that is everybody."""
    counts: tuple[tuple[int, int], ...]
    """Number of consistent records, and the number of people who have that many; ascending."""


def _histogram(release: Release) -> tuple[ClassSize, ...]:
    """Count the classes of each size, the smallest first."""
    classes = release.classes
    return count_class_sizes(release.store, select(classes.c.size).where(~classes.c.suppressed).subquery())


@dataclass(frozen=True, kw_only=True)
class Risk:
    """The risk of one release."""

    records: int
    suppressed: int
    """Records with nothing but roots, which are in no class and run no risk by class."""
    threshold: float
    prosecutor: AttackerRisk | None
    """Of an attacker who knows that the victim is in the table; None if all records are suppressed."""
    journalist: AttackerRisk | None
    """Of one who knows the population instead; None without a population."""
    marketer: float | None
    """Share of the records that one assigns rightly who tries all; with a population among its people."""
    uniqueness: Uniqueness
    histogram: tuple[ClassSize, ...]
    consistency: Consistency | None
    """None without the original records, and of values that are not theirs."""


def measure_risk(
    release: Release,
    *,
    original: Comparison | None = None,
    population: Comparison | None = None,
    threshold: float = DEFAULT_THRESHOLD,
    k: int = 5,
) -> Risk:
    """Measure all risks whose tables are given.

    Parameters
    ----------
    release : Release
    original : Comparison, optional
        The release beside the records that it was made from, for the consistency risk.
    population : Comparison, optional
        The release beside a table of all who could be in it, for the journalist's risk.
    threshold : float, above 0 and at most 1
        Risk above which a record is at risk.
    k : int, >= 1
        Fewest consistent records that a person should have.

    Raises
    ------
    SettingError
        If the threshold is no probability.
    """
    require_threshold(threshold)
    classes, store = release.classes, release.store
    size = classes.c.size
    unique = func.count().filter(~classes.c.suppressed, size == 1)
    hidden, alone = store.row(select(func.coalesce(func.sum(size).filter(classes.c.suppressed), 0), unique))
    prosecutor = measure_attacker_risk(store, _make_prosecutor_groups(release), threshold)
    journalist, alone_in_population = None, None
    if population is not None:
        groups = _hide_among_people(population, release)
        journalist = measure_attacker_risk(store, groups, threshold)
        alone_in_population = int(store.scalar(select(func.count()).where(groups.c.hidden_among == 1)))
        store.drop(groups)
    marketer = journalist or prosecutor
    shown = release.records - int(hidden)
    return Risk(
        records=release.records,
        suppressed=int(hidden),
        threshold=threshold,
        prosecutor=prosecutor,
        journalist=journalist,
        marketer=marketer.average if marketer else None,
        uniqueness=Uniqueness(
            records=int(alone), share=int(alone) / shown if shown else 0.0, in_population=alone_in_population
        ),
        histogram=_histogram(release),
        consistency=None if original is None or original.untrue else measure_consistency(original, k),
    )


def measure_consistency(comparison: Comparison, k: int) -> Consistency:
    """Count, for each person, the released records that could be theirs, and sum up.

    Where the persons of both sides are known, these are the different persons of such records, and somebody with
    several records counts once, with the record that fewest persons fit.

    References
    ----------
    Gionis, Mazza and Tassa (2008). k-Anonymization revisited. doi:10.1109/ICDE.2008.4497486; (1,k)-anonymity.
    """
    counts = _count_by_records(comparison) if comparison.people.persons is None else _count_by_persons(comparison)
    total = sum(persons for _, persons in counts)
    matched = [(consistent, persons) for consistent, persons in counts if consistent]
    below = sum(persons for consistent, persons in counts if consistent < k)
    return Consistency(
        people=total,
        k=k,
        below_k=below,
        share_below_k=below / total,
        alone=dict(counts).get(1, 0),
        unmatched=dict(counts).get(0, 0),
        lowest=counts[0][0],
        average_risk=sum(persons / consistent for consistent, persons in matched) / max(1, sum(n for _, n in matched)),
        counts=counts,
    )


def _count_by_records(comparison: Comparison) -> tuple[tuple[int, int], ...]:
    """Count people by how many released records could be theirs, ascending."""
    counted = count_consistent_records(comparison)
    people = cast(func.sum(counted.c.size), BigInteger)
    rows = select(counted.c.consistent, people).group_by(counted.c.consistent).order_by(counted.c.consistent)
    counts = tuple((int(consistent), int(persons)) for consistent, persons in comparison.store.rows(rows))
    comparison.store.drop(counted)
    return counts


def _count_by_persons(comparison: Comparison) -> tuple[tuple[int, int], ...]:
    """Count persons by how many persons have a released record that could be theirs, ascending."""
    store, held, classes = comparison.store, comparison.release.persons, comparison.release.classes
    assert held is not None, "both sides were read with their persons"
    joined = held.join(classes, classes.c.equivalence_id == held.c.equivalence_id)
    hidden = store.create("hidden", select(held.c.person).select_from(joined).where(classes.c.suppressed).distinct())
    # Whoever has a suppressed record fits everybody, whatever other records this person has.
    elsewhere = ~select(hidden.c.person).where(hidden.c.person == held.c.person).exists()
    members = select(held.c.equivalence_id.label("group_id"), held.c.person).where(elsewhere).distinct()
    with _match_people(comparison) as matches:
        fits = matches.pairs()
    fitting = FittingPersons(comparison, fits)
    counts = fitting.count_people(members, store.count(hidden))
    fitting.drop()
    store.drop(fits, hidden)
    return counts


def _hide_among_people(population: Comparison, release: Release) -> Table:
    """Hide the records of each class among the people of the population whom it covers; at least among themselves.

    Parameters
    ----------
    release : Release
        With the same classes, in which persons may be counted.
    """
    store, classes = population.store, release.classes
    with _match_people(population) as matches:
        covered = matches.people_covered()
    hidden_among = func.greatest(covered.c.people, classes.c.size).label("hidden_among")
    same = classes.c.equivalence_id == covered.c.equivalence_id
    rows = select(classes.c.size.label("records"), hidden_among).join_from(covered, classes, same)
    groups = store.create("groups", rows)
    store.drop(covered)
    return groups


def _make_prosecutor_groups(release: Release) -> FromClause:
    """Hide the records of each class among themselves; suppressed ones are in no class."""
    classes = release.classes
    size: ColumnElement[int] = classes.c.size
    return select(size.label("records"), size.label("hidden_among")).where(~classes.c.suppressed).subquery()


@dataclass(frozen=True, kw_only=True)
class AttackerRisk:
    """What one kind of attacker achieves: probabilities that a released record is assigned to the right person."""

    highest: float
    """Of any record."""
    average: float
    """Over records: the share that such an attacker assigns rightly when trying all."""
    lowest: float
    records_at_risk: int
    """Records whose risk is above the threshold."""
    share_at_risk: float
    """The same, as a share of the records that are not suppressed."""


@dataclass(frozen=True)
class ClassSize:
    """The classes of one size."""

    size: int
    """In records, or in persons where these count."""
    classes: int

    @property
    def records(self) -> int:
        """In all of these classes."""
        return self.size * self.classes


def require_threshold(threshold: float) -> None:
    """Stop where a threshold of risk is out of range."""
    if not isinstance(threshold, Real) or isinstance(threshold, bool) or not 0 < threshold <= 1:
        raise SettingError("threshold", threshold, "a probability above 0 and at most 1, such as 0.2")


def measure_attacker_risk(store: Store, groups: FromClause, threshold: float) -> AttackerRisk | None:
    """Measure the risk of records that hide in groups.

    Parameters
    ----------
    groups : FromClause
        ``records, hidden_among``: the released records of a class, and the people, at least as many, whom an attacker
        cannot tell from theirs: those of the class itself for a prosecutor, who knows that the victim is in the table;
        those of the population for a journalist, who does not.
    threshold : float, above 0 and at most 1
        Risk above which a record is at risk.

    Returns
    -------
    AttackerRisk or None
        None where there is no group.
    """
    records, risk = groups.c.records, 1 / cast(groups.c.hidden_among, Double)
    total = func.sum(records)
    at_risk = func.coalesce(func.sum(records).filter(risk > threshold * (1 + _TOLERANCE)), 0)
    columns = (func.max(risk), func.sum(records * risk) / total, func.min(risk), at_risk, total)
    highest, average, lowest, endangered, everybody = store.row(select(*columns).select_from(groups))
    if everybody is None:
        return None
    return AttackerRisk(
        highest=highest,
        average=average,
        lowest=lowest,
        records_at_risk=int(endangered),
        share_at_risk=int(endangered) / int(everybody),
    )


def count_class_sizes(store: Store, classes: FromClause) -> tuple[ClassSize, ...]:
    """Count the classes of each size, the smallest first; their records are in the column ``size``."""
    size, amount = classes.c.size, cast(func.count(), BigInteger)
    rows = store.rows(select(size, amount).group_by(size).order_by(size))
    return tuple(ClassSize(int(records), int(count)) for records, count in rows)


class CertainValues(NamedTuple):
    """The people whose value of one sensitive attribute is certain if their class is known."""

    attribute: str
    people: int
    """Records in classes that have one value, or persons; suppressed ones are in no class."""


def count_certain_values(release: Release) -> tuple[CertainValues, ...]:
    """Count the records in classes with one value of a sensitive attribute, for each attribute.

    A class in which the value is missing, in all records or in some, has none that is certain.
    """
    held, classes = release.held, release.classes
    joined = held.join(classes, classes.c.equivalence_id == held.c.equivalence_id)
    counts = []
    for name, column in release.sensitive.items():
        text, is_shown = held.c[column], ~classes.c.suppressed
        if len(release.sensitive) == 1 and release.persons is None:
            # Each text of a class has one row, which then holds all of it.
            of_class = select(held.c.records).select_from(joined)
            certain = of_class.where(is_shown, text.is_not(None), held.c.records == classes.c.size).subquery()
        else:
            is_one = (func.min(text) == func.max(text)) & (func.count(text) == func.count())
            # The sum of what is held would count a person once for each value of another attribute.
            of_class = select(func.max(classes.c.size).label("records")).select_from(joined).where(is_shown)
            certain = of_class.group_by(held.c.equivalence_id).having(is_one).subquery()
        people = release.store.scalar(select(func.coalesce(func.sum(certain.c.records), 0)))
        counts.append(CertainValues(name, int(people)))
    return tuple(counts)
