"""From the name of a loss metric to the objective of a search; any metric can measure the release of each node."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import fields
from math import inf
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import select

from toolbox.errors import UsageError, did_you_mean
from toolbox.loss.cells import CellMetric
from toolbox.loss.distances import LevelMetric
from toolbox.loss.entropy import NonUniformEntropy, WeightedNonUniformEntropy
from toolbox.loss.metric import LossMetric, Measured, find_metric_name, load_known_metrics, measure_all
from toolbox.loss.sizes import ClassSizes, OriginalSizes, SizeMetric
from toolbox.methods.arrays.combinations import Flags, Numbers, Reals, list_level_codes
from toolbox.methods.lattice.checking import Checked, Checker
from toolbox.methods.lattice.loss_input import LossInput
from toolbox.methods.lattice.nodes import Frequencies, LatticeColumn, Levels, NodeCounter
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.published.tables import Domain
from toolbox.store.tables import QuasiIdentifierTables, Tables

# Any other metric as a cost of nodes: the metric itself measures the release of each.


class NodeObjective(ABC):
    """A loss metric as a cost of nodes: the lower the better, whatever the direction of the metric."""

    name: str
    """That of the metric."""
    is_cheap = True
    """Whether a cost takes less time than a check."""

    @abstractmethod
    def cost(self, node: Checked) -> float:
        """Return the cost of the release at a node, its violating classes suppressed; infinite if it has none."""

    @abstractmethod
    def value(self, cost: float) -> float:
        """Return the value of the metric for a cost."""

    def refusal(self) -> str:
        """Return why the metric has no value even for the records as they are; empty if it has one."""
        return ""

    @property
    def column_bounds(self) -> list[Reals] | None:
        """For each column, by its level, a cost: their sum is a lower bound for a node and all nodes above it.

        None if nothing is known before a node is counted.
        """
        return None

    def bound(self, node: Checked) -> float:
        """Return a lower bound of the cost of a node that was checked, and of all above it."""
        return -inf


class MeasuredCosts(NodeObjective):
    """A metric of which nothing is known but what it says of a release.

    Parameters
    ----------
    metric : LossMetric
    beside : Beside
    models : sequence of PrivacyModel
    """

    is_cheap = False

    def __init__(self, metric: LossMetric, beside: LossInput, models: Sequence[PrivacyModel]) -> None:
        self.name, self._metric, self._beside, self._models = metric.name, metric, beside, models
        self._sign = 1.0 if metric.direction == "lower" else -1.0

    def cost(self, node: Checked) -> float:
        values = self._values(self._measure_node(node.node.levels, self._models))
        return self._sign * values[0] if values else inf

    def value(self, cost: float) -> float:
        return self._sign * cost

    def refusal(self) -> str:
        ungeneralised = [0 for _ in self._beside.tables.quasi_identifiers]
        measured = self._measure_node(ungeneralised, [KAnonymity(k=1)])
        reasons = "; ".join(left.reason for left in measured.left_out)
        return "" if self._values(measured) else reasons or "it has no value for the whole table"

    def _measure_node(self, levels: Sequence[int], models: Sequence[PrivacyModel]) -> Measured:
        """Measure the release at a node, its violating classes suppressed."""
        # The people are made once, so that they outlast the release of a node.
        assert self._beside.people is not None
        with self._beside.tables.store.scope():
            return measure_all(self._beside.at(levels, models), [self._metric], self._beside.label)

    @staticmethod
    def _values(measured: Measured) -> list[float]:
        """List the values for the whole table."""
        return [each.value for each in measured.measures if each.attribute is None]


# From the name of a loss metric to the objective of a search.


def list_objectives() -> dict[str, type[LossMetric]]:
    """Return the installed loss metrics by the names of their entry points and by their own, in lower case."""
    installed = load_known_metrics()
    return {**installed.classes, **{entry.lower(): metric for entry, metric in installed.entries.items()}}


def find_objective(name: str) -> type[LossMetric]:
    """Find a loss metric by what it may be called.

    Raises
    ------
    UsageError
        If none is called so.
    """
    known = list_objectives()
    if (found := find_metric_name(name, [metric.name for metric in known.values()])) is not None:
        return known[found.lower()]
    load_known_metrics().require_sound(name)
    names = sorted(load_known_metrics().entries)
    raise UsageError(
        f"objective {name!r} is no loss metric.{did_you_mean(name.strip().lower(), list(known))} "
        f"Installed: {', '.join(names)}."
    )


def make_objective(name: str, tables: Tables, checker: Checker, frequencies: Frequencies) -> NodeObjective:
    """Make the objective of a search.

    Metrics that are sums over cells or classes are computed on arrays; every other one measures the release of each
    node that is looked at.

    Raises
    ------
    UsageError
        If the metric cannot be measured on these tables.
    """
    metric = _make_metric(find_objective(name), checker)
    label = _label(metric, tables)
    fast = on_arrays(metric, tables, checker, frequencies)
    if isinstance(fast, str):
        raise UsageError(f"{metric.name} cannot be the objective: {fast}. Choose another metric.")
    return fast or MeasuredCosts(metric, LossInput(tables, label), checker.models)


def on_arrays(
    metric: LossMetric, tables: Tables, checker: Checker, frequencies: Frequencies
) -> NodeObjective | str | None:
    """Return an objective that is computed on arrays; None if there is none, a text if the metric has no value."""
    labels = [_fetch_labels(tables, column) for column in tables.quasi_identifiers]
    are_joined = any(column.has_elsewhere for column in tables.quasi_identifiers)
    # Only a sum over cells is known to count nothing of what is elsewhere.
    if not all(names.is_plain for names in labels) or (are_joined and not isinstance(metric, CellMetric)):
        return None
    columns, sizes = frequencies.columns, frequencies.records
    records = [np.bincount(column.values, weights=sizes, minlength=len(column.generalised[0])) for column in columns]
    if isinstance(metric, CellMetric) and _has_method_values(metric, "coefficients"):
        return _measure_cell_costs(metric, LossInput(tables), checker.counter, labels, records)
    if isinstance(metric, SizeMetric) and _has_method_values(metric, "score"):
        original = OriginalSizes(tables.record_count, len(sizes), int((sizes * sizes).sum()))
        return _SizeCosts(metric, checker, labels, original)
    if type(metric) in (NonUniformEntropy, WeightedNonUniformEntropy):
        declared = [1.0 if column.weight is None else column.weight for column in tables.quasi_identifiers]
        weights = declared if type(metric) is WeightedNonUniformEntropy else None
        return _EntropyCosts(metric.name, checker.counter, columns, records, weights)
    if (
        isinstance(metric, LevelMetric)
        and _has_method_values(metric, "score")
        and all(names.tells_levels for names in labels)
    ):
        return _LevelCosts(metric, LossInput(tables).people.domains, tables.record_count)
    return None


def _has_method_values(metric: LossMetric, name: str) -> bool:
    """Return whether the value of a metric follows from a method: whether no subclass overrides `values` alone."""
    order = [list(vars(base)) for base in type(metric).__mro__]
    return _find_first(order, name) <= _find_first(order, "values")


def _find_first(order: Sequence[Sequence[str]], name: str) -> int:
    return next(place for place, names in enumerate(order) if name in names)


def _make_metric(metric: Any, checker: Checker) -> LossMetric:
    """Make a metric with its defaults; a parameter k is that of the models."""
    sizes = [int(model.parameters()["k"]) for model in checker.models if model.k_is_class_size]
    has_k = any(field.name == "k" for field in fields(metric))
    made: LossMetric = metric(k=max(sizes)) if has_k and sizes else metric()
    return made


def _label(metric: Any, tables: Tables) -> str | None:
    """Return the sensitive attribute that a metric predicts: the only one that a model judges."""
    if not metric.needs_label:
        return None
    if len(tables.sensitive) != 1:
        raise UsageError(
            f"{metric.name} cannot be the objective: it predicts a sensitive attribute, and goes by the one that the "
            f"privacy models judge, of which there are {len(tables.sensitive)} here. Choose another metric."
        )
    return next(iter(tables.sensitive))


class Labels(NamedTuple):
    """The labels of one column."""

    texts: list[str]
    """Every label once."""
    at: list[Numbers]
    """For each level, which of them each value that occurs has there."""
    is_root: list[Flags]
    """For each level, whether that is the label of the root."""
    is_plain: bool
    """Whether no label has several meanings."""
    tells_levels: bool
    """Whether each label occurs at one level only."""


def _fetch_labels(tables: Tables, column: QuasiIdentifierTables) -> Labels:
    """Fetch the labels of a column.

    A label has one meaning if all values that it stands for at one level are one node there, and are the same values
    at every level that has the label.
    """
    intervals = column.intervals.c
    fetched = tables.store.rows(select(intervals.interval_id, intervals.label))
    texts = sorted({str(label) for _, label in fetched})
    place = {text: number for number, text in enumerate(texts)}
    number_of = np.zeros(1 + max(int(number) for number, _ in fetched), np.int64)
    for number, label in fetched:
        number_of[number] = place[str(label)]
    codes = list_level_codes(tables, column)
    at = [number_of[code] for code in codes]
    root = place[next(str(label) for number, label in fetched if number == column.root)]
    values: dict[int, bytes] = {}
    is_plain = True
    # What is elsewhere looks like the first value, and is of no record that has the column.
    own = slice(-1) if column.has_elsewhere else slice(None)
    for code, label in ((code[own], label[own]) for code, label in zip(codes, at, strict=True)):
        for number in np.unique(label).tolist():
            covered = label == number
            is_plain &= len(np.unique(code[covered])) == 1
            is_plain &= values.setdefault(number, covered.tobytes()) == covered.tobytes()
    occurring = np.concatenate([np.unique(label) for label in at])
    tells_levels = len(np.unique(occurring)) == len(occurring)
    return Labels(texts, at, [label == root for label in at], bool(is_plain), tells_levels)


class LatticeCellCosts(NodeObjective):
    """A cell metric.

    Parameters
    ----------
    metric : CellMetric
    counter : Counter
    costs : sequence of list of array
        For each column and level, what a cell of each value costs, times what it counts in the table.
    records : sequence of array
        For each column, how many records have each value.
    """

    def __init__(
        self,
        metric: CellMetric,
        counter: NodeCounter,
        costs: Sequence[Sequence[Reals]],
        records: Sequence[Numbers],
    ) -> None:
        self.name, self._metric, self._counter = metric.name, metric, counter
        # What suppression costs more.
        self._more = [[levels[-1] - cost for cost in levels] for levels in costs]
        self._totals = [
            np.array([float(cost @ counts) for cost in levels]) for levels, counts in zip(costs, records, strict=True)
        ]
        # Somebody's cell costs at least the least that it costs at this level or at one above; the root is above all.
        self._least = [
            np.array([float(np.minimum.reduce(levels[level:]) @ counts) for level, _ in enumerate(levels)])
            for levels, counts in zip(costs, records, strict=True)
        ]
        self._known: dict[tuple[int, Levels], Reals] = {}

    @property
    def column_bounds(self) -> list[Reals]:
        return self._least

    def cost(self, node: Checked) -> float:
        levels = node.node.levels
        cost = sum(float(total[level]) for total, level in zip(self._totals, levels, strict=True))
        if not node.node.suppressed:
            return cost
        sizes = node.classes.sizes[node.violating]
        for index, values in enumerate(node.classes.values):
            cost += float(self._compute_suppression_costs(index, levels)[values[node.violating]] @ sizes)
        return cost

    def value(self, cost: float) -> float:
        return 1 - cost if self._metric.direction == "higher" else cost

    def _compute_suppression_costs(self, index: int, levels: Levels) -> Reals:
        """Return what the cells of each value of a group of columns cost more, if they are suppressed."""
        group = self._counter.groups[index]
        own = index, tuple(levels[position] for position in group.positions)
        if own not in self._known:
            each = zip(group.positions, group.parts, own[1], strict=True)
            self._known[own] = np.sum([self._more[column][level][part] for column, part, level in each], axis=0)
        return self._known[own]


def _measure_cell_costs(
    metric: CellMetric, beside: LossInput, counter: NodeCounter, labels: Sequence[Labels], records: Sequence[Numbers]
) -> LatticeCellCosts | str:
    """Ask a metric what every cell costs; a text says why it has no value."""
    comparison = beside.compare_labels()
    store, costs = comparison.store, []
    shares = metric.coefficients(comparison)
    for index, (names, share) in enumerate(zip(labels, shares, strict=True)):
        if (reason := metric.unmeasured(comparison, index)) is not None:
            return f"{comparison.people.domains[index].name}: {reason}"
        asked = metric.costs(comparison, index).subquery()
        cells = comparison.release.cells[index]
        rows = select(cells.c.text, asked.c.cost).join_from(cells, asked, asked.c.cell_id == cells.c.cell_id)
        of_text = {str(text): float(cost) for text, cost in store.rows(rows)}
        # No record has a value that only the population has, so that its labels cost nothing.
        of_label = np.array([of_text.get(text, 0.0) for text in names.texts]) * share
        costs.append([of_label[at] for at in names.at])
    return LatticeCellCosts(metric, counter, costs, records)


class _EntropyCosts(NodeObjective):
    """Non-uniform entropy, weighted or not.

    Parameters
    ----------
    name : str
        That of the metric.
    counter : Counter
    columns : sequence of Column
    records : sequence of array
        For each column, how many records have each value.
    weights : sequence of float, optional
        The share of each column; without them, columns count as much as they can lose.
    """

    def __init__(
        self,
        name: str,
        counter: NodeCounter,
        columns: Sequence[LatticeColumn],
        records: Sequence[Numbers],
        weights: Sequence[float] | None = None,
    ) -> None:
        self.name, self._counter, self._columns = name, counter, columns
        lost = [
            np.array([sum_information(counts, codes) for codes in column.generalised])
            for column, counts in zip(columns, records, strict=True)
        ]
        most = [max(0.0, float(bits[-1] - bits[0])) for bits in lost]
        self._shares = _compute_bit_shares(most, weights)
        self._all = [np.maximum(0.0, bits - bits[0]) * share for bits, share in zip(lost, self._shares, strict=True)]

    @property
    def column_bounds(self) -> list[Reals]:
        return self._all

    def cost(self, node: Checked) -> float:
        levels = node.node.levels
        cost = sum(float(lost[level]) for lost, level in zip(self._all, levels, strict=True))
        if not node.node.suppressed:
            return cost
        sizes = node.classes.sizes[node.violating]
        total = float(sizes.sum())
        whole = total * math.log2(total)
        for group, values in zip(self._counter.groups, node.classes.values, strict=False):
            # The groups of columns have few values, to which the classes are reduced once for all columns.
            counts = np.bincount(values[node.violating], weights=sizes, minlength=group.size)
            there = np.flatnonzero(counts)
            counts = counts[there]
            for position, part in zip(group.positions, group.parts, strict=True):
                codes = self._columns[position].generalised[levels[position]]
                cost += self._shares[position] * max(0.0, whole - sum_information(counts, codes[part[there]]))
        return cost

    def value(self, cost: float) -> float:
        return 1 - cost


def sum_information(records: Numbers | Reals, codes: Numbers) -> float:
    """Sum n log2 n over the groups of n records that have one code."""
    counts = np.bincount(codes, weights=records)
    counts = counts[counts > 0]
    return float(counts @ np.log2(counts))


def _compute_bit_shares(most: Sequence[float], weights: Sequence[float] | None) -> list[float]:
    """Return what a bit of each column counts, so that all that could be lost makes 1."""
    if weights is None:
        whole = sum(most)
        return [1 / whole if whole else 0.0 for _ in most]
    return [weight / sum(weights) / bits if bits else 0.0 for bits, weight in zip(most, weights, strict=True)]


class _LevelCosts(NodeObjective):
    """A metric of levels.

    Parameters
    ----------
    metric : LevelMetric
    domains : sequence of Domain
    records : int
    """

    def __init__(self, metric: LevelMetric, domains: Sequence[Domain], records: int) -> None:
        self.name, self._metric, self._domains, self._records = metric.name, metric, domains, records
        self._parts = len(domains) if metric.averages else 1
        self._sign = 1.0 if metric.direction == "lower" else -1.0
        # Whether some or all are suppressed; what lies between costs no less than one of the two.
        self._least = [
            np.minimum.accumulate(
                np.array(
                    [
                        min(self._compute_level_cost(domain, level, share) for share in (0.0, 1.0))
                        for level in range(domain.height, -1, -1)
                    ]
                )
            )[::-1]
            for domain in domains
        ]

    @property
    def column_bounds(self) -> list[Reals]:
        return self._least

    def cost(self, node: Checked) -> float:
        heights = tuple(domain.height for domain in self._domains)
        # Where nobody is in a class, or all are at the roots, nothing is to be seen but roots.
        is_seen = node.node.released > 0 and node.node.levels != heights
        levels = node.node.levels if is_seen else heights
        share = float(node.classes.sizes[node.violating].sum()) / self._records if is_seen else 1.0
        return sum(
            self._compute_level_cost(domain, level, share) for domain, level in zip(self._domains, levels, strict=True)
        )

    def value(self, cost: float) -> float:
        return self._sign * cost

    def _compute_level_cost(self, domain: Domain, level: int, suppressed: float) -> float:
        return self._sign * self._metric.score(level, domain, suppressed) / self._parts


class _SizeCosts(NodeObjective):
    """A metric of the sizes of classes.

    Parameters
    ----------
    metric : SizeMetric
    checker : Checker
    labels : sequence of Labels
    original : OriginalSizes
    """

    def __init__(self, metric: SizeMetric, checker: Checker, labels: Sequence[Labels], original: OriginalSizes) -> None:
        self.name, self._metric, self._checker = metric.name, metric, checker
        self._labels, self._original = labels, original
        self._sign = 1.0 if metric.direction == "lower" else -1.0

    def cost(self, node: Checked) -> float:
        hidden = self._hidden(node)
        sizes = node.classes.sizes[~hidden]
        total, grouped = self._original.records, int(sizes.sum())
        small = sizes[sizes < (self._metric.fewest or 0)]
        seen = len(sizes) + (grouped < total)
        squares, small_squares = int((sizes * sizes).sum()), int((small * small).sum())
        return self._cost(
            ClassSizes(total, 0, len(sizes), grouped, squares, int(small.sum()), small_squares, seen), nothing=inf
        )

    def value(self, cost: float) -> float:
        return self._sign * cost

    def refusal(self) -> str:
        records, combinations, squares = self._original
        score = self._metric.score(
            ClassSizes(records, 0, combinations, records, squares, 0, 0, combinations), self._original
        )
        return score if isinstance(score, str) else ""

    def bound(self, node: Checked) -> float:
        """Return the cost of the best sizes that a node above may have.

        A class that is released there holds one that is released here, or only records that are suppressed here. The
        records of two classes that are apart there are apart here, so that the squares grow, except by suppression.
        """
        total, least, levels = self._original.records, self._checker.least, node.node
        sizes, kept = node.classes.sizes, node.classes.sizes[~node.violating]
        most = max(1, min(levels.classes, levels.released + int(total - kept.sum()) // least, total // least))
        if self._checker.suppresses_persons:
            # Of a class any part may be suppressed: only what is kept here is together at every node above.
            is_known = self._checker.is_monotone and levels.suppressed <= self._checker.limit
            squares = int((kept * kept).sum()) if is_known else 0
            corners = {total: squares, min(total, least * most): squares}
        else:
            squares = int((sizes * sizes).sum())
            # Fewer records than the least that so many classes have are not in classes.
            left = max(total - self._checker.limit, min(total, least * most))
            corners = {total: squares, left: max(0, squares - (total - left) ** 2)}
        return min(
            self._cost(ClassSizes(total, 0, most, grouped, least_squares, 0, 0, most), nothing=-inf)
            for grouped, least_squares in corners.items()
        )

    def _cost(self, sizes: ClassSizes, *, nothing: float) -> float:
        score = self._metric.score(sizes, self._original)
        return nothing if isinstance(score, str) else self._sign * score

    def _hidden(self, node: Checked) -> Flags:
        """Mark the classes of which nothing is to be seen: the suppressed ones, and one that is at all roots."""
        levels = node.node.levels
        at_root = [names.is_root[level] for names, level in zip(self._labels, levels, strict=True)]
        if not all(flags.any() for flags in at_root):
            return node.violating
        is_root = np.ones(len(node.classes.sizes), np.bool_)
        for group, values in zip(self._checker.counter.groups, node.classes.values, strict=False):
            for position, part in zip(group.positions, group.parts, strict=True):
                is_root &= at_root[position][part[values]]
        return node.violating | is_root
