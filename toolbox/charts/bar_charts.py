"""Bars: for categories one below the other, for numbers side by side in their order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from toolbox.charts.canvas import LINE, Canvas, LinearScale, draw_line, format_number, label, measure_text_width
from toolbox.charts.markup import Markup, element, join_markup, shorten_text
from toolbox.charts.rows import Row, count_in_bins, name_row, render_figure, render_table
from toolbox.messages import mark, say, show

_RECORDS = mark("records")

# Bars that lie, one below the other, for categories with their names.

_BAR = 18
_PITCH = 26
_GAP = 8
_NAMES = 0.38
"""Most of the width that names take."""


def draw_bars(
    rows: Iterable[Row],
    *,
    key: str,
    title: str,
    unit: str = _RECORDS,
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
    >>> chart = draw_bars([("Graz", 12), ("Linz", 4)], key="towns", title="Records by town")
    >>> chart.startswith('<svg class="c-chart" viewBox="0 0 640'), chart.count("<rect")
    (True, 3)
    """
    shown = list(rows)
    canvas = Canvas(key, title, width, focusable)
    if not shown:
        return canvas.empty()
    highest = max(sum(row[1:]) for row in shown) if scale_to is None else scale_to
    is_split = any(len(row) > 2 for row in shown)
    gutter, figures = _NAMES * width, [_format_row_figure(row) for row in shown]
    longest = measure_text_width(format_number(highest))
    if scale_to is None:
        # Beside another chart a record must be as long here as there, whatever the names and the figures.
        gutter = min(gutter, max(measure_text_width(shorten_text(name_row(row[0]))) for row in shown))
        longest = max(map(measure_text_width, figures))
    room = width - gutter - max(longest, measure_text_width(unit)) - 3 * _GAP
    scale = LinearScale.within(highest, room, ticks=max(2, int(room / 90)))
    top = LINE * (1.8 if is_split else 0) + (LINE if focusable else 0)
    bottom = top + _PITCH * len(shown)
    left = gutter + _GAP
    parts = _draw_axis(scale, left, top, bottom, unit)
    if is_split:
        parts.append(_split_words(canvas, shown, top - LINE))
    for index, (row, figure) in enumerate(zip(shown, figures, strict=True)):
        parts.append(_draw_bar(canvas, scale, row, figure, (left, top + index * _PITCH), unit))
    return canvas.drawn(parts, bottom + 1.3 * LINE, _describe_chart(shown, unit))


def _draw_axis(scale: LinearScale, left: float, top: float, bottom: float, unit: str) -> list[Markup]:
    parts = []
    for tick in scale.ticks:
        x, text = left + scale.length(tick), format_number(tick)
        parts.append(draw_line(x, top, x, bottom))
        if tick == scale.ticks[-1]:
            # It begins where the bare number would, so that the number stays below its line.
            parts.append(
                label(f"{text} {show(unit)}", x - measure_text_width(text) / 2, bottom + LINE, class_="c-soft")
            )
        else:
            parts.append(label(text, x, bottom + LINE, anchor="middle", class_="c-soft"))
    return parts


def _draw_bar(canvas: Canvas, scale: LinearScale, row: Row, figure: str, at: tuple[float, float], unit: str) -> Markup:
    left, top = at
    says = _describe_bar(row, figure, unit)
    parts = [label(_fit_text(name_row(row[0]), left - _GAP), left - _GAP, top + 17, anchor="end")]
    end = left
    for amount, look in zip(row[1:], (canvas.safe(), canvas.at_risk()), strict=False):
        if amount:
            long = max(1.0, scale.length(amount))
            parts.append(_draw_box(end, top + (_PITCH - _BAR) / 2, long, _BAR, **look))
            end += long
    parts.append(label(figure, end + 5, top + 17, class_="c-soft"))
    return canvas.mark(says, *parts)


# Bars that stand side by side, for numbers in their order.

_HEIGHT = 150
_WIDEST = 48
_BAR_GAP = 8
_NAME = 24
"""Letters of a name below its bar."""
_LINES = 4
"""Lines of names below the bars."""
_ALIKE = 2
"""Names are about as long as each other where the longest has fewer than so many times the width of the shortest."""


