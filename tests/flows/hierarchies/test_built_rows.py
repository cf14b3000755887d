"""The rows that a builder makes of the values of a column."""

from __future__ import annotations

import pytest

from toolbox.config.model import Attribute, Column, Limits
from toolbox.errors import UsageError
from toolbox.flows.hierarchies.values import build_rows, find_kind, make_named_builder
from toolbox.store.engine.store import Store
from toolbox.store.values.column_type import NO_CLUES, find_nature
from toolbox.store.values.dates import find_date_kind


def rows(builder: str, **counts: int) -> list[tuple[str, ...]]:
    return [
        row.fields
        for row in build_rows(make_named_builder(builder), {text.strip("_"): n for text, n in counts.items()})
    ]


def test_a_builder_is_written_as_on_the_command_line() -> None:
    assert rows("prefix:2", _8010=3, _8020=1) == [("8010", "80**", "*"), ("8020", "80**", "*")]
    assert rows("intervals:5", _3=1, _7=2) == [("3", "[0:5)", "*"), ("7", "[5:10)", "*")]


@pytest.mark.parametrize(
    ("builder", "said"),
    [
        ("prefx:3", "There is no builder 'prefx'. Did you mean 'prefix'?"),
        ("towns.csv", "There is no builder 'towns.csv'. Write one of "),
        ("intervals:5,7", "width= has 7 after 5"),
    ],
)
def test_what_is_no_builder_is_refused(builder: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        make_named_builder(builder)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "-2.5", "0", "0.5"], "number"),
        (["1", "02"], "category"),
        (["1", "x"], "category"),
        (["2026-01-31", "2025-12-01"], "date"),
        (["2026-01-31 12:30", "2025-12-01 00:00"], "date"),
    ],
)
def test_the_values_tell_what_a_column_holds(texts: list[str], kind: str) -> None:
    assert find_kind(dict.fromkeys(texts, 1)) == kind


ODD = (
    *(
        "1",
        "2.5",
        "-3",
        "+4",
        "1e3",
        "1E5",
        " 7",
        "8 ",
        "007",
        "0",
        "-0",
        "00",
        "0.0",
        "01.5",
        ".5",
        "5.",
        "-01",
        "+01",
    ),
    *("1_000", "1,5", "NaN", "inf", "0x1F", "\u0661", "1e999", "1e-400", "x", "1971-03-05", "1971-3-5", "5.3.1971"),
    *("05.03.1971", "3/5/1971", "19710305", "1971-03-05 10:00", "1971-03-05T10:00:00Z", "2020-02-30", "5 Mar 1971"),
)


@pytest.mark.slow
def test_a_column_is_what_a_run_takes_it_for() -> None:
    attribute = Attribute(column=Column(index=0, name=None), kind=None)
    with Store(None, Limits()) as store:
        for text in ODD:
            table = store.create_constant("texts", {"text": (str, [text])})
            kind = find_nature(store, attribute, table, NO_CLUES).kind
            if kind == "category" and find_date_kind(store, table) is not None:
                kind = "date"
            store.drop(table)
            assert (text, find_kind({text: 1})) == (text, kind)


def test_records_are_counted_where_they_matter() -> None:
    assert rows("quantiles:2", _1=1, _2=1, _3=1, _9=97) == [
        ("1", "<9", "*"),
        ("2", "<9", "*"),
        ("3", "<9", "*"),
        ("9", ">=9", "*"),
    ]
    assert rows("auto:1", Bern=1, Graz=1, Linz=1, Wien=97)[:3] == [
        ("Bern", "Bern..Linz", "*"),
        ("Graz", "Bern..Linz", "*"),
        ("Linz", "Bern..Linz", "*"),
    ]


def test_a_value_without_a_place_has_the_root_on_every_level() -> None:
    (unknown,) = [row for row in rows("order:low,mid,high:size=2:other=root", low=1, odd=1) if row[0] == "odd"]
    assert unknown == ("odd", "*", "*")


@pytest.mark.parametrize(
    ("dates", "form"),
    [
        (["24.01.1971", "05.03.1999"], None),
        (["1971-01-24", "1999-03-05"], None),
        (["01/05/1971", "02/05/1999"], "%d/%m/%Y"),
    ],
)
def test_dates_are_read_as_people_write_them_and_stay_as_they_are_written(dates: list[str], form: str | None) -> None:
    built = build_rows(make_named_builder("dates:year"), dict.fromkeys(dates, 1), form)
    assert [row.fields for row in built] == [(dates[0], "1971", "*"), (dates[1], "1999", "*")]


@pytest.mark.parametrize(
    ("dates", "said"),
    [
        (["01/05/1971", "02/05/1999"], "The dates can be read as %d/%m/%Y and otherwise."),
        (["24.01.1971", "x"], "Not all values are dates that are written in one way."),
        (["2026-02-30"], "Not all values are dates"),
    ],
)
def test_what_is_no_date_or_several_is_refused(dates: list[str], said: str) -> None:
    with pytest.raises(UsageError) as error:
        build_rows(make_named_builder("dates:year"), dict.fromkeys(dates, 1))
    assert said in str(error.value)


def test_two_texts_of_one_date_are_two_values() -> None:
    built = build_rows(make_named_builder("dates:year"), {"2020-01-02": 1, "20200102": 1})
    assert sorted(row.fields[0] for row in built) == ["2020-01-02", "20200102"]


def test_labels_are_written_as_the_numbers_of_the_column_are() -> None:
    built = build_rows(make_named_builder("intervals:0.5"), {"1.000,7": 1, "2": 1}, figures=(",", "."))
    assert [row.fields for row in built] == [("2", "[2:2,5)", "*"), ("1.000,7", "[1000,5:1001)", "*")]


@pytest.mark.parametrize(
    ("builder", "texts", "said"),
    [
        (
            "intervals:5",
            ["1", "x", "y"],
            "intervals: 2 values are no numbers. Correct them, or choose a builder of texts.",
        ),
        ("order:low,high", ["low", "odd"], "1 value is outside the hierarchy."),
    ],
)
def test_values_that_do_not_fit_are_counted(builder: str, texts: list[str], said: str) -> None:
    with pytest.raises(UsageError) as error:
        build_rows(make_named_builder(builder), dict.fromkeys(texts, 1))
    assert said in str(error.value)
    assert "odd" not in str(error.value)
