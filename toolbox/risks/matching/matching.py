"""The risk from matching everybody at once: what follows for each person from everybody having one row.

An attacker who knows all people does not look at one after the other. Rows that other people need are not free, so that
fewer remain for each person than fit; this counts those that remain, and how strongly each is believed in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from toolbox.risks.matching.assignment import assigned
from toolbox.risks.matching.beliefs import beliefs_of
from toolbox.risks.matching.certainty import possible
from toolbox.risks.matching.figures import LEVELS, Attack, Beliefs, MatchingRisk
from toolbox.risks.matching.graph import Graph
from toolbox.risks.matching.insiders import without_insiders
from toolbox.risks.matching.sensitive import Held, value_beliefs

_TOLERANCE = 1e-9
_STEPS = 10
_SEED = 20120101
"""Of the draw of insiders, so that the same question has the same answer."""


def matching_risk(graph: Graph, k: int, attack: Attack, held: Sequence[Held] = ()) -> MatchingRisk:
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
    assignment = assigned(graph)
    unassigned = int(graph.people.sum() - assignment.sum())
    if attack.insiders and not unassigned:
        graph = without_insiders(graph, attack.insiders, assignment if graph.truth is None else graph.truth, _SEED)
        assignment = assigned(graph)
    rows = graph.rows[:-1] if graph.has_absent else graph.rows
    return MatchingRisk(
        people=int(graph.people[: graph.known_people].sum()),
        rows=int(rows.sum()),
        k=k,
        attack=attack,
        unassigned=unassigned,
        beliefs=None if unassigned else _beliefs(graph.of(possible(graph, assignment)), k, held),
    )


def _beliefs(graph: Graph, k: int, held: Sequence[Held]) -> Beliefs:
    """Sum up what is left of a graph of possible edges."""
    people = graph.people[: graph.known_people]
    rows = np.where(_is_released(graph), graph.rows[graph.row], 0)
    remaining = graph.summed_by_person(rows).astype(np.int64)[: graph.known_people]
    sizes, group = np.unique(remaining[people > 0], return_inverse=True)
    persons = np.bincount(group, people[people > 0], len(sizes)).astype(np.int64)
    # Who may be in no row at all is not certain to have the only one that remains.
    is_certain = graph.summed_by_person(graph.rows[graph.row])[: graph.known_people] == 1
    is_certain &= remaining == 1
    beliefs = beliefs_of(graph)
    in_rows = np.where(_is_released(graph), beliefs.values, 0.0)
    strongest = np.zeros(len(graph.people))
    np.maximum.at(strongest, graph.person, in_rows)
    best = strongest[: graph.known_people]
    levels = sorted({1 / k, *LEVELS})
    return Beliefs(
        matchable_below_k=int(people[remaining < k].sum()),
        matchable_with_one=int(people[is_certain].sum()),
        fewest=int(sizes[0]) if len(sizes) else 0,
        counts=tuple(zip(sizes.tolist(), persons.tolist(), strict=True)),
        expected_hits=float((people * best).sum()),
        believed_above=tuple((level, int(people[best > level + _TOLERANCE].sum())) for level in levels),
        tenths=_tenths(people, best, k),
        right_guesses=_right_guesses(graph, in_rows, strongest),
        values=tuple(value_beliefs(graph, in_rows, values) for values in held),
        rounds=beliefs.rounds,
        has_converged=beliefs.has_converged,
    )


def _tenths(people: NDArray[np.int64], best: NDArray[np.float64], k: int) -> tuple[tuple[int, int], ...]:
    """Count people by how strongly one row is believed to be theirs; a belief of .2 is in the step that ends there."""
    step = np.clip(np.ceil(best * _STEPS - _TOLERANCE).astype(np.int64) - 1, 0, _STEPS - 1)
    is_above = best > 1 / k + _TOLERANCE
    sides = (np.bincount(step[side], people[side], _STEPS) for side in (~is_above, is_above))
    return tuple((int(safe), int(above)) for safe, above in zip(*sides, strict=True))


def _right_guesses(graph: Graph, in_rows: NDArray[np.float64], strongest: NDArray[np.float64]) -> float | None:
    """Return the share of people whose row is drawn, if one is drawn from those that are believed in most."""
    if graph.truth is None:
        return None
    is_best = _is_released(graph) & (in_rows >= strongest[graph.person] * (1 - _TOLERANCE))
    drawn_from = graph.summed_by_person(np.where(is_best, graph.rows[graph.row], 0))
    is_known = is_best & (graph.person < graph.known_people)
    hits = (graph.truth[is_known] / drawn_from[graph.person[is_known]]).sum()
    return float(hits / max(1, graph.people[: graph.known_people].sum()))


def _is_released(graph: Graph) -> NDArray[np.bool_]:
    """Return for each edge whether it leads to a row (instead of to no row)."""
    return np.asarray((graph.row < len(graph.rows) - 1) | (not graph.has_absent))
