"""A release beside the people whom it is about, or beside another release of them: which row is whose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final, NamedTuple

from sqlalchemy import BigInteger, FromClause, and_, cast, func, select

from toolbox.errors import InputError
from toolbox.messages import choose_setting_name, format_count, join_said, say, say_count
from toolbox.published.cells.meanings import find_cell_meanings
from toolbox.published.domains import join_values
from toolbox.published.tables import (
    Cells,
    Comparison,
    Domain,
    People,
    Records,
    Release,
    build_release_classes,
)
from toolbox.queries.dialect import Query, Table, find_row_place
from toolbox.queries.scales import Calendar
from toolbox.store.engine.store import Store

_NEAR: Final = 1e-9
"""How far a mean may be from that of another summation, beside the largest number."""

# A release beside the people whom it is about: the meanings of its cells, and which person became which record.


def compare_release(release: Release, people: People, *, widely: bool = False, are_records: bool = False) -> Comparison:
    """Find the meanings of the cells of a release, given the values that people can have.

    Parameters
    ----------
    widely : bool
        Whether a text that names several things stands for all of them.
    are_records : bool
        Whether the people are those whom the release was made of: then columns are found whose values are not theirs.

    Raises
    ------
    InputError
        If one stands for nothing that is known.
    """
    columns = list(zip(release.cells, people.domains, strict=True))
    cells = find_cell_meanings(release.store, columns, release.name, widely=widely)
    meant = _mark_suppressed(release, cells)
    untrue = _find_untrue_columns(release, people, cells) if are_records else ()
    return Comparison(release=meant, people=people, cells=cells, pairs=None, untrue=untrue, read_widely=widely)


def _mark_suppressed(release: Release, cells: Sequence[Cells]) -> Release:
    """Mark the suppressed classes: only now is it known what an empty cell or a ``*`` stands for."""
    if release.counts_roots:
        return release
    store, classes = release.store, release.classes
    roots = (select(column.meanings.c.cell_id).where(column.meanings.c.form == "root") for column in cells)
    hidden = and_(*(classes.c[name].in_(root) for name, root in zip(release.cell_names, roots, strict=True)))
    if not store.scalar(select(func.count()).where(hidden != classes.c.suppressed)):
        return release
    columns = [hidden.label(column.name) if column.name == "suppressed" else column for column in classes.c]
    return replace(release, classes=store.create("classes", select(*columns)))


def _find_untrue_columns(release: Release, people: People, cells: Sequence[Cells]) -> tuple[str, ...]:
    """Find the columns of numbers whose values cannot be those of the records, as more have one than people do."""
    if release.records > people.records:
        # Then the release may have records whose people were left out, as they lack a value.
        return ()
    columns = zip(people.domains, release.cells, cells, strict=True)
    numbers = [column for column in columns if column[0].kind == "number"]
    counts = release.store.each(_count_invented(*column) for column in numbers)
    return tuple(domain.name for (domain, *_), count in zip(numbers, counts, strict=True) if count)


def _count_invented(domain: Domain, cells: Table, read: Cells) -> Query:
    """Count the texts that are a number, and that more records have than people."""
    meanings = read.meanings
    is_number = domain.scale.value(cells.c.text).is_not(None) & meanings.c.form.in_(["value", "range"])
    joined = cells.join(meanings, meanings.c.cell_id == cells.c.cell_id)
    return select(func.count()).select_from(joined).where(is_number, cells.c.records > meanings.c.people)


def list_ambiguity_notes(comparison: Comparison) -> tuple[str, ...]:
    """Return notes on how texts with several meanings were read.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    tuple of str
        One note for each quasi-identifier that has such texts.
    """
    if comparison.read_widely:
        read = say("Read as all of them, because with fewer some record would not fit its released row.")
    elif comparison.pairs is not None:
        read = say("Read as the narrowest with which every record fits its released row.")
    else:
        read = say("Read as the narrowest, or as all of them if more records have the text than can have the value.")
    return tuple(
        say_count(
            "%(column)s: %(count)s released text names several things (a value, nodes of the hierarchy, what is "
            "suppressed). %(reading)s",
            "%(column)s: %(count)s released texts name several things (a value, nodes of the hierarchy, what is "
            "suppressed). %(reading)s",
            count,
            column=name,
            reading=read,
        )
        for name, count in comparison.ambiguous.items()
    )


def as_shown(release: Release, *comparisons: Comparison | None) -> Release:
    """Return the classes of a release for who looks at classes only.

    A class is suppressed if its texts say so, and if nothing that is known beside them says otherwise. An empty cell
    alone does not say so: who knows that nobody lacks a value knows more, and no figure may become smaller by that.
    """
    said = dict.fromkeys(comparison.release.classes for comparison in comparisons if comparison is not None)
    others = [classes for classes in said if classes is not release.classes]
    if not others:
        return release
    joined: FromClause = release.classes
    for classes in others:
        joined = joined.join(classes, classes.c.equivalence_id == release.classes.c.equivalence_id)
    hidden = and_(release.classes.c.suppressed, *(classes.c.suppressed for classes in others)).label("suppressed")
    columns = [hidden if column.name == "suppressed" else column for column in release.classes.c]
    return replace(release, classes=release.store.create("classes", select(*columns).select_from(joined)))


def pair_records(comparison: Comparison, original: Records, released: Records) -> Comparison:
    """Pair the records of both tables, in their order, if every original one is covered by its released one.

    A release that lacks records, has them in another order or has changed values cannot be paired; then
    `Comparison.unpaired` says why.
    """
    release, people, store = comparison.release, comparison.people, comparison.store
    if release.records != people.records:
        why = say_count(
            "%(release)s has %(count)s record, %(people)s %(others)s",
            "%(release)s has %(count)s records, %(people)s %(others)s",
            release.records,
            **{"release": release.name, "people": people.name, "others": people.records},
        )
        return replace(comparison, unpaired=why)
    (before, counted), (after, shown) = original.find_record_keys(), released.find_record_keys()
    facing = before.join(after, find_row_place(before) == find_row_place(after))
    keys = [before.c.key.label("before"), after.c.key.label("after")]
    same = store.create("same", select(*keys, func.count().label("records")).select_from(facing).group_by(*keys))
    pairs = _create_pairs(comparison, counted, shown, select(same))
    store.drop(before, counted, after, shown, same)
    return pair_people(comparison, pairs)


def pair_people(comparison: Comparison, pairs: Table) -> Comparison:
    """Pair people and released records, if every person is covered by the released record.

    Parameters
    ----------
    pairs : Table
        ``combination_id, equivalence_id, records``: all people, and what is held to be theirs.
    """
    release = comparison.release
    kept = _create_changes(comparison, pairs)
    columns = zip(comparison.people.domains, comparison.cells, kept, strict=True)
    counts = release.store.each(
        _count_off_mean(domain, cells, table) if domain.name in comparison.untrue else _count_uncovered(cells, table)
        for domain, cells, table in columns
    )
    names = (domain.name for domain in comparison.people.domains)
    outside = {name: int(uncovered) for name, uncovered in zip(names, counts, strict=True) if uncovered}
    if outside:
        name, most = max(outside.items(), key=lambda item: item[1])
        return replace(comparison, unpaired=_say_outside(name, most, is_of_means=name in comparison.untrue))
    return replace(comparison, pairs=pairs, changes=kept)


def _say_outside(column: str, records: int, *, is_of_means: bool) -> str:
    if is_of_means:
        return say_count(
            "in %(count)s record %(column)s is not what the released value is the mean of: another order, or other "
            "records?",
            "in %(count)s records %(column)s is not what the released value is the mean of: another order, or other "
            "records?",
            records,
            column=column,
        )
    return say_count(
        "in %(count)s record %(column)s is not what the released value stands for: another order, or other records?",
        "in %(count)s records %(column)s is not what the released value stands for: another order, or other records?",
        records,
        column=column,
    )


def pair_records_by_key(comparison: Comparison, before: Table, after: Table, same: Query) -> Comparison:
    """Pair the records of both tables as it is known who became what.

    Parameters
    ----------
    comparison : Comparison
        Without pairs.
    before, after : Table
        ``text_1 .., key``: a key for each combination of texts of the people, and of the release.
    same : Select
        ``before, after, records``: how many records of a key became which.
    """
    pairs = _create_pairs(comparison, before, after, same)
    return replace(comparison, pairs=pairs, changes=_create_changes(comparison, pairs))


def _create_pairs(comparison: Comparison, before: Table, after: Table, same: Query) -> Table:
    who, what = find_combination_keys(comparison.people, before), comparison.release.find_class_keys(after)
    joined = same.subquery()
    rows = joined.join(who, who.c.key == joined.c.before).join(what, what.c.key == joined.c.after)
    columns = [who.c.combination_id, what.c.equivalence_id]
    records = cast(func.sum(joined.c.records), BigInteger).label("records")
    return comparison.store.create("pairs", select(*columns, records).select_from(rows).group_by(*columns))


def pair_people_by_class(comparison: Comparison, fits: Table) -> Comparison:
    """Pair people with classes if this follows from the values alone, in any order of the records.

    It follows if everybody fits at most one class, besides suppressed records, and each class has as many records as
    people who fit it. Then those people are its records, and all others are suppressed.

    Parameters
    ----------
    comparison : Comparison
        Without pairs.
    fits : Table
        ``combination_id, equivalence_id``: each class, of those that are not suppressed, that covers a combination.
    """
    release, people, store = comparison.release, comparison.people, comparison.store
    classes, combination = release.classes, people.combinations
    hidden = [
        equivalence_id for (equivalence_id,) in store.rows(select(classes.c.equivalence_id).where(classes.c.suppressed))
    ]
    if release.records != people.records or len(hidden) > 1:
        return comparison
    joined = combination.outerjoin(fits, fits.c.combination_id == combination.c.combination_id)
    equivalence_id = func.coalesce(fits.c.equivalence_id, hidden[0] if hidden else None).label("equivalence_id")
    records = combination.c.size.label("records")
    pairs = store.create("pairs", select(combination.c.combination_id, equivalence_id, records).select_from(joined))
    sizes = select(pairs.c.equivalence_id, func.sum(pairs.c.records).label("size")).group_by(pairs.c.equivalence_id)
    fitting = sizes.subquery()
    facing = fitting.join(classes, classes.c.equivalence_id == fitting.c.equivalence_id, full=True)
    different = select(func.count()).select_from(facing).where(fitting.c.size.is_distinct_from(classes.c.size))
    # Who fits two classes is counted twice, so that the sizes of at least one differ.
    if store.scalar(different):
        told = say(
            "%(reason)s People fit several classes, too. A release with order='input' can be measured; it loses the "
            "same",
            reason=join_said("", [comparison.unpaired, "" if comparison.unpaired.endswith("?") else "."]),
        )
        return replace(comparison, unpaired=told)
    return replace(comparison, pairs=pairs, changes=_create_changes(comparison, pairs), unpaired="")


def _create_changes(comparison: Comparison, pairs: Table) -> tuple[Table, ...]:
    numbers = range(1, len(comparison.cells) + 1)
    changes = [_select_changes(comparison.release, comparison.people, pairs, index) for index in numbers]
    return tuple(comparison.store.create("changes", rows) for rows in changes)


def find_combination_keys(people: People, counted: Table) -> FromClause:
    """Find the combination of people behind each key: ``key, combination_id``.

    Parameters
    ----------
    counted : Table
        ``key, text_1 ..``.
    """
    joined, values = join_values(counted, people.domains)
    coded = select(counted.c.key, *values).select_from(joined).subquery()
    combination = people.combinations
    same = and_(*(coded.c[name] == combination.c[name] for name in people.value_names))
    return select(coded.c.key, combination.c.combination_id).join_from(coded, combination, same).subquery()


def count_persons_beside(comparison: Comparison, release: Release | None, counted: Table, columns: int) -> Comparison:
    """Return a comparison that counts persons on both sides; who became what is not known of them.

    Parameters
    ----------
    release : Release, optional
        The same release with persons in its classes. Without it, those of each class are the people who became it; all
        people of one combination must have become the same.
    counted : Table
        ``text_1 ..``: the texts of the people, and behind them those of the columns that tell persons apart.
    columns : int
        How many these are.
    """
    store, people = comparison.store, comparison.people
    joined, values = join_values(counted, people.domains)
    person = Records.find_person(counted, len(people.domains), columns)
    coded = select(person, *values).select_from(joined).subquery()
    combination = people.combinations
    same = and_(*(coded.c[name] == combination.c[name] for name in people.value_names))
    held = store.create(
        "persons", select(combination.c.combination_id, coded.c.person).join_from(coded, combination, same).distinct()
    )
    sizes = select(held.c.combination_id, func.count().label("persons")).group_by(held.c.combination_id).subquery()
    shown = [sizes.c.persons.label("size") if column.name == "size" else column for column in combination.c]
    grouped = select(*shown).join_from(combination, sizes, sizes.c.combination_id == combination.c.combination_id)
    release = _count_persons_of_pairs(comparison, held) if release is None else release
    return replace(
        comparison.replace_release(release),
        people=replace(
            people,
            combinations=store.create("combinations", grouped),
            records=int(store.scalar(select(func.count(held.c.person.distinct())))),
            persons=held,
        ),
    )


def has_class_of_its_own(comparison: Comparison) -> bool:
    """Return whether it is known what people became, and all of one combination became the same."""
    if comparison.pairs is None:
        return False
    pairs = comparison.pairs.c
    several = select(pairs.combination_id).group_by(pairs.combination_id).having(func.count() > 1).subquery()
    return not comparison.store.scalar(select(func.count()).select_from(several))


def _count_persons_of_pairs(comparison: Comparison, held: Table) -> Release:
    """Count the persons of each class by the people who became it.

    Parameters
    ----------
    held : Table
        ``combination_id, person``.
    """
    pairs = comparison.pairs
    assert pairs is not None, "the caller has looked"
    rows = select(pairs.c.equivalence_id, held.c.person)
    rows = rows.join_from(pairs, held, held.c.combination_id == pairs.c.combination_id)
    return comparison.release.set_persons(rows.distinct())


def _select_changes(release: Release, people: People, pairs: Table, index: int) -> Query:
    combination, classes = people.combinations, release.classes
    value, cell = combination.c[f"value_{index}"].label("value_id"), classes.c[f"cell_{index}"].label("cell_id")
    joined = pairs.join(combination, combination.c.combination_id == pairs.c.combination_id)
    joined = joined.join(classes, classes.c.equivalence_id == pairs.c.equivalence_id)
    records = cast(func.sum(pairs.c.records), BigInteger).label("records")
    return select(value, cell, records).select_from(joined).group_by(value, cell)


def _count_uncovered(cells: Cells, changes: Table) -> Query:
    """Count the records whose value is not among those of the released cell."""
    spans = cells.spans
    covers = and_(spans.c.cell_id == changes.c.cell_id, changes.c.value_id.between(spans.c.first, spans.c.last))
    left = func.sum(changes.c.records).filter(spans.c.cell_id.is_(None))
    return select(func.coalesce(left, 0)).select_from(changes.outerjoin(spans, covers))


def _count_off_mean(domain: Domain, cells: Cells, changes: Table) -> Query:
    """Count the records of the cells whose number is not the mean of their records, nor next to it, as of a day."""
    values, meanings = domain.values, cells.meanings
    joined = changes.join(values, values.c.value_id == changes.c.value_id)
    number, records = values.c.number, changes.c.records
    figures = {"mean": func.sum(number * records) / func.sum(records), "records": func.sum(records)}
    columns = (figure.label(name) for name, figure in figures.items())
    found = select(changes.c.cell_id, *columns).select_from(joined).group_by(changes.c.cell_id).subquery()
    near = 0.5 if isinstance(domain.scale, Calendar) else _NEAR * max(abs(domain.low or 0.0), abs(domain.high or 0.0))
    is_off = ~found.c.mean.between(meanings.c.low - near, meanings.c.high + near)
    rows = select(func.coalesce(func.sum(found.c.records), 0)).where(func.coalesce(is_off, True))
    return rows.join_from(found, meanings, meanings.c.cell_id == found.c.cell_id)


# Two releases of the same people: which classes the rows of one person are in, where rows can be told to be one's.


def link_rows_by_order(
    release: Release, records: Records, earlier: Release, earlier_records: Records, person: int = 0
) -> Table:
    """Link the rows of two releases that have the same place.

    Parameters
    ----------
    person : int
        How many columns of the records tell persons apart, who are counted then; they stand behind those of the
        release.

    Returns
    -------
    Table
        ``class_id, earlier_id, records``: classes of both, and the rows that are in both of them. Where persons are
        counted, ``class_id, earlier_id, person``: each person of such a row once.

    Raises
    ------
    InputError
        If one has more rows than the other.
    """
    count, earlier_count = (
        release.store.scalar(select(func.sum(each.counted.c.size))) for each in (records, earlier_records)
    )
    if count != earlier_count:
        counts = f"{release.name} has {int(count):,} records, {earlier.name} {int(earlier_count):,}"
        remedy = choose_setting_name("--key NAME, or --key none", python="key='name', or key='none'")
        raise InputError(f"{counts}: their order links nobody. Name the column that does, {remedy}.")
    store = release.store
    (rows, counted), (earlier_rows, earlier_counted) = records.find_record_keys(), earlier_records.find_record_keys()
    facing = rows.join(earlier_rows, find_row_place(rows) == find_row_place(earlier_rows))
    links = select(rows.c.key.label("key"), earlier_rows.c.key.label("earlier_key")).select_from(facing)
    linked = _create_class_links(
        store,
        release.find_class_keys(counted),
        earlier.find_class_keys(earlier_counted),
        links.subquery(),
        _find_persons(release, counted, person),
    )
    store.drop(rows, counted, earlier_rows, earlier_counted)
    return linked


def link_rows_by_key(
    release: Release, records: Records, earlier: Release, earlier_records: Records, person: int = 0
) -> Table:
    """Link the rows of two releases that have the same key, the last of the columns that were read.

    Parameters
    ----------
    person : int
        As in `link_rows_by_order`.

    Returns
    -------
    Table
        As `link_rows_by_order`; rows without a partner are left out.

    Raises
    ------
    InputError
        If a key is missing or not unique, or links nobody.
    """
    keys, earlier_keys = _select_keyed_records(release, records), _select_keyed_records(earlier, earlier_records)
    links = select(keys.c.key.label("key"), earlier_keys.c.key.label("earlier_key"))
    links = links.select_from(keys.join(earlier_keys, keys.c.key == earlier_keys.c.key))
    linked = _create_class_links(
        release.store,
        release.find_class_keys(keys),
        earlier.find_class_keys(earlier_keys),
        links.subquery(),
        _find_persons(release, keys, person),
    )
    if not release.store.count(linked):
        raise InputError(f"No key of {release.name} is in {earlier.name}. Are these the same people?")
    return linked


def _find_persons(release: Release, counted: Table, person: int) -> FromClause | None:
    """Return the person of each key: ``key, person``; None where rows are counted."""
    if not person:
        return None
    before = len(release.quasi_identifiers) + len(release.sensitive)
    return select(counted.c.key, Records.find_person(counted, before, person)).subquery()


def _select_keyed_records(release: Release, records: Records) -> Table:
    """Return the counted records, with the text of their last column as ``key``."""
    store, counted = records.store, records.counted
    key = counted.c[f"text_{len(records.positions)}"]
    keys = store.create("keyed", select(counted, key.label("key")))
    repeated = select(func.coalesce(func.sum(keys.c.size), 0) - func.count(keys.c.key.distinct()))
    if wrong := int(store.scalar(repeated)):
        raise InputError(
            f"{release.name}: the key of {format_count(wrong, 'record')} is missing or that of another. Name a unique "
            f"one, or if it tells persons apart, also write {choose_setting_name('--person NAME', python='person=')}."
        )
    return keys


def _create_class_links(
    store: Store, classes: FromClause, earlier_classes: FromClause, links: FromClause, persons: FromClause | None
) -> Table:
    joined = links.join(classes, classes.c.key == links.c.key)
    joined = joined.join(earlier_classes, earlier_classes.c.key == links.c.earlier_key)
    ids = classes.c.equivalence_id.label("class_id"), earlier_classes.c.equivalence_id.label("earlier_id")
    if persons is not None:
        joined = joined.join(persons, persons.c.key == links.c.key)
        return store.create("linked", select(*ids, persons.c.person).select_from(joined).distinct())
    records = cast(func.count(), BigInteger).label("records")
    return store.create("linked", select(*ids, records).select_from(joined).group_by(*ids))


class KnownPeople(NamedTuple):
    """The people behind a release, with the keys that the tables of the run know them by."""

    people: People
    keys: Table
    """``key, combination_id, size``."""


class ShownClasses(NamedTuple):
    """The classes of a release as its readers see them, and who is in which."""

    keys: FromClause
    """``key, class_id``."""
    classes: Table
    """``key, text_1 .., size, persons, suppressed``: the key is the number of the class; as many persons as records
    where none are declared."""


def find_known_people(store: Store, people: People, counted: Table) -> KnownPeople:
    """Find the people behind each key.

    Parameters
    ----------
    counted : Table
        ``key, text_1 .., size``: what `people` were made of.
    """
    found = find_combination_keys(people, counted)
    columns = [counted.c.key, found.c.combination_id, counted.c.size]
    rows = select(*columns).join_from(counted, found, found.c.key == counted.c.key)
    return KnownPeople(people, store.create("known", rows))


def compare_with_people(
    store: Store,
    known: KnownPeople,
    shown: ShownClasses,
    *,
    quasi_identifiers: Sequence[str],
    roots: Mapping[str, Sequence[str]],
    needs_pairs: bool,
) -> Comparison:
    """Compare a release with its people, as `toolbox measure` does that reads both.

    A text that names several things is read as narrowly as all people allow.

    Parameters
    ----------
    quasi_identifiers : sequence of str
        Their names.
    roots : mapping of quasi-identifier to texts
        What the root of its hierarchy may be called.
    needs_pairs : bool
        Whether it must be known who became what.

    Raises
    ------
    InputError
        If a released text stands for nothing that is known.
    """
    release = build_release_classes(
        store, shown.classes, name="the release", quasi_identifiers=quasi_identifiers, roots=roots
    )
    narrowly = compare_release(release, known.people, are_records=True)
    if not needs_pairs and not narrowly.ambiguous:
        return narrowly
    pairs = store.create("pairs", _count_pairs(known, shown, release))
    narrowly = pair_people(narrowly, pairs)
    if narrowly.pairs is not None or not narrowly.ambiguous:
        return narrowly
    widely = pair_people(compare_release(release, known.people, widely=True, are_records=True), pairs)
    return narrowly if widely.pairs is None else widely


def add_held_values(comparison: Comparison, shown: ShownClasses, name: str, texts: Table) -> Comparison:
    """Return a comparison that knows which values of a sensitive attribute each class holds.

    Parameters
    ----------
    name : str
        Of the sensitive attribute.
    texts : Table
        ``key, text, records``: its texts, of the people of each key.
    """
    release, placed = comparison.release, shown.keys
    what = release.find_class_keys(shown.classes)
    joined = texts.join(placed, placed.c.key == texts.c.key).join(what, what.c.key == placed.c.class_id)
    columns = [what.c.equivalence_id, texts.c.text.label("text_1")]
    records = cast(func.sum(texts.c.records), BigInteger).label("records")
    held = release.store.create("held", select(*columns, records).select_from(joined).group_by(*columns))
    return replace(comparison, release=replace(release, held=held, sensitive=MappingProxyType({name: "text_1"})))


def _count_pairs(known: KnownPeople, shown: ShownClasses, release: Release) -> Query:
    """Count the records of each pair: ``combination_id, equivalence_id, records``."""
    who, placed, what = known.keys, shown.keys, release.find_class_keys(shown.classes)
    joined = who.join(placed, placed.c.key == who.c.key).join(what, what.c.key == placed.c.class_id)
    columns = [who.c.combination_id, what.c.equivalence_id]
    records = cast(func.sum(who.c.size), BigInteger).label("records")
    return select(*columns, records).select_from(joined).group_by(*columns)
