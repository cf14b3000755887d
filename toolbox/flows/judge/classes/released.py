"""The classes that judges look at: with sensitive values, the groups of an anatomy, and the people that they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sqlalchemy import BigInteger, FromClause, and_, cast, func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import InputError, UnknownColumnError, UsageError
from toolbox.flows.judge.judge import Judged
from toolbox.flows.judge.question import Question
from toolbox.flows.judge.tables import JudgedTables
from toolbox.messages import choose_setting_name, format_count, format_people
from toolbox.privacy.classes import Classes, form_classes
from toolbox.published.comparing import has_class_of_its_own
from toolbox.published.domains import join_values
from toolbox.published.tables import Comparison, Records, Release, build_release_classes
from toolbox.queries.dialect import Query
from toolbox.risks.risk import find_matches
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.layout import find_columns
from toolbox.store.input.source import Source, column_text

# The classes of a release, without sensitive values and with those of each attribute.


def form_all_classes(store: Store, release: Release, among: Comparison | None) -> Classes:
    """Return the classes without sensitive values; suppressed records are in none."""
    classes = release.classes
    sizes = store.create("sizes", select(classes.c.equivalence_id, classes.c.size).where(~classes.c.suppressed))
    shown = [classes.c[cell].label(f"column_{place}") for place, cell in enumerate(release.cell_names, start=1)]
    columns = select(classes.c.equivalence_id, *shown).where(~classes.c.suppressed).subquery()
    held = release.persons
    persons = None
    if held is not None:
        of_class = select(held.c.equivalence_id, held.c.person).distinct()
        persons = of_class.where(held.c.equivalence_id.in_(select(sizes.c.equivalence_id))).subquery()
    formed = Classes(sizes, columns=columns, names=release.quasi_identifiers, persons=persons)
    if among is None:
        return formed
    matches = find_matches(among)
    # Suppressed records are in no class, so that nobody is described by them.
    covered, fitting = matches.people_covered(), matches.count_released_records(with_suppressed=False)
    nowhere = select(func.coalesce(func.sum(fitting.c.size), 0)).where(fitting.c.consistent == 0)
    outside = cast(literal(store.scalar(nowhere)), BigInteger).label("outside")
    people = store.create("people", select(covered.c.equivalence_id, covered.c.people.label("size"), outside))
    store.drop(covered, fitting)
    return replace(formed, population=people)


def form_attribute_classes(judged: Judged, release: Release, *, harmonised: bool = False) -> Mapping[str, Classes]:
    """Return the classes with the values of each sensitive attribute; several measures ask for the same."""
    asked = form_attribute_classes, release.classes, harmonised
    if asked not in judged.known:
        judged.known[asked] = _form_attribute_classes(release, judged.question, harmonised=harmonised)
    found: Mapping[str, Classes] = judged.known[asked]
    return found


def _form_attribute_classes(release: Release, question: Question, *, harmonised: bool) -> Mapping[str, Classes]:
    by_person = release.persons is not None
    held, classes = release.held if release.persons is None else release.persons, release.classes
    attributes = {release.sensitive[str(attribute.column)]: attribute for attribute in question.sensitive}
    told: dict[str, Any] = {"figures": question.figures, "orders": release.orders}
    if not harmonised:
        return form_classes(release.store, held, ["equivalence_id"], attributes, formed=classes, **told)
    texts = [held.c[text] for text in attributes]
    counted = held.c.person if by_person else held.c.records
    rows = select(held.c.equivalence_id, *texts, counted, classes.c.suppressed)
    joined = rows.join_from(held, classes, classes.c.equivalence_id == held.c.equivalence_id).subquery()
    return form_classes(
        release.store,
        joined,
        ["equivalence_id"],
        attributes,
        harmonised=True,
        records=None if by_person else "records",
        hidden="suppressed",
        person="person" if by_person else None,
        **told,
    )


def count_classes(release: Release) -> dict[str, Any]:
    """Count the classes, and sum up their sizes."""
    classes = release.classes
    size = classes.c.size
    is_class = ~classes.c.suppressed
    columns = (
        func.count().filter(is_class),
        func.min(size).filter(is_class),
        func.avg(size).filter(is_class),
        func.coalesce(func.sum(size).filter(classes.c.suppressed), 0),
    )
    count, smallest, average, suppressed = release.store.row(select(*columns))
    return {"classes": count, "smallest_class": smallest, "average_class": average, "suppressed": int(suppressed)}


def count_persons(tables: JudgedTables) -> int | None:
    """Count the persons of a release; None where classes count records."""
    release = tables.by_person
    if release is None or release.persons is None:
        return None
    return int(tables.store.scalar(select(func.count(release.persons.c.person.distinct()))))


# The groups of an anatomy, read back from its two tables: `check` judges them, as nothing else hides people.

_GROUP = "group"


def form_group_classes(question: Question, store: Store) -> Release:
    """Form the groups of an anatomy as classes, with the sensitive values that each holds.

    Records that show nothing but roots in the table of the quasi-identifiers are suppressed, and so is their group.

    Raises
    ------
    InputError
        If one of the tables cannot be read.
    """
    release, hidden = _read_groups(question, store), _find_suppressed_groups(question, store)
    cells, classes = release.cells[0], release.classes
    is_hidden = classes.c.cell_1.in_(select(cells.c.cell_id).where(cells.c.text.in_(hidden)))
    columns = [is_hidden.label(column.name) if column.name == "suppressed" else column for column in classes.c]
    return replace(release, classes=store.create("classes", select(*columns)))


def _read_groups(question: Question, store: Store) -> Release:
    """Read the table of the sensitive values, whose first column is the group."""
    source = _open_source(question, store, of_quasi_identifiers=False)

    def value(position: int, text: ColumnElement[str]) -> ColumnElement[str]:
        return question.missing.value(question.sensitive[position - 1], text) if position else text

    counted = Records(store, source, (0, *_find_sensitive(question, store, source)), value=value).counted
    names = [str(attribute.column) for attribute in question.sensitive]
    return build_release_classes(store, counted, name=source.name, quasi_identifiers=[_GROUP], sensitive=names)


def _find_suppressed_groups(question: Question, store: Store) -> list[str]:
    """Find the suppressed groups in the table of the quasi-identifiers, whose last column is the group."""
    source = _open_source(question, store, of_quasi_identifiers=True)
    names = [str(attribute.column) for attribute in question.quasi_identifiers]
    counted = Records(store, source, range(len(names) + 1)).counted
    release = build_release_classes(
        store, counted, name=source.name, quasi_identifiers=names, sensitive=[_GROUP], roots=question.roots
    )
    held, classes = release.held, release.classes
    groups = select(held.c.text_1).distinct().where(classes.c.suppressed)
    joined = groups.join_from(held, classes, classes.c.equivalence_id == held.c.equivalence_id)
    return [group for (group,) in store.rows(joined)]


def _open_source(question: Question, store: Store, *, of_quasi_identifiers: bool) -> Source:
    first, second = question.config.output.format.suffixes
    table = question.table(first if of_quasi_identifiers else second)
    assert table is not None, "a release in files has both tables"
    return InputFiles(table).source(store)


def _find_sensitive(question: Question, store: Store, source: Source) -> Sequence[int]:
    """Find the sensitive attributes among the columns that pass through, which follow the group.

    Raises
    ------
    UsageError
        If only the original records could tell where one is, and they cannot be read.
    """
    with suppress(InputError):
        if question.original is not None:
            layout = find_columns(question.config, InputFiles(question.original).source(store))
            shown = list(layout.treated)
            return [1 + shown.index(position) for position in layout.sensitive]
    headers = list(source.headers or ())
    for attribute in question.sensitive:
        if headers.count(str(attribute.column)) != 1:
            table = choose_setting_name(
                "--qi group --sensitive NAME", python="quasi_identifiers=['group'], sensitive=[..]"
            )
            raise UsageError(
                f"{source.name}: only the original records tell which column is {attribute.column}, and they cannot be "
                f"read. Put them where the configuration says, or judge the table with {table}."
            )
    return [headers.index(str(attribute.column)) for attribute in question.sensitive]


# How few people a class holds, where an identifier shows that several records are of one person.


def tell_few_people(judged: Judged, k: int) -> tuple[str, ...]:
    """Say how few people the classes of at least k records hold, and whether persons could not be counted."""
    question = judged.question
    unjudged = question.tell_unjudged_tables(judged.children)
    told = (*question.unnamed_persons, *unjudged, *_tell_identifiers(judged, k))
    if not question.person or question.is_anatomy or judged.tables.by_person is not None:
        return told
    named = " + ".join(question.person)
    unknown = f"The release has no {named}, which tells persons apart, so that its classes count records here."
    return (*told, f"{unknown} Whoever has made it with {named} declared has counted persons.")


def _tell_identifiers(judged: Judged, k: int) -> tuple[str, ...]:
    """Say of each identifier that a table has how few people the classes hold.

    They are counted in a release that has the column, otherwise in the original records, if these can be matched to
    the classes. If they cannot, the whole table tells at least whether several records are of one person.
    """
    tables, question = judged.tables, judged.question
    released = tables.records.source
    if not question.identifiers or question.is_anatomy or tables.by_person is not None:
        return ()
    if any(name in (released.headers or ()) for name in question.identifiers):
        positions = _find_positions(tables, released)
        sized = (
            {}
            if _is_any_unique(tables, released, positions)
            else {name: _size_released_classes(tables, position) for name, position in positions.items()}
        )
        return _tell_classes(tables, sized, k)
    source = _open_original(tables)
    _require_known(tables, released if source is None else source)
    return () if source is None else _tell_original(judged, source, k)


def _open_original(tables: JudgedTables) -> Source | None:
    """Open the original records; None if nobody names them, or they are not there any more."""
    original = tables.known_original
    with suppress(InputError):
        return None if original is None else tables.open_original(original)
    return None


def _tell_original(judged: Judged, source: Source, k: int) -> tuple[str, ...]:
    tables, positions = judged.tables, _find_positions(judged.tables, source)
    if not positions or _is_any_unique(tables, source, positions):
        return ()
    matched = _match_classes(judged)
    if isinstance(matched, str):
        return _tell_whole_table(tables, source, positions, matched)
    return _tell_classes(tables, {name: _size_original_classes(tables, matched, name) for name in positions}, k)


def _find_positions(tables: JudgedTables, source: Source) -> dict[str, int]:
    headers = source.headers or ()
    return {name: headers.index(name) for name in tables.question.identifiers if headers.count(name) == 1}


def _require_known(tables: JudgedTables, source: Source) -> None:
    """Stop where a call names identifiers, and no table has one of them; a configuration names those that go."""
    question = tables.question
    if question.by_name and not _find_positions(tables, source):
        raise UnknownColumnError(question.identifiers[0], source.name, source.own_headers)


def _count_people(text: ColumnElement[str], records: ColumnElement[int] | None = None) -> ColumnElement[int]:
    """Count the different values of an identifier; a record without a value may be anybody."""
    known = func.nullif(text, "")
    if records is None:
        return func.count(known.distinct()) + func.count() - func.count(known)
    return func.count(known.distinct()) + func.coalesce(func.sum(records).filter(known.is_(None)), 0)


def _is_any_unique(tables: JudgedTables, source: Source, positions: dict[str, int]) -> bool:
    """Return whether some identifier has a value of its own in each record, so that each record is a person.

    A missing value is none: a column without values tells nobody apart.
    """
    relation = source.relation()
    texts = (func.nullif(column_text(relation, position), "") for position in positions.values())
    unique = [func.count() == func.count(text.distinct()) for text in texts]
    return any(tables.store.row(select(literal(False), *unique).select_from(relation)))


def _tell_classes(tables: JudgedTables, classes: dict[str, Query], k: int) -> tuple[str, ...]:
    """Say of each identifier which class has the fewest people, from ``size, people`` of each class."""
    told = []
    for name, sized in classes.items():
        each = sized.subquery().c
        few = select(each.size, each.people).where(each.size >= k, each.people < k)
        for size, least in tables.store.rows(few.order_by(each.people, each.size).limit(1)):
            told.append(
                f"{format_count(size, 'record')} in a class, but {format_people(name, least)}. Classes count records."
            )
    return tuple(told)


def _size_released_classes(tables: JudgedTables, position: int) -> Query:
    """Count the records and the people of each class, in a release that has the identifier."""
    source, count = tables.records.source, len(tables.question.quasi_identifiers)
    relation = source.relation()
    texts = [column_text(relation, position) for position in tables.records.positions[:count]]
    roots = [{"*", *tables.question.roots[each]} for each in tables.release.quasi_identifiers]
    suppressed = and_(*(text.in_(labels) for text, labels in zip(texts, roots, strict=True)))
    people = _count_people(column_text(relation, position))
    sized = select(func.count().label("size"), people.label("people"))
    return sized.where(func.coalesce(~suppressed, literal(True))).group_by(*texts)


def _match_classes(judged: Judged) -> Comparison | str:
    """Put the original records beside the classes of the release, or say why nobody can tell which is in which."""
    try:
        beside = judged.beside or judged.tables.compare_with_original(pairs=True)
        paired = judged.tables.pair(beside)
    except InputError as error:
        return str(error)
    if paired.pairs is None:
        return paired.unpaired
    if not has_class_of_its_own(paired):
        return "records that agree in all quasi-identifiers are in several classes"
    return paired


def _size_original_classes(tables: JudgedTables, matched: Comparison, name: str) -> Query:
    """Count the records and the people of each class that is not suppressed, by the original records in it."""
    assert matched.pairs is not None, "it was looked at"
    counted, people = tables.read_original_with(name).counted, matched.people
    joined, values = join_values(counted, people.domains)
    person = counted.c[f"text_{len(people.domains) + 1}"].label("person")
    coded = select(person, counted.c.size, *values).select_from(joined).subquery()
    combination, pairs, classes = people.combinations, matched.pairs, matched.release.classes
    same = and_(*(coded.c[value] == combination.c[value] for value in people.value_names))
    rows: FromClause = coded.join(combination, same)
    rows = rows.join(pairs, pairs.c.combination_id == combination.c.combination_id)
    rows = rows.join(classes, classes.c.equivalence_id == pairs.c.equivalence_id)
    sized = select(func.sum(coded.c.size).label("size"), _count_people(coded.c.person, coded.c.size).label("people"))
    return sized.select_from(rows).where(~classes.c.suppressed).group_by(classes.c.equivalence_id)


def _tell_whole_table(tables: JudgedTables, source: Source, positions: dict[str, int], why: str) -> tuple[str, ...]:
    """Say of each identifier that it repeats in the original records, and why no more can be told."""
    relation, told = source.relation(), []
    reason = why if why.endswith((".", "?")) else f"{why}."
    for name, position in positions.items():
        records, people = tables.store.row(select(func.count(), _count_people(column_text(relation, position))))
        if people < records:
            told.append(
                f"{source.name} has {format_count(records, 'record')}, but {format_people(name, people)}. "
                "Classes count records. That is of the whole table, because nobody can tell which class each record is "
                f"in: {reason} A release with the column tells how few people each class has."
            )
    return tuple(told)
