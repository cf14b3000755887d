"""Dates as numbers and back, beside Python's own calendar."""

from datetime import UTC, date, datetime, timedelta, timezone
from random import Random
from typing import get_args
from zoneinfo import ZoneInfo

from sqlalchemy import select

from toolbox.hierarchy.date_formats import Period
from toolbox.queries.scales import Calendar
from toolbox.store.engine.store import Store

EPOCH = date(1970, 1, 1)
BERLIN = Calendar("timestamp", "Europe/Berlin")


def values(store: Store, calendar: Calendar, *texts: str) -> list[float | None]:
    given = store.create_constant("given", {"place": (int, range(len(texts))), "text": (str, texts)})
    rows = store.rows(select(calendar.value(given.c.text)).order_by(given.c.place))
    return [value for (value,) in rows]


def texts(store: Store, calendar: Calendar, *numbers: float) -> list[str]:
    given = store.create_constant("given", {"place": (int, range(len(numbers))), "number": (float, numbers)})
    return [text for (text,) in store.rows(select(calendar.text(given.c.number)).order_by(given.c.place))]


def test_dates_are_days_since_1970(store: Store) -> None:
    days = [date(1, 1, 1), date(1582, 10, 15), date(1969, 12, 31), EPOCH, date(2000, 2, 29), date(9999, 12, 31)]
    numbers = [float((day - EPOCH).days) for day in days]
    assert values(store, Calendar("date"), *map(str, days)) == numbers
    assert texts(store, Calendar("date"), *numbers) == list(map(str, days))


def test_midnight_is_no_time_of_day(store: Store) -> None:
    written = ("1970-01-02T00:00", "1970-01-02 00:00:00", "1970-01-02 00:00:00.000", "1970-01-02 10:00")
    assert values(store, Calendar("date"), *written) == [1.0, 1.0, 1.0, None]


NO_DATES = (
    *("", "x", "1971-02-29", "1900-02-29", "1971-13-01", "1971-3-5", "71-03-05", "0000-12-31", "10000-01-01", "epoch"),
    *("24.01.1971", "infinity", "1971-03-05 (BC)", "1971-03-05T25:00", "1971-03-05Z"),
)


def test_what_is_no_date_is_null(store: Store) -> None:
    assert values(store, Calendar("date"), *NO_DATES) == [None] * len(NO_DATES)


def test_a_format_is_read_and_so_is_iso_8601(store: Store) -> None:
    written = ("03.01.1970", "3.1.1970", "1970-01-03", "03.01.70", "31.02.1970", "01/03/1970")
    assert values(store, Calendar("date", format="%d.%m.%Y"), *written) == [2.0, 2.0, 2.0, None, None, None]


def test_two_digits_of_a_year_are_read_as_everywhere(store: Store) -> None:
    found = values(store, Calendar("date", format="%d.%m.%y"), "01.01.69", "01.01.68")
    assert found == [float((date(year, 1, 1) - EPOCH).days) for year in (1969, 2068)]


def test_timestamps_are_microseconds(store: Store) -> None:
    written = [
        "1970-01-01T00:00:01",
        "1969-12-31 23:59:59,999999",
        "1970-01-01T00:01",
        "1970-01-02",
        "9999-12-31T23:59:59",
    ]
    numbers = [1e6, -1.0, 6e7, 8.64e10, 253402300799e6]
    assert values(store, Calendar("timestamp"), *written) == numbers
    assert texts(store, Calendar("timestamp"), *numbers) == [
        "1970-01-01T00:00:01",
        "1969-12-31T23:59:59.999999",
        "1970-01-01T00:01:00",
        "1970-01-02T00:00:00",
        "9999-12-31T23:59:59",
    ]


def test_a_zone_needs_an_offset_and_none_refuses_it(store: Store) -> None:
    assert values(store, BERLIN, "1970-01-01T00:00", "1970-01-01T01:00+01", "1970-01-01T00:00Z") == [None, 0.0, 0.0]
    assert values(store, Calendar("timestamp"), "1970-01-01T00:00Z") == [None]


def test_the_hour_that_the_clock_shows_twice_is_told_apart(store: Store) -> None:
    moments = [datetime(2024, 10, 27, hour, 30, tzinfo=UTC) for hour in (0, 1)]
    numbers = [moment.timestamp() * 1e6 for moment in moments]
    assert texts(store, BERLIN, *numbers) == ["2024-10-27T02:30:00+02:00", "2024-10-27T02:30:00+01:00"]
    assert values(store, BERLIN, *texts(store, BERLIN, *numbers)) == numbers
    assert texts(store, Calendar("timestamp", "UTC"), numbers[0]) == ["2024-10-27T00:30:00Z"]
    assert texts(store, Calendar("timestamp", "Europe/Berlin"), -3e15)[0].endswith("+00:53:28")  # before 1893


