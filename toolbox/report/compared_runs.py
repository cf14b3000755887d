"""The runs that `compare` compares: what came of each, by which metrics, in which order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolbox.loss.metric import Direction
from toolbox.loss.names import plain_name
from toolbox.loss.registry import metric_called, name_in_short
from toolbox.report.variant import Variant

KEPT = "information kept"
"""What the share of the information is called here that the summary of a run tells."""


KEPT_IN_SHORT = "kept"


class MetricValues(dict[str, float]):
    """Values by the names of metrics; every other name by which a metric is called finds its value, too.

    Examples
    --------
    >>> values = MetricValues({"normalised certainty penalty": 0.25})
    >>> values["NCP"], "ncp" in values, values.get("precision")
    (0.25, True, None)
    """

    def __missing__(self, name: str) -> float:
        if (found := self._found(name)) is None:
            raise KeyError(name)
        return self[found]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and self._found(name) is not None)

    def get(self, name: str, default: Any = None) -> Any:
        found = self._found(name)
        return default if found is None else self[found]

    def _found(self, name: str) -> str | None:
        found = KEPT if plain_name(name) in (KEPT, KEPT_IN_SHORT) else metric_called(name, self)
        return found if found is not None and super().__contains__(found) else None


@dataclass(frozen=True)
class ComparedMetric:
    """A measure by which runs are compared."""

    name: str
    unit: str
    direction: Direction

    def document(self) -> dict[str, str]:
        """Return the entry of the JSON document."""
        short = KEPT_IN_SHORT if self.name == KEPT else name_in_short(self.name)
        return {**vars(self), "short": short}


INFORMATION_KEPT = ComparedMetric(KEPT, "share", "higher")


@dataclass(frozen=True, kw_only=True)
class ComparedRun:
    """One method under one requirement."""

    method: str
    settings: Mapping[str, str]
    models: tuple[str, ...]
    """What was required, such as ``k-anonymity (k=5)``."""
    required: str
    """The same in few words, such as ``k=5``."""
    variant: Variant | None
    """What came of it, proved; None if it cannot be done."""
    why_not: str = ""
    """Why it cannot be done, and what to do about it."""
    values: Mapping[str, float] = field(default_factory=dict)
    """By the names of the metrics, or by whatever else they are called; those that say nothing of it are not there."""

    @property
    def seconds(self) -> float | None:
        """How long it took to find and prove it, without reading the table and without measuring."""
        if self.variant is None:
            return None
        timings = self.variant.summary.timings
        return sum(seconds for step, seconds in timings.items() if step not in ("read", "measure", "total"))

    def document(self, metrics: Sequence[ComparedMetric]) -> dict[str, Any]:
        """Return the entry of the JSON document."""
        entry: dict[str, Any] = {"method": self.method, "settings": dict(self.settings), "models": list(self.models)}
        if self.variant is None:
            return {**entry, "why_not": self.why_not}
        proof, risk = self.variant.summary.proof, self.variant.risk
        return {
            **entry,
            "metrics": {metric.name: self.values.get(metric.name) for metric in metrics},
            "requirements": self.variant.summary.document()["requirements"],
            "classes": proof.classes,
            "smallest_class": proof.smallest_class,
            "records_suppressed": proof.records_suppressed,
            "share_found": None if risk is None else risk.average,
            "share_at_risk": None if risk is None else risk.share_at_risk,
            "seconds": self.seconds,
        }


def ranked_runs(runs: Sequence[ComparedRun], by: ComparedMetric) -> tuple[ComparedRun, ...]:
    """Order runs: the best by a metric first, then what it says nothing of, then what cannot be done."""
    sign = 1 if by.direction == "lower" else -1

    def rank(run: ComparedRun) -> tuple[bool, float]:
        return run.variant is None, sign * run.values[by.name] if by.name in run.values else math.inf

    return tuple(sorted(runs, key=rank))
