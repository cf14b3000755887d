"""What coarser columns would do for the records, or persons, in too small classes: counted for each, not guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sqlalchemy import BigInteger, Double, FromClause, and_, cast, func, literal, or_, select, union, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.published.tables import Cells, Comparison, Domain, Release
from toolbox.queries.dialect import Query, Table, find_first_by
from toolbox.queries.labels import build_class_labels
from toolbox.risks.joint import JointClasses, JointLabels, find_fewest_alike, link_persons, list_earlier_columns
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables


class Coarser(NamedTuple):
    """The records in too small classes, if one column were coarser."""

    column: str
    is_left_out: bool
    """Whether the column would show nothing; else each of its values would rise by one level of its hierarchy."""
    records: int
    """Or persons, where classes count these."""


@dataclass(frozen=True, kw_only=True)
class BelowK:
    """The records in classes of fewer than k, and what each column could do for them."""

    k: int
    records: int
    """Or persons, where classes count these: each once, also who is in several such classes."""
    of: int
    """Records, or persons, of the release."""
    coarser: tuple[Coarser, ...]
    """One for each quasi-identifier, in their order."""
    noun: str = "record"
    """What is counted."""

    @property
    def best(self) -> Coarser | None:
        """The column that would help most, one level of a hierarchy before leaving a column out; None if none would.

        Examples
        --------
        >>> rows = (Coarser("age", False, 7), Coarser("zip", False, 4), Coarser("sex", True, 2))
        >>> BelowK(k=5, records=9, of=100, coarser=rows).best.column
        'zip'
        """
        helping = [coarser for coarser in self.coarser if coarser.records < self.records]
        return min(helping, key=lambda coarser: (coarser.is_left_out, coarser.records), default=None)


def count_below_k(release: Release, k: int, beside: Comparison | None = None) -> BelowK | None:
    """Count the records in classes of fewer than k, now and with each column coarser; None if there are none.

    Parameters
    ----------
    release : Release
    k : int
    beside : Comparison, optional
        The same release beside people: only these have hierarchies whose levels could be climbed. Without it, or
        without a hierarchy, a column can only be left out.
    """
    classes, persons = release.classes, release.persons
    if not (records := _count_in_small_classes(release, k, classes, [classes.c.equivalence_id])):
        return None
    rows = [_count_coarser_column(release, k, place, beside) for place, _ in enumerate(release.quasi_identifiers)]
    if persons is None:
        return BelowK(k=k, records=records, of=release.records, coarser=tuple(rows))
    everybody = int(release.store.scalar(select(func.count(persons.c.person.distinct()))))
    return BelowK(k=k, records=records, of=everybody, coarser=tuple(rows), noun="person")


def _count_coarser_column(release: Release, k: int, place: int, beside: Comparison | None) -> Coarser:
    """Group the classes by all other columns, and by what is one level above in this one."""
    classes, names = release.classes, list(release.cell_names)
    mine = classes.c[names.pop(place)]
    keys: list[ColumnElement[int]] = [classes.c[name] for name in names]
    joined: FromClause = classes
    is_left_out = True
    if beside is not None and (domain := beside.people.domains[place]).has_hierarchy:
        wider, is_left_out = _find_wider_nodes(beside.cells[place], domain), False
        joined = classes.outerjoin(wider, wider.c.cell_id == mine)
        # What no node is wider than is the root, whose number is 0.
        keys.append(func.coalesce(wider.c.node_id, 0).label("wider"))
    return Coarser(release.quasi_identifiers[place], is_left_out, _count_in_small_classes(release, k, joined, keys))


def _count_in_small_classes(release: Release, k: int, classes: FromClause, keys: Sequence[ColumnElement[int]]) -> int:
    """Count the records, or the different persons, of classes of fewer than k that agree in some columns.

    Parameters
    ----------
    classes : FromClause
        The classes of the release, joined to what has the columns.
    """
    shown, persons = ~release.classes.c.suppressed, release.persons
    if persons is None:
        size = cast(func.sum(release.classes.c.size), BigInteger).label("size")
        grouped = select(size).select_from(classes).where(shown)
        merged = (grouped.group_by(*keys) if keys else grouped).subquery()
        return int(release.store.scalar(select(func.coalesce(func.sum(merged.c.size), 0)).where(merged.c.size < k)))
    # A person who is in several of the classes that become one counts once in it.
    joined = classes.join(persons, persons.c.equivalence_id == release.classes.c.equivalence_id)
    members = select(*keys, persons.c.person).select_from(joined).where(shown).distinct().subquery()
    *together, person = members.c
    sized = select(person, func.count().over(partition_by=together).label("size")).subquery()
    return int(release.store.scalar(select(func.count(sized.c.person.distinct())).where(sized.c.size < k)))


def _find_wider_nodes(cells: Cells, domain: Domain) -> FromClause:
    """Find the narrowest node that holds more values than a cell, for each that has one: ``cell_id, node_id``."""
    spans, meanings, nodes = cells.spans, cells.meanings, domain.nodes
    ends = select(spans.c.cell_id, func.min(spans.c.first).label("first"), func.max(spans.c.last).label("last"))
    covered = ends.group_by(spans.c.cell_id).subquery()
    width = nodes.c.last - nodes.c.first + literal(1)
    holds = and_(
        nodes.c.first <= covered.c.first,
        nodes.c.last >= covered.c.last,
        width > meanings.c["values"],
    )
    joined = covered.join(meanings, meanings.c.cell_id == covered.c.cell_id).join(nodes, holds)
    narrowest = select(covered.c.cell_id, find_first_by(nodes.c.node_id, width).label("node_id"))
    return narrowest.select_from(joined).group_by(covered.c.cell_id).subquery()


# Whom no coarser values hide in several releases together, and what they would have to share with others.


class EarlierProfiles(NamedTuple):
    """Where the persons of a new release are in earlier ones."""

    aside: Table
    """``person``: persons with whom too few others are alike, also if the new release showed nothing."""
    values: Table
    """``person, value``: of the others who are in any, a number for the classes that they have there."""
    tree: Table
    """``value, node, cost, level``: which of these numbers say at least what another one says."""


def find_earlier_profiles(store: Store, people: Query, earlier: Sequence[Release], k: int) -> EarlierProfiles:
    """Find out where the persons of a new release are in earlier ones.

    Parameters
    ----------
    people : Select
        ``person``: all persons of the new release.
    earlier : sequence of Release
        With their persons.
    k : int
        Fewest persons who should be alike in all releases.
    """
    only = literal(0).label("equivalence_id")
    who = people.subquery()
    persons = store.create("persons", select(only, who.c.person).where(who.c.person.is_not(None)).distinct())
    classes = store.create("classes", select(only, literal(False).label("suppressed")))
    everybody = replace(earlier[0], classes=classes, persons=persons)
    linked = link_persons(everybody, earlier)
    aside = store.create("aside", select(persons.c.person).where(literal(False)))
    while store.count(linked):
        fewest = find_fewest_alike(store, linked)
        few = select(fewest.c.person).where(fewest.c.size < k)
        if not store.scalar(select(func.count()).select_from(few.subquery())):
            break
        # Others may have counted on these.
        aside = store.create("aside", select(union(select(aside.c.person), few).subquery()))
        linked = store.create("linked", select(linked).where(linked.c.person.not_in(few)))
    columns = list_earlier_columns(linked)
    distinct = select(*columns).distinct().subquery()
    number = cast(func.row_number().over(order_by=list(distinct.c)), Double).label("value")
    profiles = store.create("profiles", select(number, *distinct.c))
    own = and_(*(linked.c[column.name].is_not_distinct_from(profiles.c[column.name]) for column in columns))
    values = store.create("values", select(linked.c.person, profiles.c.value).join_from(linked, profiles, own))
    return EarlierProfiles(aside, values, store.create("tree", _select_wider_profiles(profiles, columns)))


def _select_wider_profiles(profiles: Table, columns: Sequence[ColumnElement[int]]) -> Query:
    """Select which profiles say at least what another one says: ``value, node, cost, level``."""
    wider, names = profiles.alias(), [column.name for column in columns]
    parts = []
    for place, last in enumerate(names):
        # One equation, for a fast join: that of the last release of the wider one.
        is_last = and_(wider.c[last].is_not(None), *(wider.c[name].is_(None) for name in names[place + 1 :]))
        fits = [or_(wider.c[name].is_(None), profiles.c[name] == wider.c[name]) for name in names[:place]]
        same = and_(profiles.c[last] == wider.c[last], *fits)
        rows = select(profiles.c.value, wider.c.value.label("node")).join_from(profiles, wider, same)
        parts.append(rows.where(is_last))
    found = union_all(*parts).subquery()
    return select(found.c.value, found.c.node, literal(0.0).label("cost"), literal(0).label("level"))


# The classes of a new release, by their labels, in several releases together.


def number_seen_classes(made: Tables, *, is_told_apart: bool) -> Query:
    """Give a number to the classes that a reader tells apart: ``equivalence_id, class_id, suppressed, label_1 ..``."""
    labels = build_class_labels(made.equivalence, [each.intervals for each in made.quasi_identifiers]).subquery()
    texts = [column for column in labels.c if column.name.startswith("label_")]
    own = labels.c.equivalence_id
    first = own if is_told_apart else func.min(own).over(partition_by=[labels.c.suppressed, *texts])
    return select(own, first.label("class_id"), labels.c.suppressed, *texts)


def count_without(now: Release, linked: Table, place: int, k: int) -> int:
    """Count the persons who are among fewer than k if a column were not shown."""
    classes, store = now.classes, now.store
    others = [each for each in classes.c if each.name.startswith("label_") and each.name != f"label_{place}"]
    wider = func.min(classes.c.equivalence_id).over(partition_by=[classes.c.suppressed, *others]).label("wider")
    merged = select(classes.c.equivalence_id, wider).subquery()
    rest = [column for column in linked.c if column.name != "class_id"]
    rows = select(merged.c.wider.label("class_id"), *rest).distinct()
    table = store.create("merged", rows.join_from(linked, merged, merged.c.equivalence_id == linked.c.class_id))
    below_k = JointClasses.count(store, table, k).below_k
    store.drop(table)
    return below_k


def count_labels(now: Release, earlier: Sequence[Release]) -> JointLabels:
    """Count the classes whose labels an earlier release has, too, and the different persons of all under one label."""
    store, classes = now.store, now.classes
    alike = store.create("alike", _pair_alike_classes(now, earlier))
    members = []
    for number, each in enumerate((now, *earlier)):
        held, own = each.members, alike.c.own_id
        is_in_it = and_(own == held.c.class_id, alike.c.number == number)
        members.append(select(alike.c.equivalence_id, held.c.person, alike.c.number).join_from(held, alike, is_in_it))
    # Persons are compared only under the labels that may have the fewest: under each there are at least as many as in
    # one release, and at most as many as in all of them together.
    rows = union_all(*members).subquery()
    key = rows.c.equivalence_id
    sizes = select(key, func.count().label("size")).group_by(key, rows.c.number).subquery()
    key = sizes.c.equivalence_id
    bounds = select(key, func.max(sizes.c.size).label("least"), func.sum(sizes.c.size).label("most")).group_by(key)
    bound = store.create("bounds", bounds)
    few = select(bound.c.equivalence_id).where(bound.c.least <= select(func.min(bound.c.most)).scalar_subquery())
    everybody = select(rows.c.person, rows.c.equivalence_id).where(rows.c.equivalence_id.in_(few)).distinct().subquery()
    persons = select(func.count(everybody.c.person).label("persons")).group_by(everybody.c.equivalence_id).subquery()
    smallest = store.scalar(select(func.min(persons.c.persons)))
    shared = store.scalar(select(func.count(alike.c.equivalence_id.distinct())).where(alike.c.number > 0))
    count = store.scalar(select(func.count()).select_from(classes).where(~classes.c.suppressed))
    store.drop(alike, bound)
    return JointLabels(classes=int(count), agreeing=int(shared), smallest=int(smallest or 0))


def _pair_alike_classes(now: Release, earlier: Sequence[Release]) -> Query:
    """Select the classes of all releases under the labels of each new class: ``equivalence_id, number, own_id``.

    The new release has the number 0.
    """
    classes = now.classes
    key, number = classes.c.equivalence_id, literal(0).label("number")
    pairs = [select(key, number, key.label("own_id")).where(~classes.c.suppressed)]
    for place, each in enumerate(earlier, start=1):
        before: FromClause = each.classes
        for cells, name in zip(each.cells, each.cell_names, strict=True):
            before = before.join(cells, cells.c.cell_id == each.classes.c[name])
        same = and_(*(classes.c[f"label_{index}"] == cells.c.text for index, cells in enumerate(each.cells, start=1)))
        rows = select(key, literal(place).label("number"), each.classes.c.equivalence_id.label("own_id"))
        pairs.append(rows.select_from(before.join(classes, same)).where(~classes.c.suppressed))
    return select(union_all(*pairs).subquery())