def first_of(day: date, period: Period) -> date:
    match period:
        case "week":
            return day - timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)
        case "quarter":
            return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        case "year":
            return day.replace(month=1, day=1)
        case "decade":
            return date(day.year // 10 * 10, 1, 1)
    return day


def label_of(day: date, period: Period) -> str:
    year, week, _ = day.isocalendar()
    quarter = (day.month + 2) // 3
    labels: dict[Period, str] = {
        "day": f"{day}",
        "week": f"{year:04}-W{week:02}",
        "month": f"{day}"[:7],
        "quarter": f"{day.year:04}-Q{quarter}",
        "year": f"{day.year:04}",
        "decade": f"{day.year:04}"[:3] + "0s",
    }
    return labels[period]


def test_periods_begin_and_end_as_in_the_calendar(store: Store) -> None:
    random, calendar = Random(7), Calendar("date")
    some = [date(2000, 2, 29), date(1999, 12, 31), date(2021, 1, 3), date(1969, 12, 31)]
    days = [*some, *(date(11, 1, 1) + timedelta(days=random.randrange(3_000_000)) for _ in range(200))]
    numbers = [float((day - EPOCH).days) for day in days]
    given = store.create_constant("given", {"place": (int, range(len(days))), "number": (float, numbers)})
    number = given.c.number
    for period in [period for period in get_args(Period) if period != "hour"]:
        end = calendar.end(number, period)
        columns = (
            calendar.start(number, period),
            calendar.label(number, period),
            calendar.start(end + 1.0, period) - end,
        )
        found = store.rows(select(*columns).order_by(given.c.place))
        expected = [(float((first_of(day, period) - EPOCH).days), label_of(day, period), 1.0) for day in days]
        assert list(map(tuple, found)) == expected


def test_days_of_a_zone_are_as_long_as_its_clocks_make_them(store: Store) -> None:
    zone = ZoneInfo("Europe/Berlin")
    moments = [datetime(2024, *day, 12, tzinfo=zone) for day in ((3, 31), (10, 27), (7, 1))]
    given = store.create_constant(
        "given", {"place": (int, range(3)), "number": (float, [m.timestamp() * 1e6 for m in moments])}
    )
    length = BERLIN.end(given.c.number, "day") - BERLIN.start(given.c.number, "day")
    assert [hours for (hours,) in store.rows(select(length / 3.6e9).order_by(given.c.place))] == [23.0, 25.0, 24.0]


def test_zones_that_are_named_by_their_offset_have_their_own_days_and_hours(store: Store) -> None:
    random = Random(7)
    for zone, minutes in (("+05:30", 330), ("-0930", -570), ("+12:45", 765), ("+02:00", 120), ("-11:00", -660)):
        calendar, clock = Calendar("timestamp", zone), timezone(timedelta(minutes=minutes))
        moments = [datetime.fromtimestamp(random.randrange(-(10**9), 3 * 10**9), clock) for _ in range(20)]
        numbers = [moment.timestamp() * 1e6 for moment in moments]
        assert texts(store, calendar, *numbers) == [moment.isoformat() for moment in moments]
        assert values(store, calendar, *(moment.isoformat() for moment in moments)) == numbers
        given = store.create_constant("given", {"place": (int, range(20)), "number": (float, numbers)})
        number = given.c.number
        shown = (calendar.start(number, "day"), calendar.end(number, "month"), calendar.start(number, "hour"))
        rows = store.rows(select(*shown, calendar.label(number, "hour")).order_by(given.c.place))
        days = [moment.replace(hour=0, minute=0, second=0) for moment in moments]
        months = [(day.replace(day=1) + timedelta(days=32)).replace(day=1) for day in days]
        hours = [moment.replace(minute=0, second=0) for moment in moments]
        ends = ([one.timestamp() * 1e6 for one in ones] for ones in (days, months, hours))
        labels = [f"{hour:%Y-%m-%dT%H}{hour.isoformat()[-6:]}" for hour in hours]
        assert list(map(tuple, rows)) == list(zip(*ends, labels, strict=True))


def test_the_variance_is_in_squared_days(store: Store) -> None:
    given = store.create_constant("given", {"number": (float, [0.25])})
    variance = Calendar("timestamp").variance(given.c.number * 86_400_000_000**2)
    assert store.row(select(Calendar("date").variance(given.c.number), variance)) == ("0.25", "0.25")
