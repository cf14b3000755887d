"""The columns that a release shows as they are, and what is counted against them; no value is ever shown."""

import pandas as pd
import pyarrow as pa
import pytest
from helpers.small_tables import declared

from toolbox import anonymize
from toolbox.config.model import Attribute, Column
from toolbox.release.returned import prepare_for_engine
from toolbox.risks import unmodified_columns as sampling
from toolbox.risks.unmodified_columns import PassedColumn, list_unmodified_columns
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.loading import Loader

COUNT = 60
ACCOUNTS = ["AT611904300234573201", "DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"]


def hospital() -> dict[str, list]:
    """Make a table whose columns each hold one thing that identifies, and some that do not."""
    numbers = range(COUNT)
    return {
        "age": [20 + number % 12 for number in numbers],
        "postcode": [1000 + 10 * (number % 6) for number in numbers],
        "mail": [f"p{number % 7}@example.org" for number in numbers],
        "telephone": [f"+43 664 12345{number % 7}" for number in numbers],
        "account": [ACCOUNTS[number % 3] for number in numbers],
        "no account": [f"AT61190430023457320{2 + number % 7}" for number in numbers],
        "page": [f"https://example.org/{number % 7}" for number in numbers],
        "date": [f"{1930 + 7 * (number % 7)}-03-10" for number in numbers],
        "admitted": [f"2024-03-{10 + number % 7}" for number in numbers],
        "born": [f"2024-03-{10 + number % 7}" for number in numbers],
        "remark": [f"came in with complaint {number // 2}" for number in numbers],
        "town": [f"Town {number % 6}" for number in numbers],
        "case": [f"c{number:03}" for number in numbers],
        "illness": ["acute inflammation of the throat", "flu", "gout"] * (COUNT // 3),
    }


EXPECTED = {
    "mail": {"e-mail addresses": (60, 60)},
    "telephone": {"telephone numbers": (60, 60)},
    "account": {"bank accounts (IBAN)": (60, 60)},
    "no account": {},
    "page": {"web addresses": (60, 60)},
    "date": {"dates of birth": (60, 60)},
    "admitted": {},
    "born": {"dates of birth": (60, 60)},
    "remark": {"free text": (60, 60)},
    "town": {"values that give postcode away": (60, 60)},
    "case": {"values that nearly all differ": (60, 60)},
    "illness": {},
}


def evidence(columns: tuple[PassedColumn, ...]) -> dict[str, dict[str, tuple[int, int]]]:
    return {one.name: {reason.kind: (reason.count, reason.looked_at) for reason in one.evidence} for one in columns}


def looked_at(table: dict[str, list], sensitive: str = "", *, is_callers: bool = False) -> tuple[PassedColumn, ...]:
    given = pa.table(table)
    attributes = [Attribute(column=Column(index=None, name=name), kind="category") for name in sensitive.split()]
    config = declared("age postcode", sensitive=attributes)
    shown = prepare_for_engine(given, config.column_names) if is_callers else given
    with Store() as store:
        loaded = Loader(config, open_arrow_source(store, shown, added=int(is_callers)), store).load()
        return list_unmodified_columns(loaded.tables, loaded.layout, given if is_callers else None)


@pytest.mark.slow
@pytest.mark.parametrize("is_callers", [False, True])
def test_what_each_column_looks_like_is_counted(is_callers: bool) -> None:
    assert evidence(looked_at(hospital(), is_callers=is_callers)) == EXPECTED


@pytest.mark.slow
def test_of_sensitive_columns_only_what_leads_to_a_person_is_said() -> None:
    """They are meant to be released, free text included; addresses of people, and their numbers, never are."""
    found = looked_at(hospital(), "mail remark case town")
    assert [one.name for one in found if one.is_declared] == ["mail", "remark", "town", "case"]
    assert {name: evidence(found)[name] for name in ("mail", "remark", "town", "case")} == {
        "mail": EXPECTED["mail"],
        "remark": {},
        "town": {},
        "case": EXPECTED["case"],
    }


@pytest.mark.slow
def test_a_few_addresses_within_remarks_are_found() -> None:
    remarks = ["none"] * COUNT
    remarks[17] = "call back or write to ada@example.org"
    assert evidence(looked_at(hospital() | {"remark": remarks}))["remark"] == {"e-mail addresses": (1, 60)}


def test_nothing_is_said_of_few_records_that_chance_could_say_too() -> None:
    few = evidence(looked_at({name: values[:8] for name, values in hospital().items()}))
    assert {name: few[name] for name in ("mail", "town", "case", "illness")} == {
        "mail": {"e-mail addresses": (8, 8)},
        "town": {},
        "case": {},
        "illness": {},
    }


@pytest.mark.slow
def test_a_column_that_everybody_shares_gives_nothing_away() -> None:
    """Where nearly all have one postcode, any column seems to go with it."""
    table = hospital() | {"postcode": [1010] * (COUNT - 1) + [1020]}
    assert evidence(looked_at(table))["town"] == {}


@pytest.mark.slow
def test_missing_values_count_for_nothing() -> None:
    found = looked_at(
        hospital() | {"mail": [None, ""] * (COUNT // 2), "case": [None] * (COUNT - 20) + list("abcdefghij" * 2)}
    )
    assert evidence(found)["mail"] == {}
    assert evidence(found)["case"] == {}


@pytest.mark.slow
@pytest.mark.parametrize("is_callers", [False, True])
def test_of_a_large_table_a_sample_is_looked_at_and_different_values_are_counted_in_all(
    monkeypatch: pytest.MonkeyPatch, is_callers: bool
) -> None:
    monkeypatch.setattr(sampling, "_RECORDS", 200)
    count = 3000
    table = {
        "age": [number % 50 for number in range(count)],
        "postcode": [number % 50 for number in range(count)],
        "mail": [f"p{number % 9}@example.org" for number in range(count)],
        "case": [f"c{number}" for number in range(count)],
        "pair": [f"c{number // 2}" for number in range(count)],
    }
    mail, case, pair = looked_at(table, is_callers=is_callers)
    (reason,) = mail.evidence
    assert reason.kind == "e-mail addresses"
    assert 100 < reason.count == reason.looked_at < 400
    assert reason.is_sample
    # Nearly all values of a sample differ; of all values only half do.
    assert [(one.kind, one.count, one.looked_at) for one in case.evidence] == [
        ("values that nearly all differ", count, count)
    ]
    assert pair.evidence == ()


@pytest.mark.slow
def test_columns_that_the_engine_cannot_read_are_named_all_the_same() -> None:
    table = pd.DataFrame({"age": [20, 21] * 10, "span": pd.arrays.IntervalArray.from_breaks(range(21))})
    table["parts"] = [{"a": number} for number in range(20)]
    result = anonymize(table, quasi_identifiers=["age"], k=2)
    assert [one.name for one in result.summary.passed] == ["span", "parts"]
