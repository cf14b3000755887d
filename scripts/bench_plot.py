"""The plot of the benchmark: cost against size, and beside it the cost as a multiple of the copy's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bench_results import COPY_NAME
from bench_table import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
"""Okabe and Ito's, which people with any kind of colour vision can tell apart; each with a marker of its own too."""
MARKERS = ("o", "s", "^", "D", "v", "P")
COPY_STYLE = {"color": "black", "linestyle": "--", "marker": "x"}


def plot(rows: Sequence[Row], path: Path) -> None:
    """Draw a line of panels per input, in the format that the ending of ``path`` names.

    Parameters
    ----------
    rows : sequence of Row
        Those without a result are left out.
    path : Path
        The same rows give the same bytes, with one version of matplotlib.
    """
    # Here, because it is large: a child's peak memory is at least that of the process which measures it.
    import matplotlib as mpl
    from matplotlib.figure import Figure

    finished = [row for row in rows if row.failure is None]
    inputs = list(dict.fromkeys(row.input for row in finished))
    methods = list(dict.fromkeys(row.program for row in finished if row.program != COPY_NAME))
    styles = {COPY_NAME: COPY_STYLE} | {
        method: {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)]}
        for index, method in enumerate(methods)
    }
    with mpl.rc_context({"svg.hashsalt": "toolbox", "svg.fonttype": "path", "font.size": 10}):
        figure = Figure(figsize=(11, 3.9 * len(inputs)), layout="constrained", facecolor="white")
        for row_of_plots, (cost, ratio) in enumerate(figure.subplots(len(inputs), 2, squeeze=False)):
            mine = [row for row in finished if row.input == inputs[row_of_plots]]
            _cost(cost, mine, styles)
            _ratio(ratio, mine, styles)
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)


def _lines(axes: Axes, rows: Sequence[Row], styles: dict[str, dict[str, str]], value: str) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator

    for program, style in styles.items():
        mine = sorted((row for row in rows if row.program == program), key=lambda row: row.records)
        if mine:
            sizes, values = [row.records for row in mine], [getattr(row, value) for row in mine]
            axes.plot(sizes, values, label=mine[-1].name, markersize=5, linewidth=1.6, **style)  # type: ignore[arg-type]
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("records")
    # Without minor ticks nothing is labelled 6 x 10^0.
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0,)))
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.minorticks_off()
    axes.xaxis.set_major_formatter(FuncFormatter(lambda size, position: shortened(size)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda number, position: f"{number:,g}"))
    axes.grid(visible=True, color="0.88")
    axes.set_axisbelow(True)


def _cost(axes: Axes, rows: Sequence[Row], styles: dict[str, dict[str, str]]) -> None:
    _lines(axes, rows, styles, "wall_seconds")
    axes.set_ylabel("seconds")
    axes.set_title(f"{rows[0].input}: wall time", loc="left")


def _ratio(axes: Axes, rows: Sequence[Row], styles: dict[str, dict[str, str]]) -> None:
    _lines(axes, rows, styles, "wall_ratio")
    axes.set_ylabel("times the copy")
    axes.set_title(f"{rows[0].input}: as a multiple of the copy", loc="left")
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def shortened(size: float) -> str:
    """Write a number of records as people say it.

    Examples
    --------
    >>> shortened(10_000), shortened(100_000_000)
    ('10 k', '100 M')
    """
    return f"{size / 1e6:g} M" if size >= 1e6 else f"{size / 1e3:g} k" if size >= 1e3 else f"{size:g}"
