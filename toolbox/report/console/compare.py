"""The tables of `compare`: what each run costs, the best first, and what cannot be done."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from toolbox.loss.names import short_name
from toolbox.messages import counted
from toolbox.report.compared_runs import KEPT, ComparedMetric, ComparedRun
from toolbox.report.console.tables import plain_table, print_notes

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
        best = escape(f"{done[0].method}, {done[0].required}")
        console.print(f"[bold]best[/]     {best} (by {metrics[0].name})\n", soft_wrap=True)
        console.print(_runs_table(done, metrics))
        for name, meaning in _legend(metrics, threshold).items():
            console.print(f"[bold]{escape(name)}[/] {escape(meaning)}", soft_wrap=True)
        console.print()
    if impossible := [run for run in runs if run.variant is None]:
        table = plain_table(f"{counted(len(impossible), 'run')} that cannot be done", "method", "model", "why")
        for (method, why), models in _by_reason(impossible).items():
            table.add_row(escape(method), escape("\n".join(models)), escape(why))
        console.print(table)
    print_notes(console, notes)


def _by_reason(runs: Sequence[ComparedRun]) -> dict[tuple[str, str], list[str]]:
    """Group the failures of a method by their reason."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for run in runs:
        reasons.setdefault((run.method, run.why_not), []).append(run.required)
    return reasons


def _runs_table(runs: Sequence[ComparedRun], metrics: Sequence[ComparedMetric]) -> Table:
    columns = (
        "method",
        "model",
        *_heads(metrics),
        "classes",
        "small-\nest",
        "sup-\npressed",
        "found",
        "at\nrisk",
        "time",
    )
    table = plain_table("runs, the best first", *columns, numbers=frozenset(range(2, len(columns))))
    for run in runs:
        assert run.variant is not None, "it was done"
        proof, risk = run.variant.summary.proof, run.variant.risk
        table.add_row(
            escape(run.method),
            escape(run.required),
            *(_figure(run.values.get(metric.name), metric.unit) for metric in metrics),
            f"{proof.classes:,}",
            "-" if proof.smallest_class is None else f"{proof.smallest_class:,}",
            f"{proof.records_suppressed:,}",
            "-" if risk is None else f"{risk.average:.1%}",
            "-" if risk is None else f"{risk.share_at_risk:.1%}",
            f"{run.seconds or 0.0:.1f} s",
        )
    return table


def _legend(metrics: Sequence[ComparedMetric], threshold: float) -> dict[str, str]:
    """Return the meanings of the column heads."""
    meanings = {
        head: f"{'' if head == metric.name else f'{metric.name}, '}{metric.unit}: {metric.direction} is better"
        for head, metric in zip(_heads(metrics), metrics, strict=True)
    }
    return {
        **meanings,
        "found": "share of the records that an attacker assigns to the right people, if all are tried",
        "at risk": f"share of the records that are assigned rightly with a chance above {threshold:g}",
    }


def _heads(metrics: Sequence[ComparedMetric]) -> list[str]:
    """Return what the columns of metrics are called: their first letters, where these tell them apart."""
    short = ["kept" if metric.name == KEPT else short_name(metric.name) for metric in metrics]
    return [metric.name if short.count(head) > 1 else head for head, metric in zip(short, metrics, strict=True)]


def _figure(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    if unit == "share":
        return f"{value:.3f}"
    return f"{value:,.0f}" if abs(value) >= _LARGE else f"{value:,.4g}"
