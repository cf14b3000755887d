"""What `measure` says: what a release has lost, as tables and as a document with stable names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from toolbox.errors import UsageError, did_you_mean
from toolbox.loss.bound import LossBound
from toolbox.loss.metric import LeftOut, Measure, find_metric_name, name_in_short
from toolbox.report.console import ConsoleReport, ResultTable, make_table, print_notes

if TYPE_CHECKING:
    import pandas as pd


# What `measure` says: what a release has lost, and the document with stable names that machines read.


@dataclass(frozen=True, kw_only=True, repr=False)
class LossReport(ConsoleReport):
    """What a release has cost in information."""

    measures: tuple[Measure, ...]
    left_out: tuple[LeftOut, ...]
    """Metrics that have no value for this release, and why."""
    records: int
    """Of the release."""
    persons: int | None = None
    """Of the original records, where the sizes of classes count persons."""
    timings: Mapping[str, float]
    """Seconds of wall time, by step."""
    toolbox_version: str
    readings: tuple[str, ...] = ()
    """How numbers were read, and released texts that name several things."""
    bounds: tuple[LossBound, ...] = ()
    """What every release of this kind loses at least, where that is asked for."""

    def value(self, name: str, attribute: str | None = None) -> float:
        """Return the value of a metric, of one quasi-identifier or of the table.

        Parameters
        ----------
        name : str
            Its own name, that of its entry point, or its first letters, such as ``"NCP"``.

        Raises
        ------
        UsageError
            If there is none.
        """
        known = sorted({measure.name for measure in self.measures})
        meant = find_metric_name(name, {*known, *(left_out for left_out, _ in self.left_out)})
        for measure in self.measures:
            if (measure.name, measure.attribute) == (meant, attribute):
                return measure.value
        reasons = [reason for left_out, reason in self.left_out if left_out == meant]
        because = f" It was left out: {reasons[0]}." if reasons else did_you_mean(name, known)
        of = f" of {attribute!r}" if attribute else ""
        raise UsageError(f"There is no value of {name!r}{of}.{because}")

    def to_frame(self) -> pd.DataFrame:
        """Return the values as a DataFrame: ``name, attribute, value, unit, direction``, a row for each."""
        import pandas as pd

        columns = [column.name for column in fields(Measure)]
        rows = [[getattr(measure, name) for name in columns] for measure in self.measures]
        return pd.DataFrame(rows, columns=columns)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not measured, and why; metrics with one reason together."""
        reasons: dict[str, list[str]] = defaultdict(list)
        for name, reason in self.left_out:
            reasons[reason].append(name)
        left_out = (f"not measured: {', '.join(names)}: {reason}." for reason, names in reasons.items())
        return *self.readings, *left_out

    def headline(self) -> str:
        """Return the most important facts in one line."""
        return f"{len(self.measures):,} values of metrics on {self.records:,} records"

    def show_on(self, console: Any) -> None:
        """Print the tables on a console of rich."""
        print_losses(
            console,
            records=self.records,
            measures=self.measures,
            notes=self.notes,
            persons=self.persons,
            bounds=self.bounds,
        )

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command ``measure``; its names are stable."""
        return {
            "toolbox_version": self.toolbox_version,
            "records": self.records,
            **({} if self.persons is None else {"persons": self.persons}),
            "metrics": [{**asdict(measure), "short": name_in_short(measure.name)} for measure in self.measures],
            **({"bounds": [bound.document() for bound in self.bounds]} if self.bounds else {}),
            "left_out": [{"name": name, "reason": reason} for name, reason in self.left_out],
            "timings": dict(self.timings),
            "notes": list(self.notes),
        }


# The tables of `measure`: the metrics of the whole table, and those of each quasi-identifier.

_METRICS_ACROSS = 4
"""Metrics side by side, so that their names fit a terminal."""


def print_losses(
    console: Console,
    *,
    records: int,
    measures: Sequence[Measure],
    notes: Sequence[str],
    persons: int | None = None,
    bounds: Sequence[LossBound] = (),
) -> None:
    """Print what a release has lost; `LossReport` explains the figures."""
    of_persons = "" if persons is None else f", of {persons:,} persons"
    console.print(f"[bold]records[/]  {records:,}{of_persons}\n")
    console.print(_make_whole_table([measure for measure in measures if measure.attribute is None]))
    for table in _make_column_tables([measure for measure in measures if measure.attribute is not None]):
        console.print(table)
    for bound in bounds:
        console.print(f"[bold]bound[/]  {escape(str(bound))}\n")
    print_notes(console, notes)


def _make_whole_table(measures: Sequence[Measure]) -> ResultTable:
    table = make_table("the table", "metric", "value", "unit", "better is", numbers=frozenset({1}))
    for measure in measures:
        table.add_row(measure.name, _format_figure(measure.value), measure.unit, measure.direction)
    return table


def _make_column_tables(measures: Sequence[Measure]) -> Iterator[ResultTable]:
    """Yield tables of the quasi-identifiers, a few metrics in each."""
    metrics = list(dict.fromkeys(measure.name for measure in measures))
    columns = list(dict.fromkeys(str(measure.attribute) for measure in measures))
    values = {(measure.name, measure.attribute): measure.value for measure in measures}
    for first in range(0, len(metrics), _METRICS_ACROSS):
        across = metrics[first : first + _METRICS_ACROSS]
        title = "" if first else "each quasi-identifier"
        table = make_table(title, "", *across, numbers=frozenset(range(1, len(across) + 1)))
        for column in columns:
            shown = (values.get((metric, column)) for metric in across)
            table.add_row(column, *("" if value is None else _format_figure(value) for value in shown))
        yield table


def _format_figure(value: float) -> str:
    """Write a figure: whole numbers whole, others with four significant digits.

    Examples
    --------
    >>> _format_figure(67949026.0), _format_figure(0.41210033), _format_figure(145306.5619)
    ('67,949,026', '0.4121', '145,307')
    """
    if float(value).is_integer() or abs(value) >= 10_000:
        return f"{value:,.0f}"
    return f"{value:.4g}"
