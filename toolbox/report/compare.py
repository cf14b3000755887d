"""What `compare` says: what each method costs under each requirement, the best first; and its document for machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toolbox.errors import UsageError
from toolbox.messages import counted, either, is_asked_in_python
from toolbox.report.compared_runs import ComparedMetric, ComparedRun
from toolbox.report.notebook import Shown

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, repr=False)
class ComparisonReport(Shown):
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
        """Notes on the figures."""
        reasons: dict[str, list[str]] = {}
        names = {metric.name for metric in self.metrics}
        for run in self.done:
            losses = None if run.variant is None else run.variant.losses
            for left_out in losses.left_out if losses is not None else ():
                if left_out.name in names and left_out.name not in run.values:
                    what = f"{left_out.name}: {left_out.reason}"
                    reasons.setdefault(what, []).append(run.method)
        notes = [f"not measured of {', '.join(dict.fromkeys(methods))}: {what}." for what, methods in reasons.items()]
        if self.done:
            remedy = either(
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
        figure = "" if value is None else f" with {metric.name} {value:.4g}"
        return f"{counted(done, 'run')}{without}; best: {best.method}, {best.required}{figure}"

    def to_frame(self) -> pd.DataFrame:
        """Return the runs as a DataFrame, a row for each."""
        import pandas as pd

        rows = []
        for run in self.runs:
            entry = run.document(self.metrics)
            metrics = entry.pop("metrics", {})
            entry.pop("requirements", None)
            rows.append({**entry, "models": "; ".join(run.models), **metrics})
        return pd.DataFrame(rows)

    def show_on(self, console: Any) -> None:
        """Print the tables on a console of rich."""
        from toolbox.report.console.compare import print_comparison

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
