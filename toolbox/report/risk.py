"""What `risk` says: who is still at risk, and the document with stable names that machines read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from toolbox.knowledge.thresholds import FEWEST
from toolbox.messages import counted, either, is_asked_in_python
from toolbox.report.advice.advice import Advice, by_severity
from toolbox.report.advice.attackers import on_earlier, on_matching
from toolbox.report.advice.classes import on_classes, on_consistency
from toolbox.report.advice.values import on_disclosed, on_minimality, on_sensitive
from toolbox.report.columns import own_values_note
from toolbox.report.joint import joint_document, joint_notes
from toolbox.report.matching import matching_document, matching_notes
from toolbox.report.minimality import Minimality
from toolbox.report.notebook import Shown
from toolbox.report.sensitive import sensitive_document
from toolbox.report.statistics import statistics_document, statistics_notes
from toolbox.risks.coarser import BelowK
from toolbox.risks.joint import JointRisk
from toolbox.risks.matching.figures import MatchingRisk
from toolbox.risks.risk import Risk
from toolbox.risks.sensitive.figures import SensitiveRisk
from toolbox.risks.statistics.figures import StatisticsRisk

_TWO = 1.5
"""Records with the most frequent value from which at least two share it, however the share was rounded."""


@dataclass(frozen=True, kw_only=True, repr=False)
class RiskReport(Shown):
    """Who is still at risk in a release."""

    risk: Risk
    timings: Mapping[str, float]
    """Seconds of wall time, by step."""
    toolbox_version: str
    matching: MatchingRisk | None = None
    """Of an attacker who matches everybody at once; None if not asked for."""
    joint: JointRisk | None = None
    """Together with an earlier release; None without one."""
    below: BelowK | None = None
    """The records in classes of fewer than k, and what coarser columns would do; None if there are none."""
    statistics: StatisticsRisk | None = None
    """What statistics that are released with classes give back; None where there are none."""
    sensitive: tuple[SensitiveRisk, ...] = ()
    """What the class of a person tells of each sensitive attribute."""
    minimality: Minimality | None = None
    """What the method of the configuration gives away by going no further than its models ask."""
    readings: tuple[str, ...] = ()
    """How released texts were read that name several things."""
    in_python: bool = field(default_factory=is_asked_in_python, compare=False, repr=False)
    """Whether notes name the arguments of a Python call."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the publisher on the figures."""
        risk, notes = self.risk, list(self.readings)
        if risk.suppressed:
            records = counted(risk.suppressed, "record is suppressed: it is", "records are suppressed: they are")
            notes.append(f"{records} in no class, and {'fits' if risk.suppressed == 1 else 'fit'} everybody.")
        if risk.journalist is None:
            setting = either("--population FILE", python="population=", in_python=self.in_python)
            notes.append(f"Without a population ({setting}) there is no journalist's risk.")
        if (consistent := risk.consistency) is None:
            setting = either("--original FILE", python="original=", in_python=self.in_python)
            notes.append(f"Without the original records ({setting}) there is no consistency risk.")
        elif consistent.unmatched:
            people = counted(consistent.unmatched, "person fits", "people fit")
            notes.append(f"{people} no released record at all.")
        if self.statistics is not None:
            notes += statistics_notes(self.statistics)
        if self.matching is not None:
            notes += matching_notes(self.matching)
        if self.joint is not None:
            notes += joint_notes(self.joint, in_python=self.in_python)
        notes += [own_values_note(values.attribute, "each record") for values in self.sensitive if self._differ(values)]
        return (*notes, *(advice.in_words() for advice in self.advice))

    def _differ(self, values: SensitiveRisk) -> bool:
        """Return whether all records differ: the most frequent value occurs once."""
        return self.risk.records >= FEWEST and values.share_without_release * self.risk.records < _TWO

    @property
    def advice(self) -> tuple[Advice, ...]:
        """What was found that calls for a change, and what would lower it."""
        return by_severity(
            [
                *on_classes(self.below),
                *on_consistency(self.risk.consistency),
                *on_disclosed(self.statistics, in_python=self.in_python),
                *on_sensitive(self.sensitive),
                *on_minimality(self.minimality),
                *on_matching(self.matching),
                *on_earlier(self.joint),
            ]
        )

    def headline(self) -> str:
        """Return the most important facts in one line."""
        risk, consistent = self.risk, self.risk.consistency
        highest = "" if risk.prosecutor is None else f", highest risk {risk.prosecutor.highest:.4g}"
        below = (
            ""
            if consistent is None
            else f"; {counted(consistent.below_k, 'person', 'people')} below k = {consistent.k}"
        )
        return f"{risk.records:,} records{highest}{below}"

    def show_on(self, console: Any) -> None:
        """Print the tables on a console of rich."""
        from toolbox.report.console.risk import print_risk

        print_risk(
            console,
            self.risk,
            notes=self.notes,
            sensitive=self.sensitive,
            statistics=self.statistics,
            matching=self.matching,
            joint=self.joint,
        )

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command ``risk``; its names are stable."""
        risk = self.risk
        consistency = None
        if risk.consistency is not None:
            counts = [{"consistent": records, "people": people} for records, people in risk.consistency.counts]
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
            "statistics": None if self.statistics is None else statistics_document(self.statistics),
            "sensitive": [sensitive_document(found) for found in self.sensitive],
            "minimality": None if self.minimality is None else self.minimality.document(),
            "matching": None if self.matching is None else matching_document(self.matching),
            "earlier": None if self.joint is None else joint_document(self.joint),
            "histogram": [{"size": bar.size, "classes": bar.classes, "records": bar.records} for bar in risk.histogram],
            "timings": dict(self.timings),
            "advice": [advice.document() for advice in self.advice],
            "notes": list(self.notes),
        }
