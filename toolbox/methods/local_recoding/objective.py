"""What a search loses as little of as it can: entropy, or a metric that is a sum over cells, as prices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select, union

from toolbox.methods.arrays.combinations import Numbers, Reals
from toolbox.methods.arrays.memory import compute_weights, rank_by_importance
from toolbox.methods.local_recoding.rows import RecodingColumn
from toolbox.store.tables import QuasiIdentifierTables, Tables

# The loss of generalising: the non-uniform entropy of local recoding, and its price at the margin.

_UNSEEN = 0.003
"""Share of the input that every level is taken to hold besides, so that what no record has yet has a price, too."""


def measure_bits_lost(column: RecodingColumn, histogram: Numbers) -> float:
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
        lost += _compute_self_information(above) - _compute_self_information(below)
    return lost


def measure_most_bits(column: RecodingColumn) -> float:
    """Measure a column that is suppressed altogether: the entropy of its values times its records."""
    return _compute_self_information(np.array([column.counts.sum()])) - _compute_self_information(column.counts)


def compute_prices(column: RecodingColumn, histogram: Numbers | None = None) -> Reals:
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


def _compute_importances(columns: Sequence[RecodingColumn], weights: Sequence[float], share: float) -> Reals:
    """Return the weight of a bit of each column.

    Parameters
    ----------
    weights : sequence of float
        What the columns are worth as wholes.
    share : float
        0: a bit is a bit, in whatever column. 1: the share that a column loses of its own bits counts, by its weight.
        Between: that much of the one and the rest of the other.
    """
    most, worth = np.array([measure_most_bits(column) for column in columns]), np.array(weights, np.float64)
    # A column with one value has nothing to lose.
    own = np.divide(worth / worth.sum() * most.sum(), most, out=np.zeros_like(most), where=most > 0)
    mixed: Reals = 1 - share + share * own
    return mixed


def _compute_self_information(counts: Numbers | Reals) -> float:
    some = counts[counts > 0].astype(np.float64)
    return float((some * np.log2(some)).sum())


# What a search loses as little of as it can: an amount for each release, and the price of each cell at the margin.

Histograms = Sequence[Numbers]
"""For each quasi-identifier the records of each value (axis 0) at each level (axis 1)."""


class RecodingObjective(ABC):
    """The loss of a release, from the records of each value at each level."""

    learns: ClassVar[bool]
    """Whether prices depend on the release at hand, so that those of one release help to find the next."""

    @abstractmethod
    def lost(self, histograms: Histograms) -> float:
        """Return what a release loses."""

    @abstractmethod
    def prices(self, histograms: Histograms | None) -> list[Reals]:
        """Return what one more record of each value (axis 1) loses at each level (axis 0) of each quasi-identifier.

        Parameters
        ----------
        histograms : sequence of array, optional
            Of the release at hand; None: all records at all levels.
        """


@dataclass(frozen=True)
class _Entropy(RecodingObjective):
    """The bits that columns lose, each by its importance."""

    columns: Sequence[RecodingColumn]
    importances: Reals
    """What a bit of each column counts."""

    learns: ClassVar[bool] = True

    def lost(self, histograms: Histograms) -> float:
        each = zip(self.columns, histograms, self.importances, strict=True)
        return float(sum(importance * measure_bits_lost(column, histogram) for column, histogram, importance in each))

    def prices(self, histograms: Histograms | None) -> list[Reals]:
        shown = [None] * len(self.columns) if histograms is None else histograms
        each = zip(self.columns, shown, self.importances, strict=True)
        return [importance * compute_prices(column, histogram) for column, histogram, importance in each]


@dataclass(frozen=True)
class _RecodingCellCosts(RecodingObjective):
    """A cost for each cell, whatever the others are."""

    costs: list[Reals]
    """What a cell of each value (axis 1) costs at each level (axis 0) of each quasi-identifier."""

    learns: ClassVar[bool] = False

    def lost(self, histograms: Histograms) -> float:
        return float(sum((cost * histogram.T).sum() for cost, histogram in zip(self.costs, histograms, strict=True)))

    def prices(self, histograms: Histograms | None) -> list[Reals]:
        return self.costs


def make_objective(
    tables: Tables, columns: Sequence[RecodingColumn], name: str, *, by_columns: float
) -> RecodingObjective:
    """Make the objective of this name, one of `METRICS` or of the entropies; `by_columns` says how columns count."""
    if name in METRICS:
        return _RecodingCellCosts(_compute_cell_costs(tables, columns, name))
    declared = tables.quasi_identifiers
    weights = _compute_declared_weights(declared)
    if name == "weighted-non-uniform-entropy":
        # By the weights alone, as the metric is measured.
        weights, by_columns = [1.0 if column.weight is None else column.weight for column in declared], 1.0
    elif name == "non-uniform-entropy" or (0 < by_columns < 1 and len(set(weights)) == 1):
        by_columns = 0.0
    return _Entropy(columns, _compute_importances(columns, weights, by_columns))


def _compute_declared_weights(quasi_identifiers: Sequence[QuasiIdentifierTables]) -> list[float]:
    """Return the weight of each quasi-identifier; where none has a priority they weigh the same."""
    ranks = rank_by_importance([column.priority for column in quasi_identifiers])
    return compute_weights(ranks, [column.weight for column in quasi_identifiers])


# What each cell costs by a loss metric that is a sum over cells, as `toolbox.loss` measures it.


@dataclass(frozen=True)
class IntervalCounts:
    """All intervals of one quasi-identifier, by their numbers."""

    levels: Numbers
    """The lowest level with an interval of the same label: a release shows no more of it."""
    height: int
    """The level of the root."""
    known: Numbers
    """How many values each covers, of those that occur and those that a hierarchy lists."""
    covered: NDArray[np.int64]
    """The first value that each covers (axis 0), and the one behind the last (axis 1), of those that occur."""
    counts: Numbers
    """Records of each value that occurs."""
    weight: float

    @property
    def size(self) -> int:
        """Number of values, including values that nobody has."""
        return int(self.known.max())

    @property
    def occurring(self) -> Numbers:
        """How many values that occur each interval covers."""
        return self.covered[:, 1] - self.covered[:, 0]

    @cached_property
    def entropy(self) -> Reals:
        """Bits that it takes to tell the value of a record of the input that is in each interval."""
        counts = self.counts.astype(np.float64)
        information = counts * np.log2(np.maximum(counts, 1))
        records, known = (self._sum_parts(amount) for amount in (counts, information))
        bits = np.log2(np.maximum(records, 1)) - known / np.maximum(records, 1)
        return np.where(self.occurring > 1, np.maximum(bits, 0), 0)

    def _sum_parts(self, amounts: Reals) -> Reals:
        until = np.concatenate([[0], np.cumsum(amounts)])
        summed: Reals = until[self.covered[:, 1]] - until[self.covered[:, 0]]
        return summed


@dataclass(frozen=True)
class Metric:
    """A loss metric that is a sum over cells: the cost of each interval, and what a column counts."""

    cost: Callable[[IntervalCounts], Reals]
    share: Callable[[IntervalCounts], float]


def _compute_other_values(intervals: IntervalCounts) -> Reals:
    return (intervals.known - 1) / max(intervals.size - 1, 1)


def _compute_certainty(intervals: IntervalCounts) -> Reals:
    return np.where(intervals.occurring > 1, intervals.occurring / len(intervals.counts), 0.0)


def _compute_climbed_share(intervals: IntervalCounts) -> Reals:
    return intervals.levels / intervals.height


def _list_entropies(intervals: IntervalCounts) -> Reals:
    return intervals.entropy


def _charge_alike(intervals: IntervalCounts) -> float:
    return 1.0


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "lm": Metric(_compute_other_values, _charge_alike),
        "granularity": Metric(_compute_other_values, lambda intervals: 1 - 1 / intervals.size),
        "ncp": Metric(_compute_certainty, lambda intervals: intervals.weight),
        "precision": Metric(_compute_climbed_share, _charge_alike),
        "generalisation-intensity": Metric(_compute_climbed_share, _charge_alike),
        "conditional-entropy": Metric(_list_entropies, _charge_alike),
        "normalised-conditional-entropy": Metric(_list_entropies, _charge_alike),
    }
)
"""The metrics that are such sums, by the names of their entry points."""


def _compute_cell_costs(tables: Tables, columns: Sequence[RecodingColumn], name: str) -> list[Reals]:
    """Return what a cell of each value (axis 1) costs at each level (axis 0) of each quasi-identifier.

    Each column has its share in the average, so that the costs of a release, divided by its records, are the metric.

    Parameters
    ----------
    name : str
        One of `METRICS`.
    """
    metric = METRICS[name]
    intervals = [
        fetch_intervals(tables, declared, column)
        for declared, column in zip(tables.quasi_identifiers, columns, strict=True)
    ]
    shares = [metric.share(one) for one in intervals]
    return [
        np.stack([metric.cost(one)[code] for code in column.codes]) * share / (sum(shares) or 1.0)
        for one, column, share in zip(intervals, columns, shares, strict=True)
    ]


def fetch_intervals(tables: Tables, declared: QuasiIdentifierTables, column: RecodingColumn) -> IntervalCounts:
    """Fetch the intervals of a quasi-identifier, and count what they cover."""
    store, ground, nodes = tables.store, declared.ground.c, declared.intervals.c
    values = store.to_arrays(select(ground.value).order_by(ground.level_0))["value"]
    known = union(select(ground.value), select(declared.codes.c.value)).subquery()
    listed = store.to_arrays(select(known.c.value).order_by(known.c.value))["value"]
    all_values = np.union1d(listed, np.array(declared.listed, np.float64))
    lowest = func.min(nodes.level).over(partition_by=nodes.label).label("lowest")
    bounds = (nodes.low, nodes.high, nodes.low_closed, nodes.high_closed)
    node = store.to_arrays(select(nodes.interval_id, lowest, *bounds).order_by(nodes.interval_id))
    covered, among = (_find_ranges(distinct, node, declared.root) for distinct in (values, all_values))
    return IntervalCounts(
        levels=node["lowest"],
        height=column.height,
        known=np.maximum(among[:, 1] - among[:, 0], 1),
        covered=covered,
        counts=column.counts,
        weight=1.0 if declared.weight is None else declared.weight,
    )


def _find_ranges(values: Reals, node: Mapping[str, NDArray[np.generic]], root: int) -> NDArray[np.int64]:
    """Return the ranges of ascending values in intervals; the root has all of them."""
    low, high = node["low"], node["high"]
    first = np.where(node["low_closed"], *(np.searchsorted(values, low, side) for side in ("left", "right")))
    end = np.where(node["high_closed"], *(np.searchsorted(values, high, side) for side in ("right", "left")))
    ranges = np.stack([first, np.maximum(first, end)], axis=1)
    ranges[node["interval_id"] == root] = 0, len(values)
    return ranges
