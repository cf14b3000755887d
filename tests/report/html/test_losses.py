"""Every loss metric with its range and its direction."""

from dataclasses import replace

from helpers.findings import INTERNAL, PUBLIC
from helpers.page_text import rows, words

from toolbox.loss.metric import Measure, list_installed_metrics
from toolbox.report.html.page import format_value, render_losses


def test_each_metric_of_the_table_has_its_range_and_which_way_is_better() -> None:
    page = render_losses(INTERNAL)
    assert rows(page)[1:] == [
        ["granularity", "0.5", "share kept", "0 .. 1", "higher", "What the loss metric leaves of everything."],
        ["discernibility", "67,949,026", "records squared", "N .. N^2", "lower", "For each record, the number of records that look like it, added up."],
    ]  # fmt: skip
    assert "not measured: classification metric: there is no class label." in words(page)


def test_a_share_is_written_in_percent() -> None:
    assert format_value(Measure("x", None, 0.125, "share", "lower")) == "12.5%"
    assert format_value(Measure("x", None, 12500.5, "bits", "lower")) == "12,500.5"


def test_where_most_is_lost_is_a_picture_the_largest_first() -> None:
    assert INTERNAL.losses is not None
    shares = {"age": 0.1, "town": 0.4}
    measures = [
        Measure("normalised certainty penalty", name, share, "share", "lower") for name, share in shares.items()
    ]
    page = render_losses(replace(INTERNAL, losses=replace(INTERNAL.losses, measures=tuple(measures))))
    assert "Most is lost in town: 40% of the column" in words(page)
    assert rows(page)[1:3] == [["town", "40"], ["age", "10"]]


def test_without_the_original_records_nothing_was_measured_and_that_is_said() -> None:
    assert "This page does not use them" in words(render_losses(PUBLIC))
    assert "was not compared" in words(render_losses(replace(INTERNAL, losses=None)))


def test_every_metric_of_ours_has_a_sentence() -> None:
    assert INTERNAL.losses is not None
    measures = tuple(Measure(metric.name, None, 0.5, "share", "lower") for metric in list_installed_metrics())
    shown = rows(render_losses(replace(INTERNAL, losses=replace(INTERNAL.losses, measures=measures))))[1:]
    assert [row[0] for row in shown if not row[5]] == []
    assert len(shown) == len(measures)
