"""What the report of `risk` says of sensitive values."""

from __future__ import annotations

import json
from dataclasses import replace

from helpers.learned_values import ILLNESS

from toolbox.report.judges.inferences import build_sensitive_document, list_near_values
from toolbox.risks.sensitive import Similarity


def test_the_document_has_the_names_that_programs_rely_on() -> None:
    assert json.loads(json.dumps(build_sensitive_document(ILLNESS))) == {
        "attribute": "illness",
        "people": 8,
        "believed_above": {"0.5": 2, "0.9": 2},
        "certain": 2,
        "shared": 0,
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
    assert build_sensitive_document(replace(ILLNESS, similarity=None))["similarity"] is None


def test_near_values_are_below_one_node_or_in_a_narrow_interval() -> None:
    assert list_near_values(Similarity(levels=((0, 2), (1, 4)), narrow=((0.05, 3),))) == [
        ("one value", 2),
        ("below one node of level 1", 4),
        ("different, in an interval with 5% of the records", 3),
    ]
