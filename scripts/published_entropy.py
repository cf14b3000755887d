"""Non-uniform entropy of a release as ARX computed it for the published experiments.

A second computation, in numpy and over records, beside that of the package.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Codes = Sequence[Sequence[NDArray[np.int64]]]
"""Of each column, at each of its levels, what every record is there, as a number."""


class Quality(NamedTuple):
    """How much of the information is kept, between 0 and 1; higher is better."""

    dataset: float
    attributes: NDArray[np.float64]


def quality(codes: Codes, levels: NDArray[np.int64]) -> Quality:
    """Measure a release.

    Parameters
    ----------
    codes : see `Codes`
    levels : array of int, columns x records
        The level of every cell.
    """
    losses = np.array([_loss(of_column, at) for of_column, at in zip(codes, levels, strict=True)])
    most = np.array([_bits(np.zeros_like(of_column[0]), of_column[0]) for of_column in codes])
    return Quality(1 - losses.sum() / most.sum(), 1 - losses / most)


def _loss(codes: Sequence[NDArray[np.int64]], levels: NDArray[np.int64]) -> float:
    """Go up the levels that occur; each costs all records which are there or above, counted among themselves."""
    lost, below = 0.0, 0
    for level in np.unique(levels):
        rows = levels >= level
        lost += _bits(codes[level][rows], codes[below][rows])
        below = level
    return lost


def _bits(general: NDArray[np.int64], special: NDArray[np.int64]) -> float:
    """Sum up, over records, the bits that tell a special value where the general one is known."""
    often, seldom = (np.bincount(codes)[codes] for codes in (general, special))
    return float(-np.log2(seldom / often).sum())


def consistent(codes: Codes, levels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count, for each person, the released records whose cells all cover the person's values.

    Released records at the same levels are compared with all people at once: by what both are at these levels.
    """
    _, first, who = np.unique(_packed([column[0] for column in codes]), return_index=True, return_inverse=True)
    nodes, node_of = np.unique(levels, axis=1, return_inverse=True)
    count = np.zeros(len(first), np.int64)
    for index, node in enumerate(nodes.T):
        key = _packed([column[level] for column, level in zip(codes, node, strict=True)])
        shown, often = np.unique(key[node_of.ravel() == index], return_counts=True)
        position = np.minimum(np.searchsorted(shown, key[first]), len(shown) - 1)
        count += np.where(shown[position] == key[first], often[position], 0)
    return count[who]


def _packed(columns: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Pack the codes of each record in all columns into one number."""
    key = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        key = key * (int(column.max()) + 1) + column
    return key
