"""What charts say in words."""

from toolbox.charts.bar_charts import _describe_chart, _format_row_figure, _split_words, draw_bars
from toolbox.charts.canvas import Canvas
from toolbox.messages import speak


def test_the_description_has_the_largest_bar() -> None:
    assert _describe_chart([("a", 2), ("b", 3)], "records") == "2 bars, 5 records; the largest is b with 3 records."


def test_a_figure_is_an_amount_or_how_many_are_at_risk_of_how_many() -> None:
    assert [_format_row_figure(("a", 1200)), _format_row_figure(("a", 9, 1))] == ["1,200", "1 of 10"]


def test_what_is_stacked_is_named_with_its_sums() -> None:
    said = _split_words(Canvas("key", "title"), [("a", 1, 2), ("b", 10, 20)], 10)
    assert ">safe 11<" in said
    assert ">at risk 22<" in said


def test_the_unit_of_an_axis_is_said_in_the_language_of_the_page() -> None:
    with speak("de"):
        assert "Datensätze</text>" in draw_bars([("a", 1), ("b", 2)], key="key", title="Titel")
