"""What the report of `risk` says of its figures."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from helpers.learned_values import ILLNESS
from helpers.printing import printed
from helpers.small_reports import RISK, RISK_REPORT
from helpers.solved_statistics import FOUND

from toolbox.messages import name_python_arguments
from toolbox.report.judges.inferences import (
    advise_on_disclosed,
    advise_on_sensitive,
    build_sensitive_document,
    build_statistics_document,
    list_statistics_notes,
)
from toolbox.report.judges.risk import RiskReport
from toolbox.risks.risk import AttackerRisk, Consistency

JOURNALIST = AttackerRisk(highest=0.25, average=0.2, lowest=0.125, records_at_risk=2, share_at_risk=0.5)
ALL_KNOWN = replace(RISK, suppressed=0, journalist=JOURNALIST)
CONSISTENT = RISK.consistency
assert CONSISTENT is not None


def notes(consistency: Consistency | None, **changes: object) -> tuple[str, ...]:
    return replace(RISK_REPORT, risk=replace(ALL_KNOWN, consistency=consistency, **changes)).notes


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (1, "1 record is suppressed: it is in no class, and fits everybody."),
        (2, "2 records are suppressed: they are in no class, and fit everybody."),
    ],
)
def test_suppressed_records_are_counted(count: int, said: str) -> None:
    assert notes(replace(CONSISTENT, below_k=0), suppressed=count) == (said,)


def test_people_with_too_few_records_that_could_be_theirs_are_counted() -> None:
    assert notes(replace(CONSISTENT, below_k=0)) == ()
    (advised,) = notes(CONSISTENT)
    assert advised.startswith("1 of 5 people has fewer than k = 3 released records that could be theirs. Use a method")
    fits_none, advised = notes(replace(CONSISTENT, below_k=2, unmatched=2))
    assert fits_none == "2 people fit no released record at all."
    assert advised.startswith("2 of 5 people have fewer than k = 3")
    fits_none, advised = notes(replace(CONSISTENT, people=1, unmatched=1))
    assert fits_none == "1 person fits no released record at all."
    assert advised.startswith("1 of 1 person has fewer than k = 3")


def test_tables_that_are_lacking_are_named_as_the_caller_writes_them() -> None:
    alone = replace(ALL_KNOWN, journalist=None, consistency=None)
    assert replace(RISK_REPORT, risk=alone).notes == (
        "Without a population (--population FILE) there is no journalist's risk.",
        "Without the original records (--original FILE) there is no consistency risk.",
    )
    with name_python_arguments():
        report = RiskReport(risk=alone, timings={}, toolbox_version="1.2.3", readings=("town: read so.",))
    assert report.notes == (
        "town: read so.",
        "Without a population (population=) there is no journalist's risk.",
        "Without the original records (original=) there is no consistency risk.",
    )


def test_the_headline_has_the_highest_risk_and_the_people_below_k() -> None:
    assert RISK_REPORT.headline() == "5 records, highest risk 0.5; 1 person below k = 3"
    suppressed = replace(RISK, prosecutor=None, consistency=None)
    assert replace(RISK_REPORT, risk=suppressed).headline() == "5 records"


def test_the_document_has_the_names_that_programs_rely_on() -> None:
    document = json.loads(json.dumps(RISK_REPORT.document()))
    assert document.pop("notes")[0] == "1 record is suppressed: it is in no class, and fits everybody."
    assert document.pop("advice") == [RISK_REPORT.advice[0].document()]
    assert document == {
        "toolbox_version": "1.2.3",
        "records": 5,
        "records_suppressed": 1,
        "threshold": 0.2,
        "prosecutor": {
            "highest": 0.5,
            "average": 0.5,
            "lowest": 0.5,
            "records_at_risk": 4,
            "share_at_risk": 1.0,
        },
        "journalist": None,
        "marketer": {"average": 0.5},
        "uniqueness": {"records": 0, "share": 0.0, "in_population": None},
        "consistency": {
            "people": 5,
            "k": 3,
            "below_k": 1,
            "share_below_k": 0.2,
            "alone": 1,
            "unmatched": 0,
            "lowest": 1,
            "average_risk": 0.4667,
            "counts": [{"consistent": 1, "people": 1}, {"consistent": 3, "people": 4}],
        },
        "sample": None,
        "statistics": None,
        "sensitive": [],
        "minimality": None,
        "few_columns": None,
        "control": None,
        "matching": None,
        "earlier": None,
        "profiles": None,
        "histogram": [{"size": 2, "classes": 2, "records": 4}],
        "timings": {"read": 0.25, "total": 1.5},
    }


def test_what_classes_and_statistics_give_back_is_printed_told_and_in_the_document() -> None:
    report = replace(RISK_REPORT, statistics=FOUND, sensitive=(ILLNESS,))
    lines = printed(report.show_on)
    assert any(line.startswith("all 10 25.00%") for line in lines)
    assert any(line.startswith("illness 2 2 2 62.50%") for line in lines)
    advised = [advice.in_words() for advice in (*advise_on_disclosed(FOUND), *advise_on_sensitive([ILLNESS]))]
    assert {*list_statistics_notes(FOUND), *advised} <= set(report.notes)
    document = report.document()
    assert document["statistics"] == build_statistics_document(FOUND)
    assert document["sensitive"] == [build_sensitive_document(ILLNESS)]
