"""Which loss metrics are installed: the entry points of the group ``toolbox.loss_metrics``."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from toolbox.extensions import by_name, load_installed
from toolbox.loss.metric import LossMetric

GROUP = "toolbox.loss_metrics"


def installed_metrics() -> list[type[LossMetric]]:
    """Load every installed loss metric, in the order of their names.

    Raises
    ------
    UsageError
        If an entry point leads to none, or two metrics share a name.
    """
    loaded = load_installed(GROUP, LossMetric, "loss metric")  # type: ignore[type-abstract]
    metrics = by_name(((entry, metric, (metric.name,)) for entry, metric in loaded), "loss metric")
    return sorted(metrics.values(), key=lambda metric: metric.name)


def standard_metrics(k: int | None = None) -> list[LossMetric]:
    """Make one of every installed metric that needs no further parameter.

    Parameters
    ----------
    k : int, optional
        What metrics with a parameter ``k`` take for it: the smallest class that the release was meant to have.
    """
    return [_standard(metric, k) for metric in installed_metrics() if _is_ready(metric)]


def _standard(metric: type[LossMetric], k: int | None) -> LossMetric:
    settings: dict[str, Any] = {"k": k} if any(field.name == "k" for field in fields(metric)) else {}
    return metric(**settings)


def _is_ready(metric: type[LossMetric]) -> bool:
    return all(
        field.name == "k" or field.default is not MISSING or field.default_factory is not MISSING
        for field in fields(metric)
    )
