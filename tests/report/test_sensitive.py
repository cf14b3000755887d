"""What the report of `risk` says of sensitive values."""

from __future__ import annotations

import json
from dataclasses import replace

from helpers.learned_values import ILLNESS

from toolbox.report.sensitive import sensitive_document, sensitive_notes
from toolbox.risks.sensitive.figures import Similarity


def test_certain_and_similar_values_have_a_note_each() -> None:
    assert sensitive_notes([ILLNESS]) == [
        "illness is certain of 2 people, whose class has one value. l-diversity prevents that.",
        "illness is known in part of 2 more people: the values of their class differ, and are all below one node of "
        "level 1 of the hierarchy. t-closeness with distance='hierarchical' limits that.",
    ]
    one = replace(ILLNESS, certain=1, similarity=Similarity(levels=((0, 1), (1, 2)), narrow=()))
    assert sensitive_notes([one])[0].startswith("illness is certain of 1 person, whose")
    assert sensitive_notes([one])[1].startswith("illness is known in part of 1 more person: ")


def test_nothing_is_said_where_nothing_is_found() -> None:
    numbers = Similarity(levels=(), narrow=((0.1, 2),))
    for similarity in (
        None,
        numbers,
        Similarity(levels=((0, 2), (1, 2)), narrow=()),
        Similarity(levels=((0, 2),), narrow=()),
    ):
        assert sensitive_notes([replace(ILLNESS, certain=0, similarity=similarity)]) == []


def test_the_document_has_the_names_that_programs_rely_on() -> None:
    assert json.loads(json.dumps(sensitive_document(ILLNESS))) == {
        "attribute": "illness",
        "people": 8,
        "believed_above": {"0.5": 2, "0.9": 2},
        "certain": 2,
        "largest": 1.0,
        "expected_hits": 5.0,
        "share_without_release": 0.5,
        "skewness": {
            "largest_ratio": 2.5,
            "grown_by_factor": {"2": 6, "10": 0},
            "grown_by": {"0.2": 8, "0.5": 0},
        },
        "similarity": {"levels": [{"level": 0, "people": 2}, {"level": 1, "people": 4}], "narrow": {}},
    }
    assert sensitive_document(replace(ILLNESS, similarity=None))["similarity"] is None
