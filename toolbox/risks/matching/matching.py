"""The risk from matching everybody at once: what follows for each person from everybody having a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolbox.errors import UsageError
from toolbox.published.tables import Comparison
from toolbox.risks.figures import Attack, MatchingBeliefs, MatchingRisk, ValueBeliefs
from toolbox.risks.risk import Matches
from toolbox.risks.sensitive import LEVELS

_Counts = NDArray[np.int64]

# One way to give each person a row: the start from which all that is possible follows.


def require_scipy() -> None:
    """Stop where the library of graphs is not installed, before any other work."""
    try:
        import scipy.sparse.csgraph  # noqa: F401
    except ImportError as error:
        raise UsageError(
            "The risk from matching needs scipy. Run: pip install 'anonymisation-toolbox[matching]'"
        ) from error


def assign_people(graph: _Graph) -> _Counts:
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


# How strongly an attacker believes that a row is a person's, who takes all perfect assignments as equally likely.
#
# To count perfect assignments exactly is hard; belief propagation approximates the shares (Bethe). Where all people
# of a part of the graph fit all its rows, as in equivalence classes, it is exact.
#
# Vontobel (2013). The Bethe permanent of a nonnegative matrix. doi:10.1109/TIT.2012.2227109
#
# Huang and Jebara (2009). Approximating the permanent with belief propagation. arXiv:0908.1769

MOST_ROUNDS = 2_000
PRECISION = 1e-9
"""By how much, relatively, a message may change in the last round."""
_TINY = 1e-100
"""Least sum of messages: so that no product of two messages, nor a sum of a million, is too large for a number."""


@dataclass(frozen=True, eq=False)
class EdgeBeliefs:
    """What an attacker believes."""

    values: NDArray[np.float64]
    """For each edge, the probability that one certain person of its group has one certain row of its group."""
    rounds: int
    """How often messages were sent."""
    has_converged: bool


def propagate_beliefs(graph: _Graph) -> EdgeBeliefs:
    """Propagate beliefs.

    Parameters
    ----------
    graph : _Graph
        With possible edges only.

    Notes
    -----
    People of one group send the same messages, and so do rows. A message to a row says how few other rows the person
    has; one to a person, how few other people the row has.
    """
    values = np.ones(len(graph.person))
    # Who has one row left has it, with certainty, and sends no message.
    is_open = graph.sum_by_person(graph.rows[graph.row])[graph.person] > 1
    if not is_open.any():
        return EdgeBeliefs(values, rounds=0, has_converged=True)
    rest = graph.of(is_open)
    people, rows = graph.people[rest.person], graph.rows[rest.row]
    to_person = np.ones(len(rest.person))
    to_row, change, rounds = to_person, np.inf, 0
    while change > PRECISION and rounds < MOST_ROUNDS:
        rounds, before = rounds + 1, to_person
        to_row = _exclude_own_message(rest.sum_by_person(rows * to_person)[rest.person], to_person)
        to_person = _exclude_own_message(rest.sum_by_row(people * to_row)[rest.row], to_row)
        change = float(np.abs(to_person / before - 1).max())
    odds = to_row * to_person
    values[is_open] = odds / (1 + odds)
    return EdgeBeliefs(values, rounds=rounds, has_converged=change <= PRECISION)


def _exclude_own_message(sums: NDArray[np.float64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return one over the sums of all messages but one's own."""
    return 1 / np.maximum(sums - own, _TINY)


# Which rows can be whose, when everybody must have one.
#
# A person may fit a row and still not have it: whoever else fits only few rows may need it. An edge is possible if it
# is part of some perfect assignment. Given one of these, that is so if the edge is used in it, or if its ends are in
# one strongly connected component of the graph in which every edge leads to the row, and every used edge back.
#
# Tassa, Mazza and Gionis (2012). k-Concealment: an alternative model of k-type anonymity. Transactions on Data
# Privacy 5(1).
#
# Costa (1994). Persistency in maximum cardinality bipartite matchings. doi:10.1016/0167-6377(94)90049-3


