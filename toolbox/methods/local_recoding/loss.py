"""The loss of generalising: the non-uniform entropy of local recoding, and its price at the margin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from toolbox.methods.arrays.types import Numbers, Reals
from toolbox.methods.local_recoding.rows import Column

_UNSEEN = 0.003
"""Share of the input that every level is taken to hold besides, so that what no record has yet has a price, too."""


def bits_lost(column: Column, histogram: Numbers) -> float:
    """Measure one released column: the entropy, in bits, of the original values given the generalised ones.

    The loss adds up level by level: a record that goes up one level loses what the lower value told.

    Parameters
    ----------
    histogram : array
        The records of each value (axis 0) at each level (axis 1).
    """
    lost = 0.0
    for level in range(1, column.height + 1):
        rising = histogram[:, level:].sum(axis=1)
        below, above = (np.bincount(column.codes[step], rising) for step in (level - 1, level))
        lost += _self_information(above) - _self_information(below)
    return lost


def most_bits(column: Column) -> float:
    """Measure a column that is suppressed altogether: the entropy of its values times its records."""
    return _self_information(np.array([column.counts.sum()])) - _self_information(column.counts)


def prices(column: Column, histogram: Numbers | None = None) -> Reals:
    """Return what one more record of each value (axis 1) loses in bits at each level (axis 0).

    The loss is a concave function of the counts, of degree one. So these prices add up to the loss itself, and any
    other release loses at most what they say: whatever is cheaper by them is better by the measure.

    Parameters
    ----------
    histogram : array, optional
        Of the release at hand; None: all records at all levels.
    """
    paid = np.zeros((column.height + 1, len(column.counts)))
    for level in range(1, column.height + 1):
        rising = column.counts.astype(np.float64)
        if histogram is not None:
            rising = histogram[:, level:].sum(axis=1) + _UNSEEN * rising
        below, above = (np.bincount(code, rising)[code] for code in (column.codes[level - 1], column.codes[level]))
        # A value that no record has pays nothing.
        share = np.divide(above, below, out=np.ones_like(above), where=below > 0)
        paid[level] = paid[level - 1] + np.log2(share)
    return paid


def importances(columns: Sequence[Column], weights: Sequence[float], share: float) -> Reals:
    """Return the weight of a bit of each column.

    Parameters
    ----------
    weights : sequence of float
        What the columns are worth as wholes.
    share : float
        0: a bit is a bit, in whatever column. 1: the share that a column loses of its own bits counts, by its weight.
        Between: that much of the one and the rest of the other.
    """
    most, worth = np.array([most_bits(column) for column in columns]), np.array(weights, np.float64)
    # A column with one value has nothing to lose.
    own = np.divide(worth / worth.sum() * most.sum(), most, out=np.zeros_like(most), where=most > 0)
    mixed: Reals = 1 - share + share * own
    return mixed


def _self_information(counts: Numbers | Reals) -> float:
    some = counts[counts > 0].astype(np.float64)
    return float((some * np.log2(some)).sum())
