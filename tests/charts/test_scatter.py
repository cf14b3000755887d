"""Points stand where loss and risk put them, and their names cover no others."""

import re
from xml.etree import ElementTree

from toolbox.charts.points import Point, draw_pairs, draw_risk_loss


def circles(chart: str) -> list[tuple[float, float]]:
    return [(float(c.get("cx", "")), float(c.get("cy", ""))) for c in ElementTree.fromstring(chart).iter("circle")]


def test_less_loss_is_further_left_and_less_risk_further_down() -> None:
    better, worse = circles(draw_risk_loss([Point("a", 0.1, 0.1), Point("b", 0.4, 0.2)], key="k"))
    assert better[0] < worse[0]
    assert better[1] > worse[1]


def test_points_at_one_place_have_their_names_around_it_with_lines_that_lead_there() -> None:
    chart = ElementTree.fromstring(draw_risk_loss([Point(f"method {n}", 0.5, 0.5) for n in range(9)], key="k"))
    names = chart.findall("g/text")
    assert [name.text for name in names] == [f"method {n}" for n in range(9)]
    places = [(name.get("text-anchor"), float(name.get("y", ""))) for name in names]
    for anchor, y in places:
        # The middle one stands above or below its point, beside no others.
        assert sum(other in (anchor, "middle") and abs(height - y) < 12 for other, height in places) == 1
    (point,) = {(circle.get("cx"), circle.get("cy")) for circle in chart.iter("circle")}
    far = sum(abs(y - float(point[1] or 0)) > 25 for _, y in places)
    leads = [line for line in chart.findall("g/line") if line.get("class") == "c-leads"]
    assert len(leads) == far > 4 and all((line.get("x1"), line.get("y1")) == point for line in leads)


def test_a_name_that_has_no_room_is_left_to_the_pointer_and_the_table() -> None:
    crowd = [Point(f"method number {number}", 0.5, 0.5) for number in range(60)]
    chart = draw_risk_loss(crowd, key="k")
    shown = [text.text for text in ElementTree.fromstring(chart).findall("g/text")]
    assert 9 < len(shown) < 60
    assert all(f"method number {number}: 50.0% information lost" in chart for number in range(60))


def test_the_chosen_point_is_filled() -> None:
    chart = draw_risk_loss([Point("a", 0.1, 0.1, is_chosen=True), Point("b", 0.2, 0.2)], key="k")
    assert [circle.get("class") for circle in ElementTree.fromstring(chart).iter("circle")] == ["c-safe", "c-point"]


def test_no_points_are_said() -> None:
    assert "There is nothing to show." in draw_risk_loss([], key="k")


# Squares of pairs.


def test_each_pair_of_columns_is_a_square_whose_area_is_its_share() -> None:
    """The largest share fills nine tenths of its place; a quarter of it has half the side. What is 0 has no square."""
    chart = draw_pairs(["a", "b", "<c>"], {(0, 1): 0.1, (0, 2): 0.4, (1, 2): 0}, key="p", title="Pairs")
    squares = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="\3" class="c-safe">', chart)
    assert [tuple(map(float, square)) for square in squares] == [(12.1, 56.1, 19.8), (2.2, 90.2, 39.6)]
    assert "a with &lt;c&gt;: 40.0%" in chart and "b with &lt;c&gt;: 0.0%" in chart
    assert "3 pairs; the largest is a with &lt;c&gt;: 40.0%." in chart


def test_pairs_without_a_share_are_said() -> None:
    assert "There is nothing to show." in draw_pairs(["a", "b"], {(0, 1): 0.0}, key="p", title="Pairs")
