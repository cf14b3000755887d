"""How records and classes read."""

from __future__ import annotations

import json

from toolbox.report.explore.records import ClassColumn, LookedAt, RecordClass, RecordsPage


def test_a_page_shows_each_record_above_its_release() -> None:
    record = LookedAt(1_000, ("[b]x", None), ("*", None), 5, True, True)
    page = RecordsPage(columns=("a", "b"), total=2_000, offset=999, records=(record,))
    assert repr(page) == "<RecordsPage: records 1,000 to 1,000 of 2,000>"
    lines = str(page).splitlines()
    assert lines[-2].split() == ["1,000", "[b]x", "5"]
    assert lines[-1].split() == ["*"]
    assert RecordsPage(columns=("a",), total=7, offset=7, records=()).headline() == "none of 7 records"
    assert json.loads(json.dumps(page.document()))["records"][0]["released"] == ["*", None]


def test_a_class_says_how_many_it_hides() -> None:
    column = ClassColumn("a", "[1:2]", (("1", 3), (None, 2)), 4)
    found = RecordClass(record=1_000, size=9, suppressed=False, columns=(column,))
    assert found.headline() == "record 1,000 is in a class of 9 records"
    assert (
        RecordClass(record=1, size=1, suppressed=False, columns=()).headline() == "record 1 is in a class of 1 record"
    )
    assert RecordClass(record=1, size=2, suppressed=True, columns=()).headline().startswith("record 1 is suppressed")
    assert "[1:2]      1 (3), nothing (2), 4 others" in str(found)
    assert found.document()["columns"][0]["others"] == 4
