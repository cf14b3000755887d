"""Bars that stand are as high as their records are many, and never too wide."""

from xml.etree import ElementTree

import pytest

from toolbox.charts.bar_charts import draw_histogram


def rects(chart: str) -> list[tuple[float, float]]:
    """Return width and height of each bar."""
    drawn = ElementTree.fromstring(chart).findall("g/rect")
    return [
        (float(rect.get("width", "")), float(rect.get("height", "")))
        for rect in drawn
        if rect.get("class") != "c-catch"
    ]


def names(chart: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(chart).findall("text")]


def test_a_bar_is_as_high_as_its_amount_and_no_wider_than_48_pixels() -> None:
    (wide, high), (_, low) = rects(draw_histogram([("17", 100), ("18", 25), ("19", 0)], key="a", title="b"))
    assert (wide, high) == (48, 150)
    assert low == pytest.approx(high / 4, abs=0.01)


def test_names_are_left_out_evenly_where_there_is_no_room() -> None:
    shown = names(draw_histogram([(f"{age} to {age + 4}", 1) for age in range(0, 150, 5)], key="a", title="b"))
    assert shown == ["records", "0", "1", *(f"{age} to {age + 4}" for age in range(0, 150, 25))]


def test_names_of_bars_that_have_no_room_beside_each_other_stand_in_several_lines() -> None:
    sizes = ["1", "2", "3", "4", "5", "6 to 9", "10 to 19", "20 to 49"]
    shown = names(draw_histogram([(size, 1) for size in sizes], key="a", title="b", width=352))
    assert shown[3:] == ["1", "2", "3", "4", "5", "6 to 9", "10 to 19", "20 to 49"]


def test_few_bars_stand_so_far_apart_that_all_names_have_room() -> None:
    assert (
        names(draw_histogram([("10 to below 20", 1), ("20 to below 30", 1)], key="a", title="b"))[-1]
        == "20 to below 30"
    )


def test_who_is_at_risk_stands_upon_the_others() -> None:
    chart = draw_histogram([("17", 60, 40)], key="a", title="b", focusable=True)
    assert [high for _, high in rects(chart)] == [90, 60]
    assert 'aria-label="17: 40 of 100 records at risk"' in chart


def test_no_rows_are_said() -> None:
    assert "There is nothing to show." in draw_histogram([], key="a", title="b")


def test_every_bar_of_class_sizes_has_its_name() -> None:
    names = ["1", "2", "3", "4", "5", "6 to 9", "10 to 19", "20 to 49", "50 to 99", "100 to 999", "1,000 or more"]
    shown = ElementTree.fromstring(
        draw_histogram([(name, 1, 0) for name in names], key="sizes", title="Sizes", width=352)
    )
    texts = {text.text for text in shown.iter("text")}
    assert texts.issuperset(names)
