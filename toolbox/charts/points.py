"""Points and lines between two measures, told apart by marks and dashes, each with its name; squares of pairs."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from toolbox.charts.canvas import (
    LINE,
    Canvas,
    LinearScale,
    draw_line,
    format_number,
    format_percent,
    label,
    measure_text_width,
    round_step,
)
from toolbox.charts.markup import Markup, element, shorten_text
from toolbox.messages import mark, say, say_count, show, write_figure

# Lines through points between two measures: one for each method, told apart by marks and dashes as well.

_HEIGHT = 240
_LEFT = 64
"""Pixels for the figures of the upward axis, more where they are longer."""
_RIGHT = 16
_LARGE = 1e9
"""From where a figure is shown with its power of ten."""
_KEY = 28
"""Pixels of the piece of a line in the legend."""
LOOKS = 6
"""Marks and dashes that can be told apart; further lines begin anew with the first."""


class Spot(NamedTuple):
    """One point of a line."""

    x: float
    y: float
    name: str = ""
    """What the point is, besides its figures."""


class Line(NamedTuple):
    """Points that belong together, in the order in which they are joined."""

    name: str
    spots: Sequence[Spot]
    is_joined: bool = True


@dataclass(frozen=True)
class RoundAxis:
    """Places numbers between two round ones on a line of pixels.

    Examples
    --------
    >>> axis = RoundAxis.over([0.79, 0.795], 100)
    >>> axis.ticks, axis.length(axis.ticks[-1])
    ((0.79, 0.791, 0.792, 0.793, 0.794, 0.795), 100.0)
    """

    ticks: tuple[float, ...]
    pixels: float

    @classmethod
    def over(cls, numbers: Iterable[float], pixels: float, *, ticks: int = 5) -> RoundAxis:
        """Return an axis from a round number below all numbers to one above them."""
        known = [*numbers]
        low, high = min(known), max(known)
        # What differs by the order of a sum alone has no ticks between.
        if math.isclose(low, high, rel_tol=1e-9, abs_tol=1e-12):
            low, high = (low - 1, low + 1) if low > 1 else (min(low, 0.0), max(high, 1.0))
        # Where nothing is not far, it is shown.
        low = 0.0 if 0 < low < (high - low) / 2 else low
        step = round_step((high - low) / ticks)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        return cls(tuple(float(f"{step * number:.12g}") for number in range(first, last + 1)), pixels)

    def length(self, number: float) -> float:
        """Return how far from the first tick a number is, in pixels."""
        low, high = self.ticks[0], self.ticks[-1]
        return (number - low) / (high - low) * self.pixels


@dataclass(frozen=True, kw_only=True)
class _Plane:
    across: RoundAxis
    upward: RoundAxis
    top: float
    left: float
    names: tuple[str, str] = field(default=("", ""))

    @property
    def bottom(self) -> float:
        return self.top + self.upward.pixels

    def place(self, spot: Spot) -> tuple[float, float]:
        return self.left + self.across.length(spot.x), self.bottom - self.upward.length(spot.y)

    def axes(self, width: float) -> list[Markup]:
        parts = [label(self.names[1], 0, self.top - LINE * 0.8, class_="c-soft")]
        for tick in self.upward.ticks:
            y = self.bottom - self.upward.length(tick)
            parts += [
                draw_line(self.left, y, width - _RIGHT, y),
                label(_format_figure(tick), self.left - 8, y + 4, anchor="end"),
            ]
        for tick in self.across.ticks:
            x = self.left + self.across.length(tick)
            parts += [
                draw_line(x, self.top, x, self.bottom),
                label(_format_figure(tick), x, self.bottom + LINE, anchor="middle"),
            ]
        parts.append(label(f"{self.names[0]} →", width, self.bottom + 2.3 * LINE, anchor="end", class_="c-soft"))
        return parts


def draw_lines(
    drawn: Iterable[Line],
    *,
    key: str,
    title: str,
    x_name: str,
    y_name: str,
    front: Collection[tuple[float, float]] = (),
    width: float = 640,
) -> str:
    """Draw lines of points.

    Parameters
    ----------
    drawn : iterable of Line
    key : str
        A word that no other chart of the page has.
    x_name, y_name : str
        What the axes measure.
    front : collection of (x, y), optional
        Points that no other one beats; they are joined by a line of their own.

    Examples
    --------
    >>> chart = draw_lines(
    ...     [Line("Mondrian", [Spot(2, 0.1), Spot(5, 0.2)])], key="loss", title="Loss", x_name="k", y_name="lost"
    ... )
    >>> chart.count("<polyline"), "Mondrian: k 5, lost 0.2" in chart
    (1, True)
    """
    shown = [each for each in drawn if each.spots]
    canvas = Canvas(key, title, width)
    spots = [spot for each in shown for spot in each.spots]
    if not spots:
        return canvas.empty()
    upward = RoundAxis.over([spot.y for spot in spots], _HEIGHT)
    left = max([_LEFT, *(measure_text_width(_format_figure(tick)) + 8 for tick in upward.ticks)])
    plane = _Plane(
        across=RoundAxis.over([spot.x for spot in spots], width - left - _RIGHT),
        upward=upward,
        left=left,
        top=LINE * 1.8,
        names=(x_name, y_name),
    )
    parts = plane.axes(width)
    if front:
        parts.append(_draw_path([plane.place(Spot(*point)) for point in sorted(front)], "c-front"))
    for number, each in enumerate(shown):
        parts += _draw_line_of_points(canvas, plane, each, number % LOOKS)
    legend, rows = _draw_legend(shown, plane.bottom + 3.8 * LINE, width)
    if any(map(_has_line, shown)):
        groups = say_count("%(count)s line", "%(count)s lines", len(shown))
    else:
        groups = say_count("%(count)s group", "%(count)s groups", len(shown))
    points = say_count("%(count)s point", "%(count)s points", len(spots))
    says = say("%(groups)s with %(points)s; the table has their figures.", groups=groups, points=points)
    return canvas.drawn([*parts, *legend], plane.bottom + (3.4 + 1.4 * rows) * LINE, says)


def _draw_line_of_points(canvas: Canvas, plane: _Plane, shown: Line, look: int) -> list[Markup]:
    places = [plane.place(spot) for spot in shown.spots]
    joined = [_draw_path(places, f"c-line c-line-{look} c-look-{look}")] if _has_line(shown) else []
    marks = []
    for spot, place in zip(shown.spots, places, strict=True):
        figures = f"{plane.names[0]} {_format_figure(spot.x)}, {plane.names[1]} {_format_figure(spot.y)}"
        name = ", ".join(part for part in (shown.name, spot.name) if part)
        marks.append(canvas.mark(f"{shorten_text(name)}: {figures}", _mark(*place, look)))
    return [*joined, *marks]


def _has_line(shown: Line) -> bool:
    return shown.is_joined and len(shown.spots) > 1


def _draw_path(places: Sequence[tuple[float, float]], class_: str) -> Markup:
    return element("polyline", points=" ".join(f"{x:.4g},{y:.4g}" for x, y in places), class_=class_)


def _mark(x: float, y: float, look: int) -> Markup:
    """Return one of six marks: circles, squares and diamonds, filled or not."""
    class_ = f"c-spot c-spot-{'full' if look < LOOKS // 2 else 'open'} c-look-{look}"
    match look % (LOOKS // 2):
        case 0:
            return element("circle", cx=x, cy=y, r=4.5, class_=class_)
        case 1:
            return element("rect", x=x - 4, y=y - 4, width=8, height=8, class_=class_)
        case _:
            corners = ((x, y - 6), (x + 6, y), (x, y + 6), (x - 6, y))
            return element("polygon", points=" ".join(f"{a:.4g},{b:.4g}" for a, b in corners), class_=class_)


def _draw_legend(shown: Sequence[Line], y: float, width: float) -> tuple[list[Markup], int]:
    """Return the names of the lines behind their marks, with a piece of each line, in as many rows as they need."""
    parts: list[Markup] = []
    x, row = 8.0, 0
    for number, each in enumerate(shown):
        name, look = shorten_text(each.name, 40), number % LOOKS
        room = _KEY + 8 + measure_text_width(name) + 16
        if x > 8 and x + room > width:
            x, row = 8.0, row + 1
        here = y + row * 1.4 * LINE
        if _has_line(each):
            parts.append(draw_line(x, here - 4, x + _KEY, here - 4, f"c-line c-line-{look} c-look-{look}"))
        parts += [_mark(x + _KEY / 2, here - 4, look), label(name, x + _KEY + 8, here)]
        x += room
    return parts, row + 1


def _format_figure(number: float) -> str:
    return write_figure(f"{number:.3g}") if abs(number) >= _LARGE else format_number(float(f"{number:.4g}"))


# Points between two measures, each with its name beside it where there is room.

_SCATTER_HEIGHT = 260
_SCATTER_LEFT = 56
_RADIUS = 6
_PLACES = ((10, 5, "start"), (-10, 5, "end"), (0, -11, "middle"), (0, 21, "middle"))
"""Where a name may stand beside its point: to the right, to the left, above, below."""
_FAR = tuple(
    (right, down * LINE, anchor)
    for step in range(2, 14)
    for down in (-step, step)
    for right, anchor in ((12, "start"), (-12, "end"))
)
"""Where it may stand if there is no room beside its point: further away, at the end of a line that leads to it."""


class Point(NamedTuple):
    """One release, or one that could be made."""

    name: str
    loss: float
    """Share of the information that is lost, from 0 to 1."""
    risk: float
    """Risk, from 0 to 1."""
    is_chosen: bool = False


def draw_risk_loss(
    points: Iterable[Point],
    *,
    key: str,
    title: str = mark("Risk against loss"),
    loss_name: str = mark("information lost"),
    risk_name: str = mark("highest risk of a record"),
    width: float = 640,
    focusable: bool = False,
) -> str:
    """Draw a point for each release: the further to the left and the lower, the better.

    Parameters
    ----------
    points : iterable of Point
    key : str
        A word that no other chart of the page has.
    loss_name, risk_name : str
        What the axes measure, both as shares.
    width : float
        In pixels.
    focusable : bool
        Whether each point can be reached by keyboard.

    Examples
    --------
    >>> chart = draw_risk_loss([Point("Mondrian, k = 5", 0.2, 0.2), Point("Datafly, k = 5", 0.5, 0.2)], key="plane")
    >>> chart.count("<circle"), "Datafly, k = 5: 50.0% information lost" in chart
    (2, True)
    """
    shown = [Point(*point) for point in points]
    canvas = Canvas(key, title, width, focusable)
    if not shown:
        return canvas.empty()
    across = LinearScale.up_to(max(p.loss for p in shown), width - _SCATTER_LEFT - 40, whole=False)
    upward = LinearScale.up_to(max(p.risk for p in shown), _SCATTER_HEIGHT, ticks=4, whole=False)
    top = LINE * 1.6 + (LINE if focusable else 0)
    bottom = top + _SCATTER_HEIGHT
    parts = [label(risk_name, 0, top - LINE * 0.8, class_="c-soft"), *_draw_axes(across, upward, bottom)]
    parts.append(label(f"{show(loss_name)} →", width, bottom + 2.3 * LINE, anchor="end", class_="c-soft"))
    places = [(_SCATTER_LEFT + across.length(p.loss), bottom - upward.length(p.risk)) for p in shown]
    heading = _Area(0, top - 2 * LINE, measure_text_width(risk_name), top - LINE * 0.6)
    names = _draw_names(shown, places, _Area(_SCATTER_LEFT, top, width, bottom), heading)
    for point, (x, y), name in zip(shown, places, names, strict=True):
        loss, risk = format_percent(point.loss), format_percent(point.risk)
        says = f"{shorten_text(point.name)}: {loss} {show(loss_name)}, {risk} {show(risk_name)}"
        look = "c-safe" if point.is_chosen else "c-point"
        parts.append(canvas.mark(says, element("circle", cx=x, cy=y, r=_RADIUS, class_=look), *name))
    figures = say(
        "%(count)s points; further to the left less is lost, further down the risk is lower.", count=len(shown)
    )
    return canvas.drawn(parts, bottom + 2.7 * LINE, figures)


def _draw_axes(across: LinearScale, upward: LinearScale, bottom: float) -> list[Markup]:
    parts = []
    for tick in upward.ticks:
        y = bottom - upward.length(tick)
        parts += [
            draw_line(_SCATTER_LEFT, y, _SCATTER_LEFT + across.pixels, y),
            label(_format_share(tick), _SCATTER_LEFT - 8, y + 4, anchor="end"),
        ]
    for tick in across.ticks:
        x = _SCATTER_LEFT + across.length(tick)
        parts += [
            draw_line(x, bottom - upward.pixels, x, bottom),
            label(_format_share(tick), x, bottom + LINE, anchor="middle"),
        ]
    return parts


def _format_share(tick: float) -> str:
    return f"{format_number(round(100 * tick, 6))}%"


class _Area(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def is_overlapping(self, other: _Area) -> bool:
        is_beside = self.right <= other.left or other.right <= self.left
        return not (is_beside or self.bottom <= other.top or other.bottom <= self.top)


def _draw_names(
    points: Sequence[Point], places: Sequence[tuple[float, float]], ground: _Area, heading: _Area
) -> list[list[Markup]]:
    """Name each point where its name covers no other: beside it, or at the end of a line, if there is such a place."""
    taken = [heading, *(_Area(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS) for x, y in places)]
    found: list[list[Markup]] = []
    for point, (x, y) in zip(points, places, strict=True):
        name = shorten_text(point.name, 40)
        parts = []
        for right, down, anchor in (*_PLACES, *_FAR):
            area = _make_area(x + right, y + down, measure_text_width(name), anchor)
            is_within = ground.left <= area.left and area.right <= ground.right
            if far := (right, down, anchor) in _FAR:
                is_within = is_within and ground.top <= area.top and area.bottom <= ground.bottom
            if is_within and not any(area.is_overlapping(other) for other in taken):
                taken.append(area)
                if far:
                    parts.append(draw_line(x, y, x + right, y + down - LINE / 4, "c-leads"))
                parts.append(label(name, x + right, y + down, anchor=anchor))
                break
        found.append(parts)
    return found


def _make_area(x: float, y: float, wide: float, anchor: str) -> _Area:
    left = {"start": x, "end": x - wide, "middle": x - wide / 2}[anchor]
    return _Area(left, y - 12, left + wide, y + 3)


# Squares, for what there is of each pair of some columns.

_SIDE = 44
"""Most pixels from one square to the next."""
_GUTTER = 0.4
"""Most of the width that names take."""


def draw_pairs(
    names: Sequence[str], shares: Mapping[tuple[int, int], float], *, key: str, title: str, width: float = 640
) -> str:
    """Draw a square for each pair of columns: the larger its share, the larger is its area.

    Parameters
    ----------
    names : sequence of str
        Of the columns.
    shares : mapping of (place, later place) to share
    key : str
        A word that no other chart of the page has.
    title : str
        What the chart shows.
    width : float
        In pixels.

    Examples
    --------
    >>> chart = draw_pairs(["age", "sex", "town"], {(0, 1): 0.04, (0, 2): 0.16, (1, 2): 0}, key="all", title="Changes")
    >>> chart.count('class="c-safe"'), "age with town: 16.0%" in chart
    (2, True)
    """
    canvas, highest = Canvas(key, title, width), max(shares.values(), default=0.0)
    if not highest:
        return canvas.empty()
    gutter = min(_GUTTER * width, 12 + max(map(measure_text_width, names)))
    side, letters = min(_SIDE, (width - gutter) / (len(names) - 1)), int((gutter - 12) / measure_text_width("x"))
    # The name of a column stands above its squares, and behind those of its row.
    parts = [
        label(shorten_text(name, letters), place * side + 6, (place + 0.5) * side + 5)
        for place, name in enumerate(names)
    ]
    for (one, other), share in shares.items():
        across, down = (one + 0.5) * side, (other + 0.5) * side
        long = 0.9 * side * math.sqrt(share / highest)
        box = {"x": across - long / 2, "y": down - long / 2, "width": long, "height": long}
        says = say(
            "%(one)s with %(other)s: %(share)s",
            one=shorten_text(names[one]),
            other=shorten_text(names[other]),
            share=format_percent(share),
        )
        ground = element("rect", x=across - side / 2, y=down - side / 2, width=side, height=side, class_="c-catch")
        parts.append(canvas.mark(says, ground, *([element("rect", **box, class_="c-safe")] if share else [])))
    first, second = (names[place] for place in max(shares, key=lambda pair: shares[pair]))
    said = say_count(
        "%(count)s pair; the largest is %(one)s with %(other)s: %(share)s.",
        "%(count)s pairs; the largest is %(one)s with %(other)s: %(share)s.",
        len(shares),
        one=first,
        other=second,
        share=format_percent(highest),
    )
    return canvas.drawn(parts, len(names) * side, said)
