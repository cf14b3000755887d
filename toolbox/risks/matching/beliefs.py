"""How strongly an attacker believes that a row is a person's, who takes all perfect assignments as equally likely.

To count perfect assignments exactly is hard; belief propagation approximates the shares (Bethe). Where all people of a
part of the graph fit all its rows, as in equivalence classes, it is exact.

References
----------
Vontobel (2013). The Bethe permanent of a nonnegative matrix. doi:10.1109/TIT.2012.2227109
Huang and Jebara (2009). Approximating the permanent with belief propagation. arXiv:0908.1769
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolbox.risks.matching.graph import Graph

MOST_ROUNDS = 2_000
PRECISION = 1e-9
"""By how much, relatively, a message may change in the last round."""
_TINY = 1e-100
"""Least sum of messages: so that no product of two messages, nor a sum of a million, is too large for a number."""


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What an attacker believes."""

    values: NDArray[np.float64]
    """For each edge, the probability that one certain person of its group has one certain row of its group."""
    rounds: int
    """How often messages were sent."""
    has_converged: bool


def beliefs_of(graph: Graph) -> Beliefs:
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
    is_open = graph.summed_by_person(graph.rows[graph.row])[graph.person] > 1
    if not is_open.any():
        return Beliefs(values, rounds=0, has_converged=True)
    rest = graph.of(is_open)
    people, rows = graph.people[rest.person], graph.rows[rest.row]
    to_person = np.ones(len(rest.person))
    to_row, change, rounds = to_person, np.inf, 0
    while change > PRECISION and rounds < MOST_ROUNDS:
        rounds, before = rounds + 1, to_person
        to_row = _without_own(rest.summed_by_person(rows * to_person)[rest.person], to_person)
        to_person = _without_own(rest.summed_by_row(people * to_row)[rest.row], to_row)
        change = float(np.abs(to_person / before - 1).max())
    odds = to_row * to_person
    values[is_open] = odds / (1 + odds)
    return Beliefs(values, rounds=rounds, has_converged=change <= PRECISION)


def _without_own(sums: NDArray[np.float64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return one over the sums of all messages but one's own."""
    return 1 / np.maximum(sums - own, _TINY)
