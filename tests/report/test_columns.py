"""The notes on columns that a release shows as they are."""

from dataclasses import replace

import pandas as pd
import pytest

from toolbox import UsageError, anonymize
from toolbox.report.columns import format_columns, list_column_notes
from toolbox.risks.unmodified_columns import Evidence, PassedColumn

PEOPLE = pd.DataFrame(
    {"age": [21, 22, 23, 24] * 3, "mail": ["a@b.org", "c@d.org"] * 6, "note": ["x"] * 12, "illness": ["flu"] * 12}
)


@pytest.mark.slow
def test_columns_that_nobody_declared_are_named_with_what_speaks_against_them() -> None:
    summary = anonymize(PEOPLE, quasi_identifiers=["age"], sensitive=["illness"], k=2).summary
    assert summary.notes == (
        "Nobody declared mail, note: they are released unchanged, and the proof says nothing about that. Declare each "
        "column, as an identifier, a quasi-identifier or sensitive, or write undeclared='drop' to leave them out.",
        "mail looks as if it should not be released unchanged: e-mail addresses (12 of 12 values).",
    )
    assert summary.document()["passed_through"] == [
        {
            "column": "mail",
            "declared": None,
            "evidence": [
                {
                    "kind": "e-mail addresses",
                    "count": 12,
                    "looked_at": 12,
                    "is_sample": False,
                    "is_estimate": False,
                }
            ],
        },
        {"column": "note", "declared": None, "evidence": []},
        {"column": "illness", "declared": "sensitive", "evidence": []},
    ]


@pytest.mark.slow
def test_columns_that_nobody_declared_are_left_out_or_refused_on_demand() -> None:
    result = anonymize(PEOPLE, quasi_identifiers=["age"], sensitive=["illness"], k=2, undeclared="drop")
    assert list(result.release.columns) == ["age", "illness"]
    assert result.summary.notes == ("Nobody declared mail, note: left out of the release, as undeclared='drop' asks.",)
    assert result.summary.document()["left_out"] == ["mail", "note"]
    with pytest.raises(UsageError, match=r"^undeclared='fail', and nobody declared mail, note\. Declare each column"):
        anonymize(PEOPLE, quasi_identifiers=["age"], sensitive=["illness"], k=2, undeclared="fail")


def test_a_note_tells_programs_which_setting_answers_it() -> None:
    document = anonymize(PEOPLE, quasi_identifiers=["age"], sensitive=["illness"], k=2).summary.document()
    declare, mail = document["remedies"]
    assert [declare["note"], mail["note"]] == document["notes"]
    assert declare["finding"] == (
        "Nobody declared mail, note: they are released unchanged, and the proof says nothing about that."
    )
    assert declare["remedies"] == [
        {"setting": "undeclared", "value": "drop", "columns": ()},
        {"setting": "role", "value": None, "columns": ("mail", "note")},
    ]
    assert mail["remedies"] == [{"setting": "role", "value": "identifier", "columns": ("mail",)}]


@pytest.mark.slow
def test_a_table_whose_columns_are_all_declared_has_no_note() -> None:
    table = PEOPLE[["age", "illness"]]
    for undeclared in ("pass", "drop", "fail"):
        result = anonymize(table, quasi_identifiers=["age"], sensitive=["illness"], k=2, undeclared=undeclared)
        assert result.summary.notes == ()


def test_a_sensitive_column_that_leads_to_people_is_to_be_dropped() -> None:
    account = Evidence(kind="bank accounts (IBAN)", count=9, looked_at=10, is_sample=True)
    alike = Evidence(kind="values that nearly all differ", count=1234, looked_at=1300, is_estimate=True)
    assert list_column_notes([PassedColumn(name="a", is_declared=True, evidence=(account, alike))], ()) == [
        "a is declared sensitive, and has a different value for nearly each record (about 1,234 of 1,300 values): "
        "somebody who knows the value of a person finds the record by it, although the privacy models hold. If it names "
        "people, as their numbers do, declare it as an identifier, which is dropped.",
        "a looks as if it should not be released unchanged: bank accounts (IBAN) (9 of 10 values in a sample). Declare "
        "it as an identifier instead, which is dropped.",
    ]
    assert "for each record (12 of 12" in list_column_notes(
        [PassedColumn(name="a", is_declared=True, evidence=(replace(alike, count=12, looked_at=12, is_estimate=False),))],
        (),
    )[0]  # fmt: skip


def test_of_many_columns_the_first_are_named() -> None:
    account = Evidence(kind="free text", count=9, looked_at=10)
    many = [PassedColumn(name=f"c{number}", is_declared=False, evidence=(account,)) for number in range(13)]
    notes = list_column_notes(many, ())
    assert notes[0].startswith("Nobody declared c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 and 3 more: they are released")
    each = "; ".join(f"c{number} (free text: 9 of 10 values)" for number in range(10))
    assert notes[1:] == [
        "13 of these columns look as if they should not be released unchanged: "
        f"{each}; and 3 more, which the report lists."
    ]


def test_hostile_names_are_quoted() -> None:
    assert format_columns(["a b", "", " ", "a\nb"]) == "a b, '', ' ', 'a\\nb'"
