"""What `toolbox hierarchy` says, as documents and lines."""

from __future__ import annotations

import json

from helpers.outlines import outline_of

from toolbox.hierarchy.checking import compare_coverage, make_fault, make_remark
from toolbox.report.explore.hierarchy import HierarchyCheck, HierarchyReport

PLACES = outline_of("Graz Styria *", "Leoben Styria *", "Wien Vienna *")
FOUND = compare_coverage(PLACES.list_all_values(), "category", {"Graz": 5, "Wien": 1, "Bonn": 2}, figures=(".", ""))
REPORT = HierarchyReport(name="towns.csv", kind="category", outline=PLACES, coverage=FOUND, notes=("A note.",))


def test_the_document_has_the_whole_tree_with_records() -> None:
    assert json.loads(json.dumps(REPORT.document())) == {
        "name": "towns.csv",
        "kind": "category",
        "values": 3,
        "levels": [2, 1],
        "is_uniform": True,
        "tree": {
            "label": "*",
            "records": 6,
            "children": [
                {"label": "Styria", "records": 5, "values": ["Graz", "Leoben"]},
                {"label": "Vienna", "records": 1, "values": ["Wien"]},
            ],
        },
        "notes": ["A note."],
    }


def test_values_that_are_nobodys_business_are_in_no_document() -> None:
    report = HierarchyReport(name="towns.csv", kind="category", outline=PLACES, shows_values=False)
    assert report.document()["tree"]["children"] == [{"label": "Styria"}, {"label": "Vienna"}]
    assert "Graz" not in str(report)


def test_the_text_is_that_of_the_command_line() -> None:
    lines = str(REPORT).splitlines()
    assert lines[0] == "hierarchy  towns.csv: 3 values below 2 levels"
    assert "lacking    1 value of 2 records" in lines
    assert "├── Styria  2 values, 5 records: Graz, Leoben" in lines
    assert lines[-1] == "note A note."
    assert repr(REPORT) == "<HierarchyReport: towns.csv: 3 values below 2 levels>"


def test_a_check_holds_unless_it_has_a_fault() -> None:
    check = HierarchyCheck(
        name="t.csv", outline=PLACES, findings=(make_remark("level", 0, "Odd."), make_fault("label", 2, "Wrong."))
    )
    assert not check.holds
    assert check.headline() == "t.csv: 3 values below 2 levels; 1 fault"
    assert check.document() == {
        "name": "t.csv",
        "holds": False,
        "values": 3,
        "levels": [2, 1],
        "findings": [
            {"kind": "level", "line": 0, "text": "Odd.", "is_fault": False},
            {"kind": "label", "line": 2, "text": "Wrong.", "is_fault": True},
        ],
    }
    assert str(check).splitlines()[1:] == ["fault  line 2: Wrong.", "remark Odd."]


def test_a_hierarchy_that_could_not_be_read_has_no_size() -> None:
    check = HierarchyCheck(name="t.csv", outline=None, findings=(make_fault("table", 0, "Empty."),))
    assert (check.headline(), check.document()["values"]) == ("t.csv: 1 fault", None)
    assert HierarchyCheck(name="t.csv", outline=None, findings=()).headline() == "t.csv: no fault"
