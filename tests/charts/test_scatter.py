"""Points stand where loss and risk put them, and their names cover no others."""

from xml.etree import ElementTree

from toolbox.charts.points import Point, draw_risk_loss


def circles(chart: str) -> list[tuple[float, float]]:
    return [(float(c.get("cx", "")), float(c.get("cy", ""))) for c in ElementTree.fromstring(chart).iter("circle")]


def test_less_loss_is_further_left_and_less_risk_further_down() -> None:
    better, worse = circles(draw_risk_loss([Point("a", 0.1, 0.1), Point("b", 0.4, 0.2)], key="k"))
    assert better[0] < worse[0]
    assert better[1] > worse[1]


def test_a_name_that_has_no_room_is_left_to_the_pointer_and_the_table() -> None:
    crowd = [Point(f"method number {number}", 0.5, 0.5) for number in range(9)]
    chart = draw_risk_loss(crowd, key="k")
    shown = [text.text for text in ElementTree.fromstring(chart).findall("g/text")]
    assert 0 < len(shown) < 9
    assert all(f"method number {number}: 50.0% information lost" in chart for number in range(9))


def test_the_chosen_point_is_filled() -> None:
    chart = draw_risk_loss([Point("a", 0.1, 0.1, is_chosen=True), Point("b", 0.2, 0.2)], key="k")
    assert [circle.get("class") for circle in ElementTree.fromstring(chart).iter("circle")] == ["c-safe", "c-point"]


def test_no_points_are_said() -> None:
    assert "There is nothing to show." in draw_risk_loss([], key="k")
