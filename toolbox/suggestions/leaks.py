"""Columns that give another one away, as a town gives away its province, and records that columns tell apart."""

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


def combined(groups: NDArray[np.integer[Any]] | None, column: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
    """Assign numbers to the records: two have the same if they agree in the groups so far and in one more column.

    Parameters
    ----------
    groups : array of int, optional
        The numbers so far; None: nothing yet tells records apart.
    column : array of int
        Its values as numbers; -1 where there is none, which is a value of its own here.
    """
    import numpy as np

    codes = column.astype(np.int64) + 1
    if groups is not None:
        codes += groups.astype(np.int64) * (int(codes.max()) + 1)
    return np.unique(codes, return_inverse=True)[1]


def records_alone(groups: NDArray[np.integer[Any]]) -> int:
    """Return how many records are in no group with another."""
    import numpy as np

    return int((np.bincount(groups) == 1).sum())
