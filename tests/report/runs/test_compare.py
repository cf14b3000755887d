"""What a comparison says: the order of its runs, its notes, and the document for machines."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from helpers.small_reports import COMPARISON, compared_run

from toolbox.errors import UsageError
from toolbox.loss.metric import LeftOut


def test_the_headline_names_the_best() -> None:
    assert COMPARISON.best.method == "Mondrian"
    assert COMPARISON.headline() == "3 runs, 1 impossible; best: Mondrian, k=3 with information kept 0.75"


def test_where_nothing_can_be_done_there_is_no_best() -> None:
    nothing = replace(COMPARISON, runs=COMPARISON.runs[3:], records=None)
    assert nothing.headline() == "0 runs, 1 impossible"
    assert nothing.notes == ()
    with pytest.raises(UsageError, match="Nothing could be done: It needs a hierarchy for 'age'"):
        _ = nothing.best


def test_a_metric_that_says_nothing_of_some_runs_is_named_once() -> None:
    losses = replace(COMPARISON.runs[0].variant.losses, left_out=(LeftOut("discernibility", "too large"),))
    runs = [
        replace(run, variant=replace(run.variant, losses=losses), values={"information kept": 0.5})
        for run in (
            compared_run("A", "k=2", kept=0.5),
            compared_run("A", "k=3", kept=0.5),
            compared_run("B", "k=3", kept=0.5),
        )
    ]
    first, last = replace(COMPARISON, runs=tuple(runs)).notes
    assert first == "not measured of A, B: discernibility: too large."
    assert last.startswith("Nothing was released. Run the method by itself")


def test_the_document_has_a_row_for_every_run() -> None:
    document = json.loads(json.dumps(COMPARISON.document()))
    assert document["metrics"][0] == {
        "name": "information kept",
        "unit": "share",
        "direction": "higher",
        "short": "kept",
    }
    first, second, third, last = document["runs"]
    assert first["metrics"] == {"information kept": 0.75, "discernibility": 67949026.0}
    assert (first["share_found"], first["share_at_risk"], first["classes"], first["smallest_class"]) == (
        0.25,
        0.5,
        150,
        5,
    )
    assert (second["share_found"], third["metrics"]["information kept"]) == (None, None)
    assert last == {
        "method": "Incognito_k",
        "settings": {},
        "models": ["k-anonymity (k=3)"],
        "why_not": "It needs a hierarchy for 'age'.",
    }


def test_a_frame_has_a_row_for_every_run() -> None:
    frame = COMPARISON.to_frame()
    assert frame["method"].tolist() == ["Mondrian", "Datafly [local]", "Datafly [local]", "Incognito_k"]
    assert frame["information kept"].dropna().tolist() == [0.75, 0.5]
    assert frame["why_not"].dropna().tolist() == ["It needs a hierarchy for 'age'."]
