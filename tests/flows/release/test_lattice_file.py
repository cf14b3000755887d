"""The file of all nodes of a lattice."""

from __future__ import annotations

import json
from dataclasses import replace

from helpers.small_summary import SUMMARY

from toolbox.flows.release.pipeline import write_lattice_lines
from toolbox.store.tables import Searched, Tagged

NODES = (
    Tagged((0, 1), "fails", False, False, None, None, None, None),
    Tagged((1, 1), "satisfies", True, True, 3, 2, 4, 0.25),
)
SEARCHED = Searched(nodes=2, checked=1, objective="ncp", value=0.25, bound=0.25, is_proved=True, tagged=NODES)


def test_each_node_is_a_line_of_a_json_document() -> None:
    text = "".join(write_lattice_lines(replace(SUMMARY, searched=SEARCHED)))
    document = json.loads(text)
    assert document["lattice_nodes"] == 2
    assert document["nodes"] == [
        {
            "levels": [0, 1],
            "tag": "fails",
            "checked": False,
            "minimal": False,
            "classes": None,
            "classes_released": None,
            "suppressed": None,
            "value": None,
        },
        {
            "levels": [1, 1],
            "tag": "satisfies",
            "checked": True,
            "minimal": True,
            "classes": 3,
            "classes_released": 2,
            "suppressed": 4,
            "value": 0.25,
        },
    ]
    assert sum(line.startswith('    {"levels"') for line in text.splitlines()) == 2
