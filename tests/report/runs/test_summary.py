"""The summary of a run: a document with stable names, and notes for the publisher."""

import json
from dataclasses import replace
from io import StringIO

import pytest
from helpers.small_summary import PROOF, SUMMARY
from rich.console import Console

from toolbox.privacy.proof.proof import Proof
from toolbox.report.runs.summary import Summary
from toolbox.store.input.source import RecordPlace


def notes(**changes: object) -> tuple[str, ...]:
    quiet = replace(SUMMARY, records_skipped=0)
    return replace(quiet, **changes).notes


def suppressed(count: int) -> Proof:
    return replace(PROOF, records_suppressed=count)


# The document


def test_the_document_has_the_names_that_programs_rely_on() -> None:
    document = SUMMARY.document()
    assert set(document) == {
        "toolbox_version",
        "method",
        "settings",
        "records_read",
        "records_skipped",
        "lines_rejected",
        "lines_blank",
        "first_rejected",
        "records_suppressed",
        "records_released",
        "classes",
        "smallest_class",
        "average_class",
        "requirements",
        "models",
        "quasi_identifiers",
        "minimality",
        "minimal_nodes",
        "passed_through",
        "left_out",
        "hmac_sha256",
        "information",
        "solvable",
        "timings",
        "versions",
        "sha256",
        "release",
        "formulas",
        "advice",
        "notes",
        "remedies",
    }
    assert set(document["models"][0]) == {"name", "attribute", "required", "achieved", "holds"}
    assert set(document["quasi_identifiers"][0]) >= {"name", "level", "height", "range"}
    assert set(document["sha256"]) == {"input", "configuration", "release"}


def test_the_document_is_json_and_tells_what_was_counted() -> None:
    document = json.loads(json.dumps(SUMMARY.document()))
    assert document["toolbox_version"] == "1.2.3"
    assert document["requirements"] == [{"name": "k-anonymity", "attribute": None, "parameters": {"k": 5}}]
    assert document["models"] == [
        {"name": "k-anonymity", "attribute": None, "required": 5, "achieved": 5, "holds": True}
    ]
    counted = [document[f"records_{what}"] for what in ("read", "skipped", "suppressed", "released")]
    assert counted == [1210, 10, 3, 1197]
    assert (document["classes"], document["smallest_class"], document["average_class"]) == (150, 5, 7.98)
    assert document["release"] == ["out/release.csv"]


def test_suppressed_records_are_released_unless_they_are_dropped() -> None:
    assert (SUMMARY.records_released, replace(SUMMARY, suppressed="keep").records_released) == (1197, 1200)


# Notes


def test_there_is_nothing_to_note_where_nothing_happened() -> None:
    assert notes(proof=suppressed(0)) == ()


@pytest.mark.parametrize(
    ("count", "policy", "noted"), [(0, "keep", 0), (1, "keep", 1), (4, "keep", 1), (5, "keep", 0), (4, "drop", 0)]
)
def test_fewer_suppressed_records_than_k_are_noted_where_they_stay(count: int, policy: str, noted: int) -> None:
    found = notes(proof=suppressed(count), suppressed=policy)
    assert len(found) == noted
    counted = "Only 1 suppressed record is in" if count == 1 else f"Only {count} suppressed records are in"
    assert all(counted in note and "suppressed='drop'" in note for note in found)


def test_rejected_lines_are_noted_with_the_first_of_them_and_the_option_that_keeps_them() -> None:
    (some,) = notes(lines_rejected=2, first_rejected=(RecordPlace(4), RecordPlace(17)))
    assert some.startswith("2 lines could not be read and are not in the release: lines 4, 17.")
    assert "--rejects FILE" in some
    (many,) = notes(lines_rejected=1234, first_rejected=tuple(map(RecordPlace, (1, 2, 3, 4, 5))))
    assert many.startswith("1,234 lines could not be read and are not in the release: lines 1, 2, 3, 4, 5, ....")


def test_skipped_records_are_noted_with_the_policy_that_keeps_them() -> None:
    (note,) = notes(records_skipped=10)
    assert note.startswith("10 records lack a declared value and are not in the release.")
    assert "onMissing='keep'" in note


def test_warnings_of_the_configuration_come_first() -> None:
    found = notes(warnings=("line 7: two leaves share 25.",), lines_rejected=1, first_rejected=(RecordPlace(4),))
    assert found[0] == "line 7: two leaves share 25."
    assert len(found) == 2


# For eyes


def shown(summary: Summary) -> str:
    stream = StringIO()
    summary.show_on(Console(file=stream, width=120))
    return stream.getvalue()


@pytest.mark.parametrize(
    "text",
    [
        "Datafly (suppression_threshold=10)",
        "1,210 read, 10 skipped, 3 suppressed, 1,197 released",
        "150, smallest 5, average 8.0 records",
        "read 0.25, total 1.50",
        "k-anonymity",
        "holds",
        "2 of 3",
        "sex [m/f]",
        "[0:25) .. [75:100)",
        "10 records lack a declared value",
        "out/release.csv",
    ],
)
def test_the_console_shows_what_a_publisher_asks_for(text: str) -> None:
    assert text in shown(SUMMARY)


def test_the_console_shows_what_fails_and_what_has_no_value() -> None:
    failed = replace(PROOF.models[0], achieved=None, holds=False, attribute="illness [x]")
    proof = replace(PROOF, classes=0, smallest_class=None, average_class=None, models=(failed,))
    text = shown(replace(SUMMARY, proof=proof))
    for expected in ("0, smallest -, average - records", "k-anonymity of illness [x]", "fails"):
        assert expected in text


def test_a_release_by_classes_has_no_levels() -> None:
    ranges = tuple(replace(one, level=None) for one in SUMMARY.quasi_identifiers)
    assert "level" in shown(SUMMARY)
    assert "level" not in shown(replace(SUMMARY, quasi_identifiers=ranges))
