"""The nodes of the generalisation lattice that the search visits: all of them, or the most different ones."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray

from toolbox.methods.arrays.types import Reals

Nodes = NDArray[np.int8]
"""Levels of each quasi-identifier (axis 1) at each node (axis 0)."""


@dataclass(frozen=True)
class _Axis:
    """Quasi-identifiers that rise together."""

    members: tuple[int, ...]
    steps: tuple[tuple[int, ...], ...]
    """The levels of its members, from the bottom to the roots."""
    losses: tuple[float, ...]
    """What a record loses at each step."""


def nodes_to_visit(losses: list[Reals], most: int) -> Nodes:
    """List nodes, the bottom first and the top last.

    Where there are too many, levels are skipped that lose little less than the next one, least difference first; and
    once every quasi-identifier has its own values and its root alone, those that lose least go together. What is
    skipped is not out of reach: classes are lowered to the lowest level that their members share.

    Parameters
    ----------
    losses : list of arrays
        What a record loses on average at each level of each quasi-identifier.
    most : int
        Most nodes.
    """
    axes = [
        _Axis((index,), tuple((level,) for level in range(len(lost))), tuple(map(float, lost)))
        for index, lost in enumerate(losses)
    ]
    while len(axes) > 1 and prod(len(axis.steps) for axis in axes) > most:
        axes = _fewer(axes)
    grid = np.indices([len(axis.steps) for axis in axes], dtype=np.int32).reshape(len(axes), -1)
    nodes = np.empty((grid.shape[1], len(losses)), np.int8)
    for axis, places in zip(axes, grid, strict=True):
        nodes[:, axis.members] = np.array(axis.steps, np.int8)[places]
    return nodes


def paid_at(nodes: Nodes, averages: list[Reals]) -> Reals:
    """Return what a record pays on average at each node, given what it pays at each level."""
    paid = np.zeros(len(nodes))
    for index, average in enumerate(averages):
        paid += average[nodes[:, index]]
    return paid


def _fewer(axes: list[_Axis]) -> list[_Axis]:
    inner = [
        (high - low, index, step)
        for index, axis in enumerate(axes)
        for step, (low, high) in enumerate(pairwise(axis.losses))
        if step
    ]
    if inner:
        _, index, step = min(inner)
        axis = axes[index]
        steps, losses = axis.steps[:step] + axis.steps[step + 1 :], axis.losses[:step] + axis.losses[step + 1 :]
        return [*axes[:index], _Axis(axis.members, steps, losses), *axes[index + 1 :]]
    first, second = sorted(sorted(range(len(axes)), key=lambda index: axes[index].losses[-1])[:2])
    smallest, other = axes[first], axes[second]
    together = _Axis(
        smallest.members + other.members,
        tuple(step + beside for step, beside in zip(smallest.steps, other.steps, strict=True)),
        tuple(lost + beside for lost, beside in zip(smallest.losses, other.losses, strict=True)),
    )
    return [together if index == first else axis for index, axis in enumerate(axes) if index != second]
