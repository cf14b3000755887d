"""What a judgement says: frozen objects, and the documents with stable names that machines read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from toolbox.errors import UsageError, did_you_mean
from toolbox.loss.metric import LeftOut, Measure
from toolbox.risk.risk import Risk


@dataclass(frozen=True, kw_only=True)
class LossReport:
    """What a release has cost in information."""

    measures: tuple[Measure, ...]
    left_out: tuple[LeftOut, ...]
    """Metrics that say nothing of this release, and why."""
    records: int
    """Of the release."""
    timings: Mapping[str, float]
    """Seconds of wall time, by step."""
    toolbox_version: str

    def value(self, name: str, attribute: str | None = None) -> float:
        """Return the value of a metric, of one quasi-identifier or of the table.

        Raises
        ------
        UsageError
            If there is none.
        """
        for one in self.measures:
            if (one.name, one.attribute) == (name, attribute):
                return one.value
        known = sorted({one.name for one in self.measures})
        reasons = [reason for left_out, reason in self.left_out if left_out == name]
        because = f" It was left out: {reasons[0]}." if reasons else did_you_mean(name, known)
        of = f" of {attribute!r}" if attribute else ""
        raise UsageError(f"There is no value of {name!r}{of}.{because}")

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not measured, and why; metrics with one reason together."""
        reasons: dict[str, list[str]] = defaultdict(list)
        for name, reason in self.left_out:
            reasons[reason].append(name)
        return tuple(f"not measured: {', '.join(names)}: {reason}." for reason, names in reasons.items())

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command ``measure``; its names are stable."""
        return {
            "toolbox_version": self.toolbox_version,
            "records": self.records,
            "metrics": [asdict(one) for one in self.measures],
            "left_out": [{"name": name, "reason": reason} for name, reason in self.left_out],
            "timings": dict(self.timings),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, kw_only=True)
class RiskReport:
    """Who is still at risk in a release."""

    risk: Risk
    timings: Mapping[str, float]
    """Seconds of wall time, by step."""
    toolbox_version: str

    @property
    def notes(self) -> tuple[str, ...]:
        """What a publisher should know of the figures."""
        risk, notes = self.risk, []
        if risk.suppressed:
            notes.append(f"{risk.suppressed:,} records are suppressed: they are in no class, and fit everybody.")
        if risk.journalist is None:
            notes.append("Without a population (--population FILE) there is no journalist's risk.")
        if (consistent := risk.consistency) is None:
            notes.append("Without the original records (--original FILE) there is no consistency risk.")
        elif consistent.below_k:
            notes.append(
                f"{consistent.below_k:,} of {consistent.people:,} people have fewer than k = {consistent.k} "
                "released records that could be theirs."
            )
        if consistent is not None and consistent.unmatched:
            notes.append(f"{consistent.unmatched:,} people fit no released record at all.")
        return tuple(notes)

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command ``risk``; its names are stable."""
        risk = self.risk
        consistency = None
        if risk.consistency is not None:
            counts = [{"consistent": number, "people": people} for number, people in risk.consistency.counts]
            consistency = {**asdict(risk.consistency), "counts": counts}
        return {
            "toolbox_version": self.toolbox_version,
            "records": risk.records,
            "records_suppressed": risk.suppressed,
            "threshold": risk.threshold,
            "prosecutor": asdict(risk.prosecutor) if risk.prosecutor else None,
            "journalist": asdict(risk.journalist) if risk.journalist else None,
            "marketer": None if risk.marketer is None else {"average": risk.marketer},
            "uniqueness": asdict(risk.uniqueness),
            "consistency": consistency,
            "histogram": [{"size": one.size, "classes": one.classes, "records": one.records} for one in risk.histogram],
            "timings": dict(self.timings),
            "notes": list(self.notes),
        }
