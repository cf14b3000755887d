"""How programs write dates that are generalised."""

from datetime import UTC, date, datetime

import pytest

from toolbox.published.cells.notations import parse_dates
from toolbox.queries.scales import Calendar

DAYS, MOMENTS, BERLIN = Calendar("date"), Calendar("timestamp"), Calendar("timestamp", "Europe/Berlin")
EPOCH = date(1970, 1, 1)


def days(text: str) -> tuple[str, str] | None:
    """Return the first and the last day that a text stands for."""
    found = parse_dates(DAYS, text)
    if found is None:
        return None
    assert found.low_closed
    assert found.high_closed
    low, high = (str(date.fromordinal(int(end) + EPOCH.toordinal())) for end in (found.low, found.high))
    return low, high


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("1971", "1971-01-01", "1971-12-31"),
        ("1971-03", "1971-03-01", "1971-03-31"),
        ("2000-02", "2000-02-01", "2000-02-29"),
        ("1971-Q4", "1971-10-01", "1971-12-31"),
        ("1971-W01", "1971-01-04", "1971-01-10"),
        ("1970s", "1970-01-01", "1979-12-31"),
        ("0000s", "0001-01-01", "0009-12-31"),
        ("9990s", "9990-01-01", "9999-12-31"),
        ("9999", "9999-01-01", "9999-12-31"),
        ("1971-03-05", "1971-03-05", "1971-03-05"),
        ("[1971-03-05]", "1971-03-05", "1971-03-05"),
        ("[1971-03-05:1973-06-11]", "1971-03-05", "1973-06-11"),
        ("[1971-03-05:1973-06-11)", "1971-03-05", "1973-06-10"),
        ("(1971-03-05:1973-06-11]", "1971-03-06", "1973-06-11"),
        ("]1971-03-05, 1973-06-11[", "1971-03-06", "1973-06-10"),
        ("[1971-03:1973]", "1971-03-01", "1973-12-31"),
        ("1971-1975", "1971-01-01", "1975-12-31"),
        ("1971 - 1975", "1971-01-01", "1975-12-31"),
        ("1971-03-05/1973-06-11", "1971-03-05", "1973-06-11"),
        ("1971-03-05 to 1973-06-11", "1971-03-05", "1973-06-11"),
        ("1971-03..1971-05", "1971-03-01", "1971-05-31"),
    ],
)
def test_days(text: str, first: str, last: str) -> None:
    assert days(text) == (first, last)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("<1970", "[-inf:-1]"), ("<=1970-01", "[-inf:30]"), (">1970", "[365:inf]"), (">= 1970-01-02", "[1:inf]")],
)
def test_bounds(text: str, shown: str) -> None:
    assert str(parse_dates(DAYS, text)) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "*",
        "71",
        "1971-13",
        "1971-02-30",
        "1971-W54",
        "1971-Q5",
        "[1973:1971]",
        "1971-03-05T10:00",
        "24.01.1971",
        "0000",
        "{1971,1972}",
        "19710305",
        "(1971:1971)",
    ],
)
def test_what_is_no_date_is_not_read(text: str) -> None:
    assert parse_dates(DAYS, text) is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[24.01.1970:05.02.1970]", "[23:35]"),
        ("24.01.1970 - 5.2.1970", "[23:35]"),
        ("<=03.01.1970", "[-inf:2]"),
        ("1970", "[0:364]"),
        ("[31.02.1970:05.03.1970]", "None"),
    ],
)
def test_the_format_of_the_column_is_read_as_well(text: str, shown: str) -> None:
    assert str(parse_dates(Calendar("date", format="%d.%m.%Y"), text)) == shown


def micros(*parts: int) -> float:
    return datetime(*parts, tzinfo=UTC).timestamp() * 1e6  # type: ignore[misc]


def test_periods_of_timestamps_end_before_the_next_one() -> None:
    for text, first, behind in (
        ("1971", micros(1971, 1, 1), micros(1972, 1, 1)),
        ("2000-02-29", micros(2000, 2, 29), micros(2000, 3, 1)),
        ("2000-02-29T14", micros(2000, 2, 29, 14), micros(2000, 2, 29, 15)),
        ("2000-02-29 14:30", micros(2000, 2, 29, 14, 30), micros(2000, 2, 29, 14, 31)),
    ):
        found = parse_dates(MOMENTS, text)
        assert found is not None
        assert (found.low, found.high, found.low_closed, found.high_closed) == (first, behind, True, False)


def test_moments_are_bounds_themselves() -> None:
    text = "(2000-02-29T14:30:00:2000-03-01T10:20:30.5]"
    found = parse_dates(MOMENTS, text)
    assert found is not None
    assert (found.low, found.high) == (micros(2000, 2, 29, 14, 30), micros(2000, 3, 1, 10, 20, 30, 500_000))
    assert (found.low_closed, found.high_closed) == (False, True)


def test_the_end_of_all_years_is_an_end() -> None:
    found = parse_dates(MOMENTS, "9990s")
    assert found is not None
    assert found.high == micros(9999, 12, 31) + 86_400e6


def test_days_of_a_zone_begin_at_its_midnight() -> None:
    found = parse_dates(BERLIN, "2024-10-27")  # 25 hours
    assert found is not None
    assert (found.low, found.high) == (micros(2024, 10, 26, 22), micros(2024, 10, 27, 23))


def test_days_of_a_zone_of_half_hours_begin_at_its_midnight() -> None:
    found = parse_dates(Calendar("timestamp", "+05:30"), "2024-03-01")
    assert found is not None
    assert (found.low, found.high) == (micros(2024, 2, 29, 18, 30), micros(2024, 3, 1, 18, 30))


def test_an_offset_tells_the_hours_apart_that_a_clock_shows_twice() -> None:
    for text, low in (("2024-10-27T02+02:00", micros(2024, 10, 27)), ("2024-10-27T02+01:00", micros(2024, 10, 27, 1))):
        found = parse_dates(BERLIN, text)
        assert found is not None
        assert (found.low, found.high) == (low, low + 3.6e9)
