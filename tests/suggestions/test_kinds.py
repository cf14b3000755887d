"""What texts are: how a table writes numbers and dates, and what it writes where it has none."""

from __future__ import annotations

import pytest

from toolbox.suggestions.profile import _is_day_first
from toolbox.suggestions.texts import DateFormats, TableNotation, Texts, find_date_formats, find_notation, has_codes


def texts(*values: str) -> Texts:
    return Texts({value: values.count(value) for value in values}, 0)


@pytest.mark.parametrize(
    ("columns", "notation"),
    [
        ([texts("1", "2")], TableNotation()),
        ([texts("1.5", "2")], TableNotation()),
        ([texts("1,5", "2")], TableNotation(",")),
        ([texts("1.234,5", "2")], TableNotation(",", ".")),
        ([texts("1,234.5", "2")], TableNotation(".", ",")),
        ([texts("1,234", "2,345")], TableNotation(".", ",")),
        # As many columns have points: nothing is known.
        ([texts("1,5"), texts("1.5")], TableNotation()),
        ([texts("1,5"), texts("2,5"), texts("1.5")], TableNotation(",")),
        ([texts("a, b"), texts("Dr. No")], TableNotation()),
        ([texts("1", "NA", "NA"), texts("?", "2")], TableNotation(mark="NA")),
        ([texts("1,5", "-")], TableNotation(",", mark="-")),
        ([texts("1", "none"), texts("none", "Islam")], TableNotation(mark="none")),
        ([texts("none", "Islam"), texts("none", "school"), texts("none")], TableNotation()),
        ([], TableNotation()),
    ],
)
def test_a_table_writes_its_numbers_in_one_way(columns: list[Texts], notation: TableNotation) -> None:
    assert find_notation(columns) == notation


@pytest.mark.parametrize(
    ("notation", "text", "number"),
    [
        (TableNotation(), "1.5", 1.5),
        (TableNotation(), " -3e2 ", -300),
        (TableNotation(), "1,5", None),
        (TableNotation(), "1_000", None),
        (TableNotation(), "", None),
        (TableNotation(), "inf", None),
        (TableNotation(","), "1,5", 1.5),
        (TableNotation(","), "1.5", None),
        (TableNotation(",", "."), "1.234,5", 1234.5),
        (TableNotation(".", ","), "1,234.5", 1234.5),
        (TableNotation(".", ","), "1.5", 1.5),
        (TableNotation(".", ","), "1,5", None),
    ],
)
def test_a_number_is_read_as_its_table_writes_it(notation: TableNotation, text: str, number: float | None) -> None:
    assert notation.number(text) == number


@pytest.mark.parametrize(
    ("dates", "written"),
    [
        (["1971-03-05", "2001-12-31"], DateFormats((), with_time=False)),
        (["1971-03-05T10:00:00", "2001-12-31"], DateFormats((), with_time=True)),
        (["5.3.1971", "31.12.2001"], DateFormats(("%d.%m.%Y",), with_time=False)),
        (["03/05/1971", "12/31/2001"], DateFormats(("%m/%d/%Y",), with_time=False)),
        (["03/05/1971", "12/11/2001"], DateFormats(("%d/%m/%Y", "%m/%d/%Y"), with_time=False)),
        (["5 Mar 1971"], DateFormats(("%d %b %Y",), with_time=False)),
        (["05.03.1971 10:30"], DateFormats(("%d.%m.%Y %H:%M", "%m.%d.%Y %H:%M"), with_time=True)),
        (["19710305"], None),
        (["1971", "2001"], None),
        (["5.3.71"], None),
        (["1971-03-05", "unknown"], None),
        (["31.02.2001"], None),
        (["town 12345"], None),
        ([], None),
    ],
)
def test_dates_are_known_by_the_formats_that_all_of_them_fit(dates: list[str], written: DateFormats | None) -> None:
    found = find_date_formats(dates)
    assert found == written or (found and written and set(found.formats) == set(written.formats))


def test_eight_digits_are_a_date_where_the_name_says_so() -> None:
    assert find_date_formats(["19710305", "20011231"], digits=True) == DateFormats(("%Y%m%d",), with_time=False)
    assert find_date_formats(["19710305", "12345678"], digits=True) is None


@pytest.mark.parametrize(
    ("form", "is_first"), [("%d.%m.%Y", True), ("%m/%d/%Y", False), ("%d %b %Y", True), ("%Y-%m-%d", False)]
)
def test_the_day_may_come_before_the_month(form: str, is_first: bool) -> None:
    assert _is_day_first(form) is is_first


def test_digits_behind_a_zero_are_codes() -> None:
    assert has_codes({"01067": 1, "99": 1})
    assert not has_codes({"0": 1, "10": 1, "0.5": 1})
