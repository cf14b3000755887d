"""What texts are: how a table writes numbers and dates, and what it writes where it has none."""

from __future__ import annotations

import pytest

from toolbox.suggestions.texts import Dates, Notation, Texts, dates_of, has_codes, is_day_first, notation_of


def texts(*values: str) -> Texts:
    return Texts({value: values.count(value) for value in values}, 0)


@pytest.mark.parametrize(
    ("columns", "notation"),
    [
        ([texts("1", "2")], Notation()),
        ([texts("1.5", "2")], Notation()),
        ([texts("1,5", "2")], Notation(",")),
        ([texts("1.234,5", "2")], Notation(",", ".")),
        ([texts("1,234.5", "2")], Notation(".", ",")),
        ([texts("1,234", "2,345")], Notation(".", ",")),
        # As many columns have points: nothing is known.
        ([texts("1,5"), texts("1.5")], Notation()),
        ([texts("1,5"), texts("2,5"), texts("1.5")], Notation(",")),
        ([texts("a, b"), texts("Dr. No")], Notation()),
        ([texts("1", "NA", "NA"), texts("?", "2")], Notation(mark="NA")),
        ([texts("1,5", "-")], Notation(",", mark="-")),
        ([texts("1", "none"), texts("none", "Islam")], Notation(mark="none")),
        ([texts("none", "Islam"), texts("none", "school"), texts("none")], Notation()),
        ([], Notation()),
    ],
)
def test_a_table_writes_its_numbers_in_one_way(columns: list[Texts], notation: Notation) -> None:
    assert notation_of(columns) == notation


@pytest.mark.parametrize(
    ("notation", "text", "number"),
    [
        (Notation(), "1.5", 1.5),
        (Notation(), " -3e2 ", -300),
        (Notation(), "1,5", None),
        (Notation(), "1_000", None),
        (Notation(), "", None),
        (Notation(), "inf", None),
        (Notation(","), "1,5", 1.5),
        (Notation(","), "1.5", None),
        (Notation(",", "."), "1.234,5", 1234.5),
        (Notation(".", ","), "1,234.5", 1234.5),
        (Notation(".", ","), "1.5", 1.5),
        (Notation(".", ","), "1,5", None),
    ],
)
def test_a_number_is_read_as_its_table_writes_it(notation: Notation, text: str, number: float | None) -> None:
    assert notation.number(text) == number


@pytest.mark.parametrize(
    ("dates", "written"),
    [
        (["1971-03-05", "2001-12-31"], Dates((), with_time=False)),
        (["1971-03-05T10:00:00", "2001-12-31"], Dates((), with_time=True)),
        (["5.3.1971", "31.12.2001"], Dates(("%d.%m.%Y",), with_time=False)),
        (["03/05/1971", "12/31/2001"], Dates(("%m/%d/%Y",), with_time=False)),
        (["03/05/1971", "12/11/2001"], Dates(("%d/%m/%Y", "%m/%d/%Y"), with_time=False)),
        (["5 Mar 1971"], Dates(("%d %b %Y",), with_time=False)),
        (["05.03.1971 10:30"], Dates(("%d.%m.%Y %H:%M", "%m.%d.%Y %H:%M"), with_time=True)),
        (["19710305"], None),
        (["1971", "2001"], None),
        (["5.3.71"], None),
        (["1971-03-05", "unknown"], None),
        (["31.02.2001"], None),
        (["town 12345"], None),
        ([], None),
    ],
)
def test_dates_are_known_by_the_formats_that_all_of_them_fit(dates: list[str], written: Dates | None) -> None:
    found = dates_of(dates)
    assert found == written or (found and written and set(found.formats) == set(written.formats))


def test_eight_digits_are_a_date_where_the_name_says_so() -> None:
    assert dates_of(["19710305", "20011231"], digits=True) == Dates(("%Y%m%d",), with_time=False)
    assert dates_of(["19710305", "12345678"], digits=True) is None


@pytest.mark.parametrize(
    ("form", "is_first"), [("%d.%m.%Y", True), ("%m/%d/%Y", False), ("%d %b %Y", True), ("%Y-%m-%d", False)]
)
def test_the_day_may_come_before_the_month(form: str, is_first: bool) -> None:
    assert is_day_first(form) is is_first


def test_digits_behind_a_zero_are_codes() -> None:
    assert has_codes({"01067": 1, "99": 1})
    assert not has_codes({"0": 1, "10": 1, "0.5": 1})
