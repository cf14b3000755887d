"""Figures 8 and 10 of Marchand's report, drawn from our numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from bench_plot import COLOURS, MARKERS

from reproductions.classification import Scores
from reproductions.study import METRICS, SIZES, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DRAWN = tuple(METRICS)[1:]
"""The number of classes is in no figure."""


def draw_losses(done: Study, path: Path) -> None:
    """Draw figure 8: each metric against k, the original at 1."""
    figure = _figure()
    for axes, name in zip(figure.axes, DRAWN, strict=True):
        values = [report.value(name) for report in done.losses.values()]
        axes.plot(list(done.losses), values, color=COLOURS[0], marker=MARKERS[0], markersize=4)
        axes.set_title(name)
        axes.set_xlabel("k")
    _save(figure, path)


def draw_scores(done: Study, found: Mapping[int, Scores], path: Path) -> None:
    """Draw figure 10: both scores of the nine releases against each metric."""
    figure = _figure()
    for axes, name in zip(figure.axes, DRAWN, strict=True):
        losses = [done.losses[k].value(name) for k in SIZES]
        for place, label in enumerate(("balanced accuracy", "AUROC")):
            values = [found[k][place] for k in SIZES]
            axes.scatter(losses, values, color=COLOURS[place], marker=MARKERS[place], label=label)
        axes.set_xlabel(name)
        axes.set_ylim(0.5, 1)
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    _save(figure, path)


def _figure() -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.8, 6.4), layout="constrained", facecolor="white")
    for place in range(len(DRAWN)):
        figure.add_subplot(2, 2, place + 1).grid(alpha=0.3)
    return figure


def _save(figure: Figure, path: Path) -> None:
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "toolbox", "svg.fonttype": "path"}):
        figure.savefig(path, metadata={"Date": None})
