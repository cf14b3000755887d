"""What `experiment` says to machines, and its one line."""

from __future__ import annotations

import json

from helpers.small_study import small_study


def test_the_document_is_json_without_what_is_no_number() -> None:
    document = json.loads(json.dumps(small_study().document(), allow_nan=False))
    assert (document["name"], document["cells"], document["reused"]) == ("people <&>", 7, 0)
    assert set(document) == {
        *("toolbox_version", "name", "cells", "reused", "versions", "folder", "summary", "correlations", "failed"),
        *("timings", "notes"),
    }
    assert document["summary"][0]["data"] == "people"
    assert document["failed"][0]["reason"].startswith("Datafly generalises")


def test_its_repr_is_one_line_and_its_text_the_tables() -> None:
    report = small_study()
    assert repr(report) == f"<ExperimentReport: {report.headline()}>"
    assert "what learners make of it" in str(report)
