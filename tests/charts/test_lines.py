"""Lines through points: axes with round ends, marks that say their figures, and names that are no markup."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest

from toolbox.charts import Line, Spot, draw_lines
from toolbox.charts.canvas import measure_text_width
from toolbox.charts.points import LOOKS, RoundAxis

WORDS = {"key": "loss", "title": "Loss", "x_name": "k", "y_name": "lost"}


@pytest.mark.parametrize("number", [0.4, 1.0, 30_162.0])
def test_numbers_that_differ_in_their_last_digits_are_one_number_to_an_axis(number: float) -> None:
    following = math.nextafter(number, math.inf)
    axis = RoundAxis.over([number, following], 100)
    assert 0 <= axis.length(number) <= axis.length(following) < 100 + 1e-6


def test_an_axis_begins_at_nothing_where_that_is_near_and_else_where_the_numbers_are() -> None:
    assert RoundAxis.over([2, 10], 100).ticks == (0.0, 2.0, 4.0, 6.0, 8.0, 10.0)
    assert RoundAxis.over([0.79, 0.795], 100).ticks[0] == 0.79
    assert RoundAxis.over([-1, 1], 100).ticks == (-1.0, -0.5, 0.0, 0.5, 1.0)
    for same in (0.0, 0.4, 1.0, 17.0, 1e6, -3.0):
        axis = RoundAxis.over([same], 100)
        assert axis.ticks[0] <= same <= axis.ticks[-1]
        assert axis.ticks[0] < axis.ticks[-1]


def test_points_of_a_line_are_joined_and_each_says_its_figures() -> None:
    chart = draw_lines([Line("M", [Spot(2, 0.1), Spot(5, 0.25, "k=5")]), Line("D", [Spot(2, 0.5)])], **WORDS)
    root = ElementTree.fromstring(chart)
    assert len(list(root.iter("polyline"))) == 1
    said = [mark.findtext("title") for mark in root.iter("g")]
    assert said == ["M: k 2, lost 0.1", "M, k=5: k 5, lost 0.25", "D: k 2, lost 0.5"]


def test_the_front_is_a_line_of_its_own() -> None:
    spots = [Spot(1, 3), Spot(2, 2), Spot(3, 3)]
    chart = ElementTree.fromstring(draw_lines([Line("M", spots)], **WORDS, front=[(2, 2), (1, 3)]))
    assert [line.get("class") for line in chart.iter("polyline")] == ["c-front", "c-line c-line-0 c-look-0"]


def test_many_lines_and_names_of_any_kind_fit() -> None:
    drawn = [Line(f"<b>&{number}" + "x" * 50, [Spot(number, number)]) for number in range(LOOKS + 2)]
    chart = draw_lines(drawn, **WORDS)
    height = float(ElementTree.fromstring(chart).get("viewBox", "").split()[3])
    assert "<b>" not in chart
    assert height > 400


def test_nothing_to_draw_is_said() -> None:
    assert "There is nothing to show." in draw_lines([Line("M", [])], **WORDS)


def test_long_figures_of_an_axis_stay_inside_and_the_legend_shows_each_line() -> None:
    drawn = [Line(name, [Spot(2, 0), Spot(5, 40_000_000 + number)]) for number, name in enumerate("MDO")]
    chart = ElementTree.fromstring(draw_lines(drawn, **WORDS))
    ends = [
        (float(text.get("x", "")), text.text or "") for text in chart.iter("text") if text.get("text-anchor") == "end"
    ]
    assert "50,000,000" in [text for _, text in ends]
    assert all(x >= measure_text_width(text) for x, text in ends)
    assert len({each.get("class") for each in chart.iter("line") if "c-line" in each.get("class", "")}) == 3
