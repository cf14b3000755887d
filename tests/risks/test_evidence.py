"""What speaks against releasing a column as it is: counts, and never a value."""

import pytest
from sqlalchemy import select

from toolbox.queries.dialect import Table, list_of
from toolbox.risks.unmodified_columns import CheckedColumn, Evidence, Sample, list_evidence
from toolbox.store.engine.store import Store


def reasons(
    store: Store,
    values: list[str | None],
    codes: list[int] | None = None,
    *,
    name: str = "column",
    declared: bool = False,
) -> dict[str, tuple[int, int]]:
    """Return each reason with its count and what was looked at; the codes are those of a quasi-identifier ``age``."""
    columns = {"interval_1": (int, codes or [0] * len(values)), "c3": (str, values)}
    table = store.create_constant("sample", columns)
    sample = Sample(store, _with_texts(store, table), (3,), len(values), len(values), table)
    (found,) = list_evidence(sample, [CheckedColumn(3, name, declared)], ["age"])
    assert not any(one.is_sample or one.is_estimate for one in found)
    return {one.kind: (one.count, one.looked_at) for one in found}


def _with_texts(store: Store, table: Table) -> Table:
    return store.create("sample", select(table.c.interval_1, list_of([table.c.c3]).label("texts")))


FEW = ["a", "b", "c"] * 8


def test_a_column_of_a_few_words_has_nothing_against_it(store: Store) -> None:
    assert reasons(store, FEW) == {}
    assert reasons(store, [None, None]) == {}


def test_every_record_with_a_mail_address_counts_and_missing_values_are_not_looked_at(store: Store) -> None:
    mails = ["ada@example.org"] * 8 + ["none"] * 16
    assert reasons(store, [*mails, None]) == {"e-mail addresses": (8, 24)}
    assert reasons(store, mails, declared=True) == {"e-mail addresses": (8, 24)}


def test_an_account_counts_where_its_check_digits_are_right(store: Store) -> None:
    right, wrong = "AT61 1904 3002 3457 3201", "AT61 1904 3002 3457 3202"
    assert reasons(store, [right, "a"] * 12) == {"bank accounts (IBAN)": (12, 24)}
    assert reasons(store, [wrong, "a"] * 12) == {}
    assert reasons(store, [right, *[wrong] * 23]) == {}


@pytest.mark.parametrize(
    ("years", "name", "is_birth"),
    [
        ([1950, 1970, 1990], "date", True),
        ([2020, 2021, 2022], "date", False),
        ([2020, 2021, 2022], "Geburtsdatum", True),
        ([2020, 2021, 2022], "DOB", True),
    ],
)
def test_dates_over_many_years_or_so_called_are_those_of_births(
    store: Store, years: list[int], name: str, is_birth: bool
) -> None:
    dates = [f"{year}-03-10" for year in years] * 8
    assert reasons(store, dates, name=name) == ({"dates of birth": (24, 24)} if is_birth else {})
    assert reasons(store, dates, name=name, declared=True) == {}


def test_one_date_of_long_ago_makes_no_dates_of_birth(store: Store) -> None:
    dates = [f"2020-03-{day:02}" for day in range(1, 29)]
    assert "dates of birth" not in reasons(store, [*dates, *dates, "1900-01-01"])
    assert "dates of birth" not in reasons(store, ["1950-01-01", "1990-01-01", "a", "b", "c"] * 5)


@pytest.mark.parametrize(("count", "speaks"), [(9, False), (10, True)])
def test_values_that_nearly_all_differ_are_told_from_ten_records_on(store: Store, count: int, speaks: bool) -> None:
    values = [f"c{number}" for number in range(count)]
    assert reasons(store, values) == ({"values that nearly all differ": (count, count)} if speaks else {})
    assert reasons(store, values, declared=True) == reasons(store, values)
    assert reasons(store, ["c0", "c0", *values[:count]]) == {}


def test_a_value_that_gives_the_quasi_identifier_away_is_told_with_its_name(store: Store) -> None:
    codes = [0, 1, 2] * 8
    assert reasons(store, FEW, codes) == {"values that give age away": (24, 24)}
    assert reasons(store, FEW, [0, 0, 1, 1] * 6) == {}
    assert reasons(store, FEW, codes, declared=True) == {}


def test_a_quasi_identifier_that_nearly_everybody_has_is_given_away_by_nothing(store: Store) -> None:
    values, codes = ["a"] * 22 + ["b"] * 2, [0] * 22 + [1] * 2
    assert reasons(store, values, codes) == {}
    values, codes = ["a"] * 20 + ["b"] * 4, [0] * 20 + [1] * 4
    assert reasons(store, values, codes) == {"values that give age away": (24, 24)}


def test_evidence_of_a_part_of_the_table_says_so(store: Store) -> None:
    table = store.create_constant("sample", {"interval_1": (int, [0] * 9), "c3": (str, ["ada@example.org"] * 9)})
    sample = Sample(store, _with_texts(store, table), (3,), 1000, 9, table)
    ((found,),) = list_evidence(sample, [CheckedColumn(3, "mail", is_declared=False)], ["age"])
    assert found == Evidence(kind="e-mail addresses", count=9, looked_at=9, is_sample=True)
