"""The graph of people and released rows: who could be which row, and what the rows show of sensitive values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolbox.published.tables import Comparison
from toolbox.risks.matching.figures import LEVELS, ValueBeliefs
from toolbox.risks.risk import Matches

# The graph of people and released rows: who could be which row, with counts instead of single people and rows.
#
# All people of a combination fit the same rows, and all rows of a class fit the same people. So the graph has a node
# for each combination and each class, and an edge where the class covers the combination.

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

    def sum_by_person(self, figures: NDArray[np.float64] | Counts) -> NDArray[np.float64]:
        """Add up a figure of each edge for each group of people."""
        return np.bincount(self.person, figures, len(self.people)).astype(np.float64)

    def sum_by_row(self, figures: NDArray[np.float64] | Counts) -> NDArray[np.float64]:
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


def balance_graph(graph: Graph) -> Graph:
    """Return a graph in which a perfect assignment can exist: as many people as rows.

    Rows that are more than the people belong to strangers, who could be any of them; people who are more than the rows
    are in none, and anybody could be such a person.
    """
    lacking = int(graph.people.sum() - graph.rows.sum())
    if lacking > 0:
        return _add_edges(
            replace(graph, rows=np.append(graph.rows, lacking), has_absent=True),
            person=np.arange(len(graph.people)),
            row=np.full(len(graph.people), len(graph.rows)),
        )
    if lacking < 0:
        return _add_edges(
            replace(graph, people=np.append(graph.people, -lacking), has_strangers=True),
            person=np.full(len(graph.rows), len(graph.people)),
            row=np.arange(len(graph.rows)),
        )
    return graph


def _add_edges(graph: Graph, *, person: Counts, row: Counts) -> Graph:
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


# What an attacker believes of sensitive values: each row that could be a person's shows one.


@dataclass(frozen=True, eq=False)
class GroupValues:
    """The values of one sensitive attribute in groups of rows: so many records of the group have the value."""

    attribute: str
    row: Counts
    value: Counts
    """Numbers from 0."""
    records: Counts


def sum_value_beliefs(graph: Graph, beliefs: NDArray[np.float64], held: GroupValues) -> ValueBeliefs:
    """Add up beliefs in rows by the values that rows show.

    Parameters
    ----------
    graph : Graph
        With possible edges only.
    beliefs : array of float
        For each edge, as `propagate_beliefs` returns them.
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


# From the tables of a judgement to the graph of people and released rows.


def read_graph(comparison: Comparison, known: Sequence[int] = ()) -> tuple[Graph, list[GroupValues]]:
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
        held = [_read_group_values(comparison, matches, attribute) for attribute in comparison.release.sensitive]
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
        graph = replace(graph, truth=_set_true_counts(graph, true))
    return balance_graph(graph), held


def _read_group_values(comparison: Comparison, matches: Matches, attribute: str) -> GroupValues:
    counted = comparison.store.to_arrays(matches.held(attribute))
    row, value, records = (counted[name].astype(np.int64) for name in ("class", "value", "records"))
    return GroupValues(attribute, row, value, records)


def _set_true_counts(graph: Graph, true: dict[str, NDArray[np.integer]]) -> Counts:
    """Set the true counts of the edges."""
    counts = np.zeros(len(graph.person), dtype=np.int64)
    counts[graph.places(true["person"] - 1, true["class"])] = true["records"]
    return counts
