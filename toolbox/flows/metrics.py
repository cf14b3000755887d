"""The loss metrics that a call or a command line names."""

from __future__ import annotations

from collections.abc import Sequence

from toolbox.errors import UsageError, did_you_mean
from toolbox.flows.arguments import listed
from toolbox.loss.metric import LossMetric
from toolbox.loss.registry import known_metrics, metric_called, standard_metrics


def chosen_metrics(asked: Sequence[str | LossMetric], *others: str) -> tuple[LossMetric, ...]:
    """Return metrics by their names, as `metric_called` understands them; others as they are.

    Parameters
    ----------
    *others : str
        Names that may be asked for as well, for messages.

    Raises
    ------
    UsageError
        If there is no such metric.

    Examples
    --------
    >>> [metric.name for metric in chosen_metrics(["Non-Uniform-Entropy", "precision", "ncp"])]
    ['non-uniform entropy', 'precision', 'normalised certainty penalty']
    """
    if isinstance(asked, (str, LossMetric)):
        raise UsageError("metrics= is one metric. Write a list, such as ['precision'].")
    known = {metric.name: metric for metric in standard_metrics()}
    return tuple(dict.fromkeys(_metric(each, known, others) for each in listed("metrics", asked)))


def _metric(asked: str | LossMetric, known: dict[str, LossMetric], others: Sequence[str]) -> LossMetric:
    if isinstance(asked, LossMetric):
        return asked
    if not isinstance(asked, str):
        name = getattr(asked, "__name__", type(asked).__name__)
        raise UsageError(f"metrics= holds {name}, which is no metric. Write its name, such as 'precision'.")
    if (name := metric_called(asked, known)) is None:
        known_metrics().require_sound(asked)
        names = sorted({*others, *known})
        listed = f"There are: {', '.join(names)}."
        raise UsageError(f"There is no loss metric {asked!r}.{did_you_mean(asked, names)} {listed}")
    return known[name]
