"""From the name of a loss metric to the objective of a search; any metric can measure the release of each node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from math import inf
from typing import Any

import numpy as np

from toolbox.errors import UsageError, did_you_mean
from toolbox.loss.cells import CellMetric
from toolbox.loss.distances import LevelMetric
from toolbox.loss.entropy import NonUniformEntropy, WeightedNonUniformEntropy
from toolbox.loss.measuring import Measured, measure_all
from toolbox.loss.metric import LossMetric, find_metric_name, load_known_metrics
from toolbox.loss.sizes import OriginalSizes, SizeMetric
from toolbox.methods.lattice.checking import Checked, Checker
from toolbox.methods.lattice.costs import (
    EntropyCosts,
    LevelCosts,
    NodeObjective,
    SizeCosts,
    fetch_labels,
    measure_cell_costs,
)
from toolbox.methods.lattice.loss_input import LossInput
from toolbox.methods.lattice.nodes import Frequencies, Levels
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.store.tables import Tables

# Any other metric as a cost of nodes: the metric itself measures the release of each.


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
    labels = [fetch_labels(tables, column) for column in tables.quasi_identifiers]
    if not all(names.is_plain for names in labels):
        return None
    columns, sizes = frequencies.columns, frequencies.records
    records = [np.bincount(column.values, weights=sizes, minlength=len(column.generalised[0])) for column in columns]
    if isinstance(metric, CellMetric) and _has_method_values(metric, "coefficients"):
        return measure_cell_costs(metric, LossInput(tables), checker.counter, labels, records)
    if isinstance(metric, SizeMetric) and _has_method_values(metric, "score"):
        original = OriginalSizes(tables.record_count, len(sizes), int((sizes * sizes).sum()))
        return SizeCosts(metric, checker, labels, original)
    if type(metric) in (NonUniformEntropy, WeightedNonUniformEntropy):
        declared = [1.0 if column.weight is None else column.weight for column in tables.quasi_identifiers]
        weights = declared if type(metric) is WeightedNonUniformEntropy else None
        return EntropyCosts(metric.name, checker.counter, columns, records, weights)
    if (
        isinstance(metric, LevelMetric)
        and _has_method_values(metric, "score")
        and all(names.tells_levels for names in labels)
    ):
        return LevelCosts(metric, LossInput(tables).people.domains, tables.record_count)
    return None


def compare_charges(
    metric: LossMetric, tables: Tables, k: int, nodes: Sequence[Levels]
) -> Iterator[tuple[Levels, float, float]]:
    """Yield for each node the value by which a search on arrays goes, and what the metric measures; none if none does.

    Parameters
    ----------
    k : int
        Smaller classes are suppressed.
    """
    models = (KAnonymity(k=k),)
    checker = Checker(tables, models, tables.record_count)
    charged = on_arrays(metric, tables, checker, checker.frequencies)
    if charged is None or isinstance(charged, str):
        return
    measured = MeasuredCosts(metric, LossInput(tables), models)
    for checked in checker.check(nodes):
        value = measured.value(measured.cost(checked))
        yield checked.node.levels, charged.value(charged.cost(checked)), value


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
    """Return the sensitive attribute that a metric predicts: the only one that a model judges.

    Raises
    ------
    UsageError
    """
    if not metric.needs_label:
        return None
    if len(tables.sensitive) != 1:
        raise UsageError(
            f"{metric.name} cannot be the objective: it predicts a sensitive attribute, and goes by the one that the "
            f"privacy models judge, of which there are {len(tables.sensitive)} here. Choose another metric."
        )
    return next(iter(tables.sensitive))


def set_metric_label(metric: Any, label: str) -> LossMetric:
    """Return a metric that predicts a sensitive attribute."""
    made: LossMetric = replace(metric, label=label)
    return made
