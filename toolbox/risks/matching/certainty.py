"""Which rows can be whose, when everybody must have one.

A person may fit a row and still not have it: whoever else fits only few rows may need it. An edge is possible if it is
part of some perfect assignment. Given one of these, that is so if the edge is used in it, or if its ends are in one
strongly connected component of the graph in which every edge leads to the row, and every used edge back.

References
----------
Tassa, Mazza and Gionis (2012). k-Concealment: an alternative model of k-type anonymity. Transactions on Data Privacy
5(1). Costa (1994). Persistency in maximum cardinality bipartite matchings. doi:10.1016/0167-6377(94)90049-3
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from toolbox.risks.matching.graph import Counts, Graph


def possible(graph: Graph, assignment: Counts) -> NDArray[np.bool_]:
    """Return for each edge whether some perfect assignment uses it.

    Parameters
    ----------
    graph : Graph
    assignment : array of int
        A perfect one, as `assigned` returns it.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    people, nodes = len(graph.people), len(graph.people) + len(graph.rows)
    is_used = assignment > 0
    begins = np.concatenate([graph.person, people + graph.row[is_used]])
    ends = np.concatenate([people + graph.row, graph.person[is_used]])
    directed = csr_array((np.ones(len(begins), dtype=np.int8), (begins, ends)), shape=(nodes, nodes))
    component = connected_components(directed, directed=True, connection="strong")[1]
    return np.asarray(is_used | (component[graph.person] == component[people + graph.row]))
