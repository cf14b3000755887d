"""The charts that reports and the application show."""

from xml.etree import ElementTree

from toolbox.charts.bar_charts import draw_before_after, draw_class_sizes, draw_safe_at_risk


def test_before_and_after_have_one_scale() -> None:
    pair = ElementTree.fromstring(
        draw_before_after([("23", 30), ("25", 10)], [("[23:25]", 40)], key="age", title="age", upright=True)
    )
    high = [float(rect.get("height", "")) for rect in pair.findall(".//g/rect")]
    assert high == [112.5, 37.5, 150]
    assert [side.text for side in pair.iter("p")] == ["before", "after"]
    ids = [part.get("id") for part in pair.iter() if part.get("id")]
    assert len(ids) == len(set(ids)) == 6


def test_classes_that_are_too_small_are_hatched_and_where_there_is_none_nothing_is() -> None:
    rows = [("2", 0, 14), ("6 to 9", 310, 0)]
    assert "14 of 14 records at risk" in draw_class_sizes(rows, key="a", title="b")
    fine = draw_class_sizes(rows[1:], key="a", title="b")
    assert "at risk" not in fine
    assert "6 to 9: 310 records" in fine


def test_safe_and_at_risk_stand_for_numbers_and_lie_for_categories() -> None:
    rows = [("17", 3, 1), ("18", 1, 0)]
    standing, lying = (draw_safe_at_risk(rows, key="a", title="b", upright=upright) for upright in (True, False))
    assert ("1 of 4 records at risk" in standing, "1 of 4 records at risk" in lying) == (True, True)
    assert standing != lying
