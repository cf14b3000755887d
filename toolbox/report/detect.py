"""What `detect` says: which columns identify people, and the document with stable names that machines read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from toolbox.detection.election import Detection, SubsetFigures
from toolbox.messages import counted, either, is_asked_in_python
from toolbox.report.columns import listed
from toolbox.report.notebook import Shown

_SHOWN = 10
"""Columns that a note names."""
DEFAULT_TOP = 20
"""Subsets that are shown."""


class LeftOut(NamedTuple):
    """A column that was not looked at, because it clearly identifies."""

    column: str
    why: str


@dataclass(frozen=True, kw_only=True, repr=False)
class DetectionReport(Shown):
    """Which columns of a table identify people."""

    detection: Detection
    left_out: tuple[LeftOut, ...] = ()
    timings: Mapping[str, float]
    """Seconds of wall time, by step."""
    toolbox_version: str
    in_python: bool = field(default_factory=is_asked_in_python, compare=False, repr=False)
    """Whether notes name the arguments of a Python call."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the publisher on the figures."""
        detection, notes = self.detection, []
        if self.left_out:
            shown = "; ".join(f"{listed([column])}: {why}" for column, why in self.left_out[:_SHOWN])
            more = f"; and {len(self.left_out) - _SHOWN:,} more" if len(self.left_out) > _SHOWN else ""
            everything = either("--all", python="everything=True", in_python=self.in_python)
            notes.append(f"Not looked at, as they identify ({everything} looks at all): {shown}{more}.")
        if incomplete := detection.records - detection.complete:
            notes.append(
                f"{counted(incomplete, 'record lacks a value: it is', 'records lack a value: they are')} not in the "
                "figures of the subsets. Where identifiers were looked for, a missing value is a value."
            )
        left = sum(not column.is_identifier for column in detection.columns)
        if detection.most_columns < left:
            notes.append(
                f"Subsets of up to {counted(detection.most_columns, 'column')} were looked at "
                f"({either('--max-columns', python='max_columns=', in_python=self.in_python)}). More columns together "
                "never have fewer singletons, and may be identifiers."
            )
        if len(detection.best) > 1:
            notes.append(f"{len(detection.best)} subsets tie for the quasi-identifier.")
        if not detection.best:
            notes.append("Every subset contains an identifier: there is no quasi-identifier to elect.")
        return tuple(notes)

    def headline(self) -> str:
        """Return the most important facts in one line."""
        detection = self.detection
        best = " or ".join(", ".join(subset.columns) for subset in detection.best[:3]) or "none"
        return f"{detection.records:,} records; quasi-identifier: {best}"

    def show_on(self, console: Any, *, top: int = DEFAULT_TOP) -> None:
        """Print the tables on a console of rich.

        Parameters
        ----------
        top : int
            How many subsets to show.
        """
        from toolbox.report.console.detect import print_detection

        print_detection(console, self.detection, top=top, notes=self.notes)

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command ``detect``; its names are stable."""
        detection = self.detection
        return {
            "toolbox_version": self.toolbox_version,
            "records": detection.records,
            "complete_records": detection.complete,
            "max_columns": detection.most_columns,
            "left_out": [one._asdict() for one in self.left_out],
            "identifiers": [list(columns) for columns in detection.identifiers],
            "best": [_subset(figures) for figures in detection.best],
            "subsets": [_subset(figures) for figures in detection.subsets],
            "subsets_counted": detection.subsets_counted,
            "columns": [asdict(figures) for figures in detection.columns],
            "timings": dict(self.timings),
            "notes": list(self.notes),
        }


def _subset(figures: SubsetFigures) -> dict[str, Any]:
    return {**asdict(figures), "columns": list(figures.columns), "largest_risk": figures.largest_risk}
