"""What the report of `singletons` says of its figures."""

from __future__ import annotations

import json
from dataclasses import replace

from helpers.small_reports import AS_IT_IS, SINGLETONS, TOWN_LOCALLY, variant

from toolbox.messages import name_python_arguments
from toolbox.report.explore.singletons import SingletonsReport

MIDDLES = variant("born middles", below_k=0, modified=1, covers=False)


def test_the_best_is_the_first_and_the_best_to_release_the_first_that_covers() -> None:
    report = replace(SINGLETONS, variants=(MIDDLES, *SINGLETONS.variants))
    assert (report.best, report.best_covering) == (MIDDLES, TOWN_LOCALLY)


def test_an_election_of_a_variant_that_can_be_released_needs_no_note() -> None:
    assert SINGLETONS.notes == ()


def test_records_that_lack_a_value_or_remain_are_counted() -> None:
    remedy = "The method Singletons generalises them further (finish='local') or suppresses them (finish='suppress')."
    assert replace(SINGLETONS, incomplete=1, variants=(variant("a", below_k=1, modified=0),)).notes == (
        "1 record lacks a value and is left out.",
        f"1 record remains below k = 2. {remedy}",
    )
    assert replace(SINGLETONS, incomplete=3, variants=(AS_IT_IS,)).notes == (
        "3 records lack a value and are left out.",
        f"2 records remain below k = 2. {remedy}",
    )


def test_centroids_cannot_be_released_and_the_note_names_what_can() -> None:
    assert replace(SINGLETONS, variants=(MIDDLES, *SINGLETONS.variants)).notes == (
        "The elected variant shows centroids, which do not cover what they stand for: it cannot be released and "
        "proved. The first that can is: town any (local).",
    )


def test_where_not_all_were_tried_the_note_names_the_settings_as_the_caller_writes_them() -> None:
    (note,) = replace(SINGLETONS, all_tried=False).notes
    assert note.startswith("There are too many variants to try them all: one column after the other was chosen,")
    assert note.endswith("Name the rules of columns (--rule) or one --scope to try all.")
    with name_python_arguments():
        report = SingletonsReport(
            k=2,
            records=5,
            incomplete=0,
            unchanged=AS_IT_IS,
            variants=(TOWN_LOCALLY,),
            all_tried=False,
            timings={},
            toolbox_version="1.2.3",
        )
    assert report.notes[0].endswith("Name the rules of columns (rules=) or one scope= to try all.")


def test_the_headline_names_the_elected_variant() -> None:
    assert SINGLETONS.headline() == "5 records; best: town any (local), 0 below k = 2"


def test_the_document_has_the_names_that_programs_rely_on() -> None:
    document = json.loads(json.dumps(SINGLETONS.document()))
    elected = {
        "name": "town any (local)",
        "columns": 1,
        "below_k": 0,
        "share": 0.0,
        "modified": 2,
        "distinct": 2,
        "distinct_ratio": 0.5,
        "separation_ratio": 0.6,
        "smallest_class": 2,
        "covers": True,
    }
    assert document["best"] == document["best_covering"] == document["variants"][0] == elected
    assert [variant["name"] for variant in document["variants"]] == ["town any (local)", "town any", "as it is"]
    assert document["unchanged"]["below_k"] == 2
    others = ("toolbox_version", "k", "records", "incomplete_records", "all_tried", "timings", "notes")
    assert [document[name] for name in others] == ["1.2.3", 2, 5, 0, True, {"read": 0.25, "total": 1.5}, []]
    assert set(document) == {*others, "best", "best_covering", "variants", "unchanged"}
