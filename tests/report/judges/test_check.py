"""What the report of `check` says of its figures."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from helpers.small_reports import CHECK, K_2, MEASURED

from toolbox.errors import UsageError
from toolbox.privacy.measures import MeasuredParameter, Unmeasured
from toolbox.risks.coarser import BelowK, Coarser

FAILS = (
    "distinct l-diversity of illness is required with 3, and 2 is achieved. Do not publish this release. Make it again "
    "with this model among those that are required."
)


def test_it_holds_if_all_that_is_required_holds() -> None:
    assert not CHECK.holds
    assert replace(CHECK, judged=(K_2,)).holds
    assert replace(CHECK, judged=()).holds


def test_what_a_model_achieves_is_found_by_name_attribute_and_parameter() -> None:
    gamma = MeasuredParameter(name="(alpha,k)-anonymity", attribute="illness", parameter="gamma", achieved=7)
    report = replace(CHECK, measured=(*MEASURED, gamma))
    assert report.achieved("k-anonymity") == 2
    assert report.achieved("(alpha,k)-anonymity", "illness") == 0.5
    assert report.achieved("(alpha,k)-anonymity", "illness", "gamma") == 7


def test_what_was_not_measured_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        CHECK.achieved("k-anonimity", "illness")
    assert str(caught.value) == ("Nothing was measured as 'k-anonimity' of 'illness'. Did you mean 'k-anonymity'?")


def test_suppressed_records_records_alone_and_models_without_a_figure_are_noted() -> None:
    assert CHECK.notes == ("1 record is suppressed: it is in no class.", FAILS)
    model = Unmeasured(name="my model", reason="it failed with KeyError in mine.py, line 7")
    assert replace(CHECK, suppressed=2, smallest_class=1, unmeasured=(model,)).notes == (
        "2 records are suppressed: they are in no class.",
        "not measured: my model: it failed with KeyError in mine.py, line 7.",
        FAILS,
    )
    assert replace(CHECK, suppressed=0, judged=(K_2,)).notes == ()


def test_records_in_too_small_classes_and_models_that_fail_have_advice() -> None:
    below = BelowK(k=2, records=1, of=5, coarser=(Coarser("age", True, 0),))
    fails, leave_out = replace(CHECK, below=below).advice
    assert fails.in_words() == FAILS
    assert leave_out.remedy == "Leave age out, the column that helps most."


def test_the_headline_says_how_each_required_model_stands() -> None:
    assert CHECK.headline() == "5 records in 2 classes, smallest 2; k-anonymity holds; distinct l-diversity fails"
    assert replace(CHECK, classes=0, smallest_class=None, judged=()).headline() == "5 records in 0 classes"


def test_the_document_lists_required_models_first_and_writes_infinity_as_a_text() -> None:
    document = json.loads(json.dumps(CHECK.document(), allow_nan=False))
    required, _, *measured = document.pop("models")
    assert required == {
        "name": "k-anonymity",
        "attribute": None,
        "parameters": {"k": 2},
        "required": 2,
        "achieved": 2,
        "holds": True,
    }
    assert measured[1] == {
        "name": "(alpha,k)-anonymity",
        "attribute": "illness",
        "parameters": {"k": 2},
        "parameter": "alpha",
        "required": None,
        "achieved": 0.5,
        "holds": None,
    }
    assert [model["achieved"] for model in measured] == [2, 0.5, "infinity"]
    assert document == {
        "toolbox_version": "1.2.3",
        "records": 5,
        "records_suppressed": 1,
        "classes": 2,
        "smallest_class": 2,
        "average_class": 2.0,
        "holds": False,
        "harmonised": False,
        "timings": {"read": 0.25, "total": 1.5},
        "advice": [CHECK.advice[0].document()],
        "notes": ["1 record is suppressed: it is in no class.", FAILS],
    }


def test_what_was_measured_is_a_frame_with_a_row_for_each_model() -> None:
    frame = CHECK.to_frame()
    assert frame.columns.tolist() == ["name", "attribute", "parameter", "achieved"]
    assert frame.iloc[1].tolist() == ["(alpha,k)-anonymity", "illness", "alpha", 0.5]
    assert len(frame) == 3
