"""All loss metrics of one release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from toolbox.errors import UnknownColumnError
from toolbox.loss.metric import LeftOut, LossMetric, Measure
from toolbox.published.tables import Comparison


@dataclass(frozen=True)
class Measured:
    """What was measured, and what was not."""

    measures: tuple[Measure, ...]
    left_out: tuple[LeftOut, ...]


def measure_all(comparison: Comparison, metrics: Iterable[LossMetric], label: str | None = None) -> Measured:
    """Measure what a release has lost.

    Parameters
    ----------
    comparison : Comparison
        The release beside the records that it was made from.
    metrics : iterable of LossMetric
        They are measured in this order.
    label : str, optional
        The sensitive attribute that metrics for classification take as class label, where they name none themselves.

    Raises
    ------
    UnknownColumnError
        If no sensitive attribute has the name of the label.
    """
    results = [result for metric in metrics for result in _measure_values(_set_label(metric, label), comparison)]
    return Measured(
        measures=tuple(result for result in results if isinstance(result, Measure)),
        left_out=tuple(result for result in results if isinstance(result, LeftOut)),
    )


def _set_label(metric: Any, label: str | None) -> LossMetric:
    needs_one: bool = metric.needs_label and metric.label is None
    labelled: LossMetric = replace(metric, label=label) if needs_one else metric
    return labelled


def _measure_values(metric: LossMetric, comparison: Comparison) -> Iterator[Measure | LeftOut]:
    if metric.needs_pairs and comparison.pairs is None:
        why = comparison.unpaired or "the records of the release were not paired with the original ones"
        return iter([metric.left_out(why)])
    if metric.needs_label:
        label: str | None = metric.label  # type: ignore[attr-defined]
        release = comparison.release
        if label is None:
            return iter([metric.left_out("no class label is named")])
        if label not in release.sensitive:
            raise UnknownColumnError(label, f"{release.name}, among its sensitive attributes,", list(release.sensitive))
    return metric.values(comparison)
