"""What a judgement says: frozen objects, and the documents with stable names that machines read."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from toolbox.errors import UsageError, did_you_mean
from toolbox.loss.metric import LeftOut, Measure
from toolbox.privacy.measures import Measured, Unmeasured
from toolbox.privacy.results import ModelResult
from toolbox.report.notebook import Shown
from toolbox.risks.risk import Risk
from toolbox.wording import counted, either, is_asked_in_python

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, repr=False)
class CheckReport(Shown):
    """How anonymous a release is."""

    records: int
    suppressed: int
    """Records with nothing but roots, which are in no class."""
    classes: int
    smallest_class: int | None
    """None if all records are suppressed."""
    average_class: float | None
    measured: tuple[Measured, ...]
    """For every privacy model, and every sensitive attribute that it protects, the strictest parameter that holds."""
    judged: tuple[ModelResult, ...]
    """How the release stands to what is required of it."""
    harmonised: bool
    """Whether each sensitive attribute was judged with the others as quasi-identifiers."""
    timings: Mapping[str, float]
    """Seconds of wall time, by step."""
    toolbox_version: str
    unmeasured: tuple[Unmeasured, ...] = ()
    """Installed models by other people that could not be measured, and why."""

    @property
    def holds(self) -> bool:
        """Whether it satisfies all that is required."""
        return all(one.holds for one in self.judged)

    def to_frame(self) -> pd.DataFrame:
        """Return what was measured as a DataFrame: ``name, attribute, parameter, achieved``, a row for each model."""
        import pandas as pd

        columns = ["name", "attribute", "parameter", "achieved"]
        return pd.DataFrame([[getattr(one, name) for name in columns] for one in self.measured], columns=columns)

    def achieved(self, name: str, attribute: str | None = None, parameter: str | None = None) -> float | None:
        """Return what a model achieves: the first measured one of this name, attribute and parameter.

        Raises
        ------
        UsageError
            If there is none.
        """
        for one in self.measured:
            if (one.name, one.attribute) == (name, attribute) and parameter in (None, one.parameter):
                return one.achieved
        known = sorted({one.name for one in self.measured})
        of = f" of {attribute!r}" if attribute else ""
        raise UsageError(f"Nothing was measured as {name!r}{of}.{did_you_mean(name, known)}")

    @property
    def notes(self) -> tuple[str, ...]:
        """What a publisher should know of the figures."""
        notes = []
        if self.suppressed:
            said = counted(self.suppressed, "record is suppressed: it is", "records are suppressed: they are")
            notes.append(f"{said} in no class.")
        if self.smallest_class == 1:
            notes.append("There are records in a class of their own: nobody hides them.")
        notes += [f"not measured: {model.name}: {model.reason}." for model in self.unmeasured]
        return tuple(notes)

    def headline(self) -> str:
        """Say the most important in one line."""
        smallest = "" if self.smallest_class is None else f", smallest {self.smallest_class:,}"
        judged = "; ".join(f"{one.name} {'holds' if one.holds else 'fails'}" for one in self.judged)
        return f"{self.records:,} records in {self.classes:,} classes{smallest}{judged and f'; {judged}'}"

    def show_on(self, console: Any) -> None:
        """Print the tables on a console of rich."""
        from toolbox.report.console.judgement import print_report

        print_report(self, console)

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command ``check``; its names are stable."""
        judged = [
            {
                "name": one.name,
                "attribute": one.attribute,
                "parameters": dict(one.parameters),
                "required": one.required,
                "achieved": _finite(one.achieved),
                "holds": one.holds,
            }
            for one in self.judged
        ]
        measured = [
            {
                "name": one.name,
                "attribute": one.attribute,
                "parameters": dict(one.given),
                "parameter": one.parameter,
                "required": None,
                "achieved": _finite(one.achieved),
                "holds": None,
            }
            for one in self.measured
        ]
        return {
            "toolbox_version": self.toolbox_version,
            "records": self.records,
            "records_suppressed": self.suppressed,
            "classes": self.classes,
            "smallest_class": self.smallest_class,
            "average_class": self.average_class,
            "holds": self.holds,
            "harmonised": self.harmonised,
            "models": [*judged, *measured],
            "timings": dict(self.timings),
            "notes": list(self.notes),
        }


