"""From the name of a loss metric to the objective of a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from toolbox.errors import UsageError, did_you_mean
from toolbox.loss.cells import CellMetric
from toolbox.loss.distances import LevelMetric
from toolbox.loss.metric import LossMetric
from toolbox.loss.non_uniform_entropy import NonUniformEntropy, WeightedNonUniformEntropy
from toolbox.loss.registry import known_metrics, metric_called
from toolbox.loss.sizes import OriginalSizes, SizeMetric
from toolbox.methods.lattice.beside import Beside
from toolbox.methods.lattice.cell_costs import cell_costs
from toolbox.methods.lattice.checking import Checker
from toolbox.methods.lattice.entropy_costs import EntropyCosts
from toolbox.methods.lattice.frequency_sets import Frequencies
from toolbox.methods.lattice.labels import Labels, labels_of
from toolbox.methods.lattice.level_costs import LevelCosts
from toolbox.methods.lattice.measured_costs import MeasuredCosts
from toolbox.methods.lattice.objective import Objective
from toolbox.methods.lattice.size_costs import SizeCosts
from toolbox.store.tables import Tables


def objectives() -> dict[str, type[LossMetric]]:
    """Return the installed loss metrics by the names of their entry points and by their own, in lower case."""
    installed = known_metrics()
    return {**installed.classes, **{entry.lower(): metric for entry, metric in installed.entries.items()}}


def find_objective(name: str) -> type[LossMetric]:
    """Find a loss metric by what it may be called.

    Raises
    ------
    UsageError
        If none is called so.
    """
    known = objectives()
    if (found := metric_called(name, [metric.name for metric in known.values()])) is not None:
        return known[found.lower()]
    known_metrics().require_sound(name)
    names = sorted(known_metrics().entries)
    raise UsageError(
        f"objective {name!r} is no loss metric.{did_you_mean(name.strip().lower(), list(known))} "
        f"Installed: {', '.join(names)}."
    )


def objective_of(name: str, tables: Tables, checker: Checker, frequencies: Frequencies) -> Objective:
    """Make the objective of a search.

    Metrics that are sums over cells or classes are computed on arrays; every other one measures the release of each
    node that is looked at.

    Raises
    ------
    UsageError
        If the metric cannot be measured on these tables.
    """
    metric = _made(find_objective(name), checker)
    label = _label(metric, tables)
    labels = [labels_of(tables, column) for column in tables.quasi_identifiers]
    fast = _on_arrays(metric, tables, checker, frequencies, labels)
    if isinstance(fast, str):
        raise UsageError(f"{metric.name} cannot be the objective: {fast}. Choose another metric.")
    return fast or MeasuredCosts(metric, Beside(tables, label), checker.models)


def _on_arrays(
    metric: LossMetric, tables: Tables, checker: Checker, frequencies: Frequencies, labels: Sequence[Labels]
) -> Objective | str | None:
    """Return an objective that is computed on arrays; None if there is none, a text if the metric has no value."""
    if not all(names.is_plain for names in labels):
        return None
    columns, sizes = frequencies.columns, frequencies.records
    records = [np.bincount(column.values, weights=sizes, minlength=len(column.generalised[0])) for column in columns]
    if isinstance(metric, CellMetric) and _goes_by(metric, "coefficients"):
        return cell_costs(metric, Beside(tables), checker.counter, labels, records)
    if isinstance(metric, SizeMetric) and _goes_by(metric, "score"):
        original = OriginalSizes(tables.record_count, len(sizes), int((sizes * sizes).sum()))
        return SizeCosts(metric, checker, labels, original)
    if type(metric) in (NonUniformEntropy, WeightedNonUniformEntropy):
        declared = [1.0 if column.weight is None else column.weight for column in tables.quasi_identifiers]
        weights = declared if type(metric) is WeightedNonUniformEntropy else None
        return EntropyCosts(metric.name, checker.counter, columns, records, weights)
    if isinstance(metric, LevelMetric) and _goes_by(metric, "score") and all(names.tells_levels for names in labels):
        return LevelCosts(metric, Beside(tables).people.domains, tables.record_count)
    return None


def _goes_by(metric: LossMetric, name: str) -> bool:
    """Return whether the value of a metric follows from a method: whether no subclass overrides `values` alone."""
    order = [list(vars(base)) for base in type(metric).__mro__]
    return _first(order, name) <= _first(order, "values")


def _first(order: Sequence[Sequence[str]], name: str) -> int:
    return next(place for place, names in enumerate(order) if name in names)


def _made(metric: Any, checker: Checker) -> LossMetric:
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


def with_label(metric: Any, label: str) -> LossMetric:
    """Return a metric that predicts a sensitive attribute."""
    made: LossMetric = replace(metric, label=label)
    return made
