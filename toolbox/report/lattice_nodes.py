"""How one node of a lattice looks in a picture: by its shape what is known of it, and never by colour alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element, SubElement

from toolbox.store.tables import Tagged

HEIGHT: Final = 36
"""The height of a node, in pixels."""
_INK, _PALE, _RELEASED = "#171717", "#525252", "#1e3a8a"
_FILL = {"satisfies": "#dbeafe", "fails": "#f5f5f5", "unknown": "#ffffff"}


class Look(NamedTuple):
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


class Place(NamedTuple):
    """The middle of a node and its width."""

    x: float
    y: float
    width: float


def look_of(node: Tagged, released: Sequence[int]) -> Look:
    """Return the look of a node; `released` has the levels of the one that is released."""
    return Look(node.tag, node.is_checked, node.is_minimal, node.levels == tuple(released))


def looks_to_explain(looks: Sequence[Look]) -> list[Look]:
    """Return what a legend must explain: each look that occurs, without what an entry of its own says."""
    found = set(looks)
    plain = {Look(look.tag, look.is_checked) for look in found}
    order = [Look(tag, checked) for tag in ("satisfies", "fails", "unknown") for checked in (True, False)]
    more = [Look("satisfies", is_checked=True, is_minimal=True)] if any(look.is_minimal for look in found) else []
    more += [Look("satisfies", is_checked=True, is_released=True)] if any(look.is_released for look in found) else []
    return [look for look in order if look in plain] + more


def draw_node(parent: Element, place: Place, look: Look, words: Sequence[str]) -> None:
    """Draw a box for a node that satisfies the models, an ellipse for one that fails, words alone for any other.

    The line is dashed where the node was not checked, double where it is minimal, and thick where it is released.
    """
    for shape in _outlines(place, look):
        parent.append(shape)
    for row, line in enumerate(words):
        # The lines of a node are around its middle.
        y = place.y + 4 + 14 * (row - (len(words) - 1) / 2)
        colour = "#ffffff" if look.is_released else _INK if look.is_checked else _PALE
        write(parent, line, place.x, y, colour=colour, size=12 if row == 0 else 10)


def _outlines(place: Place, look: Look) -> Iterator[Element]:
    if look.tag == "unknown":
        return
    line = {"fill": _RELEASED if look.is_released else _FILL[look.tag], "stroke": _INK}
    if not look.is_checked:
        line["stroke-dasharray"] = "3 3"
    if look.is_released:
        line["stroke-width"] = "4"
    yield _outline(place, look, 0, line)
    if look.is_minimal:
        yield _outline(place, look, 5, {"fill": "none", "stroke": _INK})


def _outline(place: Place, look: Look, apart: int, line: dict[str, str]) -> Element:
    half, rise = place.width / 2 + apart, HEIGHT / 2 + apart
    if look.tag == "fails":
        return Element("ellipse", numbers(cx=place.x, cy=place.y, rx=half, ry=rise) | line)
    return Element("rect", numbers(x=place.x - half, y=place.y - rise, width=2 * half, height=2 * rise) | line)


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
    SubElement(parent, "text", numbers(x=x, y=y) | style).text = words


def numbers(**given: float) -> dict[str, str]:
    """Return attributes of numbers as an element has them."""
    return {name: f"{number:g}" for name, number in given.items()}
