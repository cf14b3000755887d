"""The state of a search: the level of every value, and the combinations that are not settled yet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolbox.methods.arrays.grouping import numbered
from toolbox.methods.arrays.types import Flags, Whole
from toolbox.methods.prioprivacy.combinations import Combinations, Node
from toolbox.store.tables import Tables


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


def first_state(combinations: Combinations, k: int) -> State:
    """Return the state before the first round: combinations of fewer than k records are open."""
    return State(np.zeros((len(combinations.codes), combinations.count), np.int16), combinations.sizes < k)


def values_of(combinations: Combinations, state: State, position: int) -> Whole:
    """Return what each combination shows in a quasi-identifier: the codes of its values at their levels."""
    shown: Whole = combinations.codes[position][0].copy()
    for level, values in enumerate(combinations.codes[position]):
        is_here = state.levels[position] == level
        shown[is_here] = values[is_here]
    return shown


def intervals_of(tables: Tables, combinations: Combinations, state: State) -> list[Whole]:
    """Return, for each quasi-identifier, the interval of each combination in a release."""
    return [
        np.where(
            state.levels[position] == combinations.roots[position],
            column.root,
            values_of(combinations, state, position),
        )
        for position, column in enumerate(tables.quasi_identifiers)
    ]


def classes_of(combinations: Combinations, state: State) -> tuple[Whole, Whole]:
    """Return the number of the class of each combination, and the records of each class."""
    columns: list[Whole] = []
    for position, levels in enumerate(state.levels):
        columns += [levels, values_of(combinations, state, position)]
    class_, _ = numbered(columns)
    return class_, np.bincount(class_, weights=combinations.sizes).astype(np.int64)
