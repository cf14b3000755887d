"""What the report of `risk` says of statistics of classes."""

from __future__ import annotations

import json
from dataclasses import replace

from helpers.solved_statistics import AGE, FOUND, TOWN

from toolbox.report.judges.inferences import build_statistics_document, format_tried_values, list_statistics_notes
from toolbox.risks.figures import StatisticsRisk


def test_classes_that_nobody_tried_have_a_note() -> None:
    assert list_statistics_notes(FOUND) == [
        "For some classes (1 of age) it is not known whether values follow from their statistics: the classes are too "
        "large to try all values, or the figures fit no values that were tried.",
    ]
    assert list_statistics_notes(StatisticsRisk(columns=(TOWN,))) == []


def test_an_assumption_that_some_classes_do_not_allow_has_a_note() -> None:
    (note,) = list_statistics_notes(StatisticsRisk(columns=(replace(TOWN, without_ends=1),)))
    assert "[b]town are not taken to begin and end with values" in note and "figures of 1 class do not" in note


def test_what_was_tried_is_told_in_words() -> None:
    assert format_tried_values(AGE) == "multiples of 0.5, ends are values"
    assert format_tried_values(replace(AGE, ends_are_values=False)) == "multiples of 0.5"
    assert format_tried_values(replace(AGE, step=None)) == "no step of values fits"
    assert format_tried_values(TOWN) == "shares of categories"


def test_the_document_has_the_names_that_programs_rely_on() -> None:
    document = json.loads(json.dumps(build_statistics_document(FOUND)))
    age, town = document.pop("columns")
    assert document == {"cells": 40, "cells_disclosed": 10, "share_disclosed": 0.25}
    assert age == {
        "column": "age",
        "kind": "moments",
        "step": 0.5,
        "ends_are_values": True,
        "without_ends": 0,
        "classes": 4,
        "solved": 2,
        "undecided": 1,
        "cells": 20,
        "cells_disclosed": 10,
        "share_disclosed": 0.5,
    }
    assert set(town) == set(age)
