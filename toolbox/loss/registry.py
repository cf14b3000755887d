"""Which loss metrics are installed: the entry points of the group ``toolbox.loss_metrics``."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from toolbox.extensions import Installed, load_installed
from toolbox.loss.metric import LossMetric

GROUP = "toolbox.loss_metrics"


def known_metrics() -> Installed[LossMetric]:
    """Load every installed loss metric; what cannot be used is left out, and listed."""
    return load_installed(GROUP, LossMetric, "loss metric", _names)  # type: ignore[type-abstract]


def installed_metrics() -> list[type[LossMetric]]:
    """Return every loss metric that is installed and can be used, in the order of their names."""
    return sorted(known_metrics().classes.values(), key=lambda metric: metric.name)


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


def _names(metric: type[LossMetric]) -> tuple[str]:
    if _is_ready(metric):
        # As every measuring does, which a class that cannot be made would stop.
        _standard(metric, None)
    return (metric.name,)