def find_possible_edges(graph: _Graph, assignment: _Counts) -> NDArray[np.bool_]:
    """Return for each edge whether some perfect assignment uses it.

    Parameters
    ----------
    graph : _Graph
    assignment : array of int
        A perfect one, as `assign_people` returns it.
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


# Insiders: people who have told the attacker which row is theirs. What is left is the graph of all others.


def remove_insiders(graph: _Graph, share: float, assignment: _Counts, seed: int) -> _Graph:
    """Remove some people and their rows.

    Parameters
    ----------
    graph : _Graph
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


def _is_absent(graph: _Graph) -> NDArray[np.bool_]:
    return np.asarray((graph.row == len(graph.rows) - 1) & graph.has_absent)


# The risk from matching everybody at once: what follows for each person from everybody having one row.
#
# An attacker who knows all people does not look at one after the other. Rows that other people need are not free, so
# that fewer remain for each person than fit; this counts those that remain, and how strongly each is believed in.

_TOLERANCE = 1e-9
_STEPS = 10
_SEED = 20120101
"""Of the draw of insiders, so that the same question has the same answer."""


def measure_matching_risk(graph: _Graph, k: int, attack: Attack, held: Sequence[_GroupValues] = ()) -> MatchingRisk:
    """Match everybody at once.

    Parameters
    ----------
    graph : _Graph
        As `read_graph` returns it.
    k : int, >= 1
    attack : Attack
    held : sequence of _GroupValues
        The sensitive values of rows.
    """
    assignment = assign_people(graph)
    unassigned = int(graph.people.sum() - assignment.sum())
    if attack.insiders and not unassigned:
        graph = remove_insiders(graph, attack.insiders, assignment if graph.truth is None else graph.truth, _SEED)
        assignment = assign_people(graph)
    rows = graph.rows[:-1] if graph.has_absent else graph.rows
    return MatchingRisk(
        people=int(graph.people[: graph.known_people].sum()),
        rows=int(rows.sum()),
        k=k,
        attack=attack,
        unassigned=unassigned,
        beliefs=None if unassigned else _summarise_beliefs(graph.of(find_possible_edges(graph, assignment)), k, held),
    )


def _summarise_beliefs(graph: _Graph, k: int, held: Sequence[_GroupValues]) -> MatchingBeliefs:
    """Sum up what is left of a graph of possible edges."""
    people = graph.people[: graph.known_people]
    rows = np.where(_is_released(graph), graph.rows[graph.row], 0)
    remaining = graph.sum_by_person(rows).astype(np.int64)[: graph.known_people]
    sizes, group = np.unique(remaining[people > 0], return_inverse=True)
    persons = np.bincount(group, people[people > 0], len(sizes)).astype(np.int64)
    # Who may be in no row at all is not certain to have the only one that remains.
    is_certain = graph.sum_by_person(graph.rows[graph.row])[: graph.known_people] == 1
    is_certain &= remaining == 1
    beliefs = propagate_beliefs(graph)
    in_rows = np.where(_is_released(graph), beliefs.values, 0.0)
    strongest = np.zeros(len(graph.people))
    np.maximum.at(strongest, graph.person, in_rows)
    best = strongest[: graph.known_people]
    levels = sorted({1 / k, *LEVELS})
    return MatchingBeliefs(
        matchable_below_k=int(people[remaining < k].sum()),
        matchable_with_one=int(people[is_certain].sum()),
        fewest=int(sizes[0]) if len(sizes) else 0,
        counts=tuple(zip(sizes.tolist(), persons.tolist(), strict=True)),
        expected_hits=float((people * best).sum()),
        believed_above=tuple((level, int(people[best > level + _TOLERANCE].sum())) for level in levels),
        tenths=_count_by_belief(people, best, k),
        right_guesses=_compute_right_guesses(graph, in_rows, strongest),
        values=tuple(_sum_value_beliefs(graph, in_rows, values) for values in held),
        rounds=beliefs.rounds,
        has_converged=beliefs.has_converged,
    )


