"""Points between two measures, each with its name beside it where there is room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from toolbox.charts.canvas import LINE, Canvas, label, line, text_width
from toolbox.charts.markup import Markup, element, shortened
from toolbox.charts.scale import Scale, percent, written

_HEIGHT = 260
_LEFT = 56
_RADIUS = 6
_PLACES = ((10, 5, "start"), (-10, 5, "end"), (0, -11, "middle"), (0, 21, "middle"))
"""Where a name may stand beside its point: to the right, to the left, above, below."""


class Point(NamedTuple):
    """One release, or one that could be made."""

    name: str
    loss: float
    """Share of the information that is lost, from 0 to 1."""
    risk: float
    """Risk, from 0 to 1."""
    is_chosen: bool = False


def risk_loss(
    points: Iterable[Point],
    *,
    key: str,
    title: str = "Risk against loss",
    loss_name: str = "information lost",
    risk_name: str = "highest risk of a record",
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
    >>> chart = risk_loss([Point("Mondrian, k = 5", 0.2, 0.2), Point("Datafly, k = 5", 0.5, 0.2)], key="plane")
    >>> chart.count("<circle"), "Datafly, k = 5: 50.0% information lost" in chart
    (2, True)
    """
    shown = [Point(*point) for point in points]
    canvas = Canvas(key, title, width, focusable)
    if not shown:
        return canvas.empty()
    across = Scale.up_to(max(p.loss for p in shown), width - _LEFT - 40, whole=False)
    upward = Scale.up_to(max(p.risk for p in shown), _HEIGHT, ticks=4, whole=False)
    top = LINE * 1.6 + (LINE if focusable else 0)
    bottom = top + _HEIGHT
    parts = [label(risk_name, 0, top - LINE * 0.8, class_="c-soft"), *_axes(across, upward, bottom)]
    parts.append(label(f"{loss_name} →", width, bottom + 2.3 * LINE, anchor="end", class_="c-soft"))
    places = [(_LEFT + across.length(p.loss), bottom - upward.length(p.risk)) for p in shown]
    heading = _Area(0, top - 2 * LINE, text_width(risk_name), top - LINE * 0.6)
    names = _names(shown, places, width, heading)
    for point, (x, y), name in zip(shown, places, names, strict=True):
        says = f"{shortened(point.name)}: {percent(point.loss)} {loss_name}, {percent(point.risk)} {risk_name}"
        look = "c-safe" if point.is_chosen else "c-point"
        parts.append(canvas.mark(says, element("circle", cx=x, cy=y, r=_RADIUS, class_=look), *name))
    figures = f"{len(shown):,} points; further to the left less is lost, further down the risk is lower."
    return canvas.drawn(parts, bottom + 2.7 * LINE, figures)


def _axes(across: Scale, upward: Scale, bottom: float) -> list[Markup]:
    parts = []
    for tick in upward.ticks:
        y = bottom - upward.length(tick)
        parts += [line(_LEFT, y, _LEFT + across.pixels, y), label(_share(tick), _LEFT - 8, y + 4, anchor="end")]
    for tick in across.ticks:
        x = _LEFT + across.length(tick)
        parts += [line(x, bottom - upward.pixels, x, bottom), label(_share(tick), x, bottom + LINE, anchor="middle")]
    return parts


def _share(tick: float) -> str:
    return f"{written(round(100 * tick, 6))}%"


class _Area(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Area) -> bool:
        is_beside = self.right <= other.left or other.right <= self.left
        return not (is_beside or self.bottom <= other.top or other.bottom <= self.top)


def _names(
    points: Sequence[Point], places: Sequence[tuple[float, float]], width: float, heading: _Area
) -> list[list[Markup]]:
    """Name each point where its name covers no other, as long as there is such a place."""
    taken = [heading, *(_Area(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS) for x, y in places)]
    found: list[list[Markup]] = []
    for point, (x, y) in zip(points, places, strict=True):
        name = shortened(point.name, 32)
        parts = []
        for right, down, anchor in _PLACES:
            area = _area(x + right, y + down, text_width(name), anchor)
            if area.left >= _LEFT and area.right <= width and not any(area.meets(other) for other in taken):
                taken.append(area)
                parts.append(label(name, x + right, y + down, anchor=anchor))
                break
        found.append(parts)
    return found


def _area(x: float, y: float, wide: float, anchor: str) -> _Area:
    left = {"start": x, "end": x - wide, "middle": x - wide / 2}[anchor]
    return _Area(left, y - 12, left + wide, y + 3)
