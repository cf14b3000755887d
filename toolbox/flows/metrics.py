"""The loss metrics that a call or a command line names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolbox.errors import UsageError, did_you_mean
from toolbox.loss.metric import LossMetric
from toolbox.loss.registry import standard_metrics

_APART = re.compile(r"[\s_-]+")


def chosen_metrics(asked: Sequence[str | LossMetric]) -> tuple[LossMetric, ...]:
    """Return metrics by their names, in any case and with hyphens for blanks; a metric stays as it is.

    Raises
    ------
    UsageError
        If there is no such metric.

    Examples
    --------
    >>> [metric.name for metric in chosen_metrics(["Non-Uniform-Entropy", "precision"])]
    ['non-uniform entropy', 'precision']
    """
    if isinstance(asked, (str, LossMetric)):
        raise UsageError("metrics= is one metric. Write a list, such as ['precision'].")
    known = {plain_name(metric.name): metric for metric in standard_metrics()}
    return tuple(dict.fromkeys(_metric(each, known) for each in asked))


def plain_name(name: str) -> str:
    """Return a name in small letters, whatever stands between its words as one blank."""
    return _APART.sub(" ", name.strip()).lower()


def _metric(asked: str | LossMetric, known: dict[str, LossMetric]) -> LossMetric:
    if isinstance(asked, LossMetric):
        return asked
    if not isinstance(asked, str):
        name = getattr(asked, "__name__", type(asked).__name__)
        raise UsageError(f"metrics= holds {name}, which is no metric. Write its name, such as 'precision'.")
    if (metric := known.get(plain_name(asked))) is None:
        names = sorted(metric.name for metric in known.values())
        listed = f"There are: {', '.join(names)}."
        raise UsageError(f"There is no loss metric {asked!r}.{did_you_mean(asked, names)} {listed}")
    return metric
