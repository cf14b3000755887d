"""What `measure` says: what a release has lost, as tables and as a document with stable names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from toolbox.errors import UsageError, did_you_mean
from toolbox.loss.bound import LossBound
from toolbox.loss.metric import LeftOut, Measure, find_metric_name, name_in_short
from toolbox.loss.pairs import FigureChange, PairChanges
from toolbox.messages import format_count, mark, name_python_arguments, say
from toolbox.report.console import ConsoleReport, ResultTable, make_table, print_notes
from toolbox.report.judges.face import document_tables

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
    pairs: PairChanges | None = None
    """How each pair of columns has changed, where that is asked for."""
    tables: Mapping[str, LossReport] = field(default_factory=dict)
    """The child tables by their names."""

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
        with name_python_arguments():
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
        words = mark("not measured: %(names)s: %(reason)s.")
        left_out = (say(words, names=", ".join(names), reason=reason) for reason, names in reasons.items())
        return *self.readings, *left_out, *(() if self.pairs is None else _list_pair_notes(self.pairs))

    def headline(self) -> str:
        """Return the most important facts in one line."""
        return f"{format_count(len(self.measures), 'value')} of metrics on {format_count(self.records, 'record')}"

    def show_on(self, console: Any) -> None:
        """Print the tables on a console of rich."""
        print_losses(
            console,
            records=self.records,
            measures=self.measures,
            notes=self.notes,
            persons=self.persons,
            bounds=self.bounds,
            pairs=self.pairs,
        )
        for name, table in self.tables.items():
            console.print(f"\n[bold]table {name}[/]")
            table.show_on(console)

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command ``measure``; its names are stable."""
        return {
            "toolbox_version": self.toolbox_version,
            "records": self.records,
            **({} if self.persons is None else {"persons": self.persons}),
            "metrics": [{**asdict(measure), "short": name_in_short(measure.name)} for measure in self.measures],
            **({"bounds": [bound.document() for bound in self.bounds]} if self.bounds else {}),
            **({} if self.pairs is None else {"pairs": self.pairs.document()}),
            **({"tables": document_tables(self.tables)} if self.tables else {}),
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
    pairs: PairChanges | None = None,
) -> None:
    """Print what a release has lost; `LossReport` explains the figures."""
    of_persons = "" if persons is None else f", of {format_count(persons, 'person')}"
    console.print(f"[bold]records[/]  {records:,}{of_persons}\n")
    console.print(_make_whole_table([measure for measure in measures if measure.attribute is None]))
    for table in _make_column_tables([measure for measure in measures if measure.attribute is not None]):
        console.print(table)
    for bound in bounds:
        console.print(f"[bold]bound[/]  {escape(str(bound))}\n")
    if pairs is not None:
        for table in _make_pair_tables(pairs):
            console.print(table)
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


_PAIRS_SHOWN = 20
"""Most pairs of columns on a console; the document has all."""


def _make_pair_tables(changes: PairChanges) -> Iterator[ResultTable]:
    """Yield the table of the pairs, the most changed ones first, and those of the columns."""
    figures = "before", "after", "lowest", "highest"
    heads = "", "distance", "exact", "correlation", *figures
    table = make_table("pairs of columns, the most changed first", *heads, numbers=frozenset({1, 2, 4, 5, 6, 7}))
    for pair in changes.pairs[:_PAIRS_SHOWN]:
        shares = f"{pair.distance:.3f}", _format_exact(pair.exact)
        table.add_row(" x ".join(pair.columns), *shares, pair.measure, *_format_change(pair.association))
    yield table
    table = make_table("columns", "", "distance", "exact", "rows", numbers=frozenset({1, 2, 3}))
    for column in changes.columns:
        table.add_row(column.name, f"{column.distance:.3f}", _format_exact(column.exact), f"{column.groups:,}")
    yield table
    table = make_table("numbers", "", "figure", *figures, numbers=frozenset({2, 3, 4, 5}))
    for column in changes.columns:
        if (numbers := column.numbers) is not None:
            table.add_row(column.name, "mean", *_format_change(numbers.mean))
            table.add_row("", "variance", *_format_change(numbers.variance))
            table.add_row("", "of it within classes", *_format_change(numbers.within_classes))
    if table.rows:
        yield table


def _format_change(change: FigureChange) -> tuple[str, ...]:
    return tuple("" if figure is None else _format_figure(figure) for figure in change.figures)


def _format_exact(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _list_pair_notes(changes: PairChanges) -> Iterator[str]:
    """Yield what to know of the figures of pairs."""
    grouped = [column.name for column in changes.columns if column.is_grouped]
    if grouped:
        yield f"{', '.join(grouped)}: values next to each other stand in one row of two-way tables, as there are many."
    if len(changes.pairs) > _PAIRS_SHOWN:
        yield f"{len(changes.pairs) - _PAIRS_SHOWN} pairs that changed less are only in the JSON document."
    if changes.left_out:
        yield f"pairs are those of the first {len(changes.columns)} columns, without {', '.join(changes.left_out)}."


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
