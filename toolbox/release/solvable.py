"""Classes whose values follow from the statistics of genValsDist: only one multiset has these statistics."""

from __future__ import annotations

import numpy as np

from toolbox.release.class_values import ClassValues
from toolbox.release.solved import Solved
from toolbox.risks.statistics.multisets import Wanted, can_count, multisets


def solved(column: str, values: ClassValues) -> Solved:
    """Count the classes of which only one multiset of values fits what is released."""
    known = 2 if values.shows_ends else 0
    ends = values.width if values.shows_ends else np.zeros_like(values.width)
    free, total, squares = values.records - known, values.total - ends, values.squares - ends * ends
    can = can_count(free, values.width)
    wanted = Wanted(free, values.width, total, (squares - total) // 2)
    # Where the interval leaves one multiset, statistics tell nothing.
    ways = multisets(wanted.at(np.flatnonzero(can & (free > 0) & (values.width > 0))))
    return Solved(column, len(values.records), int(can.sum()), int((ways == 1).sum()))
