"""The picture of a lattice: by its shape what is known of each node, and where a click leads."""

from __future__ import annotations

from collections import Counter
from itertools import product
from xml.etree.ElementTree import Element, fromstring

from toolbox.charts import LatticeBox, draw_lattice
from toolbox.charts.lattice import find_looks_to_explain

NODES = (
    LatticeBox((0, 0), "fails", is_checked=True, figure="0.05"),
    LatticeBox((0, 1), "fails"),
    LatticeBox((1, 0), "satisfies", is_checked=True, is_minimal=True, is_released=True, figure="0.25"),
    LatticeBox((1, 1), "satisfies"),
    LatticeBox((2, 0), "unknown"),
    LatticeBox((2, 1), "satisfies"),
)


def picture(nodes: tuple[LatticeBox, ...]) -> Element:
    return fromstring(draw_lattice(nodes, key="all", title="Levels"))


def words(part: Element) -> list[str]:
    return [text.text or "" for text in part.iter("text")]


def outlines(part: Element) -> list[tuple[str, bool]]:
    return [(shape.tag, "stroke-dasharray" in shape.attrib) for shape in part if shape.tag in ("rect", "ellipse")]


def lines(svg: Element) -> list[Element]:
    return [path for path in svg.iter("path") if path.get("class") == "c-edges"]


def test_each_node_has_its_shape_its_levels_and_its_figure() -> None:
    assert {" ".join(words(node)): outlines(node) for node in picture(NODES).iter("g")} == {
        "00 0.05": [("ellipse", False)],
        "01": [("ellipse", True)],
        "10 0.25": [("rect", False), ("rect", False)],  # minimal
        "11": [("rect", True)],
        "20": [("rect", False)],  # transparent
        "21": [("rect", True)],
    }


def test_a_legend_has_each_look_once_and_those_with_a_meaning_of_their_own_last() -> None:
    assert [look.meaning for look in find_looks_to_explain(NODES)] == [
        "satisfies: checked",
        "satisfies: follows from others",
        "fails: checked",
        "fails: follows from others",
        "not known",
        "minimal: none below satisfies",
        "what is released",
    ]
    assert [look.meaning for look in find_looks_to_explain(NODES[3:4])] == ["satisfies: follows from others"]


def test_a_node_with_a_link_says_all_that_is_known_and_whether_it_is_chosen() -> None:
    chosen = NODES[0]._replace(link="/nodes?node=0.0", says='age 0, "town" 0: fails', is_chosen=True)
    svg = picture((chosen, NODES[1]._replace(link="/nodes?node=0.1", says="age 0, town 1")))
    links = {link.attrib["href"]: link.attrib for link in svg.iter("a")}
    assert links["/nodes?node=0.0"]["aria-label"] == 'age 0, "town" 0: fails'
    assert [link.get("aria-current") for link in links.values()] == ["true", None]
    assert svg.attrib["role"] == "group"
    assert picture(NODES).attrib["role"] == "img", "nothing in it can be reached"


def test_lines_go_to_the_nodes_that_have_one_level_more() -> None:
    (path,) = lines(picture(NODES))
    # 00-01, 00-10, 01-11, 10-11, 10-20, 11-21, 20-21
    assert path.attrib["d"].count("M") == 7


def test_heights_are_above_each_other_and_a_wide_one_has_rows_that_stay_apart() -> None:
    # 4 x 4 x 4 x 4: 44 nodes are at height 6.
    svg = picture(tuple(LatticeBox(levels, "satisfies") for levels in product(range(4), repeat=4)))
    places = {}
    for node in svg.iter("g"):
        text = next(node.iter("text"))
        places[text.text or ""] = (float(text.attrib["x"]), float(text.attrib["y"]))
    assert len(set(places.values())) == 256
    rows = Counter(y for label, (_, y) in places.items() if sum(map(int, label)) == 6)
    assert sorted(rows.values()) == [22, 22]
    heights = [sum(map(int, label)) for label in sorted(places, key=lambda label: -places[label][1])]
    assert heights == sorted(heights)
    width = float(svg.attrib["width"])
    assert all(0 < x < width for x, _ in places.values())
    assert not lines(svg), "they would cross nodes"


def test_levels_of_two_digits_stay_apart_and_decide_how_wide_nodes_are() -> None:
    svg = picture((LatticeBox((0, 10), "satisfies"), LatticeBox((1, 10), "satisfies")))
    assert {"0.10", "1.10"} <= set(words(svg))
    long = picture((LatticeBox((10, *(0,) * 11), "satisfies"),))
    boxes = [float(box.attrib["width"]) for node in long.iter("g") for box in node.iter("rect")]
    assert boxes[0] > 150
