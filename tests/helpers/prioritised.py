"""Combinations of a search by priorities, written out or drawn, and what a search makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from helpers.brute_prioprivacy import Row, Tree
from hypothesis import strategies as st

from toolbox.methods.arrays.memory import compute_weights
from toolbox.methods.prioprivacy.search import _PrioCombinations, _State, list_rounds


@dataclass(frozen=True)
class Coded:
    """Rows of small numbers, a tree above each column, and ranks."""

    rows: Sequence[Row]
    trees: Sequence[Tree]
    ranks: Sequence[int]
    k: int

    @property
    def combinations(self) -> _PrioCombinations:
        distinct, sizes = np.unique(np.array(self.rows), axis=0, return_counts=True)
        codes = [
            [np.array(level)[values] for level in tree] for tree, values in zip(self.trees, distinct.T, strict=True)
        ]
        return _PrioCombinations(
            sizes, codes, list_rounds(self.ranks), np.array(compute_weights(self.ranks, [None] * len(self.ranks)))
        )

    def levels(self, found: _State) -> list[Row]:
        """Return the levels of every row."""
        _, which = np.unique(np.array(self.rows), axis=0, return_inverse=True)
        return [tuple(map(int, one)) for one in found.levels.T[which.ravel()]]

    def released(self, levels: Sequence[Row]) -> list[tuple[tuple[int, int], ...]]:
        """Return every row as a reader sees it: of each column the level and the value there."""
        return [
            tuple((level, tree[level][value]) for tree, level, value in zip(self.trees, at, row, strict=True))
            for row, at in zip(self.rows, levels, strict=True)
        ]

    def consistent(self, levels: Sequence[Row]) -> list[int]:
        """Count, one by one, the released rows that could be each person's."""
        shown = self.released(levels)
        return [sum(self._covers(one, person) for one in shown) for person in self.rows]

    def _covers(self, shown: Sequence[tuple[int, int]], person: Row) -> bool:
        cells = zip(self.trees, shown, person, strict=True)
        return all(tree[level][value] == cell for tree, (level, cell), value in cells)


def halving(values: int, levels: int) -> Tree:
    """Put neighbours together, two by two, at each of some levels, and a root above."""
    return [[value >> level for value in range(values)] for level in range(levels + 1)] + [[0] * values]


@st.composite
def coded(draw: st.DrawFn) -> Coded:
    """Draw 1 to 4 columns of up to 6 values and up to 40 rows."""
    shapes = draw(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 2)), min_size=1, max_size=4))
    row = st.tuples(*(st.integers(0, values - 1) for values, _ in shapes))
    rows = draw(st.lists(row, min_size=1, max_size=40))
    ranks = draw(st.lists(st.integers(1, 3), min_size=len(shapes), max_size=len(shapes)))
    k = draw(st.integers(1, min(5, len(rows))))
    return Coded(rows, [halving(*shape) for shape in shapes], ranks, k)
