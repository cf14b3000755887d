"""What detection says: the document with stable names that machines read, and what to know of its figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from toolbox.detection.election import Detection, SubsetFigures
from toolbox.report.notebook import Shown
from toolbox.wording import counted, either, is_asked_in_python


@dataclass(frozen=True, kw_only=True, repr=False)
class DetectionReport(Shown):
    """Which columns of a table identify people."""

    detection: Detection
    timings: Mapping[str, float]
    """Seconds of wall time, by step."""
    toolbox_version: str
    in_python: bool = field(default_factory=is_asked_in_python, compare=False, repr=False)
    """Whether notes name the arguments of a Python call."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a publisher should know of the figures."""
        found, notes = self.detection, []
        if incomplete := found.records - found.complete:
            notes.append(
                f"{counted(incomplete, 'record lacks a value: it is', 'records lack a value: they are')} not in the "
                "figures of the subsets. Where identifiers were looked for, a missing value is a value."
            )
        left = sum(not one.is_identifier for one in found.columns)
        if found.most_columns < left:
            notes.append(
                f"Subsets of up to {counted(found.most_columns, 'column')} were looked at "
                f"({either('--max-columns', python='max_columns=', in_python=self.in_python)}). More columns together "
                "never have fewer singletons, and may be identifiers."
            )
        if len(found.best) > 1:
            notes.append(f"{len(found.best)} subsets tie for the quasi-identifier.")
        if not found.best:
            notes.append("Every subset contains an identifier: there is no quasi-identifier to elect.")
        return tuple(notes)

    def headline(self) -> str:
        """Say the most important in one line."""
        found = self.detection
        best = " or ".join(", ".join(one.columns) for one in found.best[:3]) or "none"
        return f"{found.records:,} records; quasi-identifier: {best}"

    def show_on(self, console: Any) -> None:
        """Print the tables on a console of rich."""
        from toolbox.report.console.detect import print_detection

        print_detection(self, console=console)

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command ``detect``; its names are stable."""
        found = self.detection
        return {
            "toolbox_version": self.toolbox_version,
            "records": found.records,
            "complete_records": found.complete,
            "max_columns": found.most_columns,
            "identifiers": [list(one) for one in found.identifiers],
            "best": [_subset(one) for one in found.best],
            "subsets": [_subset(one) for one in found.subsets],
            "subsets_counted": found.subsets_counted,
            "columns": [asdict(one) for one in found.columns],
            "timings": dict(self.timings),
            "notes": list(self.notes),
        }


def _subset(one: SubsetFigures) -> dict[str, Any]:
    return {**asdict(one), "columns": list(one.columns), "largest_risk": one.largest_risk}
