"""The calls of Python that read, show, check and write hierarchies."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pandas as pd
import pytest

import toolbox
from toolbox import hierarchies
from toolbox.errors import ConfigurationError, InputError, SettingError, UsageError

ROWS = [("8010", "80**", "*"), ("8020", "80**", "*"), ("9010", "90**", "*")]
PEOPLE = pd.DataFrame({"zip": ["8010", "8010", "9010", "7000", None], "n": range(5)})


@pytest.mark.parametrize("notation", ["arx", "utd", "rules", "child-parent"])
def test_what_is_written_is_read_again(tmp_path: Path, notation: str) -> None:
    path = tmp_path / "zip.xml"
    codes = [(f"A{value}", *labels) for value, *labels in ROWS]
    hierarchies.write(codes, path, notation=notation)
    assert hierarchies.read(path) == codes


def test_a_hierarchy_is_a_file_rows_a_frame_or_a_dict(tmp_path: Path) -> None:
    hierarchies.write(ROWS, tmp_path / "zip.csv")
    forms = [
        tmp_path / "zip.csv",
        str(tmp_path / "zip.csv"),
        ROWS,
        pd.DataFrame(ROWS),
        {row[0]: row[1:] for row in ROWS},
    ]
    documents = [hierarchies.show(form).document() for form in forms]
    assert [document["levels"] for document in documents] == [[2, 1]] * 5


def test_what_is_read_is_what_a_run_takes(tmp_path: Path) -> None:
    (tmp_path / "zip.txt").write_text("8010,8020 => 80**\n9010 => 90**\n")
    rows = hierarchies.read(tmp_path / "zip.txt")
    people = pd.DataFrame({"zip": ["8010", "8020", "9010", "9010"]})
    declared = {"quasi_identifiers": ["zip"], "kinds": {"zip": "category"}, "hierarchies": {"zip": rows}}
    result = toolbox.anonymize(people, **declared, method="Datafly", k=2, suppression_threshold=0)
    assert sorted(result.release["zip"]) == ["80**", "80**", "90**", "90**"]


def test_data_in_memory_are_set_against_a_hierarchy() -> None:
    check = hierarchies.check(ROWS, data=PEOPLE, column="zip")
    assert [(finding.kind, finding.is_fault) for finding in check.findings] == [("uncovered", True), ("unused", False)]
    assert hierarchies.show(ROWS, data=PEOPLE, column="zip").document()["tree"]["records"] == 3


def test_a_configuration_is_a_hierarchy_of_each_of_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "c.xml"
    path.write_text("<config><qid><att name='zip'><vgh build='prefix' keep='2'/></att></qid></config>")
    assert "├── 80**  1 value, 2 records" in str(hierarchies.show(path, data=PEOPLE, column="zip"))
    with pytest.raises(UsageError, match="declares no column 'n'"):
        hierarchies.check(path, data=PEOPLE, column="n")


def test_faults_are_findings_or_raised_by_who_needs_the_rows(tmp_path: Path) -> None:
    wrong = [("a", "x", "*"), ("b", "x", "**"), ("a", "y", "*")]
    assert [(found.kind, found.line) for found in hierarchies.check(wrong).findings] == [
        ("two parents", 2),
        ("value twice", 3),
    ]
    assert [found.kind for found in hierarchies.check([("a", "x"), ("b",)]).findings] == ["table"]
    with pytest.raises(ConfigurationError):
        hierarchies.write(wrong, tmp_path / "zip.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", ["none", [1, 2], ["8010;80**"], 7])
def test_what_is_no_hierarchy_is_refused(wrong: object) -> None:
    with pytest.raises(UsageError):
        hierarchies.show(wrong)  # type: ignore[arg-type]


def test_what_is_asked_wrongly_is_told_as_arguments(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="notation is 'xml'; write one of 'arx', 'utd', 'rules', 'child-parent'"):
        hierarchies.write(ROWS, tmp_path / "zip.csv", notation="xml")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="Write column="):
        hierarchies.check(ROWS, data=PEOPLE)


@pytest.mark.slow
def test_the_data_may_be_a_table_of_several_in_a_file(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "people.duckdb") as people:
        people.execute("CREATE TABLE people AS SELECT 'Graz' AS town")
        people.execute("CREATE TABLE rooms AS SELECT 'Rome' AS town")
    tree, data = {"Graz": "Styria", "Leoben": "Styria"}, tmp_path / "people.duckdb"
    assert hierarchies.check(tree, data=data, column="town", table="people").holds
    assert not hierarchies.check(tree, data=data, column="town", table="rooms").holds
    assert hierarchies.show(tree, data=data, column="town", table="people").document()["tree"]["records"] == 1
    with pytest.raises(InputError, match="Say which is meant: table='people'"):
        hierarchies.show(tree, data=data, column="town")


def test_a_configuration_tells_what_becomes_of_given_values(tmp_path: Path) -> None:
    path = tmp_path / "c.xml"
    tree = "<vgh value='[0:99]'><node value='[0:18]'/><node value='(18:99]'/></vgh>"
    built = "<att name='zip'><vgh build='prefix' keep='2'/></att>"
    path.write_text(
        f"""<config><input filename='p.csv' decimal=',' header='true'/><output filename='r.csv'/>
        <qid><att name='age'>{tree}</att>{built}</qid></config>"""
    )
    config = toolbox.load_config(path)
    assert hierarchies.read(config, column="age", values=["18,5", "7"]) == [
        ("7", "[0:18]", "[0:99]"),
        ("18,5", "(18:99]", "[0:99]"),
    ]
    assert hierarchies.read(path, column="zip", values={"8010": 2}) == [("8010", "80**", "*")]
    with pytest.raises(ConfigurationError, match="lacks 1 value of 1 record"):
        hierarchies.read(config, column="age", values=["7", "100"])
