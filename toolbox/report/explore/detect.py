"""What `detect` says: which columns identify people, as tables and as a document with stable names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from rich.console import Console
from rich.markup import escape

from toolbox.detection.election import Detection, SubsetFigures
from toolbox.messages import choose_setting_name, format_count, is_asked_in_python
from toolbox.report.columns import format_columns
from toolbox.report.console import ConsoleReport, ResultTable, make_table, print_notes

# What `detect` says: which columns identify people, and the document with stable names that machines read.

_SHOWN = 10
"""Columns that a note names."""
DEFAULT_TOP = 20
"""Subsets that are shown."""


class ExcludedColumn(NamedTuple):
    """A column that was not looked at, because it clearly identifies."""

    column: str
    why: str


@dataclass(frozen=True, kw_only=True, repr=False)
class DetectionReport(ConsoleReport):
    """Which columns of a table identify people."""

    detection: Detection
    left_out: tuple[ExcludedColumn, ...] = ()
    repeated: tuple[ExcludedColumn, ...] = ()
    """Identifiers of persons who have several records."""
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
            shown = "; ".join(f"{format_columns([column])}: {why}" for column, why in self.left_out[:_SHOWN])
            more = f"; and {len(self.left_out) - _SHOWN:,} more" if len(self.left_out) > _SHOWN else ""
            everything = choose_setting_name("--all", python="everything=True", in_python=self.in_python)
            notes.append(f"Not looked at, as they identify ({everything} looks at all): {shown}{more}.")
        notes += [f"{format_columns([column])}: {why}." for column, why in self.repeated]
        if incomplete := detection.records - detection.complete:
            lacking = format_count(incomplete, "record lacks a value: it is", "records lack a value: they are")
            notes.append(
                f"{lacking} not in the "
                "figures of the subsets. Where identifiers were looked for, a missing value is a value."
            )
        left = sum(not column.is_identifier for column in detection.columns)
        if detection.most_columns < left:
            setting = choose_setting_name("--max-columns", python="max_columns=", in_python=self.in_python)
            notes.append(
                f"Subsets of up to {format_count(detection.most_columns, 'column')} were looked at "
                f"({setting}). More columns together "
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
            "best": [_build_subset_document(figures) for figures in detection.best],
            "subsets": [_build_subset_document(figures) for figures in detection.subsets],
            "subsets_counted": detection.subsets_counted,
            "columns": [asdict(figures) for figures in detection.columns],
            "timings": dict(self.timings),
            "notes": list(self.notes),
        }


def _build_subset_document(figures: SubsetFigures) -> dict[str, Any]:
    return {**asdict(figures), "columns": list(figures.columns), "largest_risk": figures.largest_risk}


# The tables of `detect`: the subsets with most singletons, and the columns.

_MOST_IDENTIFIERS = 20


def print_detection(console: Console, detection: Detection, *, top: int, notes: Sequence[str]) -> None:
    """Print the columns that identify people.

    Parameters
    ----------
    top : int
        How many subsets to show.
    """
    best = detection.best
    console.print(f"[bold]records[/]           {detection.records:,}, of which {detection.complete:,} lack no value")
    console.print(f"[bold]identifiers[/]       {_format_identifiers(detection)}", soft_wrap=True)
    columns = " or ".join(escape(", ".join(subset.columns)) for subset in best[:3]) or "none"
    figures = f": {best[0].singletons:,} singletons ({best[0].share:.2%})" if best else ""
    console.print(f"[bold]quasi-identifier[/]  {columns}{figures}\n", soft_wrap=True)
    if detection.subsets:
        console.print(_make_subsets_table(detection, top))
    console.print(_make_columns_table(detection))
    print_notes(console, notes)


def _format_identifiers(detection: Detection) -> str:
    shown = [escape(" + ".join(columns)) for columns in detection.identifiers[:_MOST_IDENTIFIERS]]
    more = len(detection.identifiers) - len(shown)
    return ", ".join([*shown, *([f"and {more:,} more"] if more else [])]) or "none"


def _make_subsets_table(detection: Detection, top: int) -> ResultTable:
    count = len(detection.subsets)
    title = f"the subsets with most singletons, {min(top, count):,} of {count:,}"
    names = ("singletons", "", "distinct", "ratio", "separated", "risk", "columns")
    table = make_table(title, *names, numbers=frozenset(range(6)))
    for subset in detection.subsets[:top]:
        table.add_row(
            f"{subset.singletons:,}",
            f"{subset.share:.2%}",
            f"{subset.distinct:,}",
            f"{subset.distinct_ratio:.4f}",
            f"{subset.separation_ratio:.6f}",
            f"{subset.largest_risk:.2g}",
            ", ".join(subset.columns),
        )
    return table


def _make_columns_table(detection: Detection) -> ResultTable:
    """Make the table of the columns; those that add most come first."""
    names = ("values", "missing", "alone", "adds", "best without", "column")
    title = "the columns: singletons of each alone, those that it adds on average, those of the best without it"
    table = make_table(title, *names, numbers=frozenset(range(5)))
    for column in sorted(detection.columns, key=lambda column: (not column.is_identifier, -(column.adds or 0.0))):
        figures = (column.singletons, None if column.adds is None else round(column.adds, 1), column.without)
        shown = ("" if figure is None else f"{figure:,}" for figure in figures)
        name = f"{column.name} (identifier)" if column.is_identifier else column.name
        table.add_row(f"{column.values:,}", f"{column.missing:,}", *shown, name)
    return table
