"""The looks of the nodes of a lattice."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from toolbox.report.runs.lattice import NodeLook, NodePlace, draw_node, find_looks_to_explain, look_of
from toolbox.store.tables import Tagged


def test_a_legend_has_each_look_once_and_those_with_a_meaning_of_their_own_last() -> None:
    looks = [
        NodeLook("fails", is_checked=False),
        NodeLook("satisfies", is_checked=True, is_minimal=True, is_released=True),
        NodeLook("satisfies", is_checked=True),
        NodeLook("fails", is_checked=False),
    ]
    assert [look.meaning for look in find_looks_to_explain(looks)] == [
        "satisfies: checked",
        "fails: follows from others",
        "minimal: none below satisfies",
        "released",
    ]


def test_the_released_node_is_known_by_its_levels() -> None:
    tagged = Tagged((1, 0), "satisfies", True, False, 3, 3, 0, 0.5)
    assert look_of(tagged, [1, 0]).is_released
    assert not look_of(tagged, [0, 1]).is_released


def test_two_lines_of_words_are_around_the_middle() -> None:
    parent = Element("g")
    draw_node(parent, NodePlace(50, 40, 46), NodeLook("unknown", is_checked=False), ["10", "0.5"])
    assert [(part.tag, part.attrib["y"]) for part in parent] == [("text", "37"), ("text", "51")]
