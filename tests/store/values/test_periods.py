"""The periods above dates, as a hierarchy."""

from collections.abc import Sequence

from sqlalchemy import select

from toolbox.hierarchy.date_formats import Period
from toolbox.hierarchy.hierarchy import Hierarchy
from toolbox.queries.scales import Calendar
from toolbox.store.engine.store import Store
from toolbox.store.values.dates import build_calendar_hierarchy

DAYS = Calendar("date")


def hierarchy(store: Store, calendar: Calendar, periods: Sequence[Period], *texts: str) -> Hierarchy | None:
    given = store.create_constant("given", {"text": (str, texts)})
    dates = select(calendar.value(given.c.text).label("value")).subquery()
    return build_calendar_hierarchy(store, dates, calendar, periods)


def shown(found: Hierarchy | None) -> list[str]:
    assert found is not None
    return [f"{'  ' * depth}{node.label} {node.interval}" for node, depth in found.root.walk()]


def test_only_periods_that_occur_are_listed_each_below_the_longer_one(store: Store) -> None:
    found = hierarchy(store, DAYS, ["month", "year"], "1970-02-03", "1970-01-02", "1971-12-31", "1970-01-31")
    assert shown(found) == [
        "* [0:729]",
        "  1970 [0:364]",
        "    1970-01 [0:30]",
        "    1970-02 [31:58]",
        "  1971 [365:729]",
        "    1971-12 [699:729]",
    ]


def test_dates_have_neither_hours_nor_days_above_them(store: Store) -> None:
    assert shown(hierarchy(store, DAYS, ["hour", "day", "decade"], "1970-02-03")) == ["* [0:3651]", "  1970s [0:3651]"]
    assert hierarchy(store, DAYS, ["day"], "1970-02-03") is None


def test_the_first_and_the_last_year_have_decades(store: Store) -> None:
    found = hierarchy(store, DAYS, ["decade"], "0001-01-01", "9999-12-31")
    assert found is not None
    assert [label for label, _ in found.labels()] == ["*", "0000s", "9990s"]


def test_hours_that_the_clock_shows_twice_are_two(store: Store) -> None:
    calendar = Calendar("timestamp", "Europe/Berlin")
    found = hierarchy(store, calendar, ["hour", "day"], "2024-10-27T00:30Z", "2024-10-27T01:30Z")
    assert found is not None
    assert [label for label, _ in found.labels()] == ["*", "2024-10-27", "2024-10-27T02+02:00", "2024-10-27T02+01:00"]
    first, second = found.root.children[0].children
    assert first.interval.high == second.interval.low
    assert not first.interval.high_closed


def test_a_day_that_begins_twice_holds_all_its_moments(store: Store) -> None:
    calendar = Calendar("timestamp", "America/Havana")  # the clock goes back from 1 to 0 on 3 November 2024
    moments = ("2024-11-03T00:30-04:00", "2024-11-03T00:30-05:00", "2024-11-02T23:30-04:00")
    found = hierarchy(store, calendar, ["day"], *moments)
    assert found is not None
    assert [label for label, _ in found.labels()] == ["*", "2024-11-02", "2024-11-03"]
    given = store.create_constant("given", {"text": (str, moments)})
    values = [value for (value,) in store.rows(select(calendar.value(given.c.text)))]
    assert all(any(value in day.interval for day in found.root.children) for value in values)
