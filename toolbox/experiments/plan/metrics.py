"""The loss metrics that a plan names; one may be a class at hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from toolbox.errors import ToolboxError, UsageError
from toolbox.extensions import find_last_line, is_reference, load_reference
from toolbox.flows.judge.judge import choose_metrics
from toolbox.loss.metric import LeftOut, LossMetric, Measure
from toolbox.published.tables import Comparison


def load_metrics(names: Sequence[str]) -> tuple[LossMetric, ...]:
    """Return metrics by their names, their first letters, or ``module:Class``.

    Raises
    ------
    UsageError
        If there is no such metric, or it cannot be made without settings.

    Examples
    --------
    >>> [metric.name for metric in load_metrics(["ncp", "Precision"])]
    ['normalised certainty penalty', 'precision']
    """
    return tuple(dict.fromkeys(map(_load_metric, names)))


def name_of(text: str) -> str:
    """Return what results call a metric, however a plan names it; as the plan does where it can no longer be made.

    Examples
    --------
    >>> name_of("ncp")
    'normalised certainty penalty'
    """
    try:
        return _load_metric(text).name
    except UsageError:
        return text


class Raised(LeftOut):
    """A metric that has raised an error, and what it says."""


@dataclass(frozen=True, kw_only=True)
class Guarded(LossMetric):
    """A metric of somebody else, whose errors are its own failure, not the end of its run."""

    inner: Any

    def __post_init__(self) -> None:
        for fact in ("name", "unit", "range", "direction", "needs_pairs", "needs_hierarchy", "needs_label"):
            object.__setattr__(self, fact, getattr(self.inner, fact))

    def values(self, comparison: Comparison) -> Iterator[Measure | LeftOut]:
        try:
            yield from list(self.inner.values(comparison))
        except ToolboxError as error:
            yield Raised(self.name, str(error))
        except (Exception, SystemExit) as error:
            file, line = find_last_line(error, type(self.inner).__module__)
            yield Raised(self.name, f"{type(error).__name__} in {file}, line {line}")


def _load_metric(name: str) -> LossMetric:
    if not is_reference(name):
        return choose_metrics([name])[0]
    found = load_reference(name, LossMetric, "loss metric")  # type: ignore[type-abstract]
    try:
        metric = found()
    except TypeError as error:
        raise UsageError(f"The loss metric {name!r} cannot be made: {error}. Give each setting a default.") from None
    except (Exception, SystemExit) as error:
        file, line = find_last_line(error, found.__module__)
        raise UsageError(
            f"The loss metric {name!r} cannot be made: {type(error).__name__} in {file}, line {line}."
        ) from None
    return metric if metric.needs_label else Guarded(inner=metric)
