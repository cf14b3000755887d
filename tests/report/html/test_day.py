"""The day of a report can be set, so that the same input makes the same page."""

import pytest
from helpers.small_summary import SUMMARY

from toolbox.report.html.findings import format_today, make_repeatable


def test_the_day_and_no_seconds_are_told_where_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert format_today() == "2 January 1970"
    assert make_repeatable(SUMMARY).timings == {}


@pytest.mark.parametrize("told", ["", "yesterday", "-5"])
def test_what_is_no_day_is_passed_over(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", told)
    assert "1970" not in format_today()
    assert make_repeatable(SUMMARY) is SUMMARY
