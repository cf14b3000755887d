"""The combinations as rows of arrays, and what each of their values becomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from toolbox.methods.arrays.codes import codes_of
from toolbox.methods.arrays.combinations import combinations_of
from toolbox.methods.arrays.grouping import paired
from toolbox.methods.arrays.judging import Judge
from toolbox.methods.arrays.types import Flags, Numbers, Whole
from toolbox.store.tables import Tables


@dataclass(frozen=True)
class Column:
    """One quasi-identifier."""

    codes: list[Whole]
    """At each level, from 0 to that of the root, the interval of each value."""
    counts: Numbers
    """Records of each value."""

    @property
    def height(self) -> int:
        """The level of the root."""
        return len(self.codes) - 1


@dataclass(frozen=True)
class Rows:
    """The initial combinations."""

    combination_ids: Whole
    sizes: Numbers
    """Records of each."""
    values: list[Numbers]
    """The rank of the value in each quasi-identifier."""
    columns: list[Column]
    beat: Callable[[], None] = lambda: None
    """Is called at every look at them."""

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.sizes.sum())

    def some(self, which: Numbers) -> Rows:
        """Return the rows of these numbers."""
        values = [value[which] for value in self.values]
        return Rows(self.combination_ids[which], self.sizes[which], values, self.columns, self.beat)

    def refused(self, judge: Judge, members: Numbers, classes: Numbers) -> Flags:
        """Mark the classes that do not satisfy every model.

        Parameters
        ----------
        members : array
            Row numbers; one row may be in several classes.
        classes : array
            The class of each, numbered from 0.
        """
        count = int(classes.max(initial=-1)) + 1
        return judge.refused(self.combination_ids[members], self.sizes[members], classes, count)

    def histograms(self, levels: Numbers) -> list[Numbers]:
        """Count, for each quasi-identifier, the records of each value (axis 0) at each level (axis 1).

        Parameters
        ----------
        levels : array
            The level of each quasi-identifier (axis 0) in each row (axis 1).
        """
        histograms = []
        for column, value, level in zip(self.columns, self.values, levels, strict=True):
            values, steps = len(column.counts), column.height + 1
            counted = _counted(paired(value, level, steps), self.sizes, values * steps)
            histograms.append(counted.reshape(values, steps))
        return histograms


def rows_of(tables: Tables, beat: Callable[[], None] = lambda: None) -> Rows:
    """Fetch the combinations of a table, and what their values become."""
    ids, sizes, ranks = combinations_of(tables)
    # In eight bytes, because arrays are looked up by these numbers again and again.
    records: Numbers = sizes.astype(np.int64, copy=False)
    values = [rank.astype(np.int64) for rank in ranks]
    columns = [
        Column(codes_of(tables, quasi_identifier), _counted(value, records, quasi_identifier.values))
        for quasi_identifier, value in zip(tables.quasi_identifiers, values, strict=True)
    ]
    return Rows(ids, records, values, columns, beat)


def _counted(places: Numbers, sizes: Numbers, length: int) -> Numbers:
    counted: Numbers = np.bincount(places, sizes, length).astype(np.int64)
    return counted
