"""The file of all nodes of a lattice: what is known of each, one node a line."""

from __future__ import annotations

import json
from collections.abc import Iterator

from toolbox.report.summary import Summary


def lattice_lines(summary: Summary) -> Iterator[str]:
    """Yield the lines of a JSON document of every node: levels, tag, counts, and the value of the objective.

    A node that was not checked has a tag that follows from other nodes, and no counts.
    """
    searched = summary.searched
    assert searched is not None, "the method has searched the lattice"
    released = [result.level for result in summary.quasi_identifiers]
    head = {
        "quasi_identifiers": [{"name": each.name, "height": each.height} for each in summary.quasi_identifiers],
        **searched.document(),
        "released": released,
    }
    head["lattice_nodes"] = head.pop("nodes")
    yield json.dumps(head, indent=2)[:-2] + ',\n  "nodes": [\n'
    for number, node in enumerate(searched.tagged):
        row = {
            "levels": list(node.levels),
            "tag": node.tag,
            "checked": node.is_checked,
            "minimal": node.is_minimal,
            "classes": node.classes,
            "classes_released": node.released,
            "suppressed": node.suppressed,
            "value": node.value,
        }
        yield f"    {json.dumps(row)}{',' if number + 1 < len(searched.tagged) else ''}\n"
    yield "  ]\n}\n"
