"""The risk from matching everybody at once: what follows for each person from everybody having a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from toolbox.errors import UsageError
from toolbox.risks.matching.figures import LEVELS, Attack, MatchingRisk
from toolbox.risks.matching.figures import MatchingBeliefs as FiguresBeliefs
from toolbox.risks.matching.graph import Counts, Graph, GroupValues, sum_value_beliefs

# One way to give each person a row: the start from which all that is possible follows.


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


def assign_people(graph: Graph) -> Counts:
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
# References ---------- Vontobel (2013). The Bethe permanent of a nonnegative matrix. doi:10.1109/TIT.2012.2227109
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


def propagate_beliefs(graph: Graph) -> EdgeBeliefs:
    """Propagate beliefs.

    Parameters
    ----------
    graph : Graph
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
# References ---------- Tassa, Mazza and Gionis (2012). k-Concealment: an alternative model of k-type anonymity.
# Transactions on Data Privacy 5(1). Costa (1994). Persistency in maximum cardinality bipartite matchings.
# doi:10.1016/0167-6377(94)90049-3


def find_possible_edges(graph: Graph, assignment: Counts) -> NDArray[np.bool_]:
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


# Insiders: people who have told the attacker which row is theirs. What is left is the graph of all others.


def remove_insiders(graph: Graph, share: float, assignment: Counts, seed: int) -> Graph:
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


# The risk from matching everybody at once: what follows for each person from everybody having one row.
#
# An attacker who knows all people does not look at one after the other. Rows that other people need are not free, so
# that fewer remain for each person than fit; this counts those that remain, and how strongly each is believed in.

_TOLERANCE = 1e-9
_STEPS = 10
_SEED = 20120101
"""Of the draw of insiders, so that the same question has the same answer."""


def measure_matching_risk(graph: Graph, k: int, attack: Attack, held: Sequence[GroupValues] = ()) -> MatchingRisk:
    """Match everybody at once.

    Parameters
    ----------
    graph : Graph
        As `graph_of` reads it.
    k : int, >= 1
    attack : Attack
    held : sequence of Held
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


def _summarise_beliefs(graph: Graph, k: int, held: Sequence[GroupValues]) -> FiguresBeliefs:
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
    return FiguresBeliefs(
        matchable_below_k=int(people[remaining < k].sum()),
        matchable_with_one=int(people[is_certain].sum()),
        fewest=int(sizes[0]) if len(sizes) else 0,
        counts=tuple(zip(sizes.tolist(), persons.tolist(), strict=True)),
        expected_hits=float((people * best).sum()),
        believed_above=tuple((level, int(people[best > level + _TOLERANCE].sum())) for level in levels),
        tenths=_count_by_belief(people, best, k),
        right_guesses=_compute_right_guesses(graph, in_rows, strongest),
        values=tuple(sum_value_beliefs(graph, in_rows, values) for values in held),
        rounds=beliefs.rounds,
        has_converged=beliefs.has_converged,
    )


def _count_by_belief(people: NDArray[np.int64], best: NDArray[np.float64], k: int) -> tuple[tuple[int, int], ...]:
    """Count people by how strongly one row is believed to be theirs; a belief of .2 is in the step that ends there."""
    step = np.clip(np.ceil(best * _STEPS - _TOLERANCE).astype(np.int64) - 1, 0, _STEPS - 1)
    is_above = best > 1 / k + _TOLERANCE
    sides = (np.bincount(step[side], people[side], _STEPS) for side in (~is_above, is_above))
    return tuple((int(safe), int(above)) for safe, above in zip(*sides, strict=True))


def _compute_right_guesses(graph: Graph, in_rows: NDArray[np.float64], strongest: NDArray[np.float64]) -> float | None:
    """Return the share of people whose row is drawn, if one is drawn from those that are believed in most."""
    if graph.truth is None:
        return None
    is_best = _is_released(graph) & (in_rows >= strongest[graph.person] * (1 - _TOLERANCE))
    drawn_from = graph.sum_by_person(np.where(is_best, graph.rows[graph.row], 0))
    is_known = is_best & (graph.person < graph.known_people)
    hits = (graph.truth[is_known] / drawn_from[graph.person[is_known]]).sum()
    return float(hits / max(1, graph.people[: graph.known_people].sum()))


def _is_released(graph: Graph) -> NDArray[np.bool_]:
    """Return for each edge whether it leads to a row (instead of to no row)."""
    return np.asarray((graph.row < len(graph.rows) - 1) | (not graph.has_absent))
