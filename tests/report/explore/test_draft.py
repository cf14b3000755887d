"""The configuration of a plan: where its files are, how the table is read, and a comment for each column."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.profiled import planned
from lxml import etree

from toolbox.config.model import Input
from toolbox.errors import UsageError
from toolbox.report.explore.suggestion import Suggestion, make_draft, release_beside
from toolbox.store.engine.store import Store

TABLE = {
    "name": [f"person {row}" for row in range(60)],
    "age": [str(20 + row % 30) for row in range(60)],
    "cost": ["1,5" if row % 2 else "2,5" for row in range(60)],
    "illness": [None if row == 7 else "flu" if row % 3 else "gout" for row in range(60)],
}
READ = Input(path=Path("data/people.csv"), separator="\t", header=True, encoding="windows-1252")


@pytest.fixture(scope="module")
def root() -> etree._Element:
    with Store() as store:
        plan = planned(store, TABLE)
    text = make_draft(plan, Path("data/people.csv"), READ, Path("configs/people.xml")).text()
    return etree.fromstring(text.encode())


def test_names_of_files_are_relative_to_the_configuration(root: etree._Element) -> None:
    assert root.find("input").get("filename") == "../data/people.csv"
    assert root.find("output").get("filename") == "people_release.csv"


def test_how_the_table_is_read_is_written_out(root: etree._Element) -> None:
    attributes = dict(root.find("input").attrib)
    del attributes["filename"]
    assert attributes == {
        "header": "true", "separator": "\\t", "encoding": "windows-1252", "decimal": ",", "onMissing": "keep",
    }  # fmt: skip


def test_a_new_column_of_next_month_is_not_released(root: etree._Element) -> None:
    assert dict(root.attrib) == {"method": "Mondrian", "k": "5", "undeclared": "drop"}


def test_each_column_stands_once_in_its_section_behind_a_comment_with_its_name(root: etree._Element) -> None:
    sections = {
        section: [att.get("name") for att in root.iterfind(f"{section}/att")] for section in ("id", "qid", "sens")
    }
    assert sections == {"id": ["name"], "qid": ["age"], "sens": ["cost", "illness"]}
    for att in root.iter("att"):
        assert att.getprevious().text.strip().startswith(f"{att.get('name')}: ")


def test_no_value_stands_in_it(root: etree._Element) -> None:
    text = etree.tostring(root, encoding="unicode")
    assert [value for value in ("person 7", "flu", "gout", "2,5") if value in text] == []


@pytest.mark.parametrize(
    ("source", "release"),
    [
        ("people.csv", "people_release.csv"),
        ("people.csv.gz", "people_release.csv"),
        ("people.parquet", "people_release.parquet"),
        ("people", "people_release.csv"),
        ("part-*.csv", "part-__release.csv"),
        ("a.b.tsv", "a.b_release.csv"),
    ],
)
def test_the_release_is_called_like_the_table(source: str, release: str) -> None:
    assert release_beside(Path("data") / source, Path("configs")) == Path("configs") / release


def test_columns_that_no_name_finds_are_found_by_their_index() -> None:
    with Store() as store:
        plan = planned(store, {"age ": TABLE["age"], "": TABLE["illness"], "age": TABLE["age"]})
    decided = plan.with_roles({1: "quasi-identifier"})
    root = etree.fromstring(make_draft(decided, Path("a.csv"), READ, Path("a.xml")).text().encode())
    assert [dict(att.attrib).get("index", att.get("name")) for att in root.iter("att")] == ["0", "1", "age"]


def test_where_nobody_knows_anything_there_is_nothing_to_generalise() -> None:
    with Store() as store:
        plan = planned(store, {"age": TABLE["age"], "illness": TABLE["illness"]})
    with pytest.raises(UsageError, match="Choose qid"):
        make_draft(plan.with_roles({0: "identifier"}), Path("a.csv"), READ, Path("a.xml"))


def test_where_nothing_is_left_to_release_there_is_no_configuration() -> None:
    with Store() as store:
        plan = planned(store, {"name": TABLE["name"]})
    with pytest.raises(UsageError, match="nothing is left to release"):
        make_draft(plan, Path("a.csv"), READ, Path("a.xml"))


def test_what_is_the_same_in_all_records_of_a_person_speaks_for_it() -> None:
    with Store() as store:
        born = [str(1950 + row // 5) for row in range(60)]
        ages = [str(20 + row % 30) for row in range(60)]
        plan = planned(store, {"patient_id": [f"P{row // 5:04}" for row in range(60)], "born": born, "age": ages})
    assert [column.same_within for column in plan.columns] == [("born",), (), ()]
    text = " ".join(make_draft(plan, Path("a.csv"), READ, Path("a.xml")).text().split())
    assert "patient_id: its values repeat, and born is the same in all records of each." in text


def test_an_identifier_of_persons_that_repeats_is_told_beside_the_column_and_as_a_note() -> None:
    with Store() as store:
        ages = [str(20 + row % 30) for row in range(60)]
        plan = planned(store, {"patient_id": [f"P{row // 5:04}" for row in range(60)], "age": ages})
    said = "12 of 60 values differ, 5 records for each on average: an identifier of persons with several records"
    text = " ".join(make_draft(plan, Path("a.csv"), READ, Path("a.xml")).text().split())
    assert said in text
    assert "<person> <!-- Who the records are about: classes count different persons, not records. -->" in text
    assert "patient_id: its values repeat. If another column tells persons apart, name that one" in text
    assert text.count("<att name='patient_id'/>") == 2
    assert plan.arguments["person"] == "patient_id"
    notes = Suggestion(source=None, input=None, plan=plan, timings={}, toolbox_version="0").notes
    assert f"patient_id: {said}, it seems, so that records are not people." in notes
