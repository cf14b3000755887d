"""From the tables of a judgement to the graph of people and released rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from toolbox.published.tables import Comparison
from toolbox.risks.consistency import Matches
from toolbox.risks.matching.graph import Counts, Graph, balanced
from toolbox.risks.matching.sensitive import Held


def read_graph(comparison: Comparison, known: Sequence[int] = ()) -> tuple[Graph, list[Held]]:
    """Count the people and the released rows that fit each other, and the sensitive values of rows.

    Parameters
    ----------
    comparison : Comparison
        With pairs, it is known whose the rows truly are.
    known : sequence of int
        The quasi-identifiers that the attacker knows of people, from 0; without any all of them.

    Returns
    -------
    Graph
        Suppressed rows fit everybody.
    list of Held
        One for each sensitive attribute.
    """
    store, matches = comparison.store, Matches(comparison, known)
    try:
        people = store.to_arrays(matches.people())["weight"].astype(np.int64)
        rows = store.to_arrays(matches.classes())["weight"].astype(np.int64)
        fitting = store.to_arrays(matches.fitting())
        true = None if (truth := matches.truth()) is None else store.to_arrays(truth)
        suppressed = matches.suppressed
        held = [_held(comparison, matches, attribute) for attribute in comparison.release.sensitive]
    finally:
        matches.drop()
    # Classes are numbered from 1, so that 0 is free for the suppressed rows.
    rows = np.concatenate([[suppressed], rows])
    anybody = np.arange(len(people) if suppressed else 0)
    person = np.concatenate([anybody, fitting["person"].astype(np.int64) - 1])
    row = np.concatenate([np.zeros_like(anybody), fitting["class"].astype(np.int64)])
    order = np.lexsort((row, person))
    graph = Graph(people=people, rows=rows, person=person[order], row=row[order])
    if true is not None:
        graph = replace(graph, truth=_truth(graph, true))
    return balanced(graph), held


def _held(comparison: Comparison, matches: Matches, attribute: str) -> Held:
    counted = comparison.store.to_arrays(matches.held(attribute))
    row, value, records = (counted[name].astype(np.int64) for name in ("class", "value", "records"))
    return Held(attribute, row, value, records)


def _truth(graph: Graph, true: dict[str, NDArray[np.integer]]) -> Counts:
    """Set the true counts of the edges."""
    counts = np.zeros(len(graph.person), dtype=np.int64)
    counts[graph.places(true["person"] - 1, true["class"])] = true["records"]
    return counts
