"""A release that was made here and not written, beside its people: who became what is known from the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from sqlalchemy import BigInteger, FromClause, cast, func, select

from toolbox.published.comparing import compare_release, find_class_keys, find_combination_keys, pair_people
from toolbox.published.records import build_release_classes
from toolbox.published.tables import Comparison, People, Release
from toolbox.queries.query import Query, Table
from toolbox.store.engine.store import Store


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
    """``key, text_1 .., size, suppressed``: the key is the number of the class."""


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
    narrowly = compare_release(release, known.people)
    if not needs_pairs and not narrowly.ambiguous:
        return narrowly
    pairs = store.create("pairs", _count_pairs(known, shown, release))
    narrowly = pair_people(narrowly, pairs)
    if narrowly.pairs is not None or not narrowly.ambiguous:
        return narrowly
    widely = pair_people(compare_release(release, known.people, widely=True), pairs)
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
    what = find_class_keys(release, shown.classes)
    joined = texts.join(placed, placed.c.key == texts.c.key).join(what, what.c.key == placed.c.class_id)
    columns = [what.c.equivalence_id, texts.c.text.label("text_1")]
    records = cast(func.sum(texts.c.records), BigInteger).label("records")
    held = release.store.create("held", select(*columns, records).select_from(joined).group_by(*columns))
    return replace(comparison, release=replace(release, held=held, sensitive=MappingProxyType({name: "text_1"})))


def _count_pairs(known: KnownPeople, shown: ShownClasses, release: Release) -> Query:
    """Count the records of each pair: ``combination_id, equivalence_id, records``."""
    who, placed, what = known.keys, shown.keys, find_class_keys(release, shown.classes)
    joined = who.join(placed, placed.c.key == who.c.key).join(what, what.c.key == placed.c.class_id)
    columns = [who.c.combination_id, what.c.equivalence_id]
    records = cast(func.sum(who.c.size), BigInteger).label("records")
    return select(*columns, records).select_from(joined).group_by(*columns)
