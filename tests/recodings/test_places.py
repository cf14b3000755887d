"""Where combinations are among the classes of a recoding: trees that are none are refused, not followed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.recoded_people import fitted, people

import toolbox
from toolbox import Recoding

TABLE = people(60, seed=1)


def _damaged(method: str, change: Any) -> Recoding:
    document = json.loads(fitted(TABLE, method).to_json())
    change(document)
    return Recoding.from_json(json.dumps(document))


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("method", "change"),
    [
        ("Mondrian", lambda document: document["regions"]["nodes"].__setitem__(0, [0, 1, True, 0])),
        ("Mondrian", lambda document: document["regions"]["nodes"].__setitem__(0, [9, 1, True, 1])),
        ("Mondrian", lambda document: document["regions"]["nodes"].__setitem__(0, [0, 1, 1, 1])),
        ("Mondrian", lambda document: document["regions"]["nodes"].append([])),
        ("Mondrian", lambda document: document["regions"]["names"].pop()),
        ("Mondrian", lambda document: document["regions"]["names"][0].__setitem__(0, 10**6)),
        ("Mondrian", lambda document: document["regions"]["columns"][0]["names"][1].pop("low")),
        ("Mondrian", lambda document: document["regions"]["columns"][0].__setitem__("values", ["a"])),
        ("Mondrian", lambda document: document["columns"].reverse()),
        ("LocalRecoding", lambda document: document["cells"]["rows"][0].__setitem__(0, 10**6)),
        ("LocalRecoding", lambda document: document["cells"]["rows"][0].append(0)),
        ("LocalRecoding", lambda document: document["cells"]["names"].pop()),
        ("Flash", lambda document: document["levels"].__setitem__(0, 99)),
        ("Flash", lambda document: document["levels"].append(0)),
    ],
)
def test_a_document_that_contradicts_itself_is_refused(method: str, change: Any) -> None:
    with pytest.raises(toolbox.UsageError, match=r"^The recoding is damaged: .* Write it anew"):
        _damaged(method, change).transform(people(60, seed=2))
