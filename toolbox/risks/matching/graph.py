"""The graph of people and released rows: who could be which row, with counts instead of single people and rows.

All people of a combination fit the same rows, and all rows of a class fit the same people. So the graph has a node for
each combination and each class, and an edge where the class covers the combination.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Graph:
    """Groups of people, groups of rows, and which fit. Everybody has at most one row, and each row is somebody's."""

    people: Counts
    """How many people are in each group of people."""
    rows: Counts
    """How many released rows are in each group of rows."""
    person: Counts
    """Of each edge, the number of its group of people from 0. Edges are in the order of people, then of rows."""
    row: Counts
    """Of each edge, the number of its group of rows from 0."""
    truth: Counts | None = None
    """For each edge, how many of these people truly have one of these rows; None where nobody knows."""
    has_strangers: bool = False
    """Whether the last group of people are those whom the attacker does not know."""
    has_absent: bool = False
    """Whether the last group of rows is none: it stands for being in no row."""

    @property
    def known_people(self) -> int:
        """Number of groups of people whom the attacker knows: the first ones."""
        return len(self.people) - self.has_strangers

    def summed_by_person(self, figures: NDArray[np.float64] | Counts) -> NDArray[np.float64]:
        """Add up a figure of each edge for each group of people."""
        return np.bincount(self.person, figures, len(self.people)).astype(np.float64)

    def summed_by_row(self, figures: NDArray[np.float64] | Counts) -> NDArray[np.float64]:
        """Add up a figure of each edge for each group of rows."""
        return np.bincount(self.row, figures, len(self.rows)).astype(np.float64)

    def places(self, person: NDArray[np.integer], row: NDArray[np.integer]) -> NDArray[np.intp]:
        """Return where edges are, which all exist."""
        width = len(self.rows)
        return np.searchsorted(self.person * width + self.row, person.astype(np.int64) * width + row)

    def of(self, edges: NDArray[np.bool_]) -> Graph:
        """Return the graph with some of its edges only."""
        truth = None if self.truth is None else self.truth[edges]
        return replace(self, person=self.person[edges], row=self.row[edges], truth=truth)


def balanced(graph: Graph) -> Graph:
    """Return a graph in which a perfect assignment can exist: as many people as rows.

    Rows that are more than the people belong to strangers, who could be any of them; people who are more than the rows
    are in none, and anybody could be such a person.
    """
    lacking = int(graph.people.sum() - graph.rows.sum())
    if lacking > 0:
        return _with_edges(
            replace(graph, rows=np.append(graph.rows, lacking), has_absent=True),
            person=np.arange(len(graph.people)),
            row=np.full(len(graph.people), len(graph.rows)),
        )
    if lacking < 0:
        return _with_edges(
            replace(graph, people=np.append(graph.people, -lacking), has_strangers=True),
            person=np.full(len(graph.rows), len(graph.people)),
            row=np.arange(len(graph.rows)),
        )
    return graph


def _with_edges(graph: Graph, *, person: Counts, row: Counts) -> Graph:
    """Add edges; their true counts are what the other edges leave."""
    person, row = np.concatenate([graph.person, person]), np.concatenate([graph.row, row])
    truth = graph.truth
    if truth is not None:
        added = len(person) - len(truth)
        rest = graph.people - np.bincount(graph.person, truth, len(graph.people)).astype(np.int64)
        of_rows = graph.rows - np.bincount(graph.row, truth, len(graph.rows)).astype(np.int64)
        truth = np.concatenate([truth, rest if graph.has_absent else of_rows[:added]])
    order = np.lexsort((row, person))
    return replace(graph, person=person[order], row=row[order], truth=None if truth is None else truth[order])
