"""Lines through points between two measures: one for each method, told apart by marks and dashes as well."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from toolbox.charts.canvas import LINE, Canvas, label, line, text_width
from toolbox.charts.markup import Markup, element, shortened
from toolbox.charts.scale import round_step, written
from toolbox.messages import counted

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
class Axis:
    """Places numbers between two round ones on a line of pixels.

    Examples
    --------
    >>> axis = Axis.over([0.79, 0.795], 100)
    >>> axis.ticks, axis.length(axis.ticks[-1])
    ((0.79, 0.791, 0.792, 0.793, 0.794, 0.795), 100.0)
    """

    ticks: tuple[float, ...]
    pixels: float

    @classmethod
    def over(cls, numbers: Iterable[float], pixels: float, *, ticks: int = 5) -> Axis:
        """Return an axis from a round number below all numbers to one above them."""
        known = [*numbers]
        low, high = min(known), max(known)
        if low == high:
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
    across: Axis
    upward: Axis
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
            parts += [line(self.left, y, width - _RIGHT, y), label(_figure(tick), self.left - 8, y + 4, anchor="end")]
        for tick in self.across.ticks:
            x = self.left + self.across.length(tick)
            parts += [line(x, self.top, x, self.bottom), label(_figure(tick), x, self.bottom + LINE, anchor="middle")]
        parts.append(label(f"{self.names[0]} →", width, self.bottom + 2.3 * LINE, anchor="end", class_="c-soft"))
        return parts


def lines(
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
    >>> chart = lines(
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
    upward = Axis.over([spot.y for spot in spots], _HEIGHT)
    left = max([_LEFT, *(text_width(_figure(tick)) + 8 for tick in upward.ticks)])
    plane = _Plane(
        across=Axis.over([spot.x for spot in spots], width - left - _RIGHT),
        upward=upward,
        left=left,
        top=LINE * 1.8,
        names=(x_name, y_name),
    )
    parts = plane.axes(width)
    if front:
        parts.append(_path([plane.place(Spot(*point)) for point in sorted(front)], "c-front"))
    for number, each in enumerate(shown):
        parts += _line(canvas, plane, each, number % LOOKS)
    legend, rows = _legend(shown, plane.bottom + 3.8 * LINE, width)
    groups = counted(len(shown), "line" if any(map(_has_line, shown)) else "group")
    says = f"{groups} with {counted(len(spots), 'point')}; the table has their figures."
    return canvas.drawn([*parts, *legend], plane.bottom + (3.4 + 1.4 * rows) * LINE, says)


def _line(canvas: Canvas, plane: _Plane, shown: Line, look: int) -> list[Markup]:
    places = [plane.place(spot) for spot in shown.spots]
    joined = [_path(places, f"c-line c-line-{look} c-look-{look}")] if _has_line(shown) else []
    marks = []
    for spot, place in zip(shown.spots, places, strict=True):
        figures = f"{plane.names[0]} {_figure(spot.x)}, {plane.names[1]} {_figure(spot.y)}"
        name = ", ".join(part for part in (shown.name, spot.name) if part)
        marks.append(canvas.mark(f"{shortened(name)}: {figures}", _mark(*place, look)))
    return [*joined, *marks]


def _has_line(shown: Line) -> bool:
    return shown.is_joined and len(shown.spots) > 1


def _path(places: Sequence[tuple[float, float]], class_: str) -> Markup:
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


def _legend(shown: Sequence[Line], y: float, width: float) -> tuple[list[Markup], int]:
    """Return the names of the lines behind their marks, with a piece of each line, in as many rows as they need."""
    parts: list[Markup] = []
    x, row = 8.0, 0
    for number, each in enumerate(shown):
        name, look = shortened(each.name, 40), number % LOOKS
        room = _KEY + 8 + text_width(name) + 16
        if x > 8 and x + room > width:
            x, row = 8.0, row + 1
        here = y + row * 1.4 * LINE
        if _has_line(each):
            parts.append(line(x, here - 4, x + _KEY, here - 4, f"c-line c-line-{look} c-look-{look}"))
        parts += [_mark(x + _KEY / 2, here - 4, look), label(name, x + _KEY + 8, here)]
        x += room
    return parts, row + 1


def _figure(number: float) -> str:
    return f"{number:.3g}" if abs(number) >= _LARGE else written(float(f"{number:.4g}"))
