"""The picture of a lattice: an SVG that says in shapes and words what is known of each node."""

from __future__ import annotations

from dataclasses import replace
from xml.etree.ElementTree import Element, fromstring

import pytest
from helpers.small_summary import AGE, SUMMARY

from toolbox.errors import UsageError
from toolbox.flows.release.pipeline import MOST_NODES, draw_nodes, require_drawable
from toolbox.report.runs.summary import Summary
from toolbox.store.tables import Searched, Tagged

SVG = "{http://www.w3.org/2000/svg}"


def node(levels: tuple[int, ...], tag: str, value: float | None = None, *, minimal: bool = False) -> Tagged:
    counts = (None, None, None) if value is None else (3, 2, 4)
    return Tagged(levels, tag, value is not None, minimal, *counts, value)


NODES = (
    node((0, 0), "fails", 0.05),
    node((0, 1), "fails"),
    node((1, 0), "satisfies", 0.25, minimal=True),
    node((1, 1), "satisfies"),
    node((2, 0), "unknown"),
    node((2, 1), "satisfies"),
)


def picture(nodes: tuple[Tagged, ...], released: tuple[int, ...], names: tuple[str, ...]) -> Element:
    searched = Searched(nodes=6, checked=2, objective="ncp", value=0.25, bound=0.1, is_proved=False, tagged=nodes)
    columns = zip(names, released, strict=True)
    found = tuple(replace(AGE, name=name, level=level, height=2) for name, level in columns)
    return fromstring(draw_nodes(drawn(searched, found)))


def drawn(searched: Searched, found: tuple[object, ...]) -> Summary:
    return replace(SUMMARY, method="Flash", searched=searched, quasi_identifiers=found)  # type: ignore[arg-type]


def words(part: Element) -> list[str]:
    return [text.text or "" for text in part.iter(f"{SVG}text")]


def test_the_words_say_what_is_released_and_what_each_node_is() -> None:
    svg = picture(NODES, (1, 0), ("age", "sex"))
    assert words(svg)[:3] == [
        "Flash: 6 nodes, 2 checked",
        "Released: 10, with 0.25 of ncp, the best found, not proved.",
        "Levels: age (0 to 2), sex (0 to 1).",
    ]
    told = [title.text for title in svg.iter(f"{SVG}title")]
    assert "age 1, sex 0; minimal: none below satisfies; 2 classes released; 4 records suppressed; 0.25 of ncp" in told
    assert "age 0, sex 1; fails: follows from others" in told
    legend = ("satisfies: checked", "fails: follows from others", "not known", "what is released")
    assert set(legend) <= set(words(svg))


def test_a_legend_explains_only_what_is_there() -> None:
    svg = picture((node((0,), "satisfies", 0.25, minimal=True), node((1,), "satisfies")), (0,), ("age",))
    assert not {"fails: checked", "not known"} & set(words(svg))


def test_names_are_no_markup_and_levels_of_two_digits_stay_apart() -> None:
    nodes = (node((0, 10), "satisfies", 1.0), node((1, 10), "satisfies"))
    svg = picture(nodes, (0, 10), ('<b>&"x"\'</b>', "a\x07\u202eb"))
    assert 'Levels: <b>&"x"\'</b> (0 to 1), a��b (10 to 10).' in words(svg)
    assert "0.10" in words(svg)


def test_many_columns_take_several_lines() -> None:
    names = tuple(f"column {number} of a survey" for number in range(12))
    low, high = (0,) * 12, (10, *(0,) * 11)
    svg = picture((node(low, "satisfies", 1.0), node(high, "satisfies")), low, names)
    assert max(len(line) for line in words(svg)) <= 82
    assert all(name in " ".join(words(svg)) for name in names)


def test_a_lattice_that_nobody_could_read_is_refused() -> None:
    require_drawable(MOST_NODES, "nodes.svg")
    with pytest.raises(UsageError, match=r"'nodes.svg', but the lattice has 12,960 nodes, and a picture at most 500"):
        require_drawable(12960, "nodes.svg")