def draw_histogram(
    rows: Iterable[Row],
    *,
    key: str,
    title: str,
    unit: str = _RECORDS,
    scale_to: float | None = None,
    width: float = 640,
    focusable: bool = False,
) -> str:
    """Draw a standing bar for each row, in the order of the rows; `bars` explains the arguments.

    Examples
    --------
    >>> chart = draw_histogram([("17", 12), ("18", 4)], key="ages", title="Records by age")
    >>> chart.count("<rect"), "17: 12 records" in chart
    (3, True)
    """
    shown = list(rows)
    canvas = Canvas(key, title, width, focusable)
    if not shown:
        return canvas.empty()
    highest = max(sum(row[1:]) for row in shown) if scale_to is None else scale_to
    is_split = any(len(row) > 2 for row in shown)
    scale = LinearScale.up_to(highest, _HEIGHT, ticks=4)
    left = max(map(measure_text_width, map(format_number, scale.ticks))) + _BAR_GAP
    top = LINE * (3 if is_split else 1.6) + (LINE if focusable else 0)
    bottom = top + _HEIGHT
    longest = max(measure_text_width(shorten_text(name_row(row[0]), _NAME)) for row in shown)
    slot = min((width - left) / len(shown), max(_WIDEST / 0.85, longest + _BAR_GAP))
    parts = [label(unit, 0, top - 0.7 * LINE, class_="c-soft")]
    if is_split:
        parts.append(_split_words(canvas, shown, top - 2 * LINE))
    for tick in scale.ticks:
        y = bottom - scale.length(tick)
        parts += [
            draw_line(left, y, width, y),
            label(format_number(tick), left - _BAR_GAP, y + 4, anchor="end", class_="c-soft"),
        ]
    parts += [
        _draw_column(canvas, scale, row, (left + slot * place, bottom, slot), unit) for place, row in enumerate(shown)
    ]
    names, lines = _draw_names(shown, left, slot, bottom + LINE, width)
    return canvas.drawn([*parts, *names], bottom + (0.4 + lines) * LINE, _describe_chart(shown, unit))


def _draw_column(canvas: Canvas, scale: LinearScale, row: Row, at: tuple[float, float, float], unit: str) -> Markup:
    left, bottom, slot = at
    wide = min(slot * 0.85, _WIDEST)
    words = _describe_bar(row, _format_row_figure(row), unit)
    # The whole slot answers to the pointer, also above a low bar.
    parts = [_draw_box(left, bottom - scale.pixels, slot, scale.pixels, class_="c-catch")] if canvas.focusable else []
    for amount, look in zip(row[1:], (canvas.safe(), canvas.at_risk()), strict=False):
        if amount:
            high = max(1.0, scale.length(amount))
            bottom -= high
            parts.append(_draw_box(left + (slot - wide) / 2, bottom, wide, high, **look))
    return canvas.mark(words, *parts)


def _draw_names(rows: Sequence[Row], left: float, slot: float, y: float, width: float) -> tuple[list[Markup], int]:
    """Name the bars: of names that are about as long every second, third, ..; others in the lines that they need.

    Returns the names, and the number of lines.
    """
    names = [shorten_text(name_row(row[0]), _NAME) for row in rows]
    wide = [measure_text_width(name) for name in names]
    are_alike = max(wide) < _ALIKE * min(wide)
    every = max(1, math.ceil((max(wide) + _BAR_GAP) / slot)) if are_alike else 1
    parts: list[Markup] = []
    ends = [-math.inf] * (1 if are_alike else _LINES)
    for place in range(0, len(names), every):
        half = wide[place] / 2
        middle = min(max(left + slot * (place + 0.5), half), width - half)
        free = next((number for number, end in enumerate(ends) if middle - half >= end), None)
        if free is not None:
            parts.append(label(names[place], middle, y + free * LINE, anchor="middle", class_="c-soft"))
            ends[free] = middle + half + _BAR_GAP
    return parts, max(1, sum(end > -math.inf for end in ends))


def _fit_text(text: str, pixels: float) -> str:
    """Return a text, or as much of its beginning as there is room for.

    Examples
    --------
    >>> _fit_text("Secondary education", 80)
    'Secondar…'
    """
    text = shorten_text(text)
    if measure_text_width(text) <= pixels:
        return text
    cuts = (shorten_text(text, most) for most in range(len(text) - 1, 0, -1))
    return next((cut for cut in cuts if measure_text_width(cut) <= pixels), "")


