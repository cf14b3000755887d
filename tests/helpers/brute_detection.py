"""Detection by its definitions: every subset of the columns, counted record by record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import factorial

Record = tuple[object, ...]


def groups(records: Sequence[Record], columns: Sequence[int]) -> list[int]:
    """Return the sizes of the groups of records that agree in some columns."""
    return list(Counter(tuple(record[column] for column in columns) for record in records).values())


def singletons(records: Sequence[Record], columns: Sequence[int]) -> int:
    return groups(records, columns).count(1)


def complete(records: Sequence[Record]) -> list[Record]:
    return [record for record in records if None not in record]


def is_unique(records: Sequence[Record], columns: Sequence[int]) -> bool:
    return len(groups(records, columns)) == len(records)


def subsets(width: int, most: int) -> list[tuple[int, ...]]:
    return [columns for size in range(1, most + 1) for columns in combinations(range(width), size)]


def minimal_identifiers(records: Sequence[Record], most: int) -> set[tuple[int, ...]]:
    """Return the unique combinations of which no part is unique."""
    unique = {columns for columns in subsets(len(records[0]), most) if is_unique(records, columns)}
    return {columns for columns in unique if not any(set(other) < set(columns) for other in unique)}


def separation(records: Sequence[Record], columns: Sequence[int]) -> tuple[int, int]:
    """Count the pairs of records that differ in one of these columns at least, and all pairs."""
    shown = [tuple(record[column] for column in columns) for record in records]
    pairs = list(combinations(shown, 2))
    return sum(one != other for one, other in pairs), len(pairs)


def shapley(records: Sequence[Record], columns: Sequence[int], one: int) -> float:
    """Average over all orders in which the columns could become known how many singletons one of them adds."""
    others = [column for column in columns if column != one]
    total = 0.0
    for size in range(len(others) + 1):
        weight = factorial(size) * factorial(len(columns) - size - 1) / factorial(len(columns))
        for known in combinations(others, size):
            total += weight * (singletons(records, (*known, one)) - singletons(records, known))
    return total
