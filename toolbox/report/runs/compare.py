"""What `compare` says: what each method costs under each requirement, the best first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from toolbox.errors import UsageError
from toolbox.loss.bound import LossBound
from toolbox.loss.metric import Direction, abbreviate_name, find_metric_name, name_in_short, normalise_name
from toolbox.messages import choose_setting_name, format_count, is_asked_in_python, name_python_arguments
from toolbox.report.console import ConsoleReport, ResultTable, make_table, print_notes
from toolbox.report.judges.measure import LossReport
from toolbox.report.runs.summary import Summary
from toolbox.risks.risk import AttackerRisk, ClassSize

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# The runs that `compare` compares: what came of each, by which metrics, in which order.

KEPT = "information kept"
"""What the share of the information is called here that the summary of a run tells."""


KEPT_IN_SHORT = "kept"


class MetricValues(dict[str, float]):
    """Values by the names of metrics; every other name by which a metric is called finds its value, too.

    Examples
    --------
    >>> values = MetricValues({"normalised certainty penalty": 0.25})
    >>> values["NCP"], "ncp" in values, values.get("precision")
    (0.25, True, None)
    """

    def __missing__(self, name: str) -> float:
        if (found := self._find_column(name)) is None:
            raise KeyError(name)
        return self[found]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and self._find_column(name) is not None)

    def get(self, name: str, default: Any = None) -> Any:
        found = self._find_column(name)
        return default if found is None else self[found]

    def _find_column(self, name: str) -> str | None:
        found = KEPT if normalise_name(name) in (KEPT, KEPT_IN_SHORT) else find_metric_name(name, self)
        return found if found is not None and super().__contains__(found) else None


@dataclass(frozen=True)
class ComparedMetric:
    """A measure by which runs are compared."""

    name: str
    unit: str
    direction: Direction

    def document(self) -> dict[str, str]:
        """Return the entry of the JSON document."""
        short = KEPT_IN_SHORT if self.name == KEPT else name_in_short(self.name)
        return {**vars(self), "short": short}


INFORMATION_KEPT = ComparedMetric(KEPT, "share", "higher")


@dataclass(frozen=True, kw_only=True)
class ComparedRun:
    """One method under one requirement."""

    method: str
    settings: Mapping[str, str]
    models: tuple[str, ...]
    """What was required, such as ``k-anonymity (k=5)``."""
    required: str
    """The same in few words, such as ``k=5``."""
    variant: Variant | None
    """What came of it, proved; None if it cannot be done."""
    why_not: str = ""
    """Why it cannot be done, and what to do about it."""
    values: Mapping[str, float] = field(default_factory=dict)
    """By the names of the metrics, or by whatever else they are called; those that say nothing of it are not there."""

    @property
    def bounds(self) -> tuple[LossBound, ...]:
        """What every release of its kind loses at least, beside what it has lost, where that was asked for."""
        losses = None if self.variant is None else self.variant.losses
        return () if losses is None else losses.bounds

    @property
    def seconds(self) -> float | None:
        """How long it took to find and prove it, without reading the table and without measuring."""
        if self.variant is None:
            return None
        timings = self.variant.summary.timings
        return sum(seconds for step, seconds in timings.items() if step not in ("read", "measure", "total"))

    def document(self, metrics: Sequence[ComparedMetric]) -> dict[str, Any]:
        """Return the entry of the JSON document."""
        entry: dict[str, Any] = {"method": self.method, "settings": dict(self.settings), "models": list(self.models)}
        if self.variant is None:
            return {**entry, "why_not": self.why_not}
        proof, risk = self.variant.summary.proof, self.variant.risk
        return {
            **entry,
            "metrics": {metric.name: self.values.get(metric.name) for metric in metrics},
            "requirements": self.variant.summary.document()["requirements"],
            "classes": proof.classes,
            "smallest_class": proof.smallest_class,
            "records_suppressed": proof.records_suppressed,
            "share_found": None if risk is None else risk.average,
            "share_at_risk": None if risk is None else risk.share_at_risk,
            "seconds": self.seconds,
            **({"bounds": [bound.document() for bound in self.bounds]} if self.bounds else {}),
        }


def sort_runs(runs: Sequence[ComparedRun], by: ComparedMetric) -> tuple[ComparedRun, ...]:
    """Order runs: the best by a metric first, then what it says nothing of, then what cannot be done."""
    sign = 1 if by.direction == "lower" else -1

    def rank(run: ComparedRun) -> tuple[bool, float]:
        return run.variant is None, sign * run.values[by.name] if by.name in run.values else math.inf

    return tuple(sorted(runs, key=rank))


# What `compare` says: what each method costs under each requirement, the best first; and its document for machines.


@dataclass(frozen=True, kw_only=True, repr=False)
class ComparisonReport(ConsoleReport):
    """What each method costs under each requirement."""

    runs: tuple[ComparedRun, ...]
    """The best first, and last what cannot be done."""
    metrics: tuple[ComparedMetric, ...]
    """The first of them says what is best."""
    threshold: float
    """Risk above which a record counts as at risk."""
    records: int | None
    """That were compared; None if nothing could be done."""
    timings: Mapping[str, float]
    """Seconds of wall time, by step."""
    toolbox_version: str
    readings: tuple[str, ...] = ()
    """What was noticed while the table was read."""
    in_python: bool = field(default_factory=is_asked_in_python, compare=False, repr=False)
    """Whether notes name the arguments of a Python call."""

    @property
    def done(self) -> tuple[ComparedRun, ...]:
        """The runs that could be done."""
        return tuple(run for run in self.runs if run.variant is not None)

    @property
    def best(self) -> ComparedRun:
        """The best run.

        Raises
        ------
        UsageError
            If nothing could be done.
        """
        if not self.done:
            raise UsageError(f"Nothing could be done: {self.runs[0].why_not}")
        return self.done[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the reading and the figures."""
        reasons: dict[str, list[str]] = {}
        names = {metric.name for metric in self.metrics}
        for run in self.done:
            losses = None if run.variant is None else run.variant.losses
            for left_out in losses.left_out if losses is not None else ():
                if left_out.name in names and left_out.name not in run.values:
                    what = f"{left_out.name}: {left_out.reason}"
                    reasons.setdefault(what, []).append(run.method)
        unmeasured = [(what, ", ".join(dict.fromkeys(methods))) for what, methods in reasons.items()]
        notes = [*self.readings, *(f"not measured of {methods}: {what}." for what, methods in unmeasured)]
        beyond = dict.fromkeys((run.method, bound.beyond) for run in self.done for bound in run.bounds if bound.beyond)
        notes += [f"{method} may lose less than the bound: {why}." for method, why in beyond]
        if self.done:
            remedy = choose_setting_name(
                "Run the method by itself, with these parameters",
                python="toolbox.anonymize(**report.best.variant.arguments)",
                in_python=self.in_python,
            )
            notes.append(f"Nothing was released. {remedy}: that reads the records, and proves the release on them.")
        return tuple(notes)

    def headline(self) -> str:
        """Return the most important facts in one line."""
        done, impossible = len(self.done), len(self.runs) - len(self.done)
        without = f", {impossible:,} impossible" if impossible else ""
        if not done:
            return f"0 runs{without}"
        best, metric = self.best, self.metrics[0]
        value = best.values.get(metric.name)
        told = "unknown" if value is None else f"{best.method}, {best.required} with {metric.name} {value:.4g}"
        return f"{format_count(done, 'run')}{without}; best: {told}"

    def to_frame(self) -> pd.DataFrame:
        """Return the runs as a DataFrame, a row for each."""
        with name_python_arguments():
            import pandas as pd

        rows = []
        for run in self.runs:
            entry = run.document(self.metrics)
            metrics = entry.pop("metrics", {})
            entry.pop("requirements", None)
            bounds = {f"bound of {bound['metric']}": bound["value"] for bound in entry.pop("bounds", ())}
            rows.append({**entry, "models": "; ".join(run.models), **metrics, **bounds})
        return pd.DataFrame(rows)

    def show_on(self, console: Any) -> None:
        """Print the tables on a console of rich."""
        print_comparison(
            console,
            self.runs,
            self.metrics,
            records=self.records,
            threshold=self.threshold,
            notes=self.notes,
        )

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command ``compare``; its names are stable."""
        return {
            "toolbox_version": self.toolbox_version,
            "records": self.records,
            "threshold": self.threshold,
            "metrics": [metric.document() for metric in self.metrics],
            "runs": [run.document(self.metrics) for run in self.runs],
            "timings": dict(self.timings),
            "notes": list(self.notes),
        }


# The tables of `compare`: what each run costs, the best first, and what cannot be done.

_LARGE = 1000
"""From here on decimals say nothing."""


def print_comparison(
    console: Console,
    runs: Sequence[ComparedRun],
    metrics: Sequence[ComparedMetric],
    *,
    records: int | None,
    threshold: float,
    notes: Sequence[str],
) -> None:
    """Print what each run costs, in their order, and what cannot be done.

    Parameters
    ----------
    records : int, optional
        That were compared; None if nothing could be done.
    threshold : float
        Risk above which a record counts as at risk.
    """
    done = [run for run in runs if run.variant is not None]
    if done:
        console.print(f"[bold]records[/]  {records:,}")
        name = metrics[0].name
        is_known = done[0].values.get(name) is not None
        best = (
            f"{done[0].method}, {done[0].required} (by {name})"
            if is_known
            else f"unknown: no run has a value of {name}"
        )
        console.print(f"[bold]best[/]     {escape(best)}\n", soft_wrap=True)
        console.print(_make_runs_table(done, metrics))
        for name, meaning in _format_legend(metrics, threshold).items():
            console.print(f"[bold]{escape(name)}[/] {escape(meaning)}", soft_wrap=True)
        console.print()
        if any(run.bounds for run in done):
            console.print(_make_bounds_table(done))
    if impossible := [run for run in runs if run.variant is None]:
        table = make_table(f"{format_count(len(impossible), 'run')} that cannot be done", "method", "model", "why")
        for (method, why), models in _group_by_reason(impossible).items():
            table.add_row(method, "\n".join(models), why)
        console.print(table)
    print_notes(console, notes)


def _group_by_reason(runs: Sequence[ComparedRun]) -> dict[tuple[str, str], list[str]]:
    """Group the failures of a method by their reason."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for run in runs:
        reasons.setdefault((run.method, run.why_not), []).append(run.required)
    return reasons


