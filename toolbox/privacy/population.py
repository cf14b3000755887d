"""Whom the classes of a release describe: the people of a population whose values their generalised values cover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import BigInteger, FromClause, String, Table, and_, cast, func, literal, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import QuasiIdentifier
from toolbox.privacy.classes import Classes
from toolbox.privacy.coverage import Coverage
from toolbox.store.store import Store

NOBODY = 0
"""The class of people who fit none; classes are numbered from 1."""


def with_population(
    store: Store,
    classes: Classes,
    population: FromClause,
    columns: Sequence[str],
    quasi_identifiers: Sequence[QuasiIdentifier],
) -> Classes:
    """Show classes beside a population, for k-map and delta-presence.

    Parameters
    ----------
    classes : Classes
        Made by `sizes_of` or `classes_of`, whose sizes have the texts of the quasi-identifiers behind them.
    population : FromClause
        One row per person, ungeneralised.
    columns : sequence of str
        Its columns that are the quasi-identifiers, in the order of the classes.
    quasi_identifiers : sequence of QuasiIdentifier
        What they hold, and their hierarchies; `Coverage` says what a label of a release stands for.

    Returns
    -------
    Classes
        The same with a population. Somebody may fit several classes, and counts in each; people who fit none are those
        of class 0.
    """
    shown = classes.sizes
    people = _people(store, population, columns)
    joined: FromClause = people
    fits: list[ColumnElement[bool]] = []
    coverages = []
    for number, attribute in enumerate(quasi_identifiers, start=1):
        label, text = shown.c[f"text_{number}"], people.c[f"text_{number}"]
        covered = _coverage(store, label, text, attribute)
        coverages.append(covered)
        joined = joined.join(covered, covered.c.text.is_not_distinct_from(text))
        fits.append(covered.c.label.is_not_distinct_from(label))
    pairs = select(shown.c.equivalence_id, people.c.person, people.c.size).select_from(joined.join(shown, and_(*fits)))
    matched = store.create("matched", pairs)
    counted = store.create("population", _counted(people, matched))
    store.drop(people, matched, *coverages)
    return replace(classes, population=counted)


def _people(store: Store, population: FromClause, columns: Sequence[str]) -> Table:
    """Count people with the same values: ``person, size, text_1 ..``."""
    given = [cast(population.c[name], String) for name in columns]
    texts = [text.label(f"text_{number}") for number, text in enumerate(given, start=1)]
    grouped = select(func.count().label("size"), *texts).group_by(*given).subquery()
    return store.create("people", select(cast(func.row_number().over(), BigInteger).label("person"), grouped))


def _coverage(store: Store, label: ColumnElement[Any], text: ColumnElement[Any], attribute: QuasiIdentifier) -> Table:
    """Find the texts that each label stands for: ``label, text``."""
    texts = [one for (one,) in store.rows(select(text).distinct())]
    coverage = Coverage(texts, attribute)
    labels = [one for (one,) in store.rows(select(label).distinct())]
    pairs = [(one, texts[place]) for one in labels for place in coverage.places(one)]
    columns = {"label": (str, [one for one, _ in pairs]), "text": (str, [other for _, other in pairs])}
    return store.create_constant("coverage", columns)


def _counted(people: Table, matched: Table) -> Any:
    """Sum up the people of each class, and those of none."""
    size = cast(func.sum(matched.c.size), BigInteger).label("size")
    described = select(cast(matched.c.equivalence_id, BigInteger).label("equivalence_id"), size)
    others = cast(func.coalesce(func.sum(people.c.size), 0), BigInteger).label("size")
    outside = select(cast(literal(NOBODY), BigInteger).label("equivalence_id"), others)
    outside = outside.where(people.c.person.not_in(select(matched.c.person)))
    every = union_all(described.group_by(matched.c.equivalence_id), outside).subquery()
    return select(every).where(every.c.size > 0)
