"""What is known of columns, from texts alone."""

from __future__ import annotations

import pytest
from helpers.profiled import profiled

from toolbox.store.engine.store import Store
from toolbox.suggestions import texts as drawing
from toolbox.suggestions.profile import Profile

COUNT = 60


def one(store: Store, values: list[str | None], name: str = "x") -> Profile:
    (profile,) = profiled(store, {name: values}).columns
    return profile


def test_values_are_counted(store: Store) -> None:
    found = one(store, ["a", "a", "b", "c", None, ""])
    assert (found.records, found.there, found.missing) == (6, 4, 2)
    assert (found.different, found.alone, found.share_most, found.longest) == (3, 2, 0.5, 1)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2", "30"], "number"),
        (["1", "2", "x"], "category"),
        (["1,5", "2,5"], "number"),
        (["01067", "99084"], "category"),
        (["1971-03-05", "1980-01-01"], "date"),
        (["05.03.1971", "31.12.1980"], "date"),
        (["1971-03-05 10:00", "1980-01-01 11:30"], "timestamp"),
        (["1971-03-05", "soon"], "category"),
        (["", None], "category"),
    ],
)
def test_a_column_is_what_all_of_its_texts_are(store: Store, values: list[str | None], kind: str) -> None:
    assert one(store, values).kind == kind


def test_what_marks_a_missing_value_is_no_value(store: Store) -> None:
    found = one(store, ["1", "NA", "2", "NA"])
    assert (found.kind, found.there, found.missing, found.different) == ("number", 2, 2, 2)


def test_numbers_have_their_ends_and_their_usual_ends(store: Store) -> None:
    numbers = one(store, [str(number) for number in range(101)]).numbers
    assert numbers is not None
    assert (numbers.low, numbers.high, numbers.usual_low, numbers.usual_high, numbers.is_whole) == (0, 100, 5, 95, True)


def test_day_and_month_change_places_as_in_the_other_columns(store: Store) -> None:
    unclear = ["01/02/2020", "03/04/2020"]
    first, second = profiled(store, {"a": unclear, "b": ["01/31/2020", "03/04/2020"]}).columns
    assert (first.dates.formats[0], second.dates.formats) == ("%m/%d/%Y", ("%m/%d/%Y",))
    assert one(store, unclear).dates.formats[0] == "%d/%m/%Y"
    assert one(store, unclear).dates.is_ambiguous


def test_columns_that_are_named_alike_are_counted(store: Store) -> None:
    table = {name: ["a", "b"] for name in ("q1", "q2", "q3b", "age", "x 1")}
    assert {column.name: column.alike for column in profiled(store, table).columns} == {
        "q1": 2, "q2": 2, "q3b": 1, "age": 1, "x 1": 1,
    }  # fmt: skip


def test_a_name_and_values_may_say_two_things(store: Store) -> None:
    found = one(store, ["ada@example.org", "bo@example.org"], name="diagnosis")
    assert [meaning.key for meaning in found.meanings] == ["health", "email"]
    assert found.means("email")
    assert not found.means("telephone", "icd")


@pytest.fixture
def sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "_RECORDS", 100)


@pytest.mark.usefixtures("sampled")
def test_one_text_among_all_records_is_enough_to_make_words_of_numbers_and_dates(store: Store) -> None:
    count = 2000
    numbers = [str(row % 50) for row in range(count)]
    days = [f"{1 + row % 28:02}.03.2020" for row in range(count)]
    table = {
        "number": numbers, "almost": [*numbers[:-1], "n.b."], "day": days, "almost a day": [*days[:-1], "31.02.2020"],
        "lacking": [*numbers[:-2], "", None],
    }  # fmt: skip
    found = profiled(store, table)
    assert {column.name: column.kind for column in found.columns} == {
        "number": "number", "almost": "category", "day": "date", "almost a day": "category", "lacking": "number",
    }  # fmt: skip
    assert found.is_sample
    assert {column.name: column.missing for column in found.columns if column.missing} == {"lacking": 2}


@pytest.mark.usefixtures("sampled")
def test_addresses_are_looked_for_in_all_records(store: Store) -> None:
    count = 2000
    few = ["ada@example.org" if row in (1700, 1701, 1702, 1703) else f"r{row % 9}" for row in range(count)]
    fewer = [text if row != 1700 else "r1" for row, text in enumerate(few)]
    found, other = profiled(store, {"remark": few, "other": fewer}).columns
    assert found.content is not None
    assert (found.content.meaning.key, found.content.share) == ("email", 0.002)
    assert other.content is None


@pytest.mark.usefixtures("sampled")
def test_what_is_alone_in_a_sample_is_counted_among_all(store: Store) -> None:
    count = 2000
    table = {"number": [f"n{row}" for row in range(count)], "pair": [f"p{row // 2}" for row in range(count)]}
    number, pair = profiled(store, table).columns
    assert (number.records, number.different, number.alone, number.share_different) == (count, count, count, 1)
    assert (pair.different, pair.alone, pair.share_different) == (1000, 0, 0.5)
