"""What an attacker believes of sensitive values: each row that could be a person's shows one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolbox.risks.matching.figures import LEVELS, ValueBeliefs
from toolbox.risks.matching.graph import Counts, Graph


@dataclass(frozen=True, eq=False)
class Held:
    """The values of one sensitive attribute in groups of rows: so many records of the group have the value."""

    attribute: str
    row: Counts
    value: Counts
    """Numbers from 0."""
    records: Counts


def value_beliefs(graph: Graph, beliefs: NDArray[np.float64], held: Held) -> ValueBeliefs:
    """Add up beliefs in rows by the values that rows show.

    Parameters
    ----------
    graph : Graph
        With possible edges only.
    beliefs : array of float
        For each edge, as `beliefs_of` returns them.
    held : Held
    """
    from scipy.sparse import csr_array

    people, values = graph.known_people, int(held.value.max(initial=-1)) + 1
    # In a group of rows that lost some to insiders, values are as frequent as they were.
    size = np.bincount(held.row, held.records, len(graph.rows))
    shares = csr_array((held.records / size[held.row], (held.row, held.value)), shape=(len(graph.rows), values))
    weights = beliefs * graph.rows[graph.row]
    has_row = csr_array((weights, (graph.person, graph.row)), shape=(len(graph.people), len(graph.rows)))
    posterior: Any = (has_row @ shares)[:people]
    strongest = posterior.max(axis=1).toarray().ravel() if values else np.zeros(people)
    counts = graph.people[:people]
    overall = np.bincount(held.value, held.records)
    return ValueBeliefs(
        attribute=held.attribute,
        believed_above=tuple((level, int(counts[strongest > level + 1e-9].sum())) for level in LEVELS),
        certain=int(counts[strongest > 1 - 1e-9].sum()),
        expected_hits=float((counts * strongest).sum()),
        share_without_release=float(overall.max(initial=0) / max(1, overall.sum())),
    )
