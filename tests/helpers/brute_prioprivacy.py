"""PrioPrivacy as the listing in its paper: loops over rows and rules, every record on its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import prod

from toolbox.methods.prioprivacy.search import hash_order

Row = tuple[int, ...]
Tree = Sequence[Sequence[int]]
"""Of a column: for each level the code of each ground value there; at level 0 the value itself, at the last one 0."""
Rule = dict[int, int]
"""Of some columns, the value at the level of the hour to which they change."""


def prioprivacy(rows: Sequence[Row], trees: Sequence[Tree], rounds: Sequence[int], k: int) -> list[Row]:
    """Return the level of every value of every row."""
    levels: list[list[int]] = [[0] * len(trees) for _ in rows]
    unsafe = [number for number, row in enumerate(rows) if rows.count(row) < k]
    given: list[int] = []
    for column in rounds:
        given.append(column)
        _generalise(rows, trees, sorted(given), k, unsafe, levels)
        _suppress(rows, trees, given, k, unsafe, levels)
    return [tuple(one) for one in levels]


def _generalise(
    rows: Sequence[Row], trees: Sequence[Tree], given: list[int], k: int, unsafe: list[int], levels: list[list[int]]
) -> None:
    for level in range(1, max(len(trees[column]) for column in given) - 1):
        for count in range(1, len(given) + 1):
            while True:
                best, chosen = k - 1, []
                for rule in _rules(trees, given, level, count):
                    groups = _groups(rows, trees, unsafe, rule, level)
                    largest = max(map(len, groups), default=0)
                    if largest > best:
                        best, chosen = largest, [(rule, one) for one in groups if len(one) == largest]
                for rule, members in chosen:
                    for number in members:
                        unsafe.remove(number)
                        for column in rule:
                            levels[number][column] = level
                if not chosen:
                    break


def _rules(trees: Sequence[Tree], given: list[int], level: int, count: int) -> Iterator[Rule]:
    having = [column for column in given if level < len(trees[column]) - 1]
    for columns in combinations(having, count):
        targets: list[Rule] = [{}]
        for column in columns:
            values = sorted(set(trees[column][level]))
            targets = [{**rule, column: value} for rule in targets for value in values]
        yield from targets


def _groups(rows: Sequence[Row], trees: Sequence[Tree], unsafe: list[int], rule: Rule, level: int) -> list[list[int]]:
    groups: dict[Row, list[int]] = {}
    for number in unsafe:
        row = rows[number]
        if all(trees[column][level][row[column]] == value for column, value in rule.items()):
            rest = tuple(value for column, value in enumerate(row) if column not in rule)
            groups.setdefault(rest, []).append(number)
    return list(groups.values())


def _suppress(
    rows: Sequence[Row], trees: Sequence[Tree], given: list[int], k: int, unsafe: list[int], levels: list[list[int]]
) -> None:
    possible = [len({row[column] for row in rows}) for column in range(len(trees))]
    for count in range(1, len(given) + 1):
        chosen = {" ".join(map(str, one)): one for one in combinations(given, count) if given[-1] in one}
        for number in list(unsafe):
            for columns in map(chosen.__getitem__, hash_order(chosen)):
                alike = Counter(
                    other
                    for other in rows
                    if all(other[one] == rows[number][one] for one in range(len(trees)) if one not in columns)
                )
                domain = prod(possible[one] for one in columns)
                if alike.total() >= k and domain - len(alike) + 1 >= k and domain > k:
                    unsafe.remove(number)
                    for column in columns:
                        levels[number][column] = len(trees[column]) - 1
                    break
