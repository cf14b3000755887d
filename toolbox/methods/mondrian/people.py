"""The people of a population beside partitions: on which side of all cuts each is, and whom each partition covers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from toolbox.methods.arrays.combinations import combinations_of
from toolbox.methods.arrays.grouping import paired
from toolbox.methods.arrays.types import Flags, Numbers, Whole
from toolbox.methods.mondrian.cuts import Cuts
from toolbox.methods.mondrian.names import are_named_by_ends
from toolbox.store.tables import Tables


@dataclass(frozen=True)
class People:
    """The combinations of a population, each in one partition."""

    columns: list[Whole]
    """For each quasi-identifier, the rank of a row's value."""
    sizes: Numbers
    """People of each row."""
    partition: Numbers
    """The partition of each row, from 0; a partition may have none."""
    listed: Flags
    """The quasi-identifiers of which classes list their values; others are named by their ends."""
    by_region: bool
    """Whether classes are named after all that the cuts have left to them."""

    def some(self, which: Flags) -> People:
        """Return the people of the partitions that are marked."""
        numbers = np.cumsum(which) - 1
        return self._taken(np.flatnonzero(which[self.partition]), numbers[self.partition])

    def between(self, first: int, end: int) -> People:
        """Return the people of partitions side by side."""
        rows = np.flatnonzero((self.partition >= first) & (self.partition < end))
        return self._taken(rows, self.partition - first)

    def cut(self, cuts: Cuts) -> People:
        """Return the people of both sides of all cuts, the left side first."""
        goes_right, partition = np.zeros(len(self.sizes), np.bool_), self.partition
        for index in np.unique(cuts.dimension[cuts.made]):
            here = np.flatnonzero(cuts.made[partition] & (cuts.dimension[partition] == index))
            goes_right[here] = self.columns[index][here] > cuts.last_left[partition[here]]
        sides = 2 * (np.cumsum(cuts.made) - 1)
        return self._taken(np.flatnonzero(cuts.made[partition]), sides[partition] + goes_right)

    def covered(self, columns: Sequence[Whole], starts: Numbers) -> Numbers:
        """Count the people whom each partition covers by the name that it has as a class.

        Parameters
        ----------
        columns : sequence of arrays
            For each quasi-identifier, the ranks of the records' values, partition by partition.
        starts : array
            Where each partition begins.
        """
        partition = self.partition
        inside = np.ones(len(self.sizes), np.bool_)
        if not self.by_region:
            of_row = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(columns[0])))
            for own, column, is_listed in zip(self.columns, columns, self.listed, strict=True):
                lowest, highest = np.minimum.reduceat(column, starts), np.maximum.reduceat(column, starts)
                inside &= (own >= lowest[partition]) & (own <= highest[partition])
                if is_listed:
                    span = int(max(own.max(initial=0), column.max())) + 1
                    inside &= np.isin(paired(partition, own, span), paired(of_row, column, span))
        counted = np.bincount(partition[inside], self.sizes[inside], len(starts))
        return counted.astype(np.int64)

    def _taken(self, rows: Whole, partition: Numbers) -> People:
        columns = [column[rows] for column in self.columns]
        return People(columns, self.sizes[rows], partition[rows], self.listed, self.by_region)


def people_of(tables: Tables, *, by_region: bool) -> People | None:
    """Return all people in one partition; None where there is no population."""
    if tables.population is None:
        return None
    _, sizes, columns = combinations_of(tables, tables.population)
    is_listed = [
        column.kind != "number" and not are_named_by_ends(tables, column) for column in tables.quasi_identifiers
    ]
    everywhere = np.zeros(len(sizes), np.int64)
    return People(columns, sizes.astype(np.int64, copy=False), everywhere, np.array(is_listed), by_region)
