"""What `detect` says: which columns identify people, as tables and as a document with stable names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from rich.console import Console
from rich.markup import escape

from toolbox.detection.election import Detection, SubsetFigures
from toolbox.detection.suda import FEW_RECORDS, SpecialUniques, SpecialValue
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
    special: SpecialUniques | None = None
    """The records that few values single out, where they were looked for."""
    person: tuple[str, ...] = ()
    """The columns that tell persons apart, who are counted; without any, records are."""
    timings: Mapping[str, float]
    """Seconds of wall time, by step."""
    toolbox_version: str
    in_python: bool = field(default_factory=is_asked_in_python, compare=False, repr=False)
    """Whether notes name the arguments of a Python call."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the publisher on the figures."""
        detection, notes = self.detection, []
        if self.person:
            counted = (
                f"Persons are counted (by {' + '.join(self.person)}), also where a name in the document says records"
            )
            told = "a unique combination is one that no two persons have, and who has several counts once"
            notes.append(f"{counted}: {told}.")
        if self.left_out:
            shown = "; ".join(f"{format_columns([column])}: {why}" for column, why in self.left_out[:_SHOWN])
            more = f"; and {len(self.left_out) - _SHOWN:,} more" if len(self.left_out) > _SHOWN else ""
            everything = choose_setting_name("--all", python="everything=True", in_python=self.in_python)
            notes.append(f"Not looked at, as they identify ({everything} looks at all): {shown}{more}.")
        counts = choose_setting_name("--person NAME", python="person=", in_python=self.in_python)
        remedy = "" if self.person else f" With {counts} persons are counted."
        notes += [f"{format_columns([column])}: {why}.{remedy}" for column, why in self.repeated]
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
        notes += _list_special_notes(self.special, in_python=self.in_python) if self.special else []
        return tuple(notes)

    def headline(self) -> str:
        """Return the most important facts in one line."""
        detection = self.detection
        best = " or ".join(", ".join(subset.columns) for subset in detection.best[:3]) or "none"
        return f"{detection.records:,} {self._noun}; quasi-identifier: {best}"

    @property
    def _noun(self) -> str:
        return "persons" if self.person else "records"

    def show_on(self, console: Any, *, top: int = DEFAULT_TOP) -> None:
        """Print the tables on a console of rich.

        Parameters
        ----------
        top : int
            How many subsets to show.
        """
        notes = () if self.special else self.notes
        print_detection(console, self.detection, top=top, notes=notes, noun=self._noun)
        if self.special:
            _print_special(console, self.special, top=top, noun=self._noun)
            print_notes(console, self.notes)

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command ``detect``; its names are stable."""
        detection = self.detection
        return {
            "toolbox_version": self.toolbox_version,
            "records": detection.records,
            "complete_records": detection.complete,
            "max_columns": detection.most_columns,
            **({"person": list(self.person)} if self.person else {}),
            "left_out": [one._asdict() for one in self.left_out],
            "identifiers": [list(columns) for columns in detection.identifiers],
            "best": [_build_subset_document(figures) for figures in detection.best],
            "subsets": [_build_subset_document(figures) for figures in detection.subsets],
            "subsets_counted": detection.subsets_counted,
            "columns": [asdict(figures) for figures in detection.columns],
            **({"special_uniques": _build_special_document(self.special)} if self.special else {}),
            "timings": dict(self.timings),
            "notes": list(self.notes),
        }


def _build_subset_document(figures: SubsetFigures) -> dict[str, Any]:
    return {**asdict(figures), "columns": list(figures.columns), "largest_risk": figures.largest_risk}


# The tables of `detect`: the subsets with most singletons, and the columns.

_MOST_IDENTIFIERS = 20


def print_detection(
    console: Console, detection: Detection, *, top: int, notes: Sequence[str], noun: str = "records"
) -> None:
    """Print the columns that identify people.

    Parameters
    ----------
    top : int
        How many subsets to show.
    noun : str
        What is counted.
    """
    best = detection.best
    console.print(f"[bold]{noun}[/]           {detection.records:,}, of which {detection.complete:,} lack no value")
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


# The records that few values single out: their part of the document, their notes and their tables.


def _build_special_document(found: SpecialUniques) -> dict[str, Any]:
    return {
        "max_columns": found.most_columns,
        "left_out": list(found.left_out),
        "records": found.records,
        "special_records": found.special,
        "alone_in_all_columns": found.alone,
        "in_pairs": found.pairs,
        "uniques_by_size": list(found.by_size),
        "largest_score": found.largest_score,
        "sampling_fraction": found.sampling_fraction,
        "disclosure": [one._asdict() for one in found.disclosure],
        "columns": [one._asdict() for one in found.columns],
        "values": [_build_value_document(value) for value in found.values],
        "subsets": [{**one._asdict(), "columns": list(one.columns)} for one in found.subsets],
        "top_records": [
            {"record": one.record, "score": one.score, "disclosure": one.disclosure, "uniques": list(one.uniques)}
            for one in found.top
        ],
    }


def _build_value_document(value: SpecialValue) -> dict[str, Any]:
    return {
        "column": value.column,
        "kind": value.kind,
        "value": value.text,
        "values": value.values,
        "records": value.records,
        "contribution": value.contribution,
    }


def _list_special_notes(found: SpecialUniques, *, in_python: bool) -> list[str]:
    notes = []
    if found.left_out:
        notes.append(f"Scores leave out what singles out every record: {', '.join(found.left_out)}.")
    if found.sampling_fraction is None and found.special:
        fraction = choose_setting_name("--sampling-fraction", python="sampling_fraction=", in_python=in_python)
        notes.append(f"DIS scores need the share of the population that is in the table ({fraction}).")
    if any(value.kind == "rare" for value in found.values):
        notes.append(f"Values of fewer than {FEW_RECORDS} records are not named, but one line for each column.")
    return notes


def _print_special(console: Console, found: SpecialUniques, *, top: int, noun: str) -> None:
    sizes = ", ".join(
        f"{uniques:,} of {format_count(size, 'column')}" for size, uniques in enumerate(found.by_size, start=1)
    )
    most = format_count(found.most_columns, "column")
    special = f"{found.special:,} ({found.special / found.records:.2%}) by up to {most}"
    console.print(f"\n[bold]special uniques[/]   {special}; minimal uniques: {sizes}\n", soft_wrap=True)
    if not found.special:
        return
    _print_contributions(console, found, top, noun)
    _print_special_records(console, found, top, noun)


def _print_contributions(console: Console, found: SpecialUniques, top: int, noun: str) -> None:
    title = f"the columns that single most {noun} out, {min(top, len(found.subsets)):,} subsets shown"
    table = make_table(title, noun, "columns", numbers=frozenset(range(1)))
    for subset in found.subsets[:top]:
        table.add_row(f"{subset.records:,}", escape(", ".join(subset.columns)))
    console.print(table)
    table = make_table("what each column adds to the scores", "", "uniques", "column", numbers=frozenset(range(2)))
    for column in sorted(found.columns, key=lambda column: -column.contribution):
        table.add_row(f"{column.contribution:.1%}", f"{column.uniques:,}", escape(column.column))
    console.print(table)
    title = f"what values add to the scores, {min(top, len(found.values)):,} of {len(found.values):,}"
    table = make_table(title, "", noun, "column", "value", numbers=frozenset(range(2)))
    for value in found.values[:top]:
        table.add_row(f"{value.contribution:.1%}", f"{value.records:,}", escape(value.column), _name_value(value))
    console.print(table)


def _print_special_records(console: Console, found: SpecialUniques, top: int, noun: str) -> None:
    disclosure = found.disclosure
    if disclosure:
        table = make_table(f"{noun} by DIS score", "above", noun, numbers=frozenset(range(2)))
        for one in disclosure:
            table.add_row(f"{one.above:g}", f"{one.records:,}")
        console.print(table)
    title = f"the {noun} with the largest scores, {min(top, len(found.top)):,} of {found.special:,}"
    heads = ("score", *(["DIS"] if disclosure else []), "uniques by size", "record")
    table = make_table(title, *heads, numbers=frozenset(range(len(heads))))
    for record in found.top[:top]:
        shown = [] if record.disclosure is None else [f"{record.disclosure:.4f}"]
        table.add_row(
            f"{record.score:,.0f}", *shown, " ".join(f"{count:,}" for count in record.uniques), f"{record.record:,}"
        )
    console.print(table)


def _name_value(value: SpecialValue) -> str:
    if value.kind == "rare":
        return f"({format_count(value.values, 'rare value')})"
    return "(missing)" if value.text is None else escape(value.text)
