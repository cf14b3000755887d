"""Partitions of records into those that agree in some columns, refined one column at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolbox.detection.coded import Coded, Whole

_DENSE = 1
"""Possible groups for each row, up to which they are counted in an array without sorting."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of some groups of records, summed up."""

    distinct: int = 0
    """Number of groups."""
    singletons: int = 0
    """Groups of one record."""
    squares: int = 0
    """Sum of the squares of their sizes."""
    smallest: int | None = None
    """None if there is no group."""
    largest: int = 0

    @classmethod
    def of(cls, sizes: NDArray[Any]) -> Sizes:
        """Sum up the sizes of groups."""
        if not len(sizes):
            return cls()
        counted = sizes.astype(np.int64, copy=False)
        singletons = int(np.count_nonzero(counted == 1))
        squares = int(np.dot(counted, counted))
        return cls(len(counted), singletons, squares, int(counted.min()), int(counted.max()))

    @classmethod
    def singles(cls, records: int) -> Sizes:
        """Return the sizes of records that are all alone."""
        return cls(records, records, records, 1, 1) if records else cls()

    def __add__(self, other: Sizes) -> Sizes:
        """Sum up the groups of both."""
        known = [sizes.smallest for sizes in (self, other) if sizes.smallest is not None]
        return Sizes(
            self.distinct + other.distinct,
            self.singletons + other.singletons,
            self.squares + other.squares,
            min(known, default=None),
            max(self.largest, other.largest),
        )


class Partition:
    """Records in groups, one group for each combination of values in the columns so far.

    A row that is alone in its group stays so whatever columns follow. So it is only counted, and each further column
    has fewer rows to look at ("stripped partitions").

    Parameters
    ----------
    coded : Coded
    rows : array
        The rows that share their group with others.
    group : array
        The group of each, from 0.
    groups : int
        How many of these groups there are.
    settled : Sizes
        Sizes of the groups of all other rows.

    References
    ----------
    Huhtala, Kärkkäinen, Porkka and Toivonen (1999). TANE: an efficient algorithm for discovering functional and
    approximate dependencies. doi:10.1093/comjnl/42.2.100
    """

    def __init__(self, coded: Coded, rows: Whole, group: Whole, groups: int, settled: Sizes) -> None:
        self._coded = coded
        self._rows = rows
        self._group = group
        self._groups = groups
        self._settled = settled

    @classmethod
    def whole(cls, coded: Coded) -> Partition:
        """Make one group of all records, before any column tells them apart."""
        return cls(coded, np.arange(coded.rows), np.zeros(coded.rows, np.int32), 1, Sizes())

    def count(self, column: int) -> Sizes:
        """Measure the groups that one more column makes."""
        keys, most = self._keys(column)
        return self._settled + Sizes.of(self._sizes(keys, most))

    def refined(self, column: int) -> Partition:
        """Cut the groups by one more column."""
        keys, most = self._keys(column)
        rows, alone, group, groups = _dense(keys) if most <= _DENSE * len(keys) else _sparse(keys)
        settled = self._settled + self._singles(self._rows[alone])
        return Partition(self._coded, self._rows[rows], group, groups, settled)

    @cached_property
    def _weights(self) -> Whole | None:
        weights = self._coded.weights
        return None if weights is None else weights[self._rows]

    def _keys(self, column: int) -> tuple[Whole, int]:
        """Return a number for each row's group and value together, and how many there may be."""
        values = self._coded.values[column]
        most = self._groups * values
        keys = np.multiply(self._group, values, dtype=np.int32 if most < 2**31 else np.int64)
        keys += self._coded.columns[column].take(self._rows)
        return keys, most

    def _sizes(self, keys: Whole, most: int) -> NDArray[Any]:
        """Count the records of each key that occurs."""
        weights = self._weights
        if most <= _DENSE * len(keys):
            counts = np.bincount(keys, weights)
            return counts[counts > 0]
        if weights is None:
            return np.diff(_starts(np.sort(keys)), append=len(keys))
        order = np.argsort(keys)
        return np.add.reduceat(weights[order], _starts(keys[order])) if len(keys) else weights

    def _singles(self, rows: Whole) -> Sizes:
        """Measure groups of one row each."""
        weights = self._coded.weights
        return Sizes.singles(len(rows)) if weights is None else Sizes.of(weights[rows])


def _starts(ordered: Whole) -> NDArray[np.int64]:
    """Return where each run of equal keys starts."""
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    return np.concatenate(([0], changes)) if len(ordered) else changes


def _dense(keys: Whole) -> tuple[NDArray[Any], NDArray[Any], Whole, int]:
    """Return the rows that share their key, the other rows, the group of each shared row, and the number of groups."""
    shared = np.bincount(keys) > 1
    kept = shared[keys]
    group_of = np.cumsum(shared, dtype=np.int32) - 1
    return np.flatnonzero(kept), np.flatnonzero(~kept), group_of[keys[kept]], int(np.count_nonzero(shared))


def _sparse(keys: Whole) -> tuple[NDArray[Any], NDArray[Any], Whole, int]:
    """Return the same by sorting, where there may be far more keys than rows."""
    order = np.argsort(keys)
    lengths = np.diff(_starts(keys[order]), append=len(keys))
    shared = lengths > 1
    kept = np.repeat(shared, lengths)
    groups = int(np.count_nonzero(shared))
    group = np.repeat(np.arange(groups, dtype=np.int32), lengths[shared])
    return order[kept], order[~kept], group, groups
