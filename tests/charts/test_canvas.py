"""What all charts share."""

from xml.etree import ElementTree

from toolbox.charts.bar_charts import _draw_box, _draw_swatches, _fit_text
from toolbox.charts.canvas import Canvas, draw_line, label, measure_text_width


def test_a_text_is_cut_to_the_room_that_it_has() -> None:
    assert _fit_text("Graz", 100) == "Graz"
    assert measure_text_width(_fit_text("x" * 500, 100)) <= 100
    assert measure_text_width("é" + "\u0301" * 5) == measure_text_width("é")


def test_a_chart_says_what_it_shows_to_who_cannot_see_it() -> None:
    drawn = Canvas("towns", "Records by town").drawn(
        [label("a<b", 1, 2), draw_line(0, 0, 1, 1), _draw_box(0, 0, 1, 1)], 50, "Two bars."
    )
    chart = ElementTree.fromstring(drawn)
    assert chart.get("role") == "img"
    named = {child.get("id"): child.text for child in chart if child.get("id")}
    assert named[chart.get("aria-labelledby")] == "Records by town"
    assert named[chart.get("aria-describedby")] == "Two bars."


def test_a_mark_is_reached_by_keyboard_only_where_that_is_asked_for() -> None:
    plain, focusable = (
        Canvas("a", "b", focusable=is_so).mark("Graz: 3", _draw_box(0, 0, 1, 1)) for is_so in (False, True)
    )
    assert ("tabindex" in plain, "tabindex" in focusable) == (False, True)
    assert "<title>Graz: 3</title>" in plain
    assert 'aria-label="Graz: 3"' in focusable


def test_what_is_at_risk_has_a_pattern_of_its_own_chart() -> None:
    canvas = Canvas("towns", "Records by town")
    assert canvas.at_risk()["fill"] == "url(#towns-hatch)"
    assert 'id="towns-hatch"' in canvas.drawn([_draw_swatches(canvas, "safe", "at risk", 10)], 20, "")


def test_a_chart_without_rows_says_so() -> None:
    assert "There is nothing to show." in Canvas("a", "b").empty()
