"""Inline SVG from plain data, and the same as tables: strings for a page that has the style sheet of `style`."""

from toolbox.charts.bar_charts import (
    draw_bars,
    draw_before_after,
    draw_class_sizes,
    draw_histogram,
    draw_safe_at_risk,
    group_class_sizes,
    render_sizes_figure,
)
from toolbox.charts.canvas import format_number, format_percent
from toolbox.charts.lattice import LatticeBox, draw_lattice, find_node_naming
from toolbox.charts.markup import escape_text, read_style
from toolbox.charts.points import Line, Point, Spot, draw_lines, draw_pairs, draw_risk_loss
from toolbox.charts.rows import group_into_bins, group_small_rows, render_figure, render_table

__all__ = [
    "LatticeBox",
    "Line",
    "Point",
    "Spot",
    "draw_bars",
    "draw_before_after",
    "draw_class_sizes",
    "draw_histogram",
    "draw_lattice",
    "draw_lines",
    "draw_pairs",
    "draw_risk_loss",
    "draw_safe_at_risk",
    "escape_text",
    "find_node_naming",
    "format_number",
    "format_percent",
    "group_class_sizes",
    "group_into_bins",
    "group_small_rows",
    "read_style",
    "render_figure",
    "render_sizes_figure",
    "render_table",
]
