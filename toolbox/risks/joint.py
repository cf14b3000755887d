"""What two releases of the same people tell together: classes that cross, and sensitive values that remain.

Each release may hide everybody among k. Who holds both, and can tell which rows are one person's, sees the rows that
are in both classes, which may be one. And who cannot tell rows apart still knows that a person has a value of both.

References
----------
Ganta, Kasiviswanathan and Smith (2008). Composition attacks and auxiliary information in data privacy.
doi:10.1145/1401890.1401926. Xiao and Tao (2007). m-Invariance. doi:10.1145/1247480.1247556
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import FromClause, and_, case, func, literal, or_, select, true, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.published.tables import Comparison, Release
from toolbox.queries.query import Query, Table
from toolbox.risks.risk import FittingPersons, Matches
from toolbox.store.engine.store import Store


@dataclass(frozen=True, kw_only=True)
class JointClasses:
    """Rows that are in one class of this release and in one of the earlier; or persons, where these are counted.

    A person with several rows counts once, with the rows that fewest persons agree with.
    """

    records: int
    """Rows that are linked."""
    below_k: int
    """Of these, rows that fewer than k rows agree with in both releases."""
    alone: int
    """Rows that no other agrees with."""
    smallest: int
    counts: tuple[tuple[int, int], ...]
    """A number of rows that agree in both releases, and the rows in such groups; ascending."""

    @classmethod
    def count(cls, store: Store, linked: Table, k: int) -> JointClasses:
        """Count the rows, or the persons, of crossing classes.

        Parameters
        ----------
        linked : Table
            ``class_id, earlier_id, records``, or ``.., person``, as `link_rows_by_order` returns it.
        """
        if "person" in linked.c:
            sizes = _number_links(linked)
            fewest = select(func.min(sizes.c.size).label("size")).group_by(sizes.c.person).subquery()
            counts = _count_by_number(store, fewest.c.size, literal(1), fewest)
        else:
            counts = _count_by_number(store, linked.c.records, linked.c.records, linked)
        return cls(
            records=sum(rows for _, rows in counts),
            below_k=sum(rows for size, rows in counts if size < k),
            alone=dict(counts).get(1, 0),
            smallest=counts[0][0],
            counts=counts,
        )


@dataclass(frozen=True, kw_only=True)
class JointConsistency:
    """Linked rows, or persons of such rows, that fit each person in both releases."""

    people: int
    below_k: int
    """People whom some linked rows fit, but fewer than k."""
    alone: int
    """People whom one fits."""
    unmatched: int
    """People whom none fits: they are not in both releases."""
    lowest: int
    """Linked rows that fit the person with the fewest; 0 if none fit anybody."""
    counts: tuple[tuple[int, int], ...]
    """A number of linked rows, and the people whom so many fit; ascending."""


@dataclass(frozen=True, kw_only=True)
class JointValues:
    """The values of one sensitive attribute that are possible by both releases."""

    attribute: str
    people: int
    """Linked records; without a link the people of the originals."""
    certain: int
    """Of these, those of whom one value remains."""
    none: int
    """Those of whom none remains: the value has changed, or they are not in both."""
    fewest: int
    """Values that remain where the fewest do."""
    below_k: int | None
    """People for whom fewer than k rows of this release remain that show such a value. None with a link."""
    changed: int | None
    """Linked records whose class has other values than before: what m-invariance forbids. None without a link."""


@dataclass(frozen=True, kw_only=True)
class JointRisk:
    """The risk from an attacker who holds an earlier release as well."""

    link: str
    """How rows are linked: ``order``, ``none``, or the name of the key."""
    k: int
    classes: JointClasses | None
    """None without a link."""
    consistency: JointConsistency | None
    """None without a link, or without the original records."""
    values: tuple[JointValues, ...]
    """Of each sensitive attribute."""
    by_person: bool = False
    """Whether different persons are counted instead of rows."""


def measure_joint_consistency(comparison: Comparison, earlier: Comparison, linked: Table, k: int) -> JointConsistency:
    """Count, for each person, the linked rows that fit in both releases.

    Parameters
    ----------
    comparison, earlier : Comparison
        Both releases beside the same people.
    """
    store, person = comparison.store, comparison.people.combinations
    fits, fitted = _list_fitting_classes(comparison), _list_fitting_classes(earlier)
    if "person" in linked.c:
        counts = _count_linked_persons(comparison, fits, fitted, linked)
    else:
        both = fits.join(linked, linked.c.class_id == fits.c.equivalence_id)
        same = and_(fitted.c.combination_id == fits.c.combination_id, fitted.c.equivalence_id == linked.c.earlier_id)
        rows = func.sum(linked.c.records).label("rows")
        key = fits.c.combination_id
        counted = select(key, rows).select_from(both.join(fitted, same)).group_by(key).subquery()
        joined = person.outerjoin(counted, counted.c.combination_id == person.c.combination_id)
        counts = _count_by_number(store, func.coalesce(counted.c.rows, 0), person.c.size, joined)
    store.drop(fits, fitted)
    # Whom nothing fits is not in both releases.
    in_both = [(found, people) for found, people in counts if found]
    return JointConsistency(
        people=sum(people for _, people in counts),
        below_k=sum(people for found, people in in_both if found < k),
        alone=dict(counts).get(1, 0),
        unmatched=dict(counts).get(0, 0),
        lowest=in_both[0][0] if in_both else 0,
        counts=counts,
    )


def _number_links(linked: Table) -> FromClause:
    """Give a number to each pair of classes of linked rows, and count its persons: ``link_id, size, person ..``."""
    pair = linked.c.class_id, linked.c.earlier_id
    size = func.count().over(partition_by=pair).label("size")
    return select(*pair, linked.c.person, func.dense_rank().over(order_by=pair).label("link_id"), size).subquery()


def _count_linked_persons(
    comparison: Comparison, fits: Table, fitted: Table, linked: Table
) -> tuple[tuple[int, int], ...]:
    """Count persons by the fewest persons of linked rows that fit one of their records in both releases."""
    store, links = comparison.store, comparison.store.create("links", select(_number_links(linked)))
    pairs = select(links.c.class_id, links.c.earlier_id, links.c.link_id).distinct().subquery()
    both = fits.join(pairs, pairs.c.class_id == fits.c.equivalence_id)
    same = and_(fitted.c.combination_id == fits.c.combination_id, fitted.c.equivalence_id == pairs.c.earlier_id)
    fitting = store.create("fits", select(fits.c.combination_id, pairs.c.link_id).select_from(both.join(fitted, same)))
    members = select(links.c.link_id.label("group_id"), links.c.person)
    persons = FittingPersons(comparison, fitting)
    counts = persons.count_people(members)
    persons.drop()
    store.drop(links, fitting)
    return counts


def _count_by_number(
    store: Store, number: ColumnElement[int], amount: ColumnElement[int], rows: FromClause
) -> tuple[tuple[int, int], ...]:
    """Add up an amount by a number, ascending."""
    found = select(number.label("number"), amount.label("amount")).select_from(rows).subquery()
    key = found.c.number
    summed = select(key, func.sum(found.c.amount)).group_by(key).order_by(key)
    return tuple((int(number), int(amount)) for number, amount in store.rows(summed))


def compare_linked_values(release: Release, earlier: Release, linked: Table) -> tuple[JointValues, ...]:
    """Count the values that the two classes of a linked row have in common, for each attribute of both."""
    return tuple(
        _compare_linked_attribute(release, earlier, linked, name) for name in _list_common_attributes(release, earlier)
    )


def compare_unlinked_values(comparison: Comparison, earlier: Comparison, k: int) -> tuple[JointValues, ...]:
    """Count the values that fit each person in both releases, and the rows that show them."""
    fits, fitted = _list_fitting_classes(comparison), _list_fitting_classes(earlier)
    names = _list_common_attributes(comparison.release, earlier.release)
    found = tuple(_compare_unlinked_attribute(comparison, earlier, fits, fitted, name, k) for name in names)
    comparison.store.drop(fits, fitted)
    return found


def _list_common_attributes(release: Release, earlier: Release) -> Sequence[str]:
    return [name for name in release.sensitive if name in earlier.sensitive]


def _list_fitting_classes(comparison: Comparison) -> Table:
    """List the classes that could be each person's: ``combination_id, equivalence_id``; suppressed ones fit all."""
    classes, person = comparison.release.classes, comparison.people.combinations
    matches = Matches(comparison)
    pairs = matches.pairs()
    hidden = select(person.c.combination_id, classes.c.equivalence_id).select_from(person.join(classes, true()))
    both = union_all(select(pairs.c.combination_id, pairs.c.equivalence_id), hidden.where(classes.c.suppressed))
    fits = comparison.store.create("fits", select(both.subquery()))
    comparison.store.drop(pairs)
    matches.drop()
    return fits


