"""The combinations as rows of arrays, the nodes that a search visits, and what it loses as little of as it can."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod
from types import MappingProxyType
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select, union

from toolbox.methods.arrays.combinations import (
    Flags,
    Numbers,
    Reals,
    Whole,
    combinations_of,
    encode_pairs,
    list_level_codes,
)
from toolbox.methods.arrays.memory import compute_weights, rank_by_importance
from toolbox.methods.arrays.models import ClassJudge, Covered, CoveredPeople
from toolbox.store.tables import QuasiIdentifierTables, Tables

# The combinations as rows of arrays, and what each of their values becomes.


@dataclass(frozen=True)
class RecodingColumn:
    """One quasi-identifier."""

    codes: list[Whole]
    """At each level, from 0 to that of the root, the interval of each value."""
    counts: Numbers
    """Records of each value."""

    @property
    def height(self) -> int:
        """The level of the root."""
        return len(self.codes) - 1


@dataclass(frozen=True)
class RecodingRows:
    """The initial combinations."""

    combination_ids: Whole
    sizes: Numbers
    """Records of each."""
    values: list[Numbers]
    """The rank of the value in each quasi-identifier."""
    columns: list[RecodingColumn]
    beat: Callable[[], None] = lambda: None
    """Is called at every look at them."""
    people: CoveredPeople | None = None
    """The population, where one is known that is not estimated."""
    same: Numbers | None = None
    """People of the population who have each of the combinations, or for whom its records stand."""

    @classmethod
    def fetch(cls, tables: Tables, beat: Callable[[], None] = lambda: None) -> Self:
        """Fetch the combinations of a table, and what their values become."""
        ids, sizes, ranks = combinations_of(tables)
        # In eight bytes, because arrays are looked up by these numbers again and again.
        records: Numbers = sizes.astype(np.int64, copy=False)
        values = [rank.astype(np.int64) for rank in ranks]
        columns = [
            RecodingColumn(
                list_level_codes(tables, quasi_identifier), _count_places(value, records, quasi_identifier.values)
            )
            for quasi_identifier, value in zip(tables.quasi_identifiers, values, strict=True)
        ]
        people = CoveredPeople.fetch(tables, [column.codes for column in columns])
        same = None
        if people is not None:
            alone = np.zeros((len(columns), len(ids)), np.int64)
            same = people.covered(alone, values, np.zeros(len(ids), people.sizes.dtype), exactly=True)
            assert tables.population is not None
            if tables.population.is_estimated:
                # Each record stands for people in its own class, and in no other.
                people = None
        return cls(ids, records, values, columns, beat, people, same)

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.sizes.sum())

    def some(self, which: Numbers) -> RecodingRows:
        """Return the rows of these numbers."""
        values = [value[which] for value in self.values]
        same = None if self.same is None else self.same[which]
        return RecodingRows(
            self.combination_ids[which], self.sizes[which], values, self.columns, self.beat, self.people, same
        )

    def mark_refused(self, judge: ClassJudge, members: Numbers, classes: Numbers, *, exactly: bool = False) -> Flags:
        """Mark the classes that do not satisfy every model.

        Parameters
        ----------
        members : array
            Row numbers; one row may be in several classes.
        classes : array
            The class of each, numbered from 0.
        exactly : bool
            Whether the people whom classes cover are counted however long that takes; see `People`.
        """
        count = int(classes.max(initial=-1)) + 1
        if not judge.asks_people:
            return judge.mark_refused(self.combination_ids[members], self.sizes[members], classes, count)
        assert self.same is not None, "the models ask for a population"
        known = np.bincount(classes, self.same[members], count).astype(self.same.dtype)
        refused = self._refused(judge, members, classes, known)
        if self.people is not None and refused.any():
            # What is known is enough for all others.
            which = refused[classes]
            members, classes = members[which], (np.cumsum(refused) - 1)[classes[which]]
            people = self._count_covered_people(members, classes, known[refused], exactly=exactly)
            refused[refused] = self._refused(judge, members, classes, people)
        return refused

    def _refused(self, judge: ClassJudge, members: Numbers, classes: Numbers, people: Numbers) -> Flags:
        covered = Covered(people, np.zeros_like(people))
        return judge.mark_refused(self.combination_ids[members], self.sizes[members], classes, len(people), covered)

    def _count_covered_people(self, members: Numbers, classes: Numbers, known: Numbers, *, exactly: bool) -> Numbers:
        """Count the people whom classes cover, each at the lowest levels at which its rows agree."""
        assert self.people is not None
        first = members[np.unique(classes, return_index=True)[1]]
        levels = self.find_lowest_levels(members, classes, first)
        return self.people.covered(levels, [value[first] for value in self.values], known, exactly=exactly)

    def find_lowest_levels(self, members: Numbers, classes: Numbers, first: Numbers) -> Numbers:
        """Return the lowest level of each quasi-identifier (axis 0) at which the rows of each class (axis 1) agree.

        Parameters
        ----------
        members : array
            Row numbers; one row may be in several classes.
        classes : array
            The class of each, numbered from 0.
        first : array
            One row of each class.
        """
        levels = np.zeros((len(self.columns), len(first)), np.int64)
        for lowest, column, value in zip(levels, self.columns, self.values, strict=True):
            own, of_first = value[members], value[first]
            for level, code in enumerate(column.codes):
                differs = code[own] != code[of_first][classes]
                lowest[classes[differs]] = level + 1
        return levels

    def histograms(self, levels: Numbers) -> list[Numbers]:
        """Count, for each quasi-identifier, the records of each value (axis 0) at each level (axis 1).

        Parameters
        ----------
        levels : array
            The level of each quasi-identifier (axis 0) in each row (axis 1).
        """
        histograms = []
        for column, value, level in zip(self.columns, self.values, levels, strict=True):
            values, steps = len(column.counts), column.height + 1
            counted = _count_places(encode_pairs(value, level, steps), self.sizes, values * steps)
            histograms.append(counted.reshape(values, steps))
        return histograms


def _count_places(places: Numbers, sizes: Numbers, length: int) -> Numbers:
    counted: Numbers = np.bincount(places, sizes, length).astype(np.int64)
    return counted


# The nodes of the generalisation lattice that the search visits: all of them, or the most different ones.

Nodes = NDArray[np.int8]
"""Levels of each quasi-identifier (axis 1) at each node (axis 0)."""


def compute_node_prices(nodes: Nodes, averages: list[Reals]) -> Reals:
    """Return what a record pays on average at each node, given what it pays at each level."""
    paid = np.zeros(len(nodes))
    for index, average in enumerate(averages):
        paid += average[nodes[:, index]]
    return paid


@dataclass(frozen=True)
class _Axis:
    """Quasi-identifiers that rise together."""

    members: tuple[int, ...]
    steps: tuple[tuple[int, ...], ...]
    """The levels of its members, from the bottom to the roots."""
    losses: tuple[float, ...]
    """What a record loses at each step."""


def list_nodes(losses: list[Reals], most: int) -> Nodes:
    """List nodes, the bottom first and the top last.

    Where there are too many, levels are skipped that lose little less than the next one, least difference first; and
    once every quasi-identifier has its own values and its root alone, those that lose least go together. What is
    skipped is not out of reach: classes are lowered to the lowest level that their members share.

    Parameters
    ----------
    losses : list of arrays
        What a record loses on average at each level of each quasi-identifier.
    most : int
        Most nodes.
    """
    axes = [
        _Axis((index,), tuple((level,) for level in range(len(lost))), tuple(map(float, lost)))
        for index, lost in enumerate(losses)
    ]
    while len(axes) > 1 and prod(len(axis.steps) for axis in axes) > most:
        axes = _merge_axes(axes)
    grid = np.indices([len(axis.steps) for axis in axes], dtype=np.int32).reshape(len(axes), -1)
    nodes = np.empty((grid.shape[1], len(losses)), np.int8)
    for axis, places in zip(axes, grid, strict=True):
        nodes[:, axis.members] = np.array(axis.steps, np.int8)[places]
    return nodes


def _merge_axes(axes: list[_Axis]) -> list[_Axis]:
    inner = [
        (high - low, index, step)
        for index, axis in enumerate(axes)
        for step, (low, high) in enumerate(pairwise(axis.losses))
        if step
    ]
    if inner:
        _, index, step = min(inner)
        axis = axes[index]
        steps, losses = axis.steps[:step] + axis.steps[step + 1 :], axis.losses[:step] + axis.losses[step + 1 :]
        return [*axes[:index], _Axis(axis.members, steps, losses), *axes[index + 1 :]]
    first, second = sorted(sorted(range(len(axes)), key=lambda index: axes[index].losses[-1])[:2])
    smallest, other = axes[first], axes[second]
    together = _Axis(
        smallest.members + other.members,
        tuple(step + beside for step, beside in zip(smallest.steps, other.steps, strict=True)),
        tuple(lost + beside for lost, beside in zip(smallest.losses, other.losses, strict=True)),
    )
    return [together if index == first else axis for index, axis in enumerate(axes) if index != second]


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
    # What a file does not list is below the root alone, and comes last.
    is_listed = np.isin(values, declared.listed) | (not declared.listed)
    order = np.argsort(~is_listed, kind="stable")
    known = union(select(ground.value), select(declared.codes.c.value)).subquery()
    listed = store.to_arrays(select(known.c.value).order_by(known.c.value))["value"]
    all_values = np.union1d(listed, np.array(declared.listed, np.float64))
    lowest = func.min(nodes.level).over(partition_by=nodes.label).label("lowest")
    bounds = (nodes.low, nodes.high, nodes.low_closed, nodes.high_closed)
    node = store.to_arrays(select(nodes.interval_id, lowest, *bounds).order_by(nodes.interval_id))
    among = _find_ranges(np.setdiff1d(all_values, values[~is_listed]), node, declared.root, len(all_values))
    return IntervalCounts(
        levels=node["lowest"],
        height=column.height,
        known=np.maximum(among[:, 1] - among[:, 0], 1),
        covered=_find_ranges(values[is_listed], node, declared.root, len(values)),
        counts=column.counts[order],
        weight=1.0 if declared.weight is None else declared.weight,
    )


def _find_ranges(values: Reals, node: Mapping[str, NDArray[np.generic]], root: int, count: int) -> NDArray[np.int64]:
    """Return the ranges of ascending values in intervals; the root has all of them, and others up to a count."""
    low, high = node["low"], node["high"]
    first = np.where(node["low_closed"], *(np.searchsorted(values, low, side) for side in ("left", "right")))
    end = np.where(node["high_closed"], *(np.searchsorted(values, high, side) for side in ("right", "left")))
    ranges = np.stack([first, np.maximum(first, end)], axis=1)
    ranges[node["interval_id"] == root] = 0, count
    return ranges
