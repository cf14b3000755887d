"""Days of dates and of timestamps."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from toolbox.hierarchy.builders.dates import Days

VIENNA = Days(has_time=True, zone=ZoneInfo("Europe/Vienna"))


def micros(moment: datetime) -> float:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1e6


@pytest.mark.parametrize("days", [Days(), Days(has_time=True), VIENNA])
@pytest.mark.parametrize("day", [date(1, 1, 1), date(1970, 1, 1), date(2026, 3, 29), date(9999, 12, 31)])
def test_a_day_begins_with_its_number(days, day):
    assert days.day(days.number(day)) == day


def test_a_day_of_a_zone_begins_there():
    assert VIENNA.number(date(2026, 1, 2)) == micros(datetime(2026, 1, 1, 23, tzinfo=UTC))
    assert VIENNA.day(micros(datetime(2026, 1, 1, 22, 59, tzinfo=UTC))) == date(2026, 1, 1)
    assert VIENNA.day(micros(datetime(2026, 1, 1, 23, 0, tzinfo=UTC))) == date(2026, 1, 2)


def test_the_last_moment_of_a_day_lies_in_it():
    assert Days(has_time=True).day(86_400e6 - 1) == date(1970, 1, 1)
    assert Days(has_time=True).day(-1.0) == date(1969, 12, 31)
