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

from sqlalchemy import FromClause, and_, func, literal, select, true, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.published.tables import Comparison, Release
from toolbox.queries.query import Query, Table
from toolbox.risks.risk import Matches
from toolbox.store.engine.store import Store


@dataclass(frozen=True, kw_only=True)
class JointClasses:
    """Rows that are in one class of this release and in one of the earlier."""

    records: int
    """Rows that are linked."""
    below_k: int
    """Of these, rows that fewer than k rows agree with in both releases."""
    alone: int
    """Rows that no other agrees with."""
    smallest: int
    counts: tuple[tuple[int, int], ...]
    """A number of rows that agree in both releases, and the rows in such groups; ascending."""


@dataclass(frozen=True, kw_only=True)
class JointConsistency:
    """Linked rows that fit each person in both releases."""

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


def count_joint_classes(release: Release, linked: Table, k: int) -> JointClasses:
    """Count the rows of crossing classes.

    Parameters
    ----------
    linked : Table
        ``class_id, earlier_id, records``, as `link_rows_by_order` returns it.
    """
    counts = _count_by_number(release.store, linked.c.records, linked.c.records, linked)
    return JointClasses(
        records=sum(rows for _, rows in counts),
        below_k=sum(rows for size, rows in counts if size < k),
        alone=dict(counts).get(1, 0),
        smallest=counts[0][0],
        counts=counts,
    )


def measure_joint_consistency(comparison: Comparison, earlier: Comparison, linked: Table, k: int) -> JointConsistency:
    """Count, for each person, the linked rows that fit in both releases.

    Parameters
    ----------
    comparison, earlier : Comparison
        Both releases beside the same people.
    """
    store, person = comparison.store, comparison.people.combinations
    fits, fitted = _list_fitting_classes(comparison), _list_fitting_classes(earlier)
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
    shown = linked.join(now, now.c.equivalence_id == linked.c.class_id)
    same = and_(before.c.equivalence_id == linked.c.earlier_id, before.c.value.is_not_distinct_from(now.c.value))
    common = func.count(before.c.equivalence_id).label("common")
    rows = select(*keys, linked.c.records, common, func.count().label("values"))
    crossing = rows.select_from(shown.outerjoin(before, same)).group_by(*keys, linked.c.records).subquery()
    sizes = select(before.c.equivalence_id, func.count().label("values")).group_by(before.c.equivalence_id).subquery()
    joined = crossing.join(sizes, sizes.c.equivalence_id == crossing.c.earlier_id)
    has_changed = (crossing.c.common < crossing.c["values"]) | (crossing.c.common < sizes.c["values"])
    changed = func.coalesce(func.sum(crossing.c.records).filter(has_changed), 0)
    figures = _select_value_figures(crossing.c.records, crossing.c.common)
    *found, changes = map(int, release.store.row(select(*figures, changed).select_from(joined)))
    return _make_joint_values(attribute, found, changed=changes)


def _compare_unlinked_attribute(
    comparison: Comparison, earlier: Comparison, fits: Table, fitted: Table, attribute: str, k: int
) -> JointValues:
    store, person = comparison.store, comparison.people.combinations
    now, before = (
        count_possible_values(comparison.release, fits, attribute),
        count_possible_values(earlier.release, fitted, attribute),
    )
    same = and_(now.c.combination_id == before.c.combination_id, now.c.value.is_not_distinct_from(before.c.value))
    key = now.c.combination_id
    left = select(key, func.count().label("common"), func.sum(now.c.records).label("rows"))
    common = left.select_from(now.join(before, same)).group_by(key).subquery()
    joined = person.outerjoin(common, common.c.combination_id == person.c.combination_id)
    figures = _select_value_figures(person.c.size, func.coalesce(common.c.common, literal(0)))
    below = func.coalesce(func.sum(person.c.size).filter(common.c.rows < k), 0)
    *found, below_k = map(int, store.row(select(*figures, below).select_from(joined)))
    return _make_joint_values(attribute, found, below_k=below_k)


def count_possible_values(release: Release, fits: Table, attribute: str) -> FromClause:
    """Count the values of the rows that could be each person's: ``combination_id, value, records``."""
    held = release.held
    keys = fits.c.combination_id, held.c[release.sensitive[attribute]].label("value")
    rows: Query = select(*keys, func.sum(held.c.records).label("records"))
    return rows.select_from(fits.join(held, held.c.equivalence_id == fits.c.equivalence_id)).group_by(*keys).subquery()


def _select_value_figures(size: ColumnElement[int], common: ColumnElement[int]) -> tuple[ColumnElement[int], ...]:
    return (
        func.sum(size),
        func.coalesce(func.sum(size).filter(common == 1), 0),
        func.coalesce(func.sum(size).filter(common == 0), 0),
        func.min(common),
    )


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
