"""What the report of `detect --suda` says of the records that few values single out."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
from helpers.small_reports import DETECTION_REPORT

from toolbox.detection.search import Coded
from toolbox.detection.suda import SpecialRecord, SpecialValue, detect_special_uniques

CODED = Coded((np.array([2, 1, 1]), np.array([0, 1, 0])), (3, 2), None)
FOUND = detect_special_uniques(CODED, ["born", "sex"], most_columns=2, sampling_fraction=0.5)
SPECIAL = replace(
    FOUND,
    left_out=("card",),
    values=(
        SpecialValue("born", "rare", None, 2, 3, 0.75),
        SpecialValue("sex", "missing", 0, 1, 1, 0.2),
        SpecialValue("sex", "value", 1, 1, 12, 0.05, "[f]"),
    ),
    top=(SpecialRecord(0, 1234.0, 0.25, (1, 0), 7),),
)


def test_the_tables_show_columns_values_and_records() -> None:
    shown = str(replace(DETECTION_REPORT, special=SPECIAL))
    for words in (
        "special uniques   3 (100.00%) by up to 2 columns; minimal uniques: 2 of 1 column, 1 of 2 columns",
        "(2 rare values)",
        "(missing)",
        "[f]",
        "1,234   0.2500",
        "Scores leave out what singles out every record: card.",
        "Values of fewer than 10 records are not named",
    ):
        assert words in shown


def test_without_a_fraction_a_note_says_what_dis_scores_need() -> None:
    top = (SpecialRecord(0, 1.0, None, (1, 0), 7),)
    report = replace(DETECTION_REPORT, special=replace(SPECIAL, sampling_fraction=None, disclosure=(), top=top))
    assert "(--sampling-fraction)" in report.notes[1]
    assert "(sampling_fraction=)" in replace(report, in_python=True).notes[1]
    assert "DIS score" not in str(report).split("note")[0]


def test_where_nobody_is_special_no_table_is_empty() -> None:
    twice = Coded((np.array([0, 0]),), (1,), None)
    special = detect_special_uniques(twice, ["sex"], most_columns=1)
    shown = str(replace(DETECTION_REPORT, special=special))
    assert "special uniques   0 (0.00%) by up to 1 column;" in shown
    assert "what each column adds" not in shown


def test_the_document_has_the_names_that_programs_rely_on() -> None:
    assert "special_uniques" not in DETECTION_REPORT.document()
    document = json.loads(json.dumps(replace(DETECTION_REPORT, special=SPECIAL).document()))["special_uniques"]
    assert document["uniques_by_size"] == [2, 1]
    assert document["top_records"] == [{"record": 7, "score": 1234.0, "disclosure": 0.25, "uniques": [1, 0]}]
    assert document["values"][2] == {
        "column": "sex",
        "kind": "value",
        "value": "[f]",
        "values": 1,
        "records": 12,
        "contribution": 0.05,
    }
    assert document["subsets"][0] == {"columns": ["born"], "records": 1}