def _draw_box(x: float, y: float, width: float, height: float, **look: str | None) -> Markup:
    """Return a rectangle."""
    return element("rect", x=x, y=y, width=width, height=height, **look)


def _format_row_figure(row: Row) -> str:
    """Return the figure of a row: its amount, or how many are at risk of how many."""
    first, *more = row[1:]
    if more:
        return say("%(part)s of %(all)s", part=format_number(more[0]), all=format_number(first + more[0]))
    return format_number(first)


def _describe_bar(row: Row, figure: str, unit: str) -> str:
    """Return what a bar says."""
    values = {"name": shorten_text(name_row(row[0])), "figure": figure, "unit": unit}
    if len(row) > 2:
        return say("%(name)s: %(figure)s %(unit)s at risk", **values)
    return say("%(name)s: %(figure)s %(unit)s", **values)


def _split_words(canvas: Canvas, rows: Sequence[Row], y: float) -> Markup:
    """Return the words for both amounts, each with its sum, in the place of a legend."""
    safe, at_risk = map(sum, zip(*(row[1:] for row in rows), strict=True))
    return _draw_swatches(canvas, say("safe %(count)s", count=safe), say("at risk %(count)s", count=at_risk), y)


def _describe_chart(rows: Sequence[Row], unit: str) -> str:
    """Return a sentence that says what a chart shows."""
    largest = max(rows, key=lambda row: sum(row[1:]))
    return say(
        "%(bars)s bars, %(total)s %(unit)s; the largest is %(name)s with %(most)s %(unit)s.",
        bars=len(rows),
        total=format_number(sum(sum(row[1:]) for row in rows)),
        unit=unit,
        name=shorten_text(name_row(largest[0]), 60),
        most=format_number(sum(largest[1:])),
    )


def _draw_swatches(canvas: Canvas, safe: str, at_risk: str, y: float) -> Markup:
    """Return two words with the looks that they stand for."""
    second = 22 + measure_text_width(safe) + 24
    return join_markup(
        [
            _draw_box(0, y - 11, 14, 12, **canvas.safe()),
            label(safe, 20, y),
            _draw_box(second, y - 11, 14, 12, **canvas.at_risk()),
            label(at_risk, second + 20, y),
        ]
    )


# The charts of this toolbox: classes by their size, records safe and at risk, a column before and after.

# The charts of this toolbox: classes by their size, records safe and at risk, a column before and after.

_HALF = 352


def draw_safe_at_risk(
    rows: Iterable[tuple[str | float | None, int, int]],
    *,
    key: str,
    title: str,
    upright: bool = False,
    focusable: bool = False,
) -> str:
    """Draw the records of each value, those at risk hatched upon those that are safe.

    Parameters
    ----------
    rows : iterable of (value, safe, at risk)
        As `group_small_rows` and `group_into_bins` return them; `AtRisk.values` are such rows.
    upright : bool
        Whether bars stand, as for numbers.

    Examples
    --------
    >>> chart = draw_safe_at_risk([("Graz", 10, 2), ("Linz", 4, 0)], key="towns", title="Records by town")
    >>> "Graz: 2 of 12 records at risk" in chart, "at risk 2" in chart
    (True, True)
    """
    draw = draw_histogram if upright else draw_bars
    return draw(rows, key=key, title=title, focusable=focusable)


def draw_class_sizes(
    rows: Iterable[tuple[str, int, int]], *, key: str, title: str, unit: str = _RECORDS, focusable: bool = False
) -> str:
    """Draw how many records are in classes of each size, those in too small ones hatched.

    Parameters
    ----------
    rows : iterable of (name, safe, at risk)
        Such as ``("2", 0, 14)`` and ``("6 to 9", 310, 0)``, the smallest classes first.
    unit : str
        What is counted, where it is not records.

    Examples
    --------
    >>> chart = draw_class_sizes([("2", 0, 14), ("6 to 9", 310, 0)], key="sizes", title="Records by size of class")
    >>> "6 to 9: 0 of 310 records at risk" in chart
    True
    """
    shown = list(rows)
    if any(at_risk for *_, at_risk in shown):
        return draw_histogram(shown, key=key, title=title, unit=unit, focusable=focusable)
    return draw_histogram(
        [(name, safe) for name, safe, _ in shown], key=key, title=title, unit=unit, focusable=focusable
    )


