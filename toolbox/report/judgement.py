"""What a judgement says: frozen objects, and the documents with stable names that machines read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from toolbox.risk.risk import Risk


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
