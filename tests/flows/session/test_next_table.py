"""What a saved recoding would make of next month's table, before anything is released; each figure counted by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import toolbox
from toolbox import Recoding
from toolbox.errors import ToolboxError, UsageError
from toolbox.flows.session.next_table import preview_file

TOWNS = {"Austria": {"South": ["Graz"], "North": ["Linz", "Wels"]}}


def january() -> pd.DataFrame:
    """Each town and decade three times, so that no class is too small."""
    rows = [(town, born, "flu", "a") for town in ("Graz", "Linz", "Wels") for born in (1971, 1973, 1975)]
    return pd.DataFrame(rows, columns=["town", "born", "illness", "ward"])


def february() -> pd.DataFrame:
    """One record less from Linz, and two from Wels."""
    return january().drop(index=[5, 7, 8]).reset_index(drop=True)


@pytest.fixture(scope="module")
def recoding() -> Recoding:
    """Towns as they are, births by ten years, k = 3."""
    made = Recoding.fit(
        january(),
        quasi_identifiers=["town", "born"],
        sensitive=["illness"],
        hierarchies={"town": TOWNS, "born": "intervals:10,20"},
        k=3,
        method="Flash",
        suppression_threshold=1,
    )
    assert [column["level"] for column in made.document()["columns"]] == [0, 1]
    return made


def column_of(document: dict[str, Any], name: str) -> dict[str, Any]:
    return next(column for column in document["columns"] if column["name"] == name)


# What is new, and what is gone.


@pytest.mark.slow
def test_the_table_of_which_it_was_made_has_nothing_new_and_all_holds(recoding: Recoding) -> None:
    found = recoding.preview(january()).document()
    assert (found["new_columns"], found["gone_columns"], found["lacking"], found["can_be_applied"]) == (
        [],
        [],
        [],
        True,
    )
    assert (found["records"], found["classes"], found["small_classes"], found["small_records"]) == (9, 3, 0, 0)
    assert found["holds"] and [(model["required"], model["achieved"]) for model in found["models"]] == [(3, 3)]
    assert [way["small_classes"] for way in found["ways"]] == ["suppress", "merge"]
    for way in found["ways"]:
        assert (way["kept"], way["merged"], way["suppressed"], way["smallest_class"]) == (9, 0, 0, 3)


@pytest.mark.slow
def test_new_and_gone_columns_are_told_also_those_that_nobody_declared(recoding: Recoding) -> None:
    found = recoding.preview(january().drop(columns="ward").assign(insurer="x", doctor="y")).document()
    assert (found["new_columns"], found["gone_columns"], found["lacking"]) == (["insurer", "doctor"], ["ward"], [])
    assert found["knows_all_columns"] and found["can_be_applied"]


@pytest.mark.slow
def test_without_a_column_that_it_needs_a_recoding_cannot_be_applied_and_nothing_else_is_said(
    recoding: Recoding,
) -> None:
    preview = recoding.preview(january().drop(columns=["town", "illness"]))
    found = preview.document()
    assert (sorted(found["lacking"]), found["can_be_applied"], preview.foreseen) == (["illness", "town"], False, None)
    assert "2 columns are not there (town, illness)" in preview.headline()


@pytest.mark.slow
def test_values_that_are_new_are_listed_with_their_records_and_those_that_are_gone(recoding: Recoding) -> None:
    table = january().replace({"town": {"Wels": "Enns"}})
    table.loc[0, "town"] = "Ulm"
    town = column_of(recoding.preview(table).document(), "town")
    assert town["unseen"] == [{"value": "Enns", "records": 3}, {"value": "Ulm", "records": 1}]
    assert (town["known"], town["unseen_values"], town["unseen_records"], town["gone"]) == (3, 2, 4, ["Wels"])


@pytest.mark.slow
def test_a_rule_places_every_value_so_that_none_is_new(recoding: Recoding) -> None:
    born = column_of(recoding.preview(january().replace({"born": {1971: 2024}})).document(), "born")
    assert (born["known"], born["unseen"], born["gone_values"]) == (None, [], 0)


# What does not hold any more.


@pytest.mark.slow
def test_classes_that_are_too_small_are_counted_with_what_would_become_of_them(recoding: Recoding) -> None:
    # Graz keeps three of the seventies; Linz has two, and Wels one: both are in the north.
    table = february()
    preview = recoding.preview(table)
    found = preview.document()
    assert (found["records"], found["classes"], found["small_classes"], found["small_records"]) == (6, 3, 2, 3)
    assert not found["holds"] and [model["achieved"] for model in found["models"]] == [1]
    merge, suppress = found["ways"]
    assert (merge["small_classes"], merge["kept"], merge["merged"], merge["suppressed"]) == ("merge", 3, 3, 0)
    assert (merge["classes"], merge["smallest_class"], merge["problem"]) == (2, 3, "")
    assert suppress["problem"] == "3 records would be suppressed, and 1 may be."
    assert "2 classes of 3, with 3 records, would not satisfy the models any more." in preview.headline()


@pytest.mark.slow
def test_what_it_foresees_is_what_a_release_is(recoding: Recoding) -> None:
    table = february()
    merge = recoding.preview(table).document()["ways"][0]
    made = recoding.transform(table, small_classes="merge").summary.document()
    assert [made["recoding"][name] for name in ("kept", "merged", "suppressed")] == [3, 3, 0]
    assert (made["classes"], made["information"]["share"]) == (merge["classes"], pytest.approx(merge["information"]))


@pytest.mark.slow
def test_few_small_records_may_be_suppressed(recoding: Recoding) -> None:
    table = pd.concat([january(), pd.DataFrame([("Graz", 1999, "flu", "a")], columns=january().columns)])
    first = recoding.preview(table).document()["ways"][0]
    assert (first["small_classes"], first["kept"], first["suppressed"], first["classes"]) == ("suppress", 9, 1, 3)


@pytest.mark.slow
def test_a_table_smaller_than_one_class_has_no_way(recoding: Recoding) -> None:
    found = recoding.preview(january().head(2)).document()
    assert (found["can_be_applied"], found["small_classes"], found["small_records"]) == (False, 1, 2)
    assert all(way["problem"] for way in found["ways"])


@pytest.mark.slow
def test_classes_count_persons_where_these_are_declared() -> None:
    first = january().assign(patient=list("ABCDEFGHI"))
    asked = {"hierarchies": {"town": TOWNS}, "k": 3, "method": "Flash", "suppression_threshold": 0}
    made = Recoding.fit(first, quasi_identifiers=["town"], person="patient", **asked)
    # Three records of one person are no class of three.
    second = first.assign(patient=["A", "A", "A", *"DEFGHI"])
    found = made.preview(second).document()
    assert (found["classes"], found["small_classes"], found["small_records"]) == (3, 1, 1)
    assert found["noun"] == "person"
    assert "1 person would be suppressed, and 0 may be." in [way["problem"] for way in found["ways"]]


# Where it is read from.


@pytest.mark.slow
def test_a_project_is_fitted_again_and_its_release_stays_as_it_is(tmp_path: Path) -> None:
    january().to_csv(tmp_path / "january.csv", index=False)
    february().to_csv(tmp_path / "february.csv", index=False)
    (tmp_path / "project.xml").write_text(
        "<config method='Flash' k='3' suppThreshold='0' undeclared='drop'>"
        "<input filename='january.csv' separator=',' header='true'/><output filename='release.csv'/>"
        "<qid><att name='town'><vgh build='auto'/></att><att name='born'><vgh build='intervals' width='10,20'/></att>"
        "</qid><sens><att name='illness'/></sens></config>",
        encoding="utf-8",
    )
    (tmp_path / "release.csv").write_text("older", encoding="utf-8")
    made = Recoding.fit(toolbox.load_config(tmp_path / "project.xml"))
    found = made.preview(tmp_path / "february.csv").document()
    assert (found["table"], found["records"], found["small_records"]) == (str(tmp_path / "february.csv"), 6, 3)
    assert (tmp_path / "release.csv").read_text() == "older"
    assert {path.name for path in tmp_path.iterdir()} == {"january.csv", "february.csv", "project.xml", "release.csv"}


@pytest.mark.slow
def test_new_columns_that_would_stop_a_release_stop_no_look(recoding: Recoding) -> None:
    document = recoding.to_json().replace("undeclared='pass'", "").replace("<config ", "<config undeclared='fail' ")
    found = Recoding.from_json(document).preview(january().assign(insurer="x")).document()
    assert (found["new_columns"], found["undeclared"], found["records"]) == (["insurer"], "fail", 9)


@pytest.mark.slow
def test_a_table_that_is_not_there_is_told(recoding: Recoding, tmp_path: Path) -> None:
    with pytest.raises(ToolboxError, match="cannot be read"):
        recoding.preview(tmp_path / "nothing.csv")


def test_the_recoding_is_written_over_nothing_that_is_read(tmp_path: Path) -> None:
    january().to_csv(tmp_path / "p.csv", index=False)
    (tmp_path / "h.csv").write_text("Graz;*\nLinz;*\nWels;*\n")
    (tmp_path / "c.xml").write_text(
        "<config k='3'><input filename='p.csv' header='true'/><output filename='r.csv'/>"
        "<qid><att name='town'><vgh file='h.csv'/></att></qid></config>"
    )
    (tmp_path / "rec.json").write_text("{}")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for named, kept in (("rec.json", "p.csv"), ("rec.json", "rec.json"), ("c.xml", "c.xml"), ("c.xml", "h.csv")):
        with pytest.raises(UsageError, match="is read itself, and stays as it is"):
            preview_file(tmp_path / named, tmp_path / "p.csv", tmp_path / kept)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