def _make_runs_table(runs: Sequence[ComparedRun], metrics: Sequence[ComparedMetric]) -> ResultTable:
    columns = (
        "method",
        "model",
        *_find_column_heads(metrics),
        "classes",
        "small-\nest",
        "sup-\npressed",
        "found",
        "at\nrisk",
        "time",
    )
    table = make_table("runs, the best first", *columns, numbers=frozenset(range(2, len(columns))))
    for run in runs:
        assert run.variant is not None, "it was done"
        proof, risk = run.variant.summary.proof, run.variant.risk
        table.add_row(
            run.method,
            run.required,
            *(_format_figure(run.values.get(metric.name), metric.unit) for metric in metrics),
            f"{proof.classes:,}",
            "-" if proof.smallest_class is None else f"{proof.smallest_class:,}",
            f"{proof.records_suppressed:,}",
            "-" if risk is None else f"{risk.average:.1%}",
            "-" if risk is None else f"{risk.share_at_risk:.1%}",
            f"{run.seconds or 0.0:.1f} s",
        )
    return table


def _make_bounds_table(runs: Sequence[ComparedRun]) -> ResultTable:
    """Return what each run has lost beside the least that any release of this kind loses."""
    columns = ("method", "model", "metric", "lost", "no release of this kind loses less than")
    table = make_table("how much better a release could be", *columns, numbers=frozenset({3, 4}))
    for run in runs:
        for bound in run.bounds:
            lost, least = ("-" if value is None else f"{value:.4f}" for value in bound.lost)
            least = "another kind" if bound.beyond else least
            table.add_row(run.method, run.required, name_in_short(bound.metric), lost, least)
    return table


