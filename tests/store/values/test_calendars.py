"""How a column writes its dates, found out from its texts."""

from collections.abc import Sequence

import pytest
from sqlalchemy import select

from toolbox.config.model import Column, QuasiIdentifier
from toolbox.errors import InputError
from toolbox.queries.scales import Calendar, Unit
from toolbox.store.engine.store import Store
from toolbox.store.values.dates import DateNotation, find_calendar, find_date_kind


def found(
    store: Store,
    texts: Sequence[str | None],
    unit: Unit = "date",
    *,
    form: str | None = None,
    zone: str | None = None,
    is_typed: bool = False,
) -> DateNotation:
    """Find out how a column called born writes its dates."""
    given = store.create_constant("given", {"text": (str, texts)})
    kind = None if is_typed else unit
    attribute = QuasiIdentifier(column=Column(index=0, name="born"), kind=kind, format=form)
    return find_calendar(store, attribute, given, unit, zone=zone, is_typed=is_typed)


def test_iso_8601_needs_no_word(store: Store) -> None:
    assert found(store, ["1971-01-24", None, "2003-02-01"]) == DateNotation(Calendar("date"))
    assert found(store, ["1971-01-24 10:00", "2003-02-01"], "timestamp") == DateNotation(Calendar("timestamp"))


@pytest.mark.slow
def test_what_all_texts_fit_is_found_and_told(store: Store) -> None:
    for texts, form in (
        (["24.01.1971", "01.02.2003"], "%d.%m.%Y"),
        (["01/24/1971", "01/02/2003"], "%m/%d/%Y"),
        (["24/01/1971", "01/02/2003"], "%d/%m/%Y"),
        (["1971/01/24"], "%Y/%m/%d"),
        (["19710124"], "%Y%m%d"),
        (["24 Jan 1971", "1 FEB 2003"], "%d %b %Y"),
        (["January 24, 1971"], "%B %d, %Y"),
    ):
        assert found(store, texts) == DateNotation(
            Calendar("date", format=form),
            f"born: its dates are read as {form}, which their values fit. "
            "Write format='..' if they are written otherwise.",
        )


def test_timestamps_have_formats_too(store: Store) -> None:
    clock = found(store, ["24.01.1971 14:30", "01.02.2003 4:05"], "timestamp")
    assert clock.calendar == Calendar("timestamp", format="%d.%m.%Y %H:%M")
    noon = found(store, ["01/24/1971 02:30:00 PM"], "timestamp")
    assert noon.calendar == Calendar("timestamp", format="%m/%d/%Y %I:%M:%S %p")


def test_the_order_of_day_and_month_is_never_guessed(store: Store) -> None:
    with pytest.raises(InputError) as error:
        found(store, ["01/02/2003", "05/04/1971"])
    assert str(error.value) == (
        "born: its dates fit several formats, which read them differently, as day and month may change places. "
        "Write format='%d/%m/%Y' or format='%m/%d/%Y'."
    )
    assert found(store, ["01/02/2003"], form="%m/%d/%Y") == DateNotation(Calendar("date", format="%m/%d/%Y"))


def test_an_order_that_makes_no_difference_is_no_question(store: Store) -> None:
    assert found(store, ["05.05.1971", "07.07.2003"]).calendar.format == "%d.%m.%Y"


def test_faulty_texts_do_not_hide_the_format_of_the_others(store: Store) -> None:
    assert found(store, ["24.01.1971", "25.01.1971", "unknown"]).calendar.format == "%d.%m.%Y"
    assert found(store, ["1971-01-24", "1971-02-30"]) == DateNotation(Calendar("date"))
    assert found(store, ["unknown"]) == DateNotation(Calendar("date"))


def test_offsets_make_moments_of_timestamps(store: Store) -> None:
    texts = ["2024-10-27T02:30:00+02:00", "2024-10-27T02:30Z"]
    assert found(store, texts, "timestamp") == DateNotation(Calendar("timestamp", "UTC"))


def test_a_zone_that_the_engine_does_not_know_is_that_of_the_world(store: Store) -> None:
    known = {
        "Europe/Berlin": "Europe/Berlin",
        "+00:00": "UTC",
        "+02:00": "+02:00",
        "-11:00": "-11:00",
        "+05:30": "+05:30",
        "-0930": "-0930",
        "+25:00": "UTC",
        "Mars/Olympus": "UTC",
    }
    assert {zone: found(store, [], "timestamp", zone=zone, is_typed=True).calendar.zone for zone in known} == known


def test_typed_timestamps_at_midnight_are_dates_unless_somebody_says_otherwise(store: Store) -> None:
    midnights = ["1971-01-24 00:00:00", "2003-02-01 00:00:00"]
    assert found(store, midnights, "timestamp", is_typed=True) == DateNotation(Calendar("date"))
    assert found(store, [*midnights, "2003-02-01 10:00:00"], "timestamp", is_typed=True).calendar.unit == "timestamp"
    assert found(store, midnights, "timestamp").calendar.unit == "timestamp"


def test_texts_that_are_all_dates_are_noticed(store: Store) -> None:
    cases: list[tuple[list[str | None], Unit | None]] = [
        (["24.01.1971", "01.02.2003"], "date"),
        (["1971-01-24 10:00", "1971-01-25 11:00"], "timestamp"),
        (["2024-10-27T02:30:00+02:00"], "timestamp"),
        (["24.01.1971", "unknown"], None),
        (["19710124"], None),
        ([None], None),
    ]
    for texts, unit in cases:
        given = store.create_constant("given", {"text": (str, texts)})
        assert find_date_kind(store, select(given.c.text).subquery()) == unit
