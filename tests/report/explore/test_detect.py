"""What the report of `detect` says of its figures."""

from __future__ import annotations

import json
from dataclasses import replace

from helpers.small_reports import BORN_AND_SEX, DETECTION, DETECTION_REPORT, column, subset

from toolbox.messages import name_python_arguments
from toolbox.report.explore.detect import DetectionReport


def notes(**changes: object) -> tuple[str, ...]:
    return replace(DETECTION_REPORT, detection=replace(DETECTION, **changes)).notes


def test_where_all_was_looked_at_there_is_nothing_to_note() -> None:
    assert notes() == ()


def test_records_that_lack_a_value_are_counted() -> None:
    rest = "not in the figures of the subsets. Where identifiers were looked for, a missing value is a value."
    assert notes(complete=4) == (f"1 record lacks a value: it is {rest}",)
    assert notes(complete=3) == (f"2 records lack a value: they are {rest}",)


def test_larger_subsets_that_were_not_looked_at_are_noted_as_the_caller_writes_the_bound() -> None:
    """Two columns are left beside the identifier, so that a bound of two leaves nothing out."""
    assert notes(most_columns=2) == ()
    said = "More columns together never have fewer singletons, and may be identifiers."
    assert notes(most_columns=1) == (f"Subsets of up to 1 column were looked at (--max-columns). {said}",)
    with name_python_arguments():
        report = DetectionReport(detection=replace(DETECTION, most_columns=1), timings={}, toolbox_version="1.2.3")
    assert report.notes == (f"Subsets of up to 1 column were looked at (max_columns=). {said}",)


def test_a_tie_and_an_election_without_candidates_are_noted() -> None:
    assert notes(best=(BORN_AND_SEX, subset("sex", "town", singletons=3))) == (
        "2 subsets tie for the quasi-identifier.",
    )
    assert notes(best=(), subsets=(), columns=(column("card", adds=None),)) == (
        "Every subset contains an identifier: there is no quasi-identifier to elect.",
    )


def test_the_headline_names_the_quasi_identifier_or_the_first_three() -> None:
    assert DETECTION_REPORT.headline() == "5 records; quasi-identifier: born, sex"
    none = replace(DETECTION_REPORT, detection=replace(DETECTION, best=()))
    assert none.headline() == "5 records; quasi-identifier: none"
    tied = replace(DETECTION, best=tuple(subset(name, singletons=1) for name in "abcd"))
    assert replace(DETECTION_REPORT, detection=tied).headline() == "5 records; quasi-identifier: a or b or c"


def test_the_document_has_the_names_that_programs_rely_on() -> None:
    document = json.loads(json.dumps(DETECTION_REPORT.document()))
    assert document["best"] == [
        {
            "columns": ["born", "sex"],
            "singletons": 3,
            "share": 0.6,
            "distinct": 4,
            "distinct_ratio": 0.8,
            "separation_ratio": 0.9,
            "smallest_group": 1,
            "largest_group": 2,
            "largest_risk": 1.0,
        }
    ]
    assert document["columns"][0] == {
        "name": "card",
        "values": 5,
        "missing": 0,
        "is_identifier": True,
        "singletons": None,
        "adds": None,
        "without": None,
    }
    assert [subset["columns"] for subset in document["subsets"]] == [["born", "sex"], ["born"], ["sex"]]
    others = {name: document[name] for name in document if name not in ("best", "columns", "subsets")}
    assert others == {
        "toolbox_version": "1.2.3",
        "records": 5,
        "complete_records": 5,
        "max_columns": 4,
        "left_out": [],
        "identifiers": [["card"]],
        "subsets_counted": 7,
        "timings": {"read": 0.25, "total": 1.5},
        "notes": [],
    }