def _count_by_belief(people: NDArray[np.int64], best: NDArray[np.float64], k: int) -> tuple[tuple[int, int], ...]:
    """Count people by how strongly one row is believed to be theirs; a belief of .2 is in the step that ends there."""
    step = np.clip(np.ceil(best * _STEPS - _TOLERANCE).astype(np.int64) - 1, 0, _STEPS - 1)
    is_above = best > 1 / k + _TOLERANCE
    sides = (np.bincount(step[side], people[side], _STEPS) for side in (~is_above, is_above))
    return tuple((int(safe), int(above)) for safe, above in zip(*sides, strict=True))


def _compute_right_guesses(graph: _Graph, in_rows: NDArray[np.float64], strongest: NDArray[np.float64]) -> float | None:
    """Return the share of people whose row is drawn, if one is drawn from those that are believed in most."""
    if graph.truth is None:
        return None
    is_best = _is_released(graph) & (in_rows >= strongest[graph.person] * (1 - _TOLERANCE))
    drawn_from = graph.sum_by_person(np.where(is_best, graph.rows[graph.row], 0))
    is_known = is_best & (graph.person < graph.known_people)
    hits = (graph.truth[is_known] / drawn_from[graph.person[is_known]]).sum()
    return float(hits / max(1, graph.people[: graph.known_people].sum()))


def _is_released(graph: _Graph) -> NDArray[np.bool_]:
    """Return for each edge whether it leads to a row (instead of to no row)."""
    return np.asarray((graph.row < len(graph.rows) - 1) | (not graph.has_absent))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Graph:
    """Groups of people, groups of rows, and which fit. Everybody has at most one row, and each row is somebody's.

    All people of a combination fit the same rows, and all rows of a class fit the same people. So the graph has a node
    for each combination and each class, and an edge where the class covers the combination.
    """

    people: _Counts
    """How many people are in each group of people."""
    rows: _Counts
    """How many released rows are in each group of rows."""
    person: _Counts
    """Of each edge, the number of its group of people from 0. Edges are in the order of people, then of rows."""
    row: _Counts
    """Of each edge, the number of its group of rows from 0."""
    truth: _Counts | None = None
    """For each edge, how many of these people truly have one of these rows; None where nobody knows."""
    has_strangers: bool = False
    """Whether the last group of people are those whom the attacker does not know."""
    has_absent: bool = False
    """Whether the last group of rows is none: it stands for being in no row."""

    @property
    def known_people(self) -> int:
        """Number of groups of people whom the attacker knows: the first ones."""
        return len(self.people) - self.has_strangers

    def sum_by_person(self, figures: NDArray[np.float64] | _Counts) -> NDArray[np.float64]:
        """Add up a figure of each edge for each group of people."""
        return np.bincount(self.person, figures, len(self.people)).astype(np.float64)

    def sum_by_row(self, figures: NDArray[np.float64] | _Counts) -> NDArray[np.float64]:
        """Add up a figure of each edge for each group of rows."""
        return np.bincount(self.row, figures, len(self.rows)).astype(np.float64)

    def places(self, person: NDArray[np.integer], row: NDArray[np.integer]) -> NDArray[np.intp]:
        """Return where edges are, which all exist."""
        width = len(self.rows)
        return np.searchsorted(self.person * width + self.row, person.astype(np.int64) * width + row)

    def of(self, edges: NDArray[np.bool_]) -> _Graph:
        """Return the graph with some of its edges only."""
        truth = None if self.truth is None else self.truth[edges]
        return replace(self, person=self.person[edges], row=self.row[edges], truth=truth)


def balance_graph(graph: _Graph) -> _Graph:
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


def _add_edges(graph: _Graph, *, person: _Counts, row: _Counts) -> _Graph:
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


@dataclass(frozen=True, eq=False)
class _GroupValues:
    """The values of one sensitive attribute in groups of rows: so many records of the group, or persons, have it."""

    attribute: str
    row: _Counts
    value: _Counts
    """Numbers from 0."""
    records: _Counts
    sizes: _Counts
    """The records of each group, or its persons, who may have several values each."""


