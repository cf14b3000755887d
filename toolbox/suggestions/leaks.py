"""Columns that give another one away, as a town gives away its province."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolbox.knowledge.thresholds import CONSTANT, DETERMINES, FEWEST

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_REPEATED: Final = 0.1
"""Share of the records whose value occurs more than once, below which nothing can be said."""


def gives_away(own: NDArray[np.integer[Any]], other: NDArray[np.integer[Any]]) -> bool:
    """Return whether nearly each value of a column goes with one value of another, which is not nearly everybody's.

    Parameters
    ----------
    own, other : array of int
        The values of both as numbers, record by record; -1 where there is none.
    """
    import numpy as np

    both = (own >= 0) & (other >= 0)
    own, other = own[both].astype(np.int64), other[both].astype(np.int64)
    if len(own) < FEWEST:
        return False
    base = int(other.max()) + 1
    records = np.bincount(own)
    others = np.bincount(np.unique(own * base + other) // base, minlength=len(records))
    repeated = records > 1
    total = int(records[repeated].sum())
    alone = int(records[repeated & (others == 1)].sum())
    varies = int(np.bincount(other).max()) <= CONSTANT * len(other)
    return varies and total >= max(FEWEST, _REPEATED * len(own)) and alone >= DETERMINES * total
