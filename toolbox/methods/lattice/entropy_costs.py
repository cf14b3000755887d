"""Non-uniform entropy as a cost of nodes: what all lose at the level of a column, and the suppressed from there on."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from toolbox.methods.arrays.types import Numbers, Reals
from toolbox.methods.lattice.checking import Checked
from toolbox.methods.lattice.counting import Counter
from toolbox.methods.lattice.frequency_sets import Column
from toolbox.methods.lattice.objective import Objective


class EntropyCosts(Objective):
    """Non-uniform entropy, weighted or not.

    Parameters
    ----------
    name : str
        That of the metric.
    counter : Counter
    columns : sequence of Column
    records : sequence of array
        For each column, how many records have each value.
    weights : sequence of float, optional
        The share of each column; without them, columns count as much as they can lose.
    """

    def __init__(
        self,
        name: str,
        counter: Counter,
        columns: Sequence[Column],
        records: Sequence[Numbers],
        weights: Sequence[float] | None = None,
    ) -> None:
        self.name, self._counter, self._columns = name, counter, columns
        lost = [
            np.array([information(counts, codes) for codes in column.generalised])
            for column, counts in zip(columns, records, strict=True)
        ]
        most = [max(0.0, float(bits[-1] - bits[0])) for bits in lost]
        self._shares = _shares(most, weights)
        self._all = [np.maximum(0.0, bits - bits[0]) * share for bits, share in zip(lost, self._shares, strict=True)]

    @property
    def column_bounds(self) -> list[Reals]:
        return self._all

    def cost(self, node: Checked) -> float:
        levels = node.node.levels
        cost = sum(float(lost[level]) for lost, level in zip(self._all, levels, strict=True))
        if not node.node.suppressed:
            return cost
        sizes = node.classes.sizes[node.violating]
        total = float(sizes.sum())
        whole = total * math.log2(total)
        for group, values in zip(self._counter.groups, node.classes.values, strict=False):
            # The groups of columns have few values, to which the classes are reduced once for all columns.
            counts = np.bincount(values[node.violating], weights=sizes, minlength=group.size)
            there = np.flatnonzero(counts)
            counts = counts[there]
            for position, part in zip(group.positions, group.parts, strict=True):
                codes = self._columns[position].generalised[levels[position]]
                cost += self._shares[position] * max(0.0, whole - information(counts, codes[part[there]]))
        return cost

    def value(self, cost: float) -> float:
        return 1 - cost


def information(records: Numbers | Reals, codes: Numbers) -> float:
    """Sum n log2 n over the groups of n records that have one code."""
    counts = np.bincount(codes, weights=records)
    counts = counts[counts > 0]
    return float(counts @ np.log2(counts))


def _shares(most: Sequence[float], weights: Sequence[float] | None) -> list[float]:
    """Return what a bit of each column counts, so that all that could be lost makes 1."""
    if weights is None:
        whole = sum(most)
        return [1 / whole if whole else 0.0 for _ in most]
    return [weight / sum(weights) / bits if bits else 0.0 for bits, weight in zip(most, weights, strict=True)]