def draw_before_after(
    before: Iterable[Row],
    after: Iterable[Row],
    *,
    key: str,
    title: str,
    upright: bool = False,
    unit: str = _RECORDS,
    focusable: bool = False,
    sides: tuple[str, str] = (mark("before"), mark("after")),
) -> str:
    """Draw a column as it was, and beside it on the same scale as it is released.

    Parameters
    ----------
    before, after : iterable of (name, amount)
    upright : bool
        Whether bars stand, as for numbers.
    sides : (str, str)
        What stands above the two.

    Examples
    --------
    >>> pair = draw_before_after([("23", 1), ("25", 1)], [("[23:25]", 2)], key="age", title="age")
    >>> pair.count("<svg"), "age, after" in pair
    (2, True)
    """
    shown = [list(before), list(after)]
    highest = max((sum(row[1:]) for rows in shown for row in rows), default=0)
    draw = draw_histogram if upright else draw_bars
    drawn = [
        element(
            "div",
            element("p", side, class_="c-side"),
            Markup(
                draw(
                    rows,
                    key=f"{key}-{place}",
                    title=f"{show(title)}, {show(side)}",
                    unit=unit,
                    scale_to=highest,
                    width=_HALF,
                    focusable=focusable,
                )
            ),
        )
        for place, side, rows in zip(("before", "after"), sides, shown, strict=True)
    ]
    return element("div", *drawn, class_="c-pair")


# How many records are in classes of each size: several sizes in one bar, and those below k apart.

SIZES = mark("Records by the size of their class")


class SizeBar(NamedTuple):
    """The classes of one size, or of several."""

    first: int
    """Their smallest size."""
    name: str
    """Such as ``6 to 9``."""
    classes: int
    safe: int
    """Records in those of k or more."""
    at_risk: int
    """Records in smaller ones."""

    @property
    def records(self) -> int:
        """In all of these classes."""
        return self.safe + self.at_risk

    @property
    def drawn(self) -> tuple[str, int, int]:
        """The row of a chart."""
        return self.name, self.safe, self.at_risk


def group_class_sizes(sizes: Iterable[Sequence[int]], k: int) -> list[SizeBar]:
    """Group classes by size into bars, the smallest first; leave out bars without a class.

    Parameters
    ----------
    sizes : iterable of (size, classes)
        How many classes there are of each size.
    k : int
        Records of smaller classes are at risk.

    Examples
    --------
    >>> list(map(tuple, group_class_sizes([(2, 1), (6, 1), (9, 2)], 3)))
    [(2, '2', 1, 0, 2), (6, '6 to 9', 3, 24, 0)]
    """
    counted = [(size, classes, size * classes) for size, classes in sizes]
    small = {
        row.first: row.amount for row in count_in_bins((size, records) for size, _, records in counted if size < k)
    }
    classes = {row.first: row.amount for row in count_in_bins((size, classes) for size, classes, _ in counted)}
    return [
        SizeBar(row.first, row.name, classes[row.first], row.amount - small.get(row.first, 0), small.get(row.first, 0))
        for row in count_in_bins((size, records) for size, _, records in counted)
    ]


def pair_bars(before: Iterable[SizeBar], after: Iterable[SizeBar]) -> list[tuple[SizeBar, SizeBar]]:
    """Pair the bars of both, so that they can stand on one scale; where one has no such classes, its bar is empty."""
    sides = [{bar.first: bar for bar in side} for side in (before, after)]
    names = {bar.first: bar.name for side in sides for bar in side.values()}
    pairs = [[side.get(first, SizeBar(first, names[first], 0, 0, 0)) for side in sides] for first in sorted(names)]
    return [(old, new) for old, new in pairs]


def render_sizes_figure(before: Iterable[SizeBar], after: Iterable[SizeBar], *, key: str, caption: str) -> str:
    """Draw the classes before and after on one scale, with the same as a table below.

    Parameters
    ----------
    key : str
        A word that no other chart of the page has.
    """
    pairs = pair_bars(before, after)
    drawn = draw_before_after(
        [old.drawn for old, _ in pairs], [new.drawn for _, new in pairs], key=key, title=SIZES, upright=True
    )
    figures = [(old.name, old.records, new.records) for old, new in pairs]
    shown = render_table([say("records in the class"), say("records before"), say("records after")], figures)
    return render_figure(drawn, shown, caption=caption, label=SIZES)
