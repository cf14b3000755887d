"""Classes of combinations, formed by any search: the levels to which their rows are generalised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toolbox.methods.arrays.types import Numbers, Whole
from toolbox.methods.local_recoding.rows import Rows


@dataclass(frozen=True)
class Classes:
    """A class for every row."""

    of_row: Numbers
    """The class of each row, numbered from 0; none is empty."""
    levels: Numbers
    """The level of each quasi-identifier (axis 0) in each class (axis 1): the lowest at which its rows agree."""

    @property
    def count(self) -> int:
        """Number of classes."""
        return int(self.levels.shape[1])

    @property
    def first(self) -> Numbers:
        """The first row of each class."""
        return np.unique(self.of_row, return_index=True)[1]

    @property
    def of_rows(self) -> Numbers:
        """The level of each quasi-identifier (axis 0) in each row (axis 1)."""
        return self.levels[:, self.of_row]

    def sizes(self, rows: Rows) -> Numbers:
        """Return the records of each class."""
        return np.bincount(self.of_row, rows.sizes).astype(np.int64)

    def intervals(self, rows: Rows) -> list[Whole]:
        """Return, for each quasi-identifier, the interval of each class."""
        first = self.first
        each = zip(rows.columns, rows.values, self.levels, strict=True)
        return [np.stack(column.codes)[level, value[first]] for column, value, level in each]


def classes_of(rows: Rows, of_row: Numbers) -> Classes:
    """Return classes numbered by their first rows, with the lowest levels at which their rows agree."""
    _, first, ranks = np.unique(of_row, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), np.int64)
    numbers[np.argsort(first)] = np.arange(len(first))
    numbered = numbers[ranks]
    first.sort()
    return Classes(numbered, rows.lowest_levels(np.arange(len(of_row)), numbered, first))
