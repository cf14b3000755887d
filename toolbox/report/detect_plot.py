"""The picture of `detect`: the subsets with most singletons, and what each column adds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from toolbox.report.detect import DetectionReport
from toolbox.report.pictures import save

_BAR = 0.32
"""Inches."""
_MOST = 60
"""Bars of each kind; matplotlib draws no picture of any height."""


def plot_detection(report: DetectionReport, path: Path, *, top: int) -> None:
    """Draw a report into a file.

    Parameters
    ----------
    path : Path
        Of a picture; its end says in which format.
    top : int
        How many subsets to show; 60 at most.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    from matplotlib.figure import Figure

    detection = report.detection
    shown = detection.subsets[:top]
    adding = [column for column in detection.columns if column.adds is not None]
    adding.sort(key=lambda column: -(column.adds or 0.0))
    subsets, columns = shown[:_MOST], adding[:_MOST]
    figure = Figure(figsize=(10, 2.4 + _BAR * (len(subsets) + len(columns))), layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=[max(1, len(subsets)), max(1, len(columns))])
    labels = [", ".join(subset.columns) for subset in subsets]
    _bars(above, labels, [float(subset.singletons) for subset in subsets])
    above.set_title(f"Records that only these columns single out, of {detection.complete:,}{_cut(shown)}", loc="left")
    _bars(below, [column.name for column in columns], [column.adds or 0.0 for column in columns])
    below.set_title(f"Singletons that each column adds to others, on average{_cut(adding)}", loc="left")
    save(figure, path)


def _cut(bars: Sequence[object]) -> str:
    """Return a note if not all bars are drawn."""
    return f" (the first {_MOST} of {len(bars):,})" if len(bars) > _MOST else ""


def _bars(axes: object, labels: list[str], values: list[float]) -> None:
    """Draw bars from the top down; texts of the data are no formulas."""
    from matplotlib.axes import Axes

    assert isinstance(axes, Axes)
    axes.barh(range(len(values)), values, color="#3b6ea5")
    axes.set_yticks(range(len(values)), [label.replace("$", r"\$") for label in labels])
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.spines[["top", "right"]].set_visible(False)
