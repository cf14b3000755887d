"""What charts of bars say in words: the figure of each bar, the sums of what is stacked, and a sentence on them all."""

from __future__ import annotations

from collections.abc import Sequence

from toolbox.charts.canvas import Canvas, swatches
from toolbox.charts.markup import Markup, shortened
from toolbox.charts.rows import Row, named
from toolbox.charts.scale import written


def figure_of(row: Row) -> str:
    """Return the figure of a row: its amount, or how many are at risk of how many."""
    first, *more = row[1:]
    return f"{written(more[0])} of {written(first + more[0])}" if more else written(first)


def split_words(canvas: Canvas, rows: Sequence[Row], y: float) -> Markup:
    """Return the words for both amounts, each with its sum, in the place of a legend."""
    safe, at_risk = map(sum, zip(*(row[1:] for row in rows), strict=True))
    return swatches(canvas, f"safe {written(safe)}", f"at risk {written(at_risk)}", y)


def described(rows: Sequence[Row], unit: str) -> str:
    """Return a sentence that says what a chart shows."""
    largest = max(rows, key=lambda row: sum(row[1:]))
    most = f"the largest is {shortened(named(largest[0]), 60)} with {written(sum(largest[1:]))} {unit}"
    return f"{len(rows):,} bars, {written(sum(sum(row[1:]) for row in rows))} {unit}; {most}."
