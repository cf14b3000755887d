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
from typing import Final

from sqlalchemy import Double, FromClause, and_, case, cast, func, literal, or_, select, true, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import InputError, UsageError
from toolbox.published.tables import Comparison, Release
from toolbox.queries.dialect import Query, Table, count_where
from toolbox.risks.risk import FittingPersons, Matches
from toolbox.store.engine.store import Store

_MOST_LINKS: Final = 50_000_000
"""Most combinations of classes of all persons: more would take hours."""


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
            ``class_id, earlier_id, records``, or ``.., person``, as `link_rows_by_order` returns it; or of several
            earlier releases, as `link_persons` does.
        """
        if "person" in linked.c:
            fewest = find_fewest_alike(store, linked)
            counts = _count_by_number(store, fewest.c.size, literal(1), fewest)
            store.drop(fewest)
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

    @property
    def changed_share(self) -> float | None:
        """Their share of all linked records; None without a link."""
        return None if self.changed is None else self.changed / max(self.people, 1)


@dataclass(frozen=True, kw_only=True)
class JointLabels:
    """The classes of a release by the labels that earlier releases have as well."""

    classes: int
    """Classes of the new release."""
    agreeing: int
    """Of these, classes whose labels an earlier release has, too."""
    smallest: int
    """Different persons of all releases under the labels that fewest have."""


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
    earlier: tuple[str, ...] = ()
    """The names of the earlier releases, where a run counts before it releases."""
    labels: JointLabels | None = None
    """None where nobody has counted the persons under the same labels."""


def link_persons(release: Release, earlier: Sequence[Release]) -> Table:
    """Put the classes of each person in all releases side by side; rows that are suppressed are in none.

    Parameters
    ----------
    release : Release
        The new one; it and all others with their persons.
    earlier : sequence of Release, length >= 1

    Returns
    -------
    Table
        ``class_id, earlier_1 .., person``: each combination of classes in which a person of the new release has rows;
        null for an earlier release that the person is not in. Who is in none of these is left out.

    Raises
    ------
    InputError
        If nobody of the new release is in an earlier one.
    UsageError
        If persons with many classes each have too many combinations of them.
    """
    store = release.store
    now, *before = [each.members for each in (release, *earlier)]
    if len(before) > 1:
        _require_few_combinations(store, [now, *before])
    joined: FromClause = now
    for members in before:
        joined = joined.outerjoin(members, members.c.person == now.c.person)
    ids = [members.c.class_id.label(f"earlier_{place}") for place, members in enumerate(before, start=1)]
    is_in_any = or_(*(members.c.class_id.is_not(None) for members in before))
    rows = select(now.c.class_id, *ids, now.c.person).select_from(joined).where(is_in_any)
    linked = store.create("linked", rows)
    names = [each.name for each, column in zip(earlier, ids, strict=True) if not _is_any_in(store, linked, column.name)]
    if names:
        raise InputError(
            f"Nobody of the new release is in {names[0]}. Are these the same people, and is the column that tells them "
            "apart written in the same way?"
        )
    return linked


def _is_any_in(store: Store, linked: Table, column: str) -> bool:
    return bool(store.scalar(select(func.count(linked.c[column]))))


def _require_few_combinations(store: Store, releases: Sequence[Table]) -> None:
    """Stop where persons have too many combinations of their classes in all releases."""
    counts = [select(each.c.person, func.count().label("rows")).group_by(each.c.person).subquery() for each in releases]
    now, *before = counts
    joined: FromClause = now
    product: ColumnElement[float] = cast(now.c.rows, Double)
    for each in before:
        joined = joined.outerjoin(each, each.c.person == now.c.person)
        product = product * func.coalesce(each.c.rows, 1)
    if (store.scalar(select(func.sum(product)).select_from(joined)) or 0) > _MOST_LINKS:
        raise UsageError(
            "Persons with several rows are in so many classes of so many releases that these cannot be put side by "
            "side. Name fewer earlier releases at once."
        )


def count_lone_links(store: Store, linked: Table) -> Table:
    """Count the persons of each pair of classes where each is in one pair: ``class_id, earlier_1, records``.

    Then few rows say what the rows of all persons do. Otherwise, or among several earlier releases, where persons are
    not alike by pairs alone, return `linked` as it is.
    """
    earlier = list_earlier_columns(linked)
    if (
        "person" not in linked.c
        or len(earlier) > 1
        or store.scalar(select(func.count(linked.c.person.distinct()))) < store.count(linked)
    ):
        return linked
    pair = linked.c.class_id, *earlier
    return store.create("linked", select(*pair, func.count().label("records")).group_by(*pair))


def list_earlier_columns(linked: FromClause) -> list[ColumnElement[int]]:
    """List the columns with the classes of each earlier release."""
    return [column for column in linked.c if column.name.startswith("earlier_")]


def find_fewest_alike(store: Store, linked: Table) -> Table:
    """Find for each person of linked rows the fewest persons who agree with any of her rows: ``person, size``."""
    columns, links = list_earlier_columns(linked), None
    sizes: FromClause
    if len(columns) == 1:
        sizes = _number_links(linked)
    else:
        distinct = select(linked.c.class_id, *columns).distinct().subquery()
        links = store.create("links", select(func.row_number().over().label("link_id"), *distinct.c))
        sizes = _count_hiding_persons(linked, links)
    rows = select(sizes.c.person, func.min(sizes.c.size).label("size")).group_by(sizes.c.person)
    fewest = store.create("fewest", rows)
    store.drop(*([] if links is None else [links]))
    return fewest


def _count_hiding_persons(linked: Table, links: Table) -> FromClause:
    """Count, for each combination of classes of a person, the persons who could be the same: ``person, size``.

    Who looks for somebody knows in which releases she is. So others count who are in the same class of each of these,
    be they in more releases or not.

    Parameters
    ----------
    links : Table
        ``link_id, class_id, earlier_1 ..``: each combination of classes once.
    """
    names = [column.name for column in list_earlier_columns(linked)]
    sizes = []
    for place, last in enumerate(names):
        # One equation more than the class, for a fast join: that of the last release that the person is in.
        is_last = and_(links.c[last].is_not(None), *(links.c[name].is_(None) for name in names[place + 1 :]))
        fits = [or_(links.c[name].is_(None), linked.c[name] == links.c[name]) for name in names[:place]]
        same = and_(linked.c.class_id == links.c.class_id, linked.c[last] == links.c[last], *fits)
        size = func.count(linked.c.person.distinct()).label("size")
        sizes.append(
            select(links.c.link_id, size).join_from(links, linked, same).where(is_last).group_by(links.c.link_id)
        )
    counted = union_all(*sizes).subquery()
    own = [linked.c[name].is_not_distinct_from(links.c[name]) for name in names]
    joined = linked.join(links, and_(linked.c.class_id == links.c.class_id, *own))
    joined = joined.join(counted, counted.c.link_id == links.c.link_id)
    return select(linked.c.person, counted.c.size).select_from(joined).subquery()


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
    pair = linked.c.class_id, *list_earlier_columns(linked)
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


def compare_linked_values(release: Release, earlier: Sequence[Release], linked: Table) -> tuple[JointValues, ...]:
    """Count the values that all classes of a linked row have in common, for each attribute of all releases.

    Parameters
    ----------
    earlier : sequence of Release
        In the order of the columns of `linked` that name their classes.
    """
    names = _list_common_attributes(release, *earlier)
    return tuple(_compare_linked_attribute(release, earlier, linked, name) for name in names)


def compare_unlinked_values(comparison: Comparison, earlier: Comparison, k: int) -> tuple[JointValues, ...]:
    """Count the values that fit each person in both releases, and the rows that show them."""
    fits, fitted = _list_fitting_classes(comparison), _list_fitting_classes(earlier)
    names = _list_common_attributes(comparison.release, earlier.release)
    found = tuple(_compare_unlinked_attribute(comparison, earlier, fits, fitted, name, k) for name in names)
    comparison.store.drop(fits, fitted)
    return found


def _list_common_attributes(release: Release, *others: Release) -> Sequence[str]:
    return [name for name in release.sensitive if all(name in other.sensitive for other in others)]


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


def _compare_linked_attribute(
    release: Release, earlier: Sequence[Release], linked: Table, attribute: str
) -> JointValues:
    now = _list_class_values(release, attribute)
    columns = list_earlier_columns(linked)
    links = select(linked.c.class_id, *columns).distinct().subquery()
    joined: FromClause = links.join(now, now.c.equivalence_id == links.c.class_id)
    is_common, figures = [], []
    for each, column in zip(earlier, columns, strict=True):
        before, own = _list_class_values(each, attribute), links.c[column.name]
        same = and_(before.c.equivalence_id == own, before.c.value.is_not_distinct_from(now.c.value))
        joined = joined.outerjoin(before, same)
        is_common.append(or_(own.is_(None), before.c.equivalence_id.is_not(None)))
        figures.append(func.count(before.c.equivalence_id).label(f"common_{column.name}"))
    common = count_where(and_(*is_common)).label("common")
    rows = select(*links.c, common, func.count().label("values"), *figures).select_from(joined)
    crossing = rows.group_by(*links.c).subquery()
    own_class = [linked.c[column.name].is_not_distinct_from(crossing.c[column.name]) for column in columns]
    placed: FromClause = linked.join(crossing, and_(linked.c.class_id == crossing.c.class_id, *own_class))
    differs = []
    for each, column in zip(earlier, columns, strict=True):
        before, shared = _list_class_values(each, attribute), crossing.c[f"common_{column.name}"]
        size = func.count().label("values")
        sizes = select(before.c.equivalence_id, size).group_by(before.c.equivalence_id).subquery()
        placed = placed.outerjoin(sizes, sizes.c.equivalence_id == crossing.c[column.name])
        # Null, and so no difference, for a release that the person is not in.
        differs.append(or_(shared < crossing.c["values"], shared < sizes.c["values"]) & sizes.c["values"].is_not(None))
    left, has_changed = crossing.c.common, or_(*differs)
    if "person" in linked.c:
        people = _sum_up_persons(linked.c.person, left, has_changed, placed)
    else:
        one = [(left == 1).label("certain"), (left == 0).label("none"), left.label("fewest")]
        people = select(linked.c.records.label("size"), *one, has_changed.label("more")).select_from(placed).subquery()
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