def _format_legend(metrics: Sequence[ComparedMetric], threshold: float) -> dict[str, str]:
    """Return the meanings of the column heads."""
    meanings = {
        head: f"{'' if head == metric.name else f'{metric.name}, '}{metric.unit}: {metric.direction} is better"
        for head, metric in zip(_find_column_heads(metrics), metrics, strict=True)
    }
    return {
        **meanings,
        "found": "share of the records that an attacker assigns to the right people, if all are tried",
        "at risk": f"share of the records that are assigned rightly with a chance above {threshold:g}",
    }


def _find_column_heads(metrics: Sequence[ComparedMetric]) -> list[str]:
    """Return what the columns of metrics are called: their first letters, where these tell them apart."""
    short = ["kept" if metric.name == KEPT else abbreviate_name(metric.name) for metric in metrics]
    return [metric.name if short.count(head) > 1 else head for head, metric in zip(short, metrics, strict=True)]


def _format_figure(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    if unit == "share":
        return f"{value:.3f}"
    return f"{value:,.0f}" if abs(value) >= _LARGE else f"{value:,.4g}"


# A variant: the result of a run in a session.


@dataclass(frozen=True, kw_only=True, repr=False)
class Variant(ConsoleReport):
    """A release that was made and proved, but not written.

    Nothing is released from it: ``toolbox.anonymize(**variant.arguments)`` makes the release anew, and proves it on the
    records.

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> people = pd.DataFrame({"age": [23, 25, 24, 61, 67, 64]})
    >>> with toolbox.open(people, quasi_identifiers=["age"]) as session:
    ...     variant = session.run(k=3)
    >>> variant
    <Variant: Mondrian, 6 records in 2 classes, smallest 3; k-anonymity 3 (required 3)>
    >>> toolbox.anonymize(**variant.arguments, order="sorted").summary.proof.classes
    2
    """

    summary: Summary
    """As that of a release, but for what only its records and its files tell."""
    losses: LossReport | None
    """What it has lost by the metrics that were asked for; None if none was."""
    risk: AttackerRisk | None
    """Of an attacker who knows that a person is in the table; None if all records are suppressed."""
    classes: pa.Table | None
    """If they were asked for: ``class_id, size, suppressed`` and the text of each quasi-identifier, by its name."""
    arguments: Mapping[str, Any]
    """Those of `toolbox.anonymize` that make the release."""
    number: int | None = None
    """By which the session knows it, if it keeps it."""
    sizes_before: tuple[ClassSize, ...] = ()
    """How many classes there are of each size, as the records were read."""
    sizes_after: tuple[ClassSize, ...] = ()
    """The same of the variant; suppressed records are in no class."""
    sampled_from: int | None = None
    """The records of the table, where only a sample of them was run; None: it was run on all."""

    def to_html(self) -> str:
        """Return the internal report as one page for people: the proof, and the losses that were asked for.

        A release of this variant has a page with all figures: ``toolbox.anonymize(**variant.arguments).to_html()``.

        Returns
        -------
        str
            HTML with its style in it and no script.
        """
        from toolbox.report.html.page import render_variant_page

        return render_variant_page(self.summary, self.losses)

    def headline(self) -> str:
        """Return the most important facts in one line."""
        drawn = "" if self.sampled_from is None else f"; a sample of {self.sampled_from:,} records"
        return f"{self.summary.headline()}{drawn}"

    def show_on(self, console: Any) -> None:
        """Print the tables on a console of rich."""
        self.summary.show_on(console)
        if self.losses is not None:
            self.losses.show_on(console)

    def document(self) -> dict[str, Any]:
        """Return a document with stable names that machines read; the arguments are not in it."""
        return {
            **self.summary.document(),
            "losses": None if self.losses is None else self.losses.document(),
            "risk": None if self.risk is None else vars(self.risk),
            "sampled_from": self.sampled_from,
            "class_sizes": {
                side: [asdict(size) for size in sizes]
                for side, sizes in (("before", self.sizes_before), ("after", self.sizes_after))
            },
        }
