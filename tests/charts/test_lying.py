"""Bars that lie are as long as their records are many."""

from xml.etree import ElementTree

import pytest

from toolbox.charts.bar_charts import draw_bars


def lengths(chart: str) -> list[float]:
    """Return the lengths of the bars, of those at risk as well."""
    rects = [rect for rect in ElementTree.fromstring(chart).iter("rect") if rect.get("height") == "18"]
    return [float(rect.get("width", "")) for rect in rects]


def texts(chart: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(chart).iter("text")]


def test_a_bar_is_as_long_as_its_amount() -> None:
    chart = draw_bars([("Graz", 1000), ("Linz", 250), ("Wien", 0)], key="a", title="b")
    first, second = lengths(chart)
    assert second == pytest.approx(first / 4, abs=0.01)
    assert texts(chart) == [
        "0",
        "200",
        "400",
        "600",
        "800",
        "1,000 records",
        "Graz",
        "1,000",
        "Linz",
        "250",
        "Wien",
        "0",
    ]


def test_who_is_at_risk_is_stacked_and_named_with_the_sums() -> None:
    chart = draw_bars([("Graz", 90, 10), ("Linz", 50, 0)], key="a", title="b")
    safe, at_risk, second = lengths(chart)
    assert (safe / 9, second / 5) == pytest.approx((at_risk, at_risk), abs=0.01)
    assert {"safe 140", "at risk 10", "10 of 100", "0 of 50"} <= set(texts(chart))


def test_beside_another_chart_a_record_is_as_long_as_there() -> None:
    wide = lengths(draw_bars([("a" * 30, 100)], key="a", title="b", scale_to=1000))
    assert wide == lengths(draw_bars([("b", 100)], key="a", title="b", scale_to=1000))


def test_a_small_amount_can_be_seen_and_nothing_is_no_bar() -> None:
    assert lengths(draw_bars([("a", 1_000_000), ("b", 1), ("c", 0)], key="a", title="b"))[1:] == [1]


def test_no_rows_and_hostile_rows_are_a_chart_as_well() -> None:
    assert "There is nothing to show." in draw_bars([], key="a", title="b")
    chart = draw_bars(
        [("</svg><script>", 1), ("x" * 10_000, 1), ("\x00\u202e", 1), (None, 1)], key="a", title="</title>"
    )
    assert ElementTree.fromstring(chart).findall(".//script") == []
    assert len(chart) < 4000
