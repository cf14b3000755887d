"""What the report of `measure` says of its figures."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from helpers.small_reports import LOSS

from toolbox.errors import UsageError
from toolbox.loss.metric import LeftOut


def test_a_value_is_that_of_a_column_or_of_the_table() -> None:
    assert LOSS.value("granularity", "age") == 0.75
    assert LOSS.value("granularity") == 0.5


def test_a_value_is_found_by_whatever_its_metric_is_called() -> None:
    penalty = replace(LOSS.measures[0], name="normalised certainty penalty", attribute=None, value=0.125)
    report = replace(LOSS, measures=(*LOSS.measures, penalty))
    names = ("NCP", "ncp", "Normalised-Certainty_Penalty", "normalised certainty penalty")
    assert [report.value(name) for name in names] == [0.125] * 4
    with pytest.raises(UsageError, match=r"no value of 'CM'\. It was left out: there is no class label\."):
        report.value("CM")


@pytest.mark.parametrize(
    ("name", "attribute", "said"),
    [
        ("granularty", None, "There is no value of 'granularty'. Did you mean 'granularity'?"),
        ("discernibility", "age", "There is no value of 'discernibility' of 'age'. Did you mean 'discernibility'?"),
        (
            "classification metric",
            None,
            "There is no value of 'classification metric'. It was left out: there is no class label.",
        ),
    ],
)
def test_a_value_that_is_not_there_is_an_error_that_says_why(name: str, attribute: str | None, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        LOSS.value(name, attribute)
    assert str(caught.value) == said


def test_metrics_with_one_reason_have_one_note_behind_how_texts_were_read() -> None:
    left_out = (LeftOut("a", "no pairs"), LeftOut("b", "no label"), LeftOut("c", "no pairs"))
    report = replace(LOSS, left_out=left_out, readings=("town: 1 released text names several things.",))
    assert report.notes == (
        "town: 1 released text names several things.",
        "not measured: a, c: no pairs.",
        "not measured: b: no label.",
    )


def test_the_headline_counts_values_and_records() -> None:
    assert LOSS.headline() == "4 values of metrics on 1,200 records"


def test_the_document_has_the_names_that_programs_rely_on() -> None:
    document = json.loads(json.dumps(LOSS.document()))
    assert document["metrics"][0] == {
        "name": "granularity",
        "attribute": "age",
        "value": 0.75,
        "unit": "share kept",
        "direction": "higher",
        "short": "granularity",
    }
    assert [entry["short"] for entry in document["metrics"]] == ["granularity"] * 3 + ["discernibility"]
    assert len(document.pop("metrics")) == 4
    assert document == {
        "toolbox_version": "1.2.3",
        "records": 1200,
        "left_out": [{"name": "classification metric", "reason": "there is no class label"}],
        "timings": {"read": 0.25, "total": 1.5},
        "notes": ["not measured: classification metric: there is no class label."],
    }


def test_the_values_are_a_frame_with_a_row_for_each() -> None:
    frame = LOSS.to_frame()
    assert frame.columns.tolist() == ["name", "attribute", "value", "unit", "direction"]
    assert frame["value"].tolist() == [0.75, 0.25, 0.5, 67949026.0]
