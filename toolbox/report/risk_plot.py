"""The picture of `risk`: how many records, and how many people, hide among how many others."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from toolbox.charts.bins import binned
from toolbox.report.pictures import save
from toolbox.report.risk import RiskReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_AT_RISK, _PARTLY, _FINE = "#b5483a", "#d99a3c", "#3b6ea5"


def plot_risk(report: RiskReport, path: Path) -> None:
    """Draw a report into a file: the records by the size of their class, the people by what is consistent with them.

    Bars below the threshold of risk, or below k, are red; a bar that is so in part is orange.

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

    risk = report.risk
    consistent = risk.consistency
    figure = Figure(figsize=(10, 3.6 if consistent is None else 7), layout="constrained")
    panels = figure.subplots(1 if consistent is None else 2, 1, squeeze=False)[:, 0]
    _draw(panels[0], ((bar.size, bar.records) for bar in risk.histogram), least=1 / risk.threshold)
    panels[0].set_title("Records by the size of their class", loc="left")
    if consistent is not None:
        _draw(panels[1], consistent.counts, least=consistent.k)
        panels[1].set_title("People by the released records that could be theirs", loc="left")
    save(figure, path)


def _draw(axes: Axes, counts: Iterable[tuple[int, int]], least: float) -> None:
    """Draw a histogram; what is below the least number is at risk."""
    bars = binned(counts)
    enough = least * (1 - 1e-9)
    colours = [_FINE if bar.first >= enough else _PARTLY if bar.last >= enough else _AT_RISK for bar in bars]
    axes.bar([bar.name for bar in bars], [bar.amount for bar in bars], color=colours)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.spines[["top", "right"]].set_visible(False)
