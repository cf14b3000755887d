"""Figures 1 and 2 of the PrioPrivacy paper: quality against k, of the data sets and of single attributes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from bench_plot import COLOURS, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Measured(Protocol):
    """What a point must tell."""

    @property
    def experiment(self) -> int: ...
    @property
    def k(self) -> int: ...
    @property
    def method(self) -> str: ...
    @property
    def nue(self) -> float: ...
    @property
    def attributes(self) -> Sequence[float]: ...


def plot_datasets(points: Sequence[Measured], path: Path) -> None:
    """Draw Figure 1: a panel for each experiment."""
    experiments = sorted({point.experiment for point in points})
    figure = _figure(len(experiments), 2)
    for axes, experiment in zip(figure.axes, experiments, strict=False):
        mine = [point for point in points if point.experiment == experiment]
        _lines(axes, mine, float, of=attrgetter("nue"))
        axes.set_title(f"Experiment {experiment}")
    _finish(figure, path)


def plot_attributes(points: Sequence[Measured], names: Sequence[str], columns: Sequence[str], path: Path) -> None:
    """Draw Figure 2: a panel for each attribute in experiment 1, the most important first.

    Parameters
    ----------
    names : sequence of str
        The attributes in the order of their panels.
    columns : sequence of str
        The attributes in the order of `Measured.attributes`.
    """
    mine = [point for point in points if point.experiment == 1]
    if not mine:
        return
    figure = _figure(len(names), 3)
    for axes, name in zip(figure.axes, names, strict=False):
        position = columns.index(name)
        _lines(axes, mine, itemgetter(position), of=attrgetter("attributes"))
        axes.set_title(name)
    _finish(figure, path)


def _figure(panels: int, across: int) -> Figure:
    from matplotlib.figure import Figure

    rows = -(-panels // across)
    figure = Figure(figsize=(4.4 * across, 3.2 * rows), layout="constrained", facecolor="white")
    for index in range(panels):
        figure.add_subplot(rows, across, index + 1)
    return figure


def _lines(
    axes: Axes, points: Sequence[Measured], value: Callable[[Any], float], *, of: Callable[[Measured], Any]
) -> None:
    for index, method in enumerate(dict.fromkeys(point.method for point in points)):
        mine = sorted((point for point in points if point.method == method), key=lambda point: point.k)
        style = {"color": COLOURS[index], "marker": MARKERS[index], "label": method}
        levels, losses = [point.k for point in mine], [value(of(point)) for point in mine]
        axes.plot(levels, losses, markersize=4, linewidth=1.4, **style)  # type: ignore[arg-type]
    axes.set_xlabel("k")
    axes.grid(alpha=0.3)


def _finish(figure: Figure, path: Path) -> None:
    import matplotlib as mpl

    figure.axes[0].set_ylabel("non-uniform entropy: share kept")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    with mpl.rc_context({"svg.hashsalt": "toolbox", "svg.fonttype": "path"}):
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
