"""The distinct sets of values of many classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toolbox.methods.arrays.runs import ranges, sorted_in_runs, starts_of, totals
from toolbox.methods.arrays.types import Numbers, Whole


class Sets(NamedTuple):
    """Distinct sets of ranks."""

    members: Whole
    """The ranks in each set, ascending, set by set."""
    starts: Numbers
    """Where each set begins."""
    of_class: Numbers
    """The set of each class."""

    @property
    def lengths(self) -> Numbers:
        """Number of members of each set."""
        return np.diff(self.starts, append=len(self.members))

    @property
    def lowest(self) -> Whole:
        """The first member of each set."""
        return self.members[self.starts]

    @property
    def highest(self) -> Whole:
        """The last member of each set."""
        last: Whole = self.members[self.starts + self.lengths - 1]
        return last


def sets_of(ranks: Whole, starts: Numbers, which: Numbers) -> Sets:
    """Find the distinct sets of the values of some classes.

    Parameters
    ----------
    ranks : array
        The rank of each value, class by class.
    starts : array
        Where each class begins.
    which : array
        Numbers of the classes.
    """
    lengths = np.diff(starts, append=len(ranks))[which]
    members, first = sorted_in_runs(ranks[ranges(starts[which], lengths)], lengths)
    sizes = totals(first, starts_of(lengths))
    return _distinct(members[first].astype(ranks.dtype), starts_of(sizes), sizes)


def _distinct(members: Whole, starts: Numbers, lengths: Numbers) -> Sets:
    """Find equal sets by a hash of their members. Sets with the same hash are then compared, so the result is exact."""
    generator = np.random.default_rng(0)
    while True:
        digits = generator.integers(0, 2**64, int(members.max()) + 1, np.uint64)
        hashes = np.add.reduceat(digits[members], starts)
        _, first, of_class = np.unique(hashes, return_index=True, return_inverse=True)
        same = first[of_class]
        if (lengths[same] == lengths).all() and (members[ranges(starts[same], lengths)] == members).all():
            kept = lengths[first]
            return Sets(members[ranges(starts[first], kept)], starts_of(kept), of_class)
