"""How often each value occurs, before and as a reader of the release sees it, with what a pencil finds."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from helpers.questions import question
from helpers.small_tables import arrow

from toolbox.flows.judge.question import Question
from toolbox.flows.judge.report_columns import count_original_risk, make_column_pictures
from toolbox.flows.judge.tables import JudgedTables, open_judging_store
from toolbox.report.html.findings import ColumnPicture, FindingsBar, Original
from toolbox.risks.risk import ClassSize

PEOPLE = arrow("""
age town
21  Graz
21  Graz
24  Linz
31  Wien
38  Graz
""")
RELEASE = arrow("""
age   town
20-24 Graz
20-24 {Graz,Linz}
20-24 {Graz,Linz}
31    *
38    Graz
""")


def pictures(asked: Question, people: pa.Table | None = PEOPLE, release: pa.Table = RELEASE) -> tuple[Any, ...]:
    with open_judging_store(asked, release, people) as store:
        tables = JudgedTables(asked, store, release, people)
        beside = None if people is None else tables.compare_with_original(pairs=False)
        read = tables.release if beside is None else beside.release
        original = None if beside is None else count_original_risk(store, beside.people.combinations, 2)
        return (*make_column_pictures(read, asked.roots, beside), original)


@pytest.mark.slow
def test_before_and_after_of_numbers_and_of_categories() -> None:
    """Three records are spread over the two values that people have between 20 and 24, and one over nothing."""
    age, town, original = pictures(question("age", "town"))
    assert age == ColumnPicture(
        name="age",
        is_number=True,
        released_values=3,
        most_frequent=(FindingsBar("20-24", 3), FindingsBar("31", 1), FindingsBar("38", 1)),
        not_told=0,
        original_values=4,
        exact=2,
        before=tuple(FindingsBar(str(year), {21: 2, 24: 1, 31: 1, 38: 1}.get(year, 0)) for year in range(21, 39)),
        after=tuple(FindingsBar(str(year), {21: 1.5, 24: 1.5, 31: 1, 38: 1}.get(year, 0)) for year in range(21, 39)),
    )
    assert (town.original_values, town.exact, town.not_told, town.is_number) == (3, 2, 1, False)
    assert town.before == (
        FindingsBar("Graz", 3),
        FindingsBar("Linz", 1),
        FindingsBar("Wien", 1),
        FindingsBar("not told", 0),
    )
    assert town.after == (
        FindingsBar("Graz", 3.0),
        FindingsBar("Linz", 1.0),
        FindingsBar("Wien", 0.0),
        FindingsBar("not told", 1),
    )
    assert original == Original(records=5, classes=4, at_risk=3, alone=3, sizes=(ClassSize(1, 3), ClassSize(2, 1)))


def test_without_the_original_records_only_the_release_is_told() -> None:
    age, town, original = pictures(question("age", "town"), None)
    assert (town.released_values, town.not_told, town.original_values, town.before) == (3, 1, None, ())
    assert age.most_frequent[0] == FindingsBar("20-24", 3)
    assert original is None


def test_many_numbers_go_into_bins_and_a_missing_value_stands_behind_them() -> None:
    people = pa.table({"income": [*range(1000), None]})
    release = pa.table({"income": ["0-499"] * 500 + [str(number) for number in range(500, 1000)] + [None]})
    (income, _) = pictures(question("income"), people, release)
    assert income.before == (
        *(FindingsBar(f"{low} to {low + 49}", 50) for low in range(0, 1000, 50)),
        FindingsBar("missing", 1),
    )
    assert income.after == tuple(FindingsBar(name, float(records)) for name, records in income.before)
    assert income.exact == 501


@pytest.mark.slow
def test_numbers_that_are_not_told_have_no_bar() -> None:
    hidden = pa.table({"age": ["*"] * 4 + ["38"], "town": ["Graz"] * 5})
    age, *_ = pictures(question("age", "town"), release=hidden)
    assert (age.not_told, age.after[-1]) == (4, FindingsBar("38", 1.0))
    assert sum(bar.records for bar in age.after) == 1


@pytest.mark.slow
def test_decimals_and_dates_are_binned_as_people_write_them() -> None:
    people = pa.table({"size": [1.5, 2.25, 2.75, 4.0]})
    size, _ = pictures(question("size"), people, pa.table({"size": ["1.5-4.0"] * 4}))
    assert [bar for bar in size.before if bar.records] == [
        FindingsBar("1.4 to below 1.6", 1),
        FindingsBar("2.2 to below 2.4", 1),
        FindingsBar("2.6 to below 2.8", 1),
        FindingsBar("4 to below 4.2", 1),
    ]
    days = pa.table({"born": ["1980-01-02", "1980-01-03", "1999-12-31"]})
    born, _ = pictures(question("born", kinds={"born": "date"}), days, days)
    assert [bar.name for bar in born.before] == ["1980-01-02 to 1980-01-03", "1999-12-31"]


@pytest.mark.slow
def test_the_rarest_categories_are_one_bar() -> None:
    towns = [f"town {number:02}" for number in range(12) for _ in range(12 - number)]
    people = pa.table({"town": towns})
    (town, _) = pictures(question("town"), people, people)
    assert (len(town.before), town.before[0], town.before[-1]) == (
        9,
        FindingsBar("town 00", 12),
        FindingsBar("others (4)", 10),
    )
    assert town.after == tuple(FindingsBar(name, float(records)) for name, records in town.before)
    assert len(town.most_frequent) == 12
