"""Bars that lie, one below the other, for categories with their names."""

from __future__ import annotations

from collections.abc import Iterable

from toolbox.charts.canvas import LINE, Canvas, box, fitting, label, line, text_width
from toolbox.charts.markup import Markup, shortened
from toolbox.charts.rows import Row, named
from toolbox.charts.scale import Scale, written
from toolbox.charts.words import described, figure_of, split_words

_BAR = 18
_PITCH = 26
_GAP = 8
_NAMES = 0.38
"""Most of the width that names take."""


def bars(
    rows: Iterable[Row],
    *,
    key: str,
    title: str,
    unit: str = "records",
    scale_to: float | None = None,
    width: float = 640,
    focusable: bool = False,
) -> str:
    """Draw a bar for each row, in the order of the rows.

    Parameters
    ----------
    rows : iterable of (name, amount) or (name, safe, at risk)
        A second amount is stacked upon the first, and hatched.
    key : str
        A word that no other chart of the page has.
    title : str
        What the chart shows.
    unit : str
        What the amounts count.
    scale_to : float, optional
        Highest number of the axis, where another chart stands beside; by default the largest row.
    width : float
        In pixels.
    focusable : bool
        Whether each bar can be reached by keyboard.

    Examples
    --------
    >>> chart = bars([("Graz", 12), ("Linz", 4)], key="towns", title="Records by town")
    >>> chart.startswith('<svg class="c-chart" viewBox="0 0 640'), chart.count("<rect")
    (True, 3)
    """
    shown = list(rows)
    canvas = Canvas(key, title, width, focusable)
    if not shown:
        return canvas.empty()
    highest = max(sum(row[1:]) for row in shown) if scale_to is None else scale_to
    is_split = any(len(row) > 2 for row in shown)
    gutter, figures = _NAMES * width, [figure_of(row) for row in shown]
    longest = text_width(written(highest))
    if scale_to is None:
        # Beside another chart a record must be as long here as there, whatever the names and the figures.
        gutter = min(gutter, max(text_width(shortened(named(row[0]))) for row in shown))
        longest = max(map(text_width, figures))
    room = width - gutter - max(longest, text_width(unit)) - 3 * _GAP
    scale = Scale.within(highest, room, ticks=max(2, int(room / 90)))
    top = LINE * (1.8 if is_split else 0) + (LINE if focusable else 0)
    bottom = top + _PITCH * len(shown)
    left = gutter + _GAP
    parts = _axis(scale, left, top, bottom, unit)
    if is_split:
        parts.append(split_words(canvas, shown, top - LINE))
    for index, (row, figure) in enumerate(zip(shown, figures, strict=True)):
        parts.append(_bar(canvas, scale, row, figure, (left, top + index * _PITCH), unit))
    return canvas.drawn(parts, bottom + 1.3 * LINE, described(shown, unit))


def _axis(scale: Scale, left: float, top: float, bottom: float, unit: str) -> list[Markup]:
    parts = []
    for tick in scale.ticks:
        x, text = left + scale.length(tick), written(tick)
        parts.append(line(x, top, x, bottom))
        if tick == scale.ticks[-1]:
            # It begins where the bare number would, so that the number stays below its line.
            parts.append(label(f"{text} {unit}", x - text_width(text) / 2, bottom + LINE, class_="c-soft"))
        else:
            parts.append(label(text, x, bottom + LINE, anchor="middle", class_="c-soft"))
    return parts


def _bar(canvas: Canvas, scale: Scale, row: Row, figure: str, at: tuple[float, float], unit: str) -> Markup:
    left, top = at
    says = f"{shortened(named(row[0]))}: {figure} {unit}{' at risk' if len(row) > 2 else ''}"
    parts = [label(fitting(named(row[0]), left - _GAP), left - _GAP, top + 17, anchor="end")]
    end = left
    for amount, look in zip(row[1:], (canvas.safe(), canvas.at_risk()), strict=False):
        if amount:
            long = max(1.0, scale.length(amount))
            parts.append(box(end, top + (_PITCH - _BAR) / 2, long, _BAR, **look))
            end += long
    parts.append(label(figure, end + 5, top + 17, class_="c-soft"))
    return canvas.mark(says, *parts)
