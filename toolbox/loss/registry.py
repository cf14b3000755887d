"""Which loss metrics are installed: the entry points of the group ``toolbox.loss_metrics``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, fields
from typing import Any

from toolbox.extensions import Installed, load_installed
from toolbox.loss.metric import LossMetric
from toolbox.loss.names import plain_name, short_name

GROUP = "toolbox.loss_metrics"


def known_metrics() -> Installed[LossMetric]:
    """Load every installed loss metric; what cannot be used is left out, and listed."""
    return load_installed(GROUP, LossMetric, "loss metric", _names)  # type: ignore[type-abstract]


def installed_metrics() -> list[type[LossMetric]]:
    """Return every loss metric that is installed and can be used, in the order of their names."""
    return sorted(known_metrics().classes.values(), key=lambda metric: metric.name)


def metric_called(name: str, among: Iterable[str]) -> str | None:
    """Return which of some metrics is meant.

    A metric is called by its own name, in any case and with hyphens for blanks, by the name of its entry point, or by
    the first letters of its words if no other metric has them.

    Parameters
    ----------
    among : iterable of str
        Names of metrics, of installed and of other ones.

    Examples
    --------
    >>> names = ["normalised certainty penalty", "share of suppressed records"]
    >>> [metric_called(name, names) for name in ("NCP", "Suppressed-Share", "precision")]
    ['normalised certainty penalty', 'share of suppressed records', None]
    """
    wanted, own, installed = plain_name(name), set(among), _installed_names()
    names = own | set(installed.values())
    if (found := {plain_name(each): each for each in names}.get(wanted) or installed.get(wanted)) is None:
        by_letters = [each for each in names if short_name(each).lower() == wanted]
        found = by_letters[0] if len(by_letters) == 1 else None
    return found if found in own else None


def name_in_short(name: str) -> str:
    """Return the first letters of the words of a metric if it can be called so; otherwise its name.

    Examples
    --------
    >>> name_in_short("normalised certainty penalty"), name_in_short("average class size")
    ('NCP', 'average class size')
    """
    short = short_name(name)
    return short if metric_called(short, [name]) == name else name


def _installed_names() -> dict[str, str]:
    """Return the names of the installed metrics by those of their entry points."""
    return {plain_name(entry): metric.name for entry, metric in known_metrics().entries.items()}


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