def _finite(value: float | None) -> float | str | None:
    """Write infinity as a text: JSON has no number for it."""
    return "infinity" if value is not None and math.isinf(value) else value


@dataclass(frozen=True, kw_only=True, repr=False)
class LossReport(Shown):
    """What a release has cost in information."""

    measures: tuple[Measure, ...]
    left_out: tuple[LeftOut, ...]
    """Metrics that say nothing of this release, and why."""
    records: int
    """Of the release."""
    timings: Mapping[str, float]
    """Seconds of wall time, by step."""
    toolbox_version: str
    readings: tuple[str, ...] = ()
    """How released texts were read that name several things."""

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

    def to_frame(self) -> pd.DataFrame:
        """Return the values as a DataFrame: ``name, attribute, value, unit, direction``, a row for each."""
        import pandas as pd

        columns = [one.name for one in fields(Measure)]
        return pd.DataFrame([[getattr(one, name) for name in columns] for one in self.measures], columns=columns)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not measured, and why; metrics with one reason together."""
        reasons: dict[str, list[str]] = defaultdict(list)
        for name, reason in self.left_out:
            reasons[reason].append(name)
        left_out = (f"not measured: {', '.join(names)}: {reason}." for reason, names in reasons.items())
        return *self.readings, *left_out

    def headline(self) -> str:
        """Say the most important in one line."""
        return f"{len(self.measures):,} values of metrics on {self.records:,} records"

    def show_on(self, console: Any) -> None:
        """Print the tables on a console of rich."""
        from toolbox.report.console.judgement import print_report

        print_report(self, console)

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


@dataclass(frozen=True, kw_only=True, repr=False)
class RiskReport(Shown):
    """Who is still at risk in a release."""

    risk: Risk
    timings: Mapping[str, float]
    """Seconds of wall time, by step."""
    toolbox_version: str
    readings: tuple[str, ...] = ()
    """How released texts were read that name several things."""
    in_python: bool = field(default_factory=is_asked_in_python, compare=False, repr=False)
    """Whether notes name the arguments of a Python call."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a publisher should know of the figures."""
        risk, notes = self.risk, list(self.readings)
        if risk.suppressed:
            said = counted(risk.suppressed, "record is suppressed: it is", "records are suppressed: they are")
            notes.append(f"{said} in no class, and {'fits' if risk.suppressed == 1 else 'fit'} everybody.")
        if risk.journalist is None:
            given = either("--population FILE", python="population=", in_python=self.in_python)
            notes.append(f"Without a population ({given}) there is no journalist's risk.")
        if (consistent := risk.consistency) is None:
            given = either("--original FILE", python="original=", in_python=self.in_python)
            notes.append(f"Without the original records ({given}) there is no consistency risk.")
        elif consistent.below_k:
            notes.append(
                f"{consistent.below_k:,} of {counted(consistent.people, 'person', 'people')} "
                f"{'has' if consistent.below_k == 1 else 'have'} fewer than k = {consistent.k} released records that "
                "could be theirs."
            )
        if consistent is not None and consistent.unmatched:
            said = counted(consistent.unmatched, "person fits", "people fit")
            notes.append(f"{said} no released record at all.")
        return tuple(notes)

    def headline(self) -> str:
        """Say the most important in one line."""
        risk, consistent = self.risk, self.risk.consistency
        highest = "" if risk.prosecutor is None else f", highest risk {risk.prosecutor.highest:.4g}"
        below = "" if consistent is None else f"; {consistent.below_k:,} people below k = {consistent.k}"
        return f"{risk.records:,} records{highest}{below}"

    def show_on(self, console: Any) -> None:
        """Print the tables on a console of rich."""
        from toolbox.report.console.judgement import print_report

        print_report(self, console)

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
