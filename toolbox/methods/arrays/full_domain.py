"""What methods of full-domain generalisation share: a table at a lattice node, its violating classes and records."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, FromClause, and_, case, cast, func, literal, select, union

from toolbox.privacy.classes import Classes, members_of
from toolbox.privacy.model import PrivacyModel, ReleaseModel
from toolbox.privacy.results import judge_release, violating
from toolbox.queries.dialect import Query, Table, choose_any_value
from toolbox.store.tables import Tables

if TYPE_CHECKING:
    from toolbox.methods.arrays.models import PersonsLeft

# What methods of full-domain generalisation share: a table at a lattice node, its violating classes suppressed.


def fetch_persons(tables: Tables) -> PersonsLeft | None:
    """Fetch the persons once for all nodes that are tried; None where no person is suppressed with all records."""
    if not tables.suppresses_persons:
        return None
    # Persons are compared with numpy, which nothing else here needs.
    from toolbox.methods.arrays.models import PersonsLeft

    return PersonsLeft.of(tables)


def at_node(
    tables: Tables, levels: Sequence[int], models: Sequence[PrivacyModel], persons: PersonsLeft | None = None
) -> Tables:
    """Generalise every record to the same levels; suppress the records in classes that violate a model.

    Parameters
    ----------
    levels : sequence of int
        One for each quasi-identifier, 0 for ungeneralised.
    models : sequence of PrivacyModel
    persons : PersonsLeft, optional
        Of `fetch_persons`, where they were fetched before.

    Returns
    -------
    Tables
        Suppressed records have the root in every quasi-identifier.
    """
    store, names = tables.store, tables.interval_names
    generalised = store.create("generalised", tables.at(levels))
    if tables.suppresses_persons:
        return _suppress_persons(tables, generalised, levels, models, persons)
    refused = _find_violating_classes(tables, generalised, levels, models)
    # Classes are recoded, not combinations: these are many more.
    values = [choose_any_value(generalised.c[name]).label(name) for name in names]
    size = cast(func.sum(generalised.c.size), generalised.c.size.type).label("size")
    classes = select(generalised.c.equivalence_id, size, *values).group_by(generalised.c.equivalence_id).subquery()
    suppressed = refused.c.equivalence_id.is_not(None)
    intervals = [
        case((suppressed, literal(column.root)), else_=classes.c[name]).label(name)
        for column, name in zip(tables.quasi_identifiers, names, strict=True)
    ]
    number = classes.c.equivalence_id.label("part")
    parts = select(number, classes.c.size, suppressed.label("suppressed"), *intervals)
    parts = parts.select_from(classes.outerjoin(refused, refused.c.equivalence_id == number.element))
    members = select(generalised.c.combination_id, generalised.c.equivalence_id.label("part"))
    recoded = tables.recoded(parts, members=members, levels=levels)
    store.drop(generalised, refused)
    return recoded


def count_violating_records(
    tables: Tables,
    levels: Sequence[int],
    models: Sequence[PrivacyModel],
    most: int,
    persons: PersonsLeft | None = None,
) -> int:
    """Count the records in classes that violate a model at a node; where there are more than `most`, some of them.

    Where persons are suppressed with all of their records, they are counted; ``persons`` is as in `at_node`.
    """
    store = tables.store
    generalised = store.create("generalised", tables.at(levels))
    if tables.suppresses_persons:
        rare = int(_mark_rare_persons(tables, generalised, models, persons, most).sum())
        store.drop(generalised)
        return rare
    refused = _find_violating_classes(tables, generalised, levels, models, most)
    count = _count_records_in(tables, generalised, refused)
    store.drop(generalised, refused)
    return count


def _mark_rare_persons(
    tables: Tables,
    generalised: Table,
    models: Sequence[PrivacyModel],
    persons: PersonsLeft | None,
    most: int | None = None,
) -> Any:
    """Mark the persons, by their numbers, who must be suppressed with all of their records."""
    persons = persons or fetch_persons(tables)
    assert persons is not None, "persons are suppressed with all of their records"
    ordered = select(generalised.c.equivalence_id).order_by(generalised.c.combination_id)
    return persons.mark_rare(tables.store.to_arrays(ordered)["equivalence_id"], models, most)


def _suppress_persons(
    tables: Tables,
    generalised: Table,
    levels: Sequence[int],
    models: Sequence[PrivacyModel],
    persons: PersonsLeft | None,
) -> Tables:
    """Release classes as they are, without the records of persons who must be suppressed."""
    store, names = tables.store, tables.interval_names
    rare = _mark_rare_persons(tables, generalised, models, persons)
    columns = (generalised.c[name] for name in names)
    assignment = select(generalised.c.combination_id, generalised.c.size, literal(False).label("suppressed"), *columns)
    whole = tables.recoded(assignment, levels=levels)
    store.drop(generalised)
    if not rare.any():
        return whole
    suppressed = store.from_arrays("suppressed", {"person": rare.nonzero()[0]})
    released = whole.without_persons(suppressed)
    store.drop(suppressed)
    return released


def _count_records_in(tables: Tables, generalised: Table, classes: Table) -> int:
    inside = generalised.c.equivalence_id.in_(select(classes.c.equivalence_id))
    return int(tables.store.scalar(select(func.coalesce(func.sum(generalised.c.size), 0)).where(inside)))


def _find_violating_classes(
    tables: Tables,
    generalised: Table,
    levels: Sequence[int],
    models: Sequence[PrivacyModel],
    most: int | None = None,
) -> Table:
    """Find the classes at a node that violate a model: ``equivalence_id``; some of them, if with more than `most`.

    Where all that are left violate a model of the whole release, that is every class.
    """
    of_classes = [model for model in models if not model.of_release]
    refused = _find_violating_by_class(tables, generalised, levels, of_classes, most)
    kept = select(generalised).where(generalised.c.equivalence_id.not_in(select(refused.c.equivalence_id))).subquery()
    for model in models:
        if isinstance(model, ReleaseModel) and judge_release(tables.store, members_of(tables, kept, None), model)[1]:
            tables.store.drop(refused)
            return tables.store.create("violating", select(generalised.c.equivalence_id).distinct())
    return refused


def _find_violating_by_class(
    tables: Tables, generalised: Table, levels: Sequence[int], models: Sequence[PrivacyModel], most: int | None
) -> Table:
    store = tables.store
    if not models:
        return store.create("violating", select(generalised.c.equivalence_id).limit(0))

    def shown(attribute: str | None, people: FromClause | None = None) -> Classes:
        return members_of(tables, generalised, attribute).add_people(people, tables)

    if tables.population is None:
        refused = store.create("violating", violating(models, shown))
        return _add_left_alone(tables, generalised, models, refused, most)
    covered = store.create("covered", _count_class_people(tables, generalised, levels))
    refused = store.create("violating", select(covered.c.equivalence_id).limit(0))
    while True:
        # Whom a suppressed class covers is covered by no other: at a node, classes cover different people.
        people = _add_uncovered_people(covered, refused, tables.population.figures.people)
        found = store.create("violating", violating(models, partial(shown, people=people)))
        is_final = store.count(found) == store.count(refused) or not any(model.counts_outside for model in models)
        store.drop(refused)
        refused = found
        if is_final:
            store.drop(covered)
            return _add_left_alone(tables, generalised, models, refused, most)


def _add_left_alone(
    tables: Tables, generalised: Table, models: Sequence[PrivacyModel], refused: Table, most: int | None
) -> Table:
    """Add the classes that violate a model once the refused ones, which looked like them in some columns, are gone."""
    comparing = [model for model in models if model.needs_columns]
    if not comparing:
        return refused
    while count := tables.store.count(refused):
        if most is not None and _count_records_in(tables, generalised, refused) > most:
            break
        gone = select(refused.c.equivalence_id)
        kept = select(generalised).where(generalised.c.equivalence_id.not_in(gone)).subquery()
        more = violating(comparing, partial(members_of, tables, kept)).subquery()
        both = union(gone, select(more.c.equivalence_id)).subquery()
        found = tables.store.create("violating", select(both.c.equivalence_id))
        tables.store.drop(refused)
        refused = found
        if tables.store.count(refused) == count:
            break
    return refused


def _count_class_people(tables: Tables, generalised: Table, levels: Sequence[int]) -> Query:
    """Count the people of each class at a node: ``equivalence_id, size``; no row stands for none."""
    names = tables.interval_names
    people = tables.count_people_at(levels).subquery()
    classes = select(generalised.c.equivalence_id, *(generalised.c[name] for name in names)).distinct().subquery()
    same = and_(*(classes.c[name] == people.c[name] for name in names))
    return select(classes.c.equivalence_id, people.c.size).join_from(classes, people, same)


def _add_uncovered_people(covered: Table, refused: Table, everybody: int) -> FromClause:
    """Add to the people of each class those whom no released class covers: ``equivalence_id, size, outside``."""
    kept = covered.c.equivalence_id.not_in(select(refused.c.equivalence_id))
    inside = select(func.coalesce(func.sum(covered.c.size), 0)).where(kept).scalar_subquery()
    outside = cast(everybody - inside, BigInteger).label("outside")
    return select(covered.c.equivalence_id, covered.c.size, outside).subquery()
