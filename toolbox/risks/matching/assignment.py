"""One way to give each person a row: the start from which all that is possible follows."""

from __future__ import annotations

import numpy as np

from toolbox.errors import UsageError
from toolbox.risks.matching.graph import Counts, Graph


def require_scipy() -> None:
    """Stop where the library of graphs is not installed, before any other work.

    Raises
    ------
    UsageError
    """
    try:
        import scipy.sparse.csgraph  # noqa: F401
    except ImportError as error:
        raise UsageError(
            "The risk from matching needs scipy. Run: pip install 'anonymisation-toolbox[matching]'"
        ) from error


def assigned(graph: Graph) -> Counts:
    """Assign as many people to rows as can be.

    Returns
    -------
    array of int
        For each edge, how many of these people get one of these rows. If everybody gets one, the assignment is perfect.
    """
    from scipy.sparse import coo_array, csr_array
    from scipy.sparse.csgraph import maximum_flow

    people, rows = len(graph.people), len(graph.rows)
    source, sink = people + rows, people + rows + 1
    begins = np.concatenate([graph.person, np.full(people, source), people + np.arange(rows)])
    ends = np.concatenate([people + graph.row, np.arange(people), np.full(rows, sink)])
    most = np.minimum(graph.people[graph.person], graph.rows[graph.row])
    limits = np.concatenate([most, graph.people, graph.rows]).astype(np.int32)
    network = csr_array((limits, (begins, ends)), shape=(sink + 1, sink + 1))
    flow = coo_array(maximum_flow(network, source, sink).flow)
    is_edge = (flow.row < people) & (flow.col < source) & (flow.data > 0)
    counts = np.zeros(len(graph.person), dtype=np.int64)
    counts[graph.places(flow.row[is_edge], flow.col[is_edge] - people)] = flow.data[is_edge]
    return counts
