"""A lattice of generalisations as a picture: each node in its rank, by its shape what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from math import ceil, inf
from typing import Final, NamedTuple

from toolbox.charts.canvas import Canvas, label, measure_text_width
from toolbox.charts.markup import Markup, element, read_style
from toolbox.messages import mark, say, say_count

# What is known of a node decides its shape, and never its colour alone.


class LatticeBox(NamedTuple):
    """One node of a lattice, as it is drawn."""

    levels: tuple[int, ...]
    tag: str
    """``satisfies``, ``fails`` or ``unknown``."""
    is_checked: bool = False
    """Whether its classes were counted; otherwise the tag follows from other nodes."""
    is_minimal: bool = False
    """Whether no node below it satisfies the models."""
    is_released: bool = False
    figure: str = ""
    """Stands below its levels."""
    says: str = ""
    """All that is known, in words."""
    link: str | None = None
    """Where a click on it leads."""
    is_chosen: bool = False

    @property
    def meaning(self) -> str:
        """What a legend says of it."""
        if self.is_released:
            return _RELEASED
        if self.is_minimal:
            return _MINIMAL
        return _UNKNOWN if self.tag == "unknown" else _MEANINGS[self.tag, self.is_checked]


_RELEASED, _MINIMAL = mark("what is released"), mark("minimal: none below satisfies")
_UNKNOWN = mark("not known")
_MEANINGS = {
    ("satisfies", True): mark("satisfies: checked"),
    ("satisfies", False): mark("satisfies: follows from others"),
    ("fails", True): mark("fails: checked"),
    ("fails", False): mark("fails: follows from others"),
}
_LEGEND = (
    *(LatticeBox((), tag, is_checked) for tag, is_checked in _MEANINGS),
    LatticeBox((), "unknown"),
    LatticeBox((), "satisfies", is_checked=True, is_minimal=True),
    LatticeBox((), "satisfies", is_checked=True, is_released=True),
)
"""Each look that a node may have."""


def find_looks_to_explain(boxes: Sequence[LatticeBox]) -> list[LatticeBox]:
    """Return what a legend must explain: each look that occurs, without what an entry of its own says.

    Examples
    --------
    >>> [look.meaning for look in find_looks_to_explain([LatticeBox((0,), "fails"), LatticeBox((1,), "unknown")])]
    ['fails: follows from others', 'not known']
    """
    found = {box._replace(is_minimal=False, is_released=False).meaning for box in boxes}
    found |= {_MINIMAL for box in boxes if box.is_minimal} | {_RELEASED for box in boxes if box.is_released}
    return [look for look in _LEGEND if look.meaning in found]


# All in pixels.
_HEIGHT: Final = 36
"""Of a node."""
_MARGIN, _LINE = 24, 18
_RANK, _ROW = 92, 54
"""From one rank to the next; from one row of a rank to the next."""
_MOST_SIDE_BY_SIDE: Final = 24
"""Nodes of one row; a wider rank has several."""
_NARROWEST, _BETWEEN = 46, 18
"""The width of a node, and between two."""
_RANK_WORDS: Final = 80
"""The words beside a rank."""
_ENTRY: Final = 330
"""An entry of the legend; two stand side by side."""
_PAGE: Final = 2 * _ENTRY + 2 * _MARGIN
"""The narrowest picture: the words above a lattice need some room."""


class _Place(NamedTuple):
    """The middle of a node and its width."""

    x: float
    y: float
    width: float


Levels = tuple[int, ...]
_SVG: Final = "http://www.w3.org/2000/svg"


def draw_lattice(
    boxes: Sequence[LatticeBox],
    *,
    key: str,
    title: str,
    heading: Sequence[str] = (),
    most_wide: float = inf,
    is_whole: bool = True,
    is_file: bool = False,
) -> str:
    """Draw nodes of a lattice, with the most general one at the top, and lines between neighbours.

    A node that satisfies the models is a box, one that fails an ellipse, and one of which nothing is known words alone.
    The line is dashed where the node was not checked, double where it is minimal, and the box is dark where it is what
    is released.

    Parameters
    ----------
    boxes : sequence of LatticeBox, length >= 1
        Each lattice node once, in any order.
    key : str
        A word that no other chart of the page has.
    title : str
        What the picture shows, for screen readers.
    heading : sequence of str
        Lines above the picture.
    most_wide : float
        Pixels that it takes at most, if nodes can stand in several rows; 24 stand side by side in any case.
    is_whole : bool
        Whether the coarsest and the finest node are among them.
    is_file : bool
        Whether it is a file of its own, with its style in it.

    Examples
    --------
    >>> nodes = [LatticeBox((0,), "fails", is_checked=True), LatticeBox((1,), "satisfies")]
    >>> drawn = draw_lattice(nodes, key="all", title="Levels")
    >>> drawn.count('class="c-node'), "finest" in drawn
    (4, True)
    """
    called = find_node_naming([box.levels for box in boxes])
    legend = find_looks_to_explain(boxes)
    legend_top = _MARGIN + _LINE * len(heading) + _HEIGHT / 2
    lattice_top = legend_top + 50 * ceil(len(legend) / 2) + _HEIGHT / 2
    widest = max(measure_text_width(text) for box in boxes for text in (called(box.levels), box.figure)) + 14
    width, height, places = _place_nodes([box.levels for box in boxes], widest, lattice_top, most_wide)
    parts = [label(line, _MARGIN, _MARGIN + row * _LINE) for row, line in enumerate(heading)]
    for number, look in enumerate(legend):
        x, y = _MARGIN + _ENTRY * (number % 2) + 30, legend_top + 50 * (number // 2)
        parts += [*_draw_shape(_Place(x, y, _NARROWEST), look), label(look.meaning, x + 40, y + 4)]
    parts += [*_draw_ranks(places, is_whole=is_whole), *_draw_lines(places)]
    parts += [_draw_node(places[box.levels], box, called(box.levels)) for box in boxes]
    said = say_count(
        "%(count)s node, the most general at the top.", "%(count)s nodes, the most general at the top.", len(boxes)
    )
    canvas = Canvas(key, title, width, focusable=any(box.link for box in boxes))
    if not is_file:
        return canvas.drawn(parts, height, said, class_="c-chart c-lattice")
    paper = element("rect", width=width, height=height, class_="c-paper")
    parts = [element("style", Markup(read_style())), paper, *parts]
    return canvas.drawn(parts, height, said, class_="c-chart c-lattice", xmlns=_SVG, font_family="sans-serif") + "\n"


def find_node_naming(nodes: Sequence[Sequence[int]]) -> Callable[[Sequence[int]], str]:
    """Return how nodes are called: their levels side by side, with points between where one has two digits.

    Examples
    --------
    >>> find_node_naming([(0, 2)])((0, 1)), find_node_naming([(0, 12)])((0, 1))
    ('01', '0.1')
    """
    between = "." if any(level > 9 for levels in nodes for level in levels) else ""
    return lambda levels: between.join(map(str, levels))


def _draw_node(place: _Place, box: LatticeBox, name: str) -> Markup:
    texts = [text for text in (name, box.figure) if text]
    class_ = "c-on" if box.is_released else None if box.is_checked else "c-soft"
    # The lines of a node are around its middle.
    written = [
        label(text, place.x, place.y + 5 + 15 * (row - (len(texts) - 1) / 2), anchor="middle", class_=class_)
        for row, text in enumerate(texts)
    ]
    inside = [element("title", box.says), *_draw_shape(place, box), *written]
    if box.link is None:
        return element("g", *inside, class_="c-mark")
    current = "true" if box.is_chosen else None
    return element("a", *inside, class_="c-mark", href=box.link, aria_label=box.says, aria_current=current)


def _draw_shape(place: _Place, box: LatticeBox) -> Iterator[Markup]:
    # Whoever clicks beside the letters of a node without an outline means it, too.
    look = {"unknown": "c-catch", "fails": "c-node c-fails"}.get(box.tag, "c-node")
    look += " c-released" * box.is_released + " c-chosen" * box.is_chosen
    dashes = None if box.is_checked or box.tag == "unknown" else "3 3"
    yield _draw_outline(place, box, 0, look, dashes)
    if box.is_minimal:
        yield _draw_outline(place, box, 5, "c-outline", None)


def _draw_outline(place: _Place, box: LatticeBox, apart: int, look: str, dashes: str | None) -> Markup:
    half, rise = place.width / 2 + apart, _HEIGHT / 2 + apart
    shared = {"class_": look, "stroke_dasharray": dashes}
    if box.tag == "fails":
        return element("ellipse", cx=place.x, cy=place.y, rx=half, ry=rise, **shared)
    return element("rect", x=place.x - half, y=place.y - rise, width=2 * half, height=2 * rise, **shared)


def _place_nodes(
    nodes: Sequence[Levels], wide: float, top: float, most_wide: float
) -> tuple[float, float, dict[Levels, _Place]]:
    """Return the width and the height of the picture, and the place of each node, from the top."""
    wide = max(_NARROWEST, wide)
    step, left = wide + _BETWEEN, _MARGIN + _RANK_WORDS
    rows = _cut_into_rows(nodes, int(max(1, min(_MOST_SIDE_BY_SIDE, (most_wide - left - _MARGIN) // step))))
    width = max(_PAGE, left + max(map(len, rows)) * step + _MARGIN)
    middle = (left + width - _MARGIN) / 2
    places: dict[Levels, _Place] = {}
    y = top
    for row, below in zip(rows, [*rows[1:], rows[-1]], strict=True):
        start = middle - (len(row) - 1) / 2 * step
        places |= {levels: _Place(start + number * step, y, wide) for number, levels in enumerate(row)}
        y += _ROW if sum(row[0]) == sum(below[0]) else _RANK
    return width, y, places


def _cut_into_rows(nodes: Sequence[Levels], most: int) -> list[Sequence[Levels]]:
    """Cut the ranks into rows, from the top of the picture; those of one rank are in the order that breaks ties."""
    in_order = sorted(nodes, key=lambda levels: (-sum(levels), [-level for level in levels]))
    rows: list[Sequence[Levels]] = []
    for _, found in groupby(in_order, key=sum):
        rank = list(found)
        length = ceil(len(rank) / ceil(len(rank) / most))
        rows += [rank[start : start + length] for start in range(0, len(rank), length)]
    return rows


def _draw_ranks(places: dict[Levels, _Place], *, is_whole: bool) -> Iterator[Markup]:
    """Write beside each rank how high it is."""
    # Of the rows of a rank, the first one.
    heights = {sum(levels): place.y for levels, place in reversed(places.items())}
    words = {max(heights): say("coarsest"), min(heights): say("finest")} if is_whole and len(heights) > 1 else {}
    for height, y in heights.items():
        yield label(words.get(height, str(height)), _MARGIN, y + 4, class_="c-soft")


def _draw_lines(places: dict[Levels, _Place]) -> list[Markup]:
    """Draw a line from each node to those directly above it; where a rank has several rows, lines would cross nodes."""
    if len({place.y for place in places.values()}) > len({sum(levels) for levels in places}):
        return []
    lines = [
        f"M{place.x:g} {place.y:g}L{above.x:g} {above.y:g}"
        for levels, place in places.items()
        for column, level in enumerate(levels)
        if (above := places.get((*levels[:column], level + 1, *levels[column + 1 :]))) is not None
    ]
    return [element("path", d="".join(lines), class_="c-edges")] if lines else []
