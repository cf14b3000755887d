"""Inline SVG from plain data, and the same as tables: strings for a page that has the style sheet of `style`."""

from toolbox.charts.lines import Line, Spot, lines
from toolbox.charts.lying import bars
from toolbox.charts.markup import escaped
from toolbox.charts.pictures import before_after, class_sizes, safe_at_risk
from toolbox.charts.rows import in_bins, with_others
from toolbox.charts.scale import percent, written
from toolbox.charts.scatter import Point, risk_loss
from toolbox.charts.sizes import size_bars, sizes_figure
from toolbox.charts.standing import histogram
from toolbox.charts.style import style
from toolbox.charts.tables import figure, table

__all__ = [
    "Line",
    "Point",
    "Spot",
    "bars",
    "before_after",
    "class_sizes",
    "escaped",
    "figure",
    "histogram",
    "in_bins",
    "lines",
    "percent",
    "risk_loss",
    "safe_at_risk",
    "size_bars",
    "sizes_figure",
    "style",
    "table",
    "with_others",
    "written",
]
