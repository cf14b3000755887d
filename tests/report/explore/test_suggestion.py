"""What `init` says, to people and to machines."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from toolbox.errors import UsageError
from toolbox.flows.explore.suggest import suggest_roles
from toolbox.report.explore.suggestion import Suggestion

TEXT = "name,age,flag,remark\n" + "".join(
    f"person {row},{20 + row % 30},{'yes' if row % 3 else 'no'},{'' if row % 4 else 'x'}\n" for row in range(60)
)


@pytest.fixture(scope="module")
def suggestion(tmp_path_factory: pytest.TempPathFactory) -> Suggestion:
    path = tmp_path_factory.mktemp("suggestion") / "people.csv"
    path.write_text(TEXT)
    return suggest_roles(path)


def test_the_document_has_the_names_that_programs_rely_on(suggestion: Suggestion) -> None:
    document = json.loads(json.dumps(suggestion.document()))
    assert set(document) == {
        "toolbox_version", "input", "records", "is_sample", "k", "columns", "timings", "notes",
    }  # fmt: skip
    assert (document["records"], document["is_sample"], document["k"]) == (60, False, 5)
    assert document["columns"][1] == {
        "column": "age",
        "index": 1,
        "role": "quasi-identifier",
        "why": "others may know ages",
        "sureness": "sure",
        "type": "number",
        "hierarchy": "intervals:5,10,20",
        "treatment": None,
        "values": 30,
        "alone": 0,
        "missing": 0,
        "by_name": "ages",
        "by_values": None,
    }
    assert [(one["column"], one["role"], one["hierarchy"]) for one in document["columns"][2:]] == [
        ("flag", "quasi-identifier", "auto:0"),
        ("remark", "identifier", None),
    ]


def test_notes_say_what_to_look_at(suggestion: Suggestion) -> None:
    assert suggestion.notes == (
        "Unsure of flag: it is left out until you decide.",
        "Proposed, and not applied: pseudonym for name. `toolbox methods` says what each does.",
    )


def test_the_headline_counts_the_roles(suggestion: Suggestion) -> None:
    assert repr(suggestion) == "<Suggestion: 60 records; 2 identifier, 2 quasi-identifier>"


def test_the_table_shows_each_column(suggestion: Suggestion) -> None:
    shown = str(suggestion)
    assert all(column.name in shown for column in suggestion.columns)
    assert "intervals:5,10,20" in shown


def test_the_roles_may_be_changed_and_the_configuration_follows(suggestion: Suggestion) -> None:
    waiting = suggestion.to_xml("a.xml")
    assert "<qid><att name='flag' type='category'>" in waiting, "in a comment, with what makes it a quasi-identifier"
    assert "flag" not in waiting.partition("<qid>")[2].partition("</qid>")[0]
    agreed = suggestion.with_roles({2: "quasi-identifier"})
    assert "flag" in agreed.to_xml("a.xml").partition("<qid>")[2].partition("</qid>")[0]
    assert "flag" in agreed.arguments["quasi_identifiers"]
    assert "<att name='flag'/>" in suggestion.with_roles({2: "sensitive"}).to_xml("a.xml")
    assert "filename='b.csv'" in suggestion.to_xml("a.xml", Path("b.csv"))


def test_a_table_in_memory_has_arguments_and_no_configuration() -> None:
    found = suggest_roles(pa_table())
    assert found.arguments["quasi_identifiers"] == ["age"]
    with pytest.raises(UsageError, match=r"\.arguments"):
        found.to_xml("a.xml")


def pa_table() -> object:
    from toolbox.store.input.memory import as_arrow

    return as_arrow(pd.DataFrame({"name": ["Ada", "Bo"] * 10, "age": list(range(20, 40))}))
