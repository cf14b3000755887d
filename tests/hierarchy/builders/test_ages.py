"""Ages of dates of birth on one day."""

from datetime import date, timedelta

import pytest
from helpers.built import assert_is_hierarchy, assert_is_stable, built, wrong
from hypothesis import example, given
from hypothesis import strategies as st

from toolbox.hierarchy.builders.builder import BuilderError
from toolbox.hierarchy.builders.dates import Ages, Days, count_completed_years


def test_people_have_their_completed_years():
    assert built("ages:2026-01-01:bottom=18:top=90").rows(
        ["1930-01-01", "1936-01-01", "1936-01-02", "1971-03-05", "2007-12-31", "2008-01-01", "2008-01-02", "2026-01-01"]
    ) == [
        ("1930-01-01", ">=90", ">=90", ">=90", "*"),
        ("1936-01-01", ">=90", ">=90", ">=90", "*"),
        ("1936-01-02", "89", "[85:90)", "[80:90)", "*"),
        ("1971-03-05", "54", "[50:55)", "[50:60)", "*"),
        ("2007-12-31", "18", "[18:20)", "[18:20)", "*"),
        ("2008-01-01", "18", "[18:20)", "[18:20)", "*"),
        ("2008-01-02", "<18", "<18", "<18", "*"),
        ("2026-01-01", "<18", "<18", "<18", "*"),
    ]


def birthdays(born: date, at: date) -> int:
    """Count the birthdays of a life, day by day; that of 29 February is on 1 March of a year that has none."""
    day, count = born, 0
    while (day := day + timedelta(days=1)) <= at:
        in_a_year_without = (day.month, day.day, born.month, born.day) == (3, 1, 2, 29)
        skipped = in_a_year_without and (day - timedelta(days=1)).day != 29
        count += (day.month, day.day) == (born.month, born.day) or skipped
    return count


@given(st.dates(date(1990, 1, 1), date(1999, 12, 31)), st.dates(date(2000, 1, 1), date(2005, 12, 31)))
@example(date(1996, 2, 29), date(2001, 2, 28))
@example(date(1996, 2, 29), date(2001, 3, 1))
@example(date(1996, 2, 29), date(2004, 2, 29))
@example(date(1995, 2, 28), date(2004, 2, 29))
def test_a_year_is_completed_on_a_birthday(born, at):
    assert count_completed_years(born, at) == birthdays(born, at)


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("at", ["2024-02-29", "2026-01-01", "2026-12-31"])
@pytest.mark.parametrize("days", [Days(), Days(has_time=True)])
def test_the_dates_of_a_node_are_those_of_its_ages(at, days):
    build = built(f"ages:{at}:width=1,5:bottom=3:top=40")
    assert isinstance(build, Ages)
    last = date.fromisoformat(at).toordinal()
    dates = [date.fromordinal(last - 7 * weeks) for weeks in range(2600)][::-1]
    tree = build.hierarchy([days.number(day) for day in dates], days).hierarchy
    named = {label: str(labels) for label, *labels in build.rows(dates)}
    leaves = [node for node, level in tree.nodes() if level == 1]
    for day in dates:
        (leaf,) = (node.label for node in leaves if days.number(day) in node.interval)
        assert named[str(day)].startswith(f"['{leaf}'")
    ends = [(node.interval.low, node.interval.high + (0 if days.has_time else 1)) for node in leaves]
    assert [high for _, high in ends[:-1]] == [low for low, _ in ends[1:]]


def test_nobody_is_born_after_that_day():
    with pytest.raises(BuilderError) as caught:
        built("ages:2026-01-01").rows(["2026-01-02", "2030-05-05"])
    assert str(caught.value) == (
        "ages: 2 values are outside the hierarchy. Nobody is born after 2026-01-01: write a later at=, or correct them. "
        "Or write other='root'."
    )
    assert built("ages:2026-01-01:width=10:other=root").rows(["2026-01-02", "2020-01-01"]) == [
        ("2020-01-01", "[0:10)", "*"),
        ("2026-01-02", "*", "*"),
    ]


def test_what_is_wrong_is_told_at_once():
    assert wrong("ages:2026-02-30:width=5,7:top=3:bottom=9") == [
        "at='2026-02-30' is a date that does not exist. Write another day, such as 2026-01-31."
    ]
    assert wrong("ages:2026-02-28:width=5,7:top=3:bottom=9") == [
        "width= has 7 after 5, and is no multiple of it. Write each width as a multiple of the one before, such as "
        "5,10,20.",
        "top='3' is not above bottom='9'. Write a larger top.",
    ]
    assert wrong("ages:tomorrow")[0].startswith("at='tomorrow' is not a date.")


@given(st.lists(st.dates(max_value=date(2026, 1, 1)), min_size=1, max_size=20))
def test_every_date_of_birth_has_its_place(values):
    build = built("ages:2026-01-01:width=1,5,10:top=90")
    assert_is_hierarchy(build.rows(values), list(map(str, values)))
    assert_is_stable(lambda: build, values[:4], values[4:])
    first = Days().number(min(values))
    assert build.hierarchy([first], Days()).hierarchy.is_uniform  # type: ignore[attr-defined]
