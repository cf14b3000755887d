"""The picture of `compare`: the risk that each run leaves against what it loses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from toolbox.report.compare import ComparisonReport
from toolbox.report.compared_runs import ComparedRun
from toolbox.report.pictures import save

_COLOURS = ("#1d4ed8", "#b45309", "#047857", "#7c3aed", "#be123c", "#0e7490", "#4d7c0f", "#525252")
_MARKS = "os^Dv<>P"
_MOST_WORDS = 12
"""Runs of one method whose requirements are written beside their points; more would lie upon each other."""


def plot_comparison(report: ComparisonReport, path: Path) -> None:
    """Draw a report into a file: a line for each method, a point for each run that could be done.

    Parameters
    ----------
    path : Path
        Of a picture; its end says in which format.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    from matplotlib.figure import Figure

    by = report.metrics[0]
    methods: dict[str, list[ComparedRun]] = {}
    for run in report.done:
        if by.name in run.values and run.variant is not None and run.variant.risk is not None:
            methods.setdefault(run.method, []).append(run)
    figure = Figure(figsize=(9, 5.5), layout="constrained")
    axes = figure.subplots()
    for index, (method, runs) in enumerate(methods.items()):
        _line(axes, method, runs, by.name, index)
    axes.set_xlabel(_plain(f"{by.name} ({by.unit}, {by.direction} is better)"))
    axes.set_ylabel("records found by who tries all")
    axes.set_title("Risk against loss, a point for each run", loc="left")
    axes.yaxis.set_major_formatter("{x:.2%}" if _largest(methods) < 0.05 else "{x:.0%}")
    axes.set_ylim(bottom=0)
    if by.direction == "higher":
        # What is lost grows to the right in every picture.
        axes.invert_xaxis()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(visible=True, color="#e5e5e5")
    if methods:
        axes.legend(frameon=False)
    save(figure, path)


def _largest(methods: dict[str, list[ComparedRun]]) -> float:
    return max((_risk(run) for runs in methods.values() for run in runs), default=0.0)


def _line(axes: Any, method: str, runs: list[ComparedRun], metric: str, index: int) -> None:
    points = sorted(((run.values[metric], _risk(run), run) for run in runs), key=lambda point: point[:2])
    colour, mark = _COLOURS[index % len(_COLOURS)], _MARKS[index % len(_MARKS)]
    losses, risks = [loss for loss, _, _ in points], [risk for _, risk, _ in points]
    axes.plot(losses, risks, marker=mark, color=colour, label=_plain(method), linewidth=1)
    if len(points) <= _MOST_WORDS:
        for loss, risk, run in points:
            axes.annotate(
                _plain(run.required), (loss, risk), textcoords="offset points", xytext=(5, 5), fontsize=7, color=colour
            )


def _risk(run: ComparedRun) -> float:
    assert run.variant is not None and run.variant.risk is not None, "only such runs are drawn"
    return run.variant.risk.average


def _plain(text: str) -> str:
    """Return a text that is no formula."""
    return text.replace("$", r"\$")
