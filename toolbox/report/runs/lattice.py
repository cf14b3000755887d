"""The nodes of a lattice and what is known of each: as a file, one node a line, and as a picture."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from math import ceil
from textwrap import wrap
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from toolbox.errors import UsageError, name_option
from toolbox.messages import format_count
from toolbox.report.explore.hierarchy import escape_label
from toolbox.report.runs.summary import Summary
from toolbox.store.tables import Searched, Tagged

# The file of all nodes of a lattice: what is known of each, one node a line.


def write_lattice_lines(summary: Summary) -> Iterator[str]:
    """Yield the lines of a JSON document of every node: levels, tag, counts, and the value of the objective.

    A node that was not checked has a tag that follows from other nodes, and no counts.
    """
    searched = summary.searched
    assert searched is not None, "the method has searched the lattice"
    released = [result.level for result in summary.quasi_identifiers]
    head = {
        "quasi_identifiers": [{"name": each.name, "height": each.height} for each in summary.quasi_identifiers],
        **searched.document(),
        "released": released,
    }
    head["lattice_nodes"] = head.pop("nodes")
    yield json.dumps(head, indent=2)[:-2] + ',\n  "nodes": [\n'
    for number, node in enumerate(searched.tagged):
        row = {
            "levels": list(node.levels),
            "tag": node.tag,
            "checked": node.is_checked,
            "minimal": node.is_minimal,
            "classes": node.classes,
            "classes_released": node.released,
            "suppressed": node.suppressed,
            "value": node.value,
        }
        yield f"    {json.dumps(row)}{',' if number + 1 < len(searched.tagged) else ''}\n"
    yield "  ]\n}\n"


# How one node of a lattice looks in a picture: by its shape what is known of it, and never by colour alone.

HEIGHT: Final = 36
"""The height of a node, in pixels."""
_INK, _PALE, _RELEASED = "#171717", "#525252", "#1e3a8a"
_FILL = {"satisfies": "#dbeafe", "fails": "#f5f5f5", "unknown": "#ffffff"}


class NodeLook(NamedTuple):
    """What decides the shape of a node."""

    tag: str
    is_checked: bool
    is_minimal: bool = False
    is_released: bool = False

    @property
    def meaning(self) -> str:
        """What a legend says of it."""
        if self.is_released:
            return "released"
        if self.is_minimal:
            return "minimal: none below satisfies"
        if self.tag == "unknown":
            return "not known"
        return f"{self.tag}: {'checked' if self.is_checked else 'follows from others'}"


class NodePlace(NamedTuple):
    """The middle of a node and its width."""

    x: float
    y: float
    width: float


def look_of(node: Tagged, released: Sequence[int]) -> NodeLook:
    """Return the look of a node; `released` has the levels of the one that is released."""
    return NodeLook(node.tag, node.is_checked, node.is_minimal, node.levels == tuple(released))


def find_looks_to_explain(looks: Sequence[NodeLook]) -> list[NodeLook]:
    """Return what a legend must explain: each look that occurs, without what an entry of its own says."""
    found = set(looks)
    plain = {NodeLook(look.tag, look.is_checked) for look in found}
    order = [NodeLook(tag, checked) for tag in ("satisfies", "fails", "unknown") for checked in (True, False)]
    more = [NodeLook("satisfies", is_checked=True, is_minimal=True)] if any(look.is_minimal for look in found) else []
    more += (
        [NodeLook("satisfies", is_checked=True, is_released=True)] if any(look.is_released for look in found) else []
    )
    return [look for look in order if look in plain] + more


def draw_node(parent: Element, place: NodePlace, look: NodeLook, words: Sequence[str]) -> None:
    """Draw a box for a node that satisfies the models, an ellipse for one that fails, words alone for any other.

    The line is dashed where the node was not checked, double where it is minimal, and thick where it is released.
    """
    for shape in _draw_outlines(place, look):
        parent.append(shape)
    for row, line in enumerate(words):
        # The lines of a node are around its middle.
        y = place.y + 4 + 14 * (row - (len(words) - 1) / 2)
        colour = "#ffffff" if look.is_released else _INK if look.is_checked else _PALE
        write(parent, line, place.x, y, colour=colour, size=12 if row == 0 else 10)


def _draw_outlines(place: NodePlace, look: NodeLook) -> Iterator[Element]:
    if look.tag == "unknown":
        return
    line = {"fill": _RELEASED if look.is_released else _FILL[look.tag], "stroke": _INK}
    if not look.is_checked:
        line["stroke-dasharray"] = "3 3"
    if look.is_released:
        line["stroke-width"] = "4"
    yield _draw_outline(place, look, 0, line)
    if look.is_minimal:
        yield _draw_outline(place, look, 5, {"fill": "none", "stroke": _INK})


def _draw_outline(place: NodePlace, look: NodeLook, apart: int, line: dict[str, str]) -> Element:
    half, rise = place.width / 2 + apart, HEIGHT / 2 + apart
    if look.tag == "fails":
        return Element("ellipse", format_numbers(cx=place.x, cy=place.y, rx=half, ry=rise) | line)
    return Element("rect", format_numbers(x=place.x - half, y=place.y - rise, width=2 * half, height=2 * rise) | line)


def write(
    parent: Element,
    words: str,
    x: float,
    y: float,
    *,
    anchor: str = "middle",
    colour: str = _INK,
    weight: str = "normal",
    size: int = 12,
) -> None:
    """Write a line of text, whose baseline is given."""
    style = {"text-anchor": anchor, "fill": colour, "font-weight": weight, "font-size": str(size)}
    SubElement(parent, "text", format_numbers(x=x, y=y) | style).text = words


def format_numbers(**given: float) -> dict[str, str]:
    """Return attributes of numbers as an element has them."""
    return {name: f"{number:g}" for name, number in given.items()}


# The picture of a lattice: an SVG with every node in its rank, what is known of it, and which one is released.
#
# It is built with the standard library, which escapes all names.

Levels = tuple[int, ...]

MOST_NODES: Final = 500
"""Nodes of a lattice that a person can read; more are listed only."""

# All in pixels.
_MARGIN, _LINE, _LETTER = 24, 18, 7.3
_RANK, _ROW = 92, 54
"""From one rank to the next; from one row of a rank to the next."""
_MOST_SIDE_BY_SIDE = 24
"""Nodes of one row; a wider rank has several."""
_NARROWEST, _BETWEEN = 46, 18
"""The width of a node, and between two."""
_RANK_WORDS = 80
"""The words beside a rank."""
_ENTRY = 300
"""An entry of the legend."""
_PAGE = 3 * _ENTRY + 2 * _MARGIN
"""The narrowest picture: the words above a lattice need some room."""


def require_drawable(nodes: int, name: str) -> None:
    """Stop where a picture would have too many nodes, before any search.

    Parameters
    ----------
    nodes : int
        Of the lattice.
    name : str
        The file that is asked for.

    Raises
    ------
    UsageError
    """
    if nodes > MOST_NODES:
        raise UsageError(
            f"{name_option('lattice')} is {name!r}, but the lattice has {nodes:,} nodes, and a picture at most "
            f"{MOST_NODES}. Write a name that ends in .json, for a list, or bound the levels of columns (minLevel, "
            "maxLevel)."
        )


def draw_lattice(summary: Summary) -> str:
    """Draw every node of a lattice that was searched: an SVG document."""
    searched = summary.searched
    assert searched is not None, "the method has searched the lattice"
    nodes = searched.tagged
    released = tuple(result.level or 0 for result in summary.quasi_identifiers)
    called = _find_node_naming(nodes)
    heading = _draw_heading(summary, searched, called(released))
    looks = {node.levels: look_of(node, released) for node in nodes}
    legend = find_looks_to_explain(list(looks.values()))
    legend_top = _MARGIN + _LINE * len(heading) + HEIGHT
    lattice_top = legend_top + 56 * (1 + (len(legend) - 1) // 3)
    longest = max(len(called(node.levels)) for node in nodes)
    width, height, places = _place_nodes(nodes, _LETTER * longest + 14, lattice_top)
    svg = _make_page(width, height, heading[0])
    for row, line in enumerate(heading):
        write(svg, line, _MARGIN, _MARGIN + row * _LINE, anchor="start", weight="normal" if row else "bold")
    for number, look in enumerate(legend):
        x, y = _MARGIN + _ENTRY * (number % 3) + 30, legend_top + 56 * (number // 3)
        draw_node(svg, NodePlace(x, y, _NARROWEST), look, ["012"])
        write(svg, look.meaning, x + 38, y + 4, anchor="start")
    _draw_ranks(svg, places)
    _draw_lines(svg, places)
    for node in nodes:
        group = SubElement(svg, "g")
        SubElement(group, "title").text = _describe_node(node, summary, searched)
        value = [] if node.value is None else [f"{node.value:.3g}"]
        draw_node(group, places[node.levels], looks[node.levels], [called(node.levels), *value])
    indent(svg)
    return tostring(svg, encoding="unicode") + "\n"


def _make_page(width: float, height: float, title: str) -> Element:
    size = format_numbers(width=width, height=height)
    style = {"role": "img", "viewBox": f"0 0 {width:g} {height:g}", "font-family": "monospace"}
    svg = Element("svg", {"xmlns": "http://www.w3.org/2000/svg"} | size | style)
    SubElement(svg, "title").text = title
    SubElement(svg, "rect", size | {"fill": "#ffffff"})
    return svg


def _draw_heading(summary: Summary, searched: Searched, released: str) -> list[str]:
    """Say above the picture what it shows."""
    quality = "proved to be the best" if searched.is_proved else "the best found, not proved"
    worth = f", with {searched.value:.6g} of {searched.objective}, {quality}" if searched.value is not None else ""
    worth = worth or f"; {searched.lack}"
    ranges = zip(searched.tagged[0].levels, searched.tagged[-1].levels, strict=True)
    each = zip(summary.quasi_identifiers, ranges, strict=True)
    levels = ", ".join(f"{escape_label(result.name)} ({low} to {high})" for result, (low, high) in each)
    lines = (
        f"{escape_label(summary.method)}: {format_count(searched.nodes, 'node')}, {searched.checked:,} checked",
        f"Released: {released}{escape_label(worth)}.",
        f"Levels: {levels}.",
        "Each node has its levels in this order, and the value of the objective where it was computed.",
    )
    return [part for line in lines for part in wrap(line, int((_PAGE - 2 * _MARGIN) / _LETTER))]


def _find_node_naming(nodes: Sequence[Tagged]) -> Callable[[Sequence[int]], str]:
    """Return how nodes are called: their levels side by side, with points between where one has two digits."""
    between = "." if any(level > 9 for node in nodes for level in node.levels) else ""
    return lambda levels: between.join(map(str, levels))


def _place_nodes(nodes: Sequence[Tagged], label: float, top: float) -> tuple[float, float, dict[Levels, NodePlace]]:
    """Return the place of each node, with the most general node at the top.

    Returns
    -------
    width, height : float
        Of the picture.
    dict of tuple to Place
        By the levels, from the top.
    """
    rows = _cut_into_rows(nodes)
    wide = max(_NARROWEST, label)
    step, left = wide + _BETWEEN, _MARGIN + _RANK_WORDS
    width = max(_PAGE, left + max(map(len, rows)) * step + _MARGIN)
    middle = (left + width - _MARGIN) / 2
    places: dict[Levels, NodePlace] = {}
    y = top
    for row, below in zip(rows, [*rows[1:], rows[-1]], strict=True):
        start = middle - (len(row) - 1) / 2 * step
        places |= {levels: NodePlace(start + number * step, y, wide) for number, levels in enumerate(row)}
        y += _ROW if sum(row[0]) == sum(below[0]) else _RANK
    return width, y + _MARGIN, places


def _cut_into_rows(nodes: Sequence[Tagged]) -> list[Sequence[Levels]]:
    """Cut the ranks into rows, from the top of the picture; those of one rank are in the order that breaks ties."""
    in_order = sorted((node.levels for node in nodes), key=lambda levels: (-sum(levels), [-level for level in levels]))
    rows: list[Sequence[Levels]] = []
    for _, found in groupby(in_order, key=sum):
        rank = list(found)
        length = ceil(len(rank) / ceil(len(rank) / _MOST_SIDE_BY_SIDE))
        rows += [rank[start : start + length] for start in range(0, len(rank), length)]
    return rows


def _draw_ranks(svg: Element, places: dict[Levels, NodePlace]) -> None:
    """Write beside each rank how high it is."""
    # Of the rows of a rank, the first one.
    heights = {sum(levels): place.y for levels, place in reversed(places.items())}
    for height, y in heights.items():
        write(svg, f"height {height}", _MARGIN, y + 4, anchor="start", colour="#525252")


def _draw_lines(svg: Element, places: dict[Levels, NodePlace]) -> None:
    """Draw a line from each node to those directly above it; where a rank has several rows, lines would cross nodes."""
    if len({place.y for place in places.values()}) > len({sum(levels) for levels in places}):
        return
    lines = [
        f"M{place.x:g} {place.y:g}L{above.x:g} {above.y:g}"
        for levels, place in places.items()
        for column, level in enumerate(levels)
        if (above := places.get((*levels[:column], level + 1, *levels[column + 1 :]))) is not None
    ]
    SubElement(svg, "path", d="".join(lines), stroke="#d4d4d4", fill="none")


def _describe_node(node: Tagged, summary: Summary, searched: Searched) -> str:
    """Say in words all that is known of a node; browsers show it where the pointer rests."""
    levels = zip(summary.quasi_identifiers, node.levels, strict=True)
    parts = [", ".join(f"{escape_label(result.name)} {level}" for result, level in levels), look_of(node, ()).meaning]
    if node.is_checked:
        assert node.suppressed is not None and node.released is not None, "they were counted"
        parts.append(f"{format_count(node.released, 'class', 'classes')} released")
        parts.append(f"{format_count(node.suppressed, 'record')} suppressed")
    if node.value is not None:
        parts.append(f"{node.value:.6g} of {escape_label(searched.objective)}")
    return "; ".join(parts)
