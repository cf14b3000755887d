"""Suppression and generalisation that leave nobody below k: make the classes that lose least, round by round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from toolbox.methods.arrays.grouping import numbered
from toolbox.methods.arrays.types import Reals
from toolbox.methods.prioprivacy.combinations import Combinations, Node
from toolbox.methods.prioprivacy.state import State, classes_of


def make_cheapest(combinations: Combinations, state: State, nodes: Sequence[Node], k: int) -> None:
    """Make, at each node in its turn, all classes of at least k open records.

    The nodes come in the order of what a whole table would lose at them: the sum, over quasi-identifiers, of their
    weight times the share of its information that the column loses.
    """
    for node in sorted(nodes, key=lambda node: (_loss(combinations, node), node)):
        rows = state.rows
        if combinations.sizes[rows].sum() < k:
            return
        class_, _ = numbered(combinations.at(node, rows))
        records = np.bincount(class_, weights=combinations.sizes[rows])
        state.settle(rows[records[class_] >= k], node)


def _loss(combinations: Combinations, node: Node) -> float:
    columns = zip(combinations.weights, combinations.losses, node, strict=True)
    return float(sum(weight * losses[level] for weight, losses, level in columns))


def join_classes(combinations: Combinations, state: State) -> None:
    """Add each open combination to the class that loses least by it; there must be a class.

    They are fewer than k records. A class that is joined is generalised until it covers the one who comes.
    """
    for row in state.rows:
        class_, sizes = classes_of(combinations, state)
        settled = np.flatnonzero(~state.is_open)
        classes, first = np.unique(class_[settled], return_index=True)
        # All members of a class are alike: one stands for it.
        before = state.levels[:, settled[first]]
        after = _covering(combinations, before, settled[first], int(row))
        added = _losses_at(combinations, after) - _losses_at(combinations, before)
        total = sizes[classes] * added + combinations.sizes[row] * _losses_at(combinations, after)
        best = int(np.argmin(total))
        members = settled[class_[settled] == classes[best]]
        node = tuple(int(level) for level in after[:, best])
        state.settle(np.append(members, row), node)


def _covering(
    combinations: Combinations, levels: NDArray[np.int16], rows: NDArray[np.intp], row: int
) -> NDArray[np.int16]:
    """Return the lowest levels at which each class, given by one of its members, covers a combination."""
    raised = levels.copy()
    for position, codes in enumerate(combinations.codes):
        for level, values in enumerate(codes[:-1]):
            differs = (raised[position] == level) & (values[rows] != values[row])
            raised[position, differs] = level + 1
    return raised


def _losses_at(combinations: Combinations, levels: NDArray[np.int16]) -> Reals:
    lost = np.zeros(levels.shape[1])
    for weight, losses, of in zip(combinations.weights, combinations.losses, levels, strict=True):
        lost += weight * losses[of]
    return lost
