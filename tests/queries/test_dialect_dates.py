"""What each word for dates and timestamps means; a second engine says the same of all of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import String, cast, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries import dialect as dates
from toolbox.store.engine.store import Store

DAY = 86_400_000_000


def text(value: str) -> ColumnElement[str]:
    return literal(value, String)


def moment(value: str) -> ColumnElement[Any]:
    return dates.parse_iso_moment(text(value), zoned=False)


def shown(value: ColumnElement[Any]) -> ColumnElement[str]:
    return cast(value, String)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (dates.count_microseconds(moment("1970-01-01 00:00:01")), 1_000_000),
        (dates.count_microseconds(moment("1969-12-31 23:59:59.999999")), -1),
        (dates.count_microseconds(dates.parse_iso_moment(text("1970-01-01 01:00:00+01:00"), zoned=True)), 0),
        (
            dates.count_microseconds(dates.parse_iso_moment(text("2024-02-29T12:00:00-05:30"), zoned=True)),
            1_709_227_800_000_000,
        ),
        (moment("today"), None),
        (moment("2023-02-29"), None),
        (dates.count_microseconds(dates.parse_moment(text("02.01.1970"), "%d.%m.%Y")), DAY),
        (dates.parse_moment(text("1970-01-02"), "%d.%m.%Y"), None),
        (shown(dates.convert_to_clock(literal(0), None)), "1970-01-01 00:00:00"),
        (shown(dates.convert_to_clock(literal(0), "Europe/Vienna")), "1970-01-01 01:00:00"),
        # Daylight saving time begins and ends.
        (shown(dates.convert_to_clock(literal(1_711_846_799_000_000), "Europe/Vienna")), "2024-03-31 01:59:59"),
        (shown(dates.convert_to_clock(literal(1_711_846_800_000_000), "Europe/Vienna")), "2024-03-31 03:00:00"),
        (shown(dates.add_periods(moment("2024-01-31 22:00:00"), 3, "hours")), "2024-02-01 01:00:00"),
        (shown(dates.add_periods(moment("2024-02-28 00:00:00"), 2, "days")), "2024-03-01 00:00:00"),
        (shown(dates.add_periods(moment("2024-01-31 00:00:00"), 1, "months")), "2024-02-29 00:00:00"),
        (shown(dates.add_periods(dates.convert_to_clock(literal(0), None), 14, "months")), "1971-03-01 00:00:00"),
        (shown(dates.add_periods(moment("2024-02-29 00:00:00"), 1, "years")), "2025-02-28 00:00:00"),
        (dates.find_iso_year(dates.convert_to_clock(literal(-(3 * DAY)), None)), 1970),
        (dates.find_iso_week(dates.convert_to_clock(literal(0), None)), 1),
        (dates.find_quarter(dates.convert_to_clock(literal(0), None)), 1),
    ],
    ids=lambda value: None if isinstance(value, ColumnElement) else repr(value),
)
def test_a_value_of_one_row(store: Store, expression: ColumnElement[Any], expected: object) -> None:
    assert store.scalar(select(expression)) == expected


@pytest.mark.parametrize(
    ("day", "year", "week"),
    [("2021-01-03", 2020, 53), ("2021-01-04", 2021, 1), ("2018-12-31", 2019, 1), ("2022-01-01", 2021, 52)],
)
def test_weeks_begin_on_monday_and_belong_to_the_year_of_their_thursday(
    store: Store, day: str, year: int, week: int
) -> None:
    found = store.row(select(dates.find_iso_year(moment(day)), dates.find_iso_week(moment(day))))
    assert found == (year, week)
    assert found == tuple(datetime.fromisoformat(day).replace(tzinfo=UTC).isocalendar())[:2]


def test_each_month_has_its_quarter(store: Store) -> None:
    days = [f"2023-{month:02}-28" for month in range(1, 13)]
    found = store.row(select(*(dates.find_quarter(moment(day)).label(day) for day in days)))
    assert list(found) == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]
