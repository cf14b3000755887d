"""How one measure of `risk` shows itself: in the document, on a console, on the page, in notes and in advice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from toolbox.charts.markup import Markup
from toolbox.privacy.measures import FewColumnsRisk
from toolbox.privacy.people import AlikePersons
from toolbox.report.advice import Advice
from toolbox.risks.coarser import BelowK
from toolbox.risks.control import ControlRisk
from toolbox.risks.figures import MatchingRisk, StatisticsRisk
from toolbox.risks.individual import SampleRisk
from toolbox.risks.joint import JointRisk
from toolbox.risks.sensitive import SensitiveRisk


@dataclass(frozen=True, kw_only=True, repr=False)
class MeasuredRisks:
    """What is measured of who is at risk beside the classes, for `risk` and for the page: a field for each measure."""

    sample: SampleRisk | None = None
    """By what classes are estimated to stand for in the population; None where nothing says how records were drawn."""
    below: BelowK | None = None
    """The records in classes of fewer than k, and what coarser columns would do; None if there are none."""
    statistics: StatisticsRisk | None = None
    """What statistics that are released with classes give back; None where there are none."""
    sensitive: tuple[SensitiveRisk, ...] = ()
    """What the class of a person tells of each sensitive attribute."""
    matching: MatchingRisk | None = None
    """Of an attacker who matches everybody at once; None if not asked for."""
    few_columns: FewColumnsRisk | None = None
    """Of somebody who knows a few of the quasi-identifiers; None if not asked for."""
    control: ControlRisk | None = None
    """Beside people who are not in the release; None if none are named."""
    joint: JointRisk | None = None
    """Together with an earlier release; None without one."""
    profiles: AlikePersons | None = None
    """Who is alike in all tables that are released together; None of one table, or if nobody can tell."""


@dataclass(frozen=True)
class MeasureFace:
    """What a report does with what one measure has found; nothing with what was not measured, which is None."""

    name: str
    """The field of the report that holds what was found."""
    key: str
    """The name in the document, which is stable."""
    document: Callable[[Any], Any]
    """Returns its part of the document."""
    show: Callable[[Console, Any], None] | None = None
    """Prints its tables."""
    list_notes: Callable[[Any, bool], Sequence[str]] | None = None
    """Lists what to know of the figures; the second argument says whether they name arguments of Python."""
    advise: Callable[[Any, bool], Iterable[Advice]] | None = None
    """Says what would lower the risk."""
    render: Callable[[Any], Markup | None] | None = None
    """Returns its part of the page."""


class Faces(tuple[MeasureFace, ...]):
    """The faces of all measures of a report, in the order in which it shows them."""

    def _found(self, report: Any) -> list[tuple[MeasureFace, Any]]:
        both = [(face, getattr(report, face.name, None)) for face in self]
        return [(face, found) for face, found in both if found is not None]

    def document(self, report: Any) -> Mapping[str, Any]:
        """Return the parts of the document by their names; None for what was not measured."""
        return {
            **dict.fromkeys(face.key for face in self),
            **{f.key: f.document(found) for f, found in self._found(report)},
        }

    def show_on(self, console: Console, report: Any) -> None:
        """Print the tables of what was measured."""
        for face, found in self._found(report):
            if face.show is not None:
                face.show(console, found)

    def render(self, findings: Any) -> list[Markup]:
        """Return the parts of the page on what was measured."""
        parts = [face.render(found) for face, found in self._found(findings) if face.render is not None]
        return [part for part in parts if part is not None]

    def list_notes(self, report: Any, *, in_python: bool) -> list[str]:
        """List the notes on what was measured."""
        return [note for f, found in self._found(report) if f.list_notes for note in f.list_notes(found, in_python)]

    def list_advice(self, report: Any, *, in_python: bool) -> list[Advice]:
        """List the advice on what was measured."""
        return [each for f, found in self._found(report) if f.advise for each in f.advise(found, in_python)]


def document_tables(tables: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the part ``tables`` of a document: that of each child table, without what is said once for all."""
    once = ("toolbox_version", "timings")
    return {
        name: {key: value for key, value in table.document().items() if key not in once}
        for name, table in tables.items()
    }


def name_levels(counts: Iterable[tuple[float, int]]) -> dict[str, int]:
    """Return counts of people by levels as a document writes these.

    Examples
    --------
    >>> name_levels([(0.5, 7), (0.9, 2)])
    {'0.5': 7, '0.9': 2}
    """
    return {f"{level:.4g}": people for level, people in counts}
