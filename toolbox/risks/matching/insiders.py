"""Insiders: people who have told the attacker which row is theirs. What is left is the graph of all others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from toolbox.risks.matching.graph import Counts, Graph


def without_insiders(graph: Graph, share: float, assignment: Counts, seed: int) -> Graph:
    """Remove some people and their rows.

    Parameters
    ----------
    graph : Graph
    share : float, above 0 and below 1
        Share of the people whom the attacker knows; drawn at random.
    assignment : array of int
        For each edge, how many of these people have one of these rows.
    seed : int
        Of the draw.
    """
    random = np.random.default_rng(seed)
    is_known = graph.person < graph.known_people
    present = np.where(is_known & ~_is_absent(graph), assignment, 0)
    told = min(round(share * int(graph.people[: graph.known_people].sum())), int(present.sum()))
    drawn = random.multivariate_hypergeometric(present, told, method="marginals")
    people = graph.people - np.bincount(graph.person, drawn, len(graph.people)).astype(np.int64)
    rows = graph.rows - np.bincount(graph.row, drawn, len(graph.rows)).astype(np.int64)
    truth = None if graph.truth is None else graph.truth - drawn
    left = replace(graph, people=people, rows=rows, truth=truth)
    return left.of((people[left.person] > 0) & (rows[left.row] > 0))


def _is_absent(graph: Graph) -> NDArray[np.bool_]:
    return np.asarray((graph.row == len(graph.rows) - 1) & graph.has_absent)