def _list_class_values(release: Release, attribute: str) -> FromClause:
    """List the values of each class: ``equivalence_id, value``."""
    held = release.held
    return select(held.c.equivalence_id, held.c[release.sensitive[attribute]].label("value")).distinct().subquery()


def _compare_linked_attribute(release: Release, earlier: Release, linked: Table, attribute: str) -> JointValues:
    now, before = _list_class_values(release, attribute), _list_class_values(earlier, attribute)
    keys = linked.c.class_id, linked.c.earlier_id
    links = select(*keys).distinct().subquery()
    shown = links.join(now, now.c.equivalence_id == links.c.class_id)
    same = and_(before.c.equivalence_id == links.c.earlier_id, before.c.value.is_not_distinct_from(now.c.value))
    common = func.count(before.c.equivalence_id).label("common")
    rows = select(*links.c, common, func.count().label("values"))
    crossing = rows.select_from(shown.outerjoin(before, same)).group_by(*links.c).subquery()
    sizes = select(before.c.equivalence_id, func.count().label("values")).group_by(before.c.equivalence_id).subquery()
    joined = linked.join(crossing, and_(*(column == crossing.c[column.name] for column in keys))).join(
        sizes, sizes.c.equivalence_id == crossing.c.earlier_id
    )
    left = crossing.c.common
    has_changed = or_(left < crossing.c["values"], left < sizes.c["values"])
    if "person" in linked.c:
        people = _sum_up_persons(linked.c.person, left, has_changed, joined)
    else:
        one = [(left == 1).label("certain"), (left == 0).label("none"), left.label("fewest")]
        people = select(linked.c.records.label("size"), *one, has_changed.label("more")).select_from(joined).subquery()
    found, changed = _sum_up_values(release.store, people)
    return _make_joint_values(attribute, found, changed=changed)


