"""From records to combinations: each distinct tuple of quasi-identifier texts, counted, then of values, numbered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Integer, and_, cast, func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.dialect import find_row_place, hash_values, nth_column
from toolbox.queries.query import Query, Table
from toolbox.store.engine.store import Store
from toolbox.store.tables import QuasiIdentifierTables
from toolbox.store.values.column_type import TextDomain


def count_texts(
    texts: Sequence[ColumnElement[str]], unusable: ColumnElement[bool], size: ColumnElement[int] | None = None
) -> Query:
    """Count the records of each combination of texts.

    Parameters
    ----------
    texts : sequence of columns of the input
    unusable : condition on the other columns of the input
        Kept apart, because nothing that is grouped tells it.
    size : aggregate, optional
        How many records a group of rows stands for; None: each row is one.

    Returns
    -------
    Select, one row per combination
        ``text_1 .., unusable, size``.
    """
    keys = [text.label(f"text_{index}") for index, text in enumerate(texts, start=1)]
    size = func.count() if size is None else size
    grouped = select(*keys, unusable.label("unusable"), size.label("size"))
    return grouped.group_by(*map(nth_column, range(1, len(keys) + 2)))


def find_injective_salt(store: Store, usable: Table, texts: Sequence[ColumnElement[str]]) -> int:
    """Find a salt with which no two combinations of texts have the same hash.

    The second reading looks a record's combination up by one 64-bit hash of its texts instead of comparing all of
    them. That is exact, not probable: all combinations are known, and their hashes have been seen to differ.

    Parameters
    ----------
    usable : Table
        Each combination of the texts once.
    """
    salt = 0
    while True:
        hashes = hash_texts(texts, salt)
        total, different = store.row(select(func.count(), func.count(hashes.distinct())).select_from(usable))
        if total == different:
            return salt
        salt += 1


def hash_texts(texts: Sequence[ColumnElement[str]], salt: int) -> ColumnElement[Any]:
    """Hash the texts of a combination into 64 bits.

    The salt goes into the texts: the engine combines the hashes of several values, so that one beside them changes
    nothing for two texts whose own hashes agree.
    """
    return hash_values(*(texts if salt == 0 else [literal(f"{salt}:").concat(text) for text in texts]))


def number_combinations(
    store: Store,
    usable: Query,
    domains: Sequence[TextDomain],
    quasi_identifiers: Sequence[QuasiIdentifierTables],
    *,
    rewritten: bool,
) -> tuple[Table, Table]:
    """Turn combinations of texts into combinations of values, since a value may be written in several ways.

    Parameters
    ----------
    usable : Select
        ``key, size, text_1 ..``: the hash of each combination of texts, its records, its texts.
    rewritten : bool
        Whether some of these texts were different ones as they were read.

    Returns
    -------
    combinations : Table
        ``combination_id, size, interval_1 ..``, numbered from 0 in the order of their values.
    keys : Table
        ``key, combination_id, equivalence_id``: the combination of each hash, and as its class the same.
    """
    usable_rows = usable.subquery()
    joined: Any = usable_rows
    levels, meanings = [], []
    for index, (domain, tables) in enumerate(zip(domains, quasi_identifiers, strict=True), start=1):
        coded, ground = domain.texts, tables.ground
        meaning = select(coded.c.text, ground.c.level_0).join_from(coded, ground, ground.c.value == coded.c.value)
        meanings.append(store.create("meanings", meaning))
        joined = joined.join(meanings[-1], meanings[-1].c.text == usable_rows.c[f"text_{index}"])
        levels.append(meanings[-1].c.level_0.label(f"interval_{index}"))
    rows = select(usable_rows.c.key, usable_rows.c.size, *levels).select_from(joined)
    valued = store.create("valued", rows.order_by(*levels))
    spellings = zip(meanings, quasi_identifiers, strict=True)
    if not rewritten and all(store.count(texts) == tables.values for texts, tables in spellings):
        numbered = valued
    else:
        numbered = store.create("valued", _merge_combinations(valued))
    columns = [column for column in numbered.c if column.name != "key"]
    position = cast(find_row_place(numbered), Integer)
    numbers = position.label("combination_id")
    combinations = store.create("combinations", select(numbers, *columns), lasting=True)
    if numbered is valued:
        classed = select(valued.c.key, numbers, position.label("equivalence_id"))
    else:
        same = and_(*(valued.c[level.name] == combinations.c[level.name] for level in levels))
        combination_id = combinations.c.combination_id
        classed = select(valued.c.key, combination_id, combination_id.label("equivalence_id")).join(combinations, same)
    keys = store.create("keys", classed, lasting=True)
    store.drop(*{numbered, valued}, *meanings)
    return combinations, keys


def _merge_combinations(valued: Table) -> Query:
    """Merge the combinations whose texts stand for the same values."""
    intervals = [column for column in valued.c if column.name not in ("key", "size")]
    size = cast(func.sum(valued.c.size), valued.c.size.type).label("size")
    return select(size, *intervals).group_by(*intervals).order_by(*intervals)
