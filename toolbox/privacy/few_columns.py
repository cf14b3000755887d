"""Whom somebody finds who knows only a few of the quasi-identifiers: each set of columns is counted by itself."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

from sqlalchemy import FromClause, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.privacy.classes import Classes
from toolbox.privacy.models.k_anonymity import FewColumnsKAnonymity, count_alike
from toolbox.queries.query import Query
from toolbox.store.engine.store import Store


@dataclass(frozen=True, kw_only=True)
class KnownColumns:
    """Whom somebody finds who knows some columns."""

    columns: tuple[str, ...]
    smallest: int | None
    """Fewest records, or persons, that look alike in these columns; None if there are none."""
    below_k: int
    """Records, or persons, that look like fewer than k."""
    alone: int
    """Those that look like no other."""


@dataclass(frozen=True, kw_only=True)
class FewColumnsRisk:
    """Whom somebody finds who knows a few of the quasi-identifiers. Suppressed records are found by nobody."""

    k: int
    of: int
    """Records, or persons, that are not suppressed."""
    noun: str
    """What is counted."""
    by_size: tuple[KnownColumns, ...]
    """For each number of columns, who is found by any columns of that number, which are not named."""
    sets: tuple[KnownColumns, ...]
    """For each set of columns, the one by which most are found first; of equal ones, the one with fewest columns."""


def measure_few_columns(store: Store, classes: Classes, most: int, k: int) -> FewColumnsRisk:
    """Count whom somebody finds who knows any 1, 2, .. `most` columns.

    Parameters
    ----------
    classes : Classes
        With what they show in each quasi-identifier.
    most : int, >= 1
    k : int
        Fewest records, or persons, among whom one should hide.

    Raises
    ------
    UsageError
        If there are too many sets of so many columns.
    """
    names, by_size, sets = classes.names, [], []
    for size in range(1, min(most, len(names)) + 1):
        # Raises if they are too many, before any is counted.
        FewColumnsKAnonymity(k=k, any=str(size)).list_sets(names)
    for size in range(1, min(most, len(names)) + 1):
        any_of_them = FewColumnsKAnonymity(k=k, any=str(size)).achieved(classes).subquery()
        by_size.append(_count_found(store, classes, any_of_them, any_of_them.c.achieved, k, ("",) * size))
        for columns in combinations(range(len(names)), size):
            alike = count_alike(classes, columns).subquery()
            named = tuple(names[column] for column in columns)
            sets.append(_count_found(store, classes, alike, alike.c.alike, k, named))
    sets.sort(key=lambda found: (-found.below_k, -found.alone, len(found.columns)))
    noun = "record" if classes.persons is None else "person"
    of = int(store.scalar(_count_everybody(classes)))
    return FewColumnsRisk(k=k, of=of, noun=noun, by_size=tuple(by_size), sets=tuple(sets))


def _count_everybody(classes: Classes) -> Query:
    if classes.persons is None:
        return select(func.coalesce(func.sum(classes.sizes.c.size), 0))
    return select(func.count(classes.persons.c.person.distinct()))


def _count_found(
    store: Store,
    classes: Classes,
    measured: FromClause,
    alike: ColumnElement[Any],
    k: int,
    columns: tuple[str, ...],
) -> KnownColumns:
    """Count the records or persons of the classes that look like few others; a person who is in several counts once."""
    members = classes.sizes if classes.persons is None else classes.persons
    joined = measured.join(members, members.c.equivalence_id == measured.c.equivalence_id)
    amount = func.sum(members.c.size) if classes.persons is None else func.count(members.c.person.distinct())
    found = [func.coalesce(amount.filter(rare), 0) for rare in (alike < k, alike == 1)]
    smallest, below, alone = store.row(select(func.min(alike), *found).select_from(joined))
    return KnownColumns(columns=columns, smallest=smallest, below_k=int(below), alone=int(alone))
