"""The combinations of PrioPrivacy as arrays, and the state of its search: what is settled, and at which level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from toolbox.errors import UsageError
from toolbox.methods.arrays.combinations import (
    Flags,
    Numbers,
    PersonPairs,
    Reals,
    Whole,
    combinations_of,
    find_pairs,
    list_level_codes,
    number_rows,
)
from toolbox.methods.arrays.memory import compute_weights, rank_by_importance
from toolbox.store.tables import Tables

# The initial combinations as arrays: of each quasi-identifier the codes at every level, its rank and its weight.

Node = tuple[int, ...]
"""A level for each quasi-identifier, 0 for ungeneralised, the highest for suppressed."""


@dataclass(frozen=True)
class PrioCombinations:
    """The distinct combinations of quasi-identifier values, and what each becomes at every level.

    Parameters
    ----------
    sizes : array of int, one per combination
        Records that have it.
    codes : for each quasi-identifier, for each level, an array with a number per combination
        Equal numbers are equal values; the last level is the root, where all are equal.
    rounds : sequence of int
        The quasi-identifiers, the least important first; of equals that which is declared first.
    weights : array of float, one per quasi-identifier
    persons : PersonPairs, optional
        The persons of each combination, where classes count these, and one may have several combinations.
    """

    sizes: Whole
    codes: Sequence[Sequence[Whole]]
    rounds: Sequence[int]
    weights: Reals
    persons: PersonPairs | None = None

    @property
    def count(self) -> int:
        """Number of combinations."""
        return len(self.sizes)

    @property
    def roots(self) -> Node:
        """The highest level of each quasi-identifier, at which it is suppressed."""
        return tuple(len(levels) - 1 for levels in self.codes)

    @cached_property
    def distinct(self) -> list[int]:
        """How many values of each quasi-identifier occur."""
        return [len(np.unique(levels[0])) for levels in self.codes]

    @cached_property
    def losses(self) -> list[Reals]:
        """What a whole column loses at each of its levels: the share of its information, 0 to 1."""
        return [self._shares(levels) for levels in self.codes]

    def _shares(self, levels: Sequence[Whole]) -> Reals:
        lost = np.array([self._compute_bits_lost(levels[0], values) for values in levels])
        return lost / lost[-1] if lost[-1] > 0 else lost

    def _compute_bits_lost(self, ground: Whole, values: Whole) -> float:
        """Return the bits that a record loses on average."""
        before, after = (np.bincount(codes, weights=self.sizes)[codes] for codes in (ground, values))
        return float((self.sizes * np.log2(after / before)).sum() / self.sizes.sum())

    def count_members(self, rows: Whole, classes: Whole, count: int) -> Numbers:
        """Count the records of each class of some combinations, or where these are declared, the different persons."""
        if self.persons is not None:
            return self.persons.count(rows, classes, count)
        return np.bincount(classes, weights=self.sizes[rows], minlength=count).astype(np.int64)

    def values(self, position: int, level: int, rows: Whole) -> Whole:
        """Return the values of some combinations in a quasi-identifier at a level."""
        return self.codes[position][level][rows]

    def at(self, node: Node, rows: Whole) -> list[Whole]:
        """Return the values of some combinations at a node, the generalised columns first."""
        places = sorted(range(len(node)), key=lambda position: (node[position] == 0, position))
        return [self.values(position, node[position], rows) for position in places]


def list_rounds(ranks: Sequence[int]) -> list[int]:
    """List the quasi-identifiers from the least important to the most."""
    return sorted(range(len(ranks)), key=lambda position: -ranks[position])


def fetch_prio_combinations(tables: Tables) -> tuple[PrioCombinations, Whole]:
    """Fetch the combinations, and beside them their ids.

    Raises
    ------
    UsageError
        If the leaves of a hierarchy lie at different depths: then values have no levels.
    """
    for column in tables.quasi_identifiers:
        if column.has_hierarchy and not column.height:
            raise UsageError(
                f"The hierarchy of {column.name} has values at different depths, and PrioPrivacy goes by levels. "
                "Repeat values until all have one depth, or take Mondrian."
            )
    ids, sizes, values = combinations_of(tables)
    root = np.zeros(len(sizes), np.int64)
    codes = [
        [*(code[ranks] for code in list_level_codes(tables, column)[:-1]), root]
        for column, ranks in zip(tables.quasi_identifiers, values, strict=True)
    ]
    importances = rank_by_importance([column.priority for column in tables.quasi_identifiers])
    weights = np.array(compute_weights(importances, [column.weight for column in tables.quasi_identifiers]))
    return PrioCombinations(sizes, codes, list_rounds(importances), weights, find_pairs(tables)), ids


# The state of a search: the level of every value, and the combinations that are not settled yet.


@dataclass(frozen=True)
class State:
    """The levels, and what is settled; both arrays change during the search."""

    levels: NDArray[np.int16]
    """The level of each quasi-identifier (axis 0) of each combination (axis 1)."""
    is_open: Flags
    """Combinations that are in no class yet; they have their original values."""

    @property
    def rows(self) -> Whole:
        """The combinations that are in no class yet."""
        return np.flatnonzero(self.is_open)

    def settle(self, rows: Whole, node: Node) -> None:
        """Move combinations to a node, where they stay."""
        self.levels[:, rows] = np.array(node, np.int16)[:, None]
        self.is_open[rows] = False


def make_first_state(combinations: PrioCombinations, k: int) -> State:
    """Return the state before the first round: combinations of fewer than k records are open."""
    rows = np.arange(combinations.count)
    alone = combinations.sizes if combinations.persons is None else combinations.count_members(rows, rows, len(rows))
    return State(np.zeros((len(combinations.codes), combinations.count), np.int16), alone < k)


def find_shown_values(combinations: PrioCombinations, state: State, position: int) -> Whole:
    """Return what each combination shows in a quasi-identifier: the codes of its values at their levels."""
    shown: Whole = combinations.codes[position][0].copy()
    for level, values in enumerate(combinations.codes[position]):
        is_here = state.levels[position] == level
        shown[is_here] = values[is_here]
    return shown


def find_released_intervals(tables: Tables, combinations: PrioCombinations, state: State) -> list[Whole]:
    """Return, for each quasi-identifier, the interval of each combination in a release."""
    return [
        np.where(
            state.levels[position] == combinations.roots[position],
            column.root,
            find_shown_values(combinations, state, position),
        )
        for position, column in enumerate(tables.quasi_identifiers)
    ]


def number_classes(combinations: PrioCombinations, state: State) -> tuple[Whole, Whole]:
    """Return the number of the class of each combination, and the records of each class."""
    columns: list[Whole] = []
    for position, levels in enumerate(state.levels):
        columns += [levels, find_shown_values(combinations, state, position)]
    class_, _ = number_rows(columns)
    return class_, np.bincount(class_, weights=combinations.sizes).astype(np.int64)