def _sum_value_beliefs(graph: _Graph, beliefs: NDArray[np.float64], held: _GroupValues) -> ValueBeliefs:
    """Add up beliefs in rows by the values that rows show.

    Parameters
    ----------
    graph : _Graph
        With possible edges only.
    beliefs : array of float
        For each edge, as `propagate_beliefs` returns them.
    held : _GroupValues
    """
    from scipy.sparse import csr_array

    people, values = graph.known_people, int(held.value.max(initial=-1)) + 1
    # In a group of rows that lost some to insiders, values are as frequent as they were.
    shares = csr_array((held.records / held.sizes[held.row], (held.row, held.value)), shape=(len(graph.rows), values))
    weights = beliefs * graph.rows[graph.row]
    has_row = csr_array((weights, (graph.person, graph.row)), shape=(len(graph.people), len(graph.rows)))
    posterior: Any = (has_row @ shares)[:people]
    strongest = posterior.max(axis=1).toarray().ravel() if values else np.zeros(people)
    others = posterior.sum(axis=1) - strongest
    counts = graph.people[:people]
    overall = np.bincount(held.value, held.records)
    return ValueBeliefs(
        attribute=held.attribute,
        believed_above=tuple((level, int(counts[strongest > level + 1e-9].sum())) for level in LEVELS),
        certain=int(counts[(strongest > 1 - 1e-9) & (others < 1e-9)].sum()),
        expected_hits=float((counts * strongest).sum()),
        share_without_release=float(overall.max(initial=0) / max(1, held.sizes.sum())),
    )


def read_graph(comparison: Comparison, known: Sequence[int] = ()) -> tuple[_Graph, list[_GroupValues]]:
    """Count the people and the released rows that fit each other, and the sensitive values of rows.

    Parameters
    ----------
    comparison : Comparison
        With pairs, it is known whose the rows truly are.
    known : sequence of int
        The quasi-identifiers that the attacker knows of people, from 0; without any all of them.

    Returns
    -------
    graph : _Graph
        Suppressed rows fit everybody.
    held : list of _GroupValues
        One for each sensitive attribute.
    """
    store, matches = comparison.store, Matches(comparison, known)
    try:
        people = store.to_arrays(matches.people())["weight"].astype(np.int64)
        rows = store.to_arrays(matches.classes())["weight"].astype(np.int64)
        fitting = store.to_arrays(matches.fitting())
        true = None if (truth := matches.truth()) is None else store.to_arrays(truth)
        suppressed = matches.suppressed
        # Classes are numbered from 1, so that 0 is free for the suppressed rows.
        rows = np.concatenate([[suppressed], rows])
        held = [_read_group_values(comparison, matches, attribute, rows) for attribute in comparison.release.sensitive]
    finally:
        matches.drop()
    anybody = np.arange(len(people) if suppressed else 0)
    person = np.concatenate([anybody, fitting["person"].astype(np.int64) - 1])
    row = np.concatenate([np.zeros_like(anybody), fitting["class"].astype(np.int64)])
    order = np.lexsort((row, person))
    graph = _Graph(people=people, rows=rows, person=person[order], row=row[order])
    if true is not None:
        graph = replace(graph, truth=_set_true_counts(graph, true))
    return balance_graph(graph), held


def _read_group_values(comparison: Comparison, matches: Matches, attribute: str, sizes: _Counts) -> _GroupValues:
    counted = comparison.store.to_arrays(matches.held(attribute))
    row, value, records = (counted[name].astype(np.int64) for name in ("class", "value", "records"))
    return _GroupValues(attribute, row, value, records, sizes)


def _set_true_counts(graph: _Graph, true: dict[str, NDArray[np.integer]]) -> _Counts:
    """Set the true counts of the edges."""
    counts = np.zeros(len(graph.person), dtype=np.int64)
    counts[graph.places(true["person"] - 1, true["class"])] = true["records"]
    return counts