def _compare_unlinked_attribute(
    comparison: Comparison, earlier: Comparison, fits: Table, fitted: Table, attribute: str, k: int
) -> JointValues:
    store, person = comparison.store, comparison.people.combinations
    if comparison.people.persons is not None:
        return _compare_unlinked_persons(comparison, earlier, fits, fitted, attribute, k)
    now, before = (
        count_possible_values(comparison.release, fits, attribute),
        count_possible_values(earlier.release, fitted, attribute),
    )
    same = and_(now.c.combination_id == before.c.combination_id, now.c.value.is_not_distinct_from(before.c.value))
    key = now.c.combination_id
    left = select(key, func.count().label("common"), func.sum(now.c.records).label("rows"))
    common = left.select_from(now.join(before, same)).group_by(key).subquery()
    joined = person.outerjoin(common, common.c.combination_id == person.c.combination_id)
    number = func.coalesce(common.c.common, literal(0))
    one = [(number == 1).label("certain"), (number == 0).label("none"), number.label("fewest")]
    people = select(person.c.size, *one, (common.c.rows < k).label("more")).select_from(joined).subquery()
    found, below_k = _sum_up_values(store, people)
    return _make_joint_values(attribute, found, below_k=below_k)


def _compare_unlinked_persons(
    comparison: Comparison, earlier: Comparison, fits: Table, fitted: Table, attribute: str, k: int
) -> JointValues:
    """Compare as `_compare_unlinked_attribute` does, and count the persons of both sides.

    Whoever fits the same classes of both releases has the same values left, and is looked at once.
    """
    store, held = comparison.store, comparison.people.persons
    sets, sets_before = FittingPersons(comparison, fits), FittingPersons(comparison, fitted)
    now = _list_set_persons(comparison.release, sets.groups, attribute)
    of, of_before = sets.of_people, sets_before.of_people
    key = of.c.set_id, of_before.c.set_id.label("before_id")
    both = of.join(of_before, of_before.c.combination_id == of.c.combination_id)
    placed = store.create("placed", select(of.c.combination_id, *key).select_from(both))
    pairs = select(placed.c.set_id, placed.c.before_id).distinct().subquery()
    before = _list_class_values(earlier.release, attribute)
    shown = sets_before.groups.join(before, before.c.equivalence_id == sets_before.groups.c.group_id)
    values = select(sets_before.groups.c.set_id, before.c.value).select_from(shown).distinct().subquery()
    joined = pairs.join(now, now.c.set_id == pairs.c.set_id).join(
        values, and_(values.c.set_id == pairs.c.before_id, values.c.value.is_not_distinct_from(now.c.value))
    )
    missing = func.max(case((now.c.value.is_(None), 1), else_=0))
    common = (func.count(now.c.value.distinct()) + missing).label("common")
    counted = select(*pairs.c, common, func.count(now.c.person.distinct()).label("persons"))
    left = counted.select_from(joined).group_by(*pairs.c).subquery()
    assert held is not None, "whose records they are was read"
    rows: FromClause = held.outerjoin(placed, placed.c.combination_id == held.c.combination_id)
    rows = rows.outerjoin(left, and_(left.c.set_id == placed.c.set_id, left.c.before_id == placed.c.before_id))
    number = func.coalesce(left.c.common, literal(0))
    people = _sum_up_persons(held.c.person, number, func.coalesce(left.c.persons < k, literal(False)), rows)
    found, below_k = _sum_up_values(store, people)
    sets.drop()
    sets_before.drop()
    store.drop(placed)
    return _make_joint_values(attribute, found, below_k=below_k)


