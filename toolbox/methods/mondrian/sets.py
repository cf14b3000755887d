"""The distinct sets of values of many classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toolbox.methods.mondrian.arrays import Places, Whole, bits_of, ranges, starts_of, totals


class Sets(NamedTuple):
    """Distinct sets of ranks."""

    members: Whole
    """The ranks in each set, ascending, set by set."""
    starts: Places
    """Where each set begins."""
    of_class: Places
    """The set of each class."""

    @property
    def lengths(self) -> Places:
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


def sets_of(ranks: Whole, starts: Places, which: Places) -> Sets:
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
    bits = bits_of(int(ranks.max()))
    keys = np.repeat(np.arange(len(which)) << bits, lengths)
    keys |= ranks[ranges(starts[which], lengths)]
    keys.sort()
    is_new = np.concatenate([np.ones(1, np.bool_), keys[1:] != keys[:-1]])
    members = (keys & ((1 << bits) - 1))[is_new].astype(ranks.dtype)
    sizes = totals(is_new, starts_of(lengths))
    return _distinct(members, starts_of(sizes), sizes)


def _distinct(members: Whole, starts: Places, lengths: Places) -> Sets:
    """Find equal sets by a hash of their members; that they are equal is then seen, so that it is exact."""
    generator = np.random.default_rng(0)
    while True:
        digits = generator.integers(0, 2**64, int(members.max()) + 1, np.uint64)
        hashes = np.add.reduceat(digits[members], starts)
        _, first, of_class = np.unique(hashes, return_index=True, return_inverse=True)
        same = first[of_class]
        if (lengths[same] == lengths).all() and (members[ranges(starts[same], lengths)] == members).all():
            kept = lengths[first]
            return Sets(members[ranges(starts[first], kept)], starts_of(kept), of_class)
