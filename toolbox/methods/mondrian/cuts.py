"""The cuts of partitions, and the regions that they leave."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toolbox.methods.arrays.types import Codes, Flags, Numbers, Whole


@dataclass(frozen=True)
class Cuts:
    """At most one cut for each partition: ranks up to the median, or only those below it, go to the left."""

    made: Flags
    """Whether there is any."""
    dimension: Whole
    median: Numbers
    inclusive: Flags

    @property
    def last_left(self) -> Numbers:
        """The highest rank that goes to the left."""
        return self.median - ~self.inclusive

    def note(self, which: Numbers, dimension: Whole, median: Numbers, *, inclusive: bool) -> None:
        """Note the cut of these partitions."""
        self.made[which], self.dimension[which] = True, dimension
        self.median[which], self.inclusive[which] = median, inclusive


def no_cuts(partitions: int) -> Cuts:
    """Return no cut for each partition, to begin with."""
    made, inclusive = np.zeros((2, partitions), np.bool_)
    dimension, median = np.zeros((2, partitions), np.int64)
    return Cuts(made, dimension, median, inclusive)


@dataclass(frozen=True)
class Regions:
    """The region of each partition (axis 1) in each quasi-identifier (axis 0), by the cuts that bound it.

    A bound is written as -1 where there was no cut, otherwise as twice the rank of the median, plus one if the median
    itself belongs to the region.
    """

    lower: Codes
    upper: Codes

    def some(self, which: Flags | slice) -> Regions:
        """Return the regions of some partitions."""
        return Regions(self.lower[:, which], self.upper[:, which])

    def cut(self, cuts: Cuts) -> Regions:
        """Cut the regions of the partitions that are cut: ``<= median`` and ``>``, or ``<`` and ``>= median``."""
        lower, upper = (np.repeat(bounds[:, cuts.made], 2, axis=1) for bounds in (self.lower, self.upper))
        dimension, inclusive = cuts.dimension[cuts.made], cuts.inclusive[cuts.made]
        code, left = 2 * cuts.median[cuts.made], 2 * np.arange(len(dimension))
        upper[dimension, left] = code + inclusive
        lower[dimension, left + 1] = code + ~inclusive
        return Regions(lower, upper)
