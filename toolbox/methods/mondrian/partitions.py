"""Partitions of combinations as arrays: the rows of a partition side by side, their values as ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from toolbox.methods.arrays.combinations import combinations_of
from toolbox.methods.arrays.runs import ranges, sorted_in_runs, starts_of, totals
from toolbox.methods.arrays.types import Codes, Flags, Numbers, Whole
from toolbox.methods.mondrian.cuts import Cuts, Regions
from toolbox.methods.mondrian.people import People
from toolbox.store.tables import Tables


@dataclass(frozen=True)
class Partitions:
    """Some partitions of the initial combinations.

    Each column holds the rank of a row's value in one quasi-identifier, in two bytes where that is enough.
    """

    combination_ids: Whole
    sizes: Whole
    """Records of each row."""
    columns: list[Whole]
    """One for each quasi-identifier."""
    starts: Numbers
    """The first row of each partition; none is empty."""
    regions: Regions | None = None
    """What earlier cuts left of the declared domains, where it counts."""
    people: People | None = None
    """The population, where a model compares with it."""

    @property
    def count(self) -> int:
        """Number of partitions."""
        return len(self.starts)

    @property
    def rows(self) -> Numbers:
        """Number of rows of each partition."""
        return np.diff(self.starts, append=len(self.combination_ids))

    @property
    def records(self) -> Numbers:
        """Number of records of each partition."""
        return totals(self.sizes, self.starts)

    def lowest(self) -> Codes:
        """Return the lowest rank in each quasi-identifier (axis 0) of each partition (axis 1)."""
        return np.stack([np.minimum.reduceat(column, self.starts).astype(np.int32) for column in self.columns])

    def highest(self) -> Codes:
        """Return the highest ranks in the same way."""
        return np.stack([np.maximum.reduceat(column, self.starts).astype(np.int32) for column in self.columns])

    def distinct(self, dimension: int) -> Numbers:
        """Count the values of each partition in one quasi-identifier."""
        _, first = sorted_in_runs(self.columns[dimension], self.rows)
        return totals(first, self.starts)

    def people_covered(self) -> Numbers:
        """Count the people of the population whom each partition covers as a class."""
        assert self.people is not None, "the models ask for a population"
        return self.people.covered(self.columns, self.starts)

    def some(self, which: Flags) -> Partitions:
        """Return the partitions that are marked."""
        if which.all():
            return self
        rows = self.rows
        regions = None if self.regions is None else self.regions.some(which)
        people = None if self.people is None else self.people.some(which)
        return self._taken(np.flatnonzero(np.repeat(which, rows)), starts_of(rows[which]), regions, people)

    def sampled(self, rows: int) -> Partitions:
        """Return the same partitions with about this number of their rows, or all rows if they have fewer."""
        steps = -(-self.rows // rows)
        if steps.max() == 1:
            return self
        within = np.arange(len(self.sizes)) - np.repeat(self.starts, self.rows)
        taken = within % np.repeat(steps, self.rows) == 0
        return self._taken(np.flatnonzero(taken), starts_of(totals(taken, self.starts)), None, None)

    def halves(self) -> tuple[Partitions, Partitions]:
        """Return the first partitions and the others, of about as many rows, without a copy; at least one of each."""
        middle = int(np.searchsorted(self.starts, len(self.sizes) // 2))
        cut = min(max(middle, 1), self.count - 1)
        return self._neighbours(slice(0, cut)), self._neighbours(slice(cut, self.count))

    def _neighbours(self, which: slice) -> Partitions:
        """Return partitions side by side."""
        start = self.starts[which.start]
        rows = slice(start, self.starts[which.stop] if which.stop < self.count else None)
        regions = None if self.regions is None else self.regions.some(which)
        ids, sizes, columns = self.combination_ids[rows], self.sizes[rows], [column[rows] for column in self.columns]
        people = None if self.people is None else self.people.between(which.start, which.stop)
        return Partitions(ids, sizes, columns, self.starts[which] - start, regions, people)

    def cut(self, cuts: Cuts) -> Partitions:
        """Cut partitions in two, the left side first, and leave out those that are not cut."""
        order, rows = self.sides(cuts)
        regions = None if self.regions is None else self.regions.cut(cuts)
        people = None if self.people is None else self.people.cut(cuts)
        return self._taken(order, starts_of(rows), regions, people)

    def sides(self, cuts: Cuts) -> tuple[Whole, Numbers]:
        """List the rows of the sides of all cuts, the left one first, and how many rows each side has."""
        goes_left, is_cut = self._goes_left(cuts), np.repeat(cuts.made, self.rows)
        goes_right = is_cut & ~goes_left
        goes_left &= is_cut
        rows = np.stack([totals(side, self.starts)[cuts.made] for side in (goes_left, goes_right)], axis=1).ravel()
        is_left = np.repeat(np.arange(len(rows)) % 2 == 0, rows)
        order = np.empty(len(is_left), np.intp)
        order[is_left] = np.flatnonzero(goes_left)
        order[~is_left] = np.flatnonzero(goes_right)
        return order, rows

    def _goes_left(self, cuts: Cuts) -> Flags:
        """Mark each row that goes to the left of the cut of its partition."""
        rows, last = self.rows, cuts.last_left
        goes_left = np.zeros(len(self.sizes), np.bool_)
        for column in np.unique(cuts.dimension[cuts.made]):
            here = np.flatnonzero(cuts.made & (cuts.dimension == column))
            places = ranges(self.starts[here], rows[here])
            goes_left[places] = self.columns[column][places] <= np.repeat(last[here], rows[here])
        return goes_left

    def _taken(self, rows: Whole, starts: Numbers, regions: Regions | None, people: People | None) -> Partitions:
        ids, sizes = self.combination_ids[rows], self.sizes[rows]
        return Partitions(ids, sizes, [column[rows] for column in self.columns], starts, regions, people)


def one_partition(tables: Tables, *, with_regions: bool, people: People | None = None) -> Partitions:
    """Return one partition of all combinations, and of all people."""
    ids, sizes, columns = combinations_of(tables)
    sizes = sizes.astype(np.int32 if tables.record_count < 2**31 else np.int64, copy=False)
    uncut = np.full((len(columns), 1), -1, np.int32)
    regions = Regions(uncut, uncut) if with_regions else None
    return Partitions(ids, sizes, columns, np.zeros(1, np.int64), regions, people)


def together(parts: Sequence[Partitions]) -> Partitions:
    """Join partitions, one after the other. `parts` lose their columns meanwhile, to save memory."""
    counts = [len(part.combination_ids) for part in parts]
    shifts = starts_of(np.array(counts))
    starts = np.concatenate([part.starts + shift for part, shift in zip(parts, shifts, strict=True)])
    ids = np.concatenate([part.combination_ids for part in parts])
    sizes = np.concatenate([part.sizes for part in parts])
    columns = [np.concatenate([part.columns.pop(0) for part in parts]) for _ in list(parts[0].columns)]
    regions = [part.regions for part in parts if part.regions is not None]
    bounds = (np.concatenate([getattr(part, name) for part in regions], axis=1) for name in ("lower", "upper"))
    return Partitions(ids, sizes, columns, starts, Regions(*bounds) if regions else None)
