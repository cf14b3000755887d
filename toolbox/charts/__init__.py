"""Inline SVG from plain data, and the same as tables: strings for a page that has the style sheet of `style`."""

from toolbox.charts.bar_charts import bars, histogram
from toolbox.charts.canvas import percent, written
from toolbox.charts.markup import escaped, style
from toolbox.charts.pictures import before_after, class_sizes, safe_at_risk, size_bars, sizes_figure
from toolbox.charts.points import Line, Point, Spot, lines, risk_loss
from toolbox.charts.rows import figure, in_bins, table, with_others

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
