"""From records to combinations: each distinct tuple of quasi-identifier texts, counted, then of values, numbered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Integer, Table, and_, cast, func, literal, literal_column, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.query import Query
from toolbox.store.domain import Domain
from toolbox.store.store import Store
from toolbox.store.tables import QuasiIdentifierTables


def count_texts(texts: Sequence[ColumnElement[str]], unusable: ColumnElement[bool]) -> Query:
    """Count the records of each combination of texts.

    Parameters
    ----------
    texts : sequence of columns of the input
    unusable : condition on the other columns of the input
        Kept apart, because nothing that is grouped tells it.

    Returns
    -------
    Select, one row per combination
        ``text_0 .., unusable, size``.
    """
    keys = [text.label(f"text_{number}") for number, text in enumerate(texts)]
    grouped = select(*keys, unusable.label("unusable"), func.count().label("size"))
    return grouped.group_by(*(literal_column(str(number)) for number in range(1, len(keys) + 2)))


def injective_salt(store: Store, counted: Table, texts: Sequence[ColumnElement[str]]) -> int:
    """Find a salt with which no two combinations of texts have the same hash.

    The second reading looks a record's combination up by one 64-bit hash of its texts instead of comparing all of
    them. That is exact, not probable: all combinations are known, and their hashes have been seen to differ.
    """
    distinct = select(*texts).select_from(counted).distinct().subquery()
    salt = 0
    while True:
        hashes = text_hash(list(distinct.c), salt)
        total, different = store.row(select(func.count(), func.count(hashes.distinct())))
        if total == different:
            return salt
        salt += 1


def text_hash(texts: Sequence[ColumnElement[str]], salt: int) -> ColumnElement[Any]:
    """Hash the texts of a combination into 64 bits.

    The salt goes into the texts: the engine combines the hashes of several values, so that one beside them changes
    nothing for two texts whose own hashes agree.
    """
    return func.hash(*(texts if salt == 0 else [literal(f"{salt}:").concat(text) for text in texts]))


def number_combinations(
    store: Store,
    usable: Query,
    domains: Sequence[Domain],
    quasi_identifiers: Sequence[QuasiIdentifierTables],
) -> tuple[Table, Table]:
    """Turn combinations of texts into combinations of values, since a value may be written in several ways.

    Parameters
    ----------
    usable : Select
        ``key, size, text_0 ..``: the hash of each combination of texts, its records, its texts.

    Returns
    -------
    combinations : Table
        ``combination_id, size, interval_1 ..``, numbered from 0 in the order of their values.
    keys : Table
        ``key, combination_id``: the combination of each hash.
    """
    given = usable.subquery()
    joined: Any = given
    levels = []
    for number, (domain, tables) in enumerate(zip(domains, quasi_identifiers, strict=True)):
        coded, ground = domain.texts, tables.ground
        joined = joined.join(coded, coded.c.text == given.c[f"text_{number}"])
        joined = joined.join(ground, ground.c.value == coded.c.value)
        levels.append(ground.c.level_0.label(f"interval_{number + 1}"))
    valued = store.create("valued", select(given.c.key, given.c.size, *levels).select_from(joined))
    intervals = [valued.c[level.name] for level in levels]
    rank = cast(func.row_number().over(order_by=intervals) - 1, Integer).label("combination_id")
    size = cast(func.sum(valued.c.size), given.c.size.type).label("size")
    combinations = store.create("combinations", select(rank, size, *intervals).group_by(*intervals), lasting=True)
    same = and_(*(interval == combinations.c[interval.name] for interval in intervals))
    keys = store.create("keys", select(valued.c.key, combinations.c.combination_id).join(combinations, same))
    store.drop(valued)
    return combinations, keys
