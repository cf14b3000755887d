"""What is told of a stage: words for amounts, rates and times."""

from __future__ import annotations

import re

import pytest

from toolbox.cli.output.progress import describe_stage, format_amount, format_rate, format_seconds
from toolbox.steps import Stage


@pytest.mark.parametrize(
    ("amount", "total", "unit", "text"),
    [
        (0, None, "records", "0 records"),
        (1_234_567.8, 2_000_000, "records", "1,234,568 records"),
        (80_250_000, None, "bytes", "80.2 MB"),
        (80_250_000, 205_250_971, "bytes", "80.2 of 205.3 MB"),
    ],
)
def test_an_amount_in_words(amount: float, total: float | None, unit: str, text: str) -> None:
    assert format_amount(amount, total, unit) == text


@pytest.mark.parametrize(
    ("done", "seconds", "unit", "text"),
    [
        (0, 3, "records", ""),
        (5, 0, "records", ""),
        (1, 3, "records", ""),
        (7, 1, "records", "7/s"),
        (1_234, 1, "records", "1,200/s"),
        (999_499, 1, "records", "1,000,000/s"),
        (999_500, 1, "records", "1.0 M/s"),
        (3_400_000, 2, "records", "1.7 M/s"),
        (0, 1, "bytes", ""),
        (205_250_971, 2, "bytes", "102.6 MB/s"),
    ],
)
def test_a_rate_in_words(done: float, seconds: float, unit: str, text: str) -> None:
    assert format_rate(done, seconds, unit) == text


@pytest.mark.parametrize(
    ("seconds", "text", "left"),
    [
        (0, "0.0 s", "1 s"),
        (4.26, "4.3 s", "5 s"),
        (58.5, "58.5 s", "59 s"),
        (59.96, "1:00", "1:00"),
        (83.4, "1:23", "1:24"),
        (3599.6, "1:00:00", "1:00:00"),
        (3723, "1:02:03", "1:02:04"),
    ],
)
def test_a_time_in_words(seconds: float, text: str, left: str) -> None:
    assert (format_seconds(seconds), format_seconds(seconds, whole=True)) == (text, left)


def test_of_a_running_stage_without_a_measure_only_its_time_is_known() -> None:
    now = describe_stage(Stage("prove"))
    assert (now.share, now.amount, now.rate, now.is_foretold) == (None, "", "", False)
    assert re.fullmatch(r"[\d.]+ s", now.time)


def test_of_a_measured_stage_the_end_is_foretold() -> None:
    stage = Stage("read", "keep", "records", 400)
    with stage.measured(lambda: 100.0):
        now = describe_stage(stage)
    assert (now.share, now.amount, now.is_foretold) == (0.25, "100 records", True)
    assert re.fullmatch(r"\d+ s left", now.time)


def test_the_end_is_not_foretold_from_next_to_nothing() -> None:
    stage = Stage("read", "keep", "records", 400)
    with stage.measured(lambda: 7.0):
        assert not describe_stage(stage).is_foretold


def test_no_bar_stands_full_while_the_stage_goes_on() -> None:
    stage = Stage("read", "keep", "records", 400)
    with stage.measured(lambda: 400.0):
        now = describe_stage(stage)
    assert (now.share, now.amount, now.is_foretold) == (None, "400 records", False)


def test_where_no_total_is_known_the_amount_is_told_once_there_is_one() -> None:
    stage = Stage("write", unit="bytes")
    with stage.measured(lambda: 0):
        assert describe_stage(stage).amount == ""
    with stage.measured(lambda: 52_000_000):
        assert (describe_stage(stage).amount, describe_stage(stage).share) == ("52.0 MB", None)


def test_a_finished_stage_tells_its_records_and_its_time() -> None:
    stage = Stage("prove", seconds=2.0, records=3_400_000)
    now = describe_stage(stage)
    assert (now.share, now.amount, now.rate, now.time) == (None, "3,400,000 records", "1.7 M/s", "2.0 s")
    assert describe_stage(Stage("finish", seconds=2.0)).amount == ""