def _list_set_persons(release: Release, groups: Table, attribute: str) -> FromClause:
    """List the persons of the classes of each set with their values: ``set_id, value, person``."""
    held = release.persons
    assert held is not None, "the release was read with its persons"
    value = held.c[release.sensitive[attribute]].label("value")
    rows = select(groups.c.set_id, value, held.c.person)
    return rows.join_from(groups, held, held.c.equivalence_id == groups.c.group_id).subquery()


def count_possible_values(release: Release, fits: Table, attribute: str) -> FromClause:
    """Count the values of the rows that could be each person's: ``combination_id, value, records``."""
    held = release.held
    keys = fits.c.combination_id, held.c[release.sensitive[attribute]].label("value")
    rows: Query = select(*keys, func.sum(held.c.records).label("records"))
    return rows.select_from(fits.join(held, held.c.equivalence_id == fits.c.equivalence_id)).group_by(*keys).subquery()


def _sum_up_persons(
    person: ColumnElement[int], common: ColumnElement[int], more: ColumnElement[bool], rows: FromClause
) -> FromClause:
    """Sum up the rows of each person, who is found by any of them: ``size, certain, none, fewest, more``."""
    return (
        select(
            literal(1).label("size"),
            func.bool_or(common == 1).label("certain"),
            func.bool_and(common == 0).label("none"),
            func.min(common).label("fewest"),
            func.bool_or(more).label("more"),
        )
        .select_from(rows)
        .group_by(person)
        .subquery()
    )


def _sum_up_values(store: Store, people: FromClause) -> tuple[tuple[int, ...], int]:
    """Sum up ``size, certain, none, fewest, more``: the figures of `_make_joint_values`, and those with more."""
    size = people.c.size
    sums = (func.coalesce(func.sum(size).filter(people.c[name]), 0) for name in ("certain", "none", "more"))
    total, certain, none, more, fewest = map(int, store.row(select(func.sum(size), *sums, func.min(people.c.fewest))))
    return (total, certain, none, fewest), more


def _make_joint_values(
    attribute: str, found: Sequence[int], *, below_k: int | None = None, changed: int | None = None
) -> JointValues:
    people, certain, none, fewest = found
    return JointValues(
        attribute=attribute,
        people=people,
        certain=certain,
        none=none,
        fewest=fewest,
        below_k=below_k,
        changed=changed,
    )
