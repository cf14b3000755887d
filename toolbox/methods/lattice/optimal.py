"""From the tables of a run to the optimal node of their lattice: the search from beginning to end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, prod
from time import monotonic

import numpy as np

from toolbox.errors import UnsatisfiableError, UsageError
from toolbox.messages import suppression_setting
from toolbox.methods.lattice.checking import Checker
from toolbox.methods.lattice.choosing import objective_of
from toolbox.methods.lattice.nodes import Lattice
from toolbox.methods.lattice.optimum import find_optimum, proved_bound
from toolbox.methods.lattice.orders import Order
from toolbox.methods.lattice.searching import CutOffError, Scored, Search, reaches
from toolbox.methods.lattice.too_large import LargeLattice, LargeSearch
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import LatticeNode, Searched, Tables, Tagged

_MOST_NODES = 5_000_000
"""Nodes of a lattice beyond which it has no array, and is searched until the time is over."""
_USUAL_SECONDS = 60.0
"""How long such a search takes where nobody says it."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is searched for.

    Parameters
    ----------
    models : sequence of PrivacyModel
    limit : int
        Most records that may be suppressed.
    objective : str
        Name of a loss metric.
    order : callable
        In which order nodes are checked until all minimal ones are known.
    seconds : float
        How long the search may take.
    most_nodes : int, optional
        How many nodes it may check.
    lists_nodes : bool
        Whether every node is listed.
    """

    models: Sequence[PrivacyModel]
    limit: int
    objective: str
    order: Order
    seconds: float = inf
    most_nodes: int | None = None
    lists_nodes: bool = False


@dataclass(frozen=True)
class Answer:
    """What was found."""

    best: LatticeNode
    minimal: tuple[LatticeNode, ...]
    """The best first; none if the search was cut off."""
    searched: Searched


def search_lattice(tables: Tables, question: Question) -> Answer:
    """Find the node of least cost that satisfies the models, and all minimal ones.

    Raises
    ------
    UnsatisfiableError
        If no node satisfies the models.
    UsageError
        If the objective cannot be measured.
    """
    ranges = [column.level_range for column in tables.quasi_identifiers]
    lowest, highest = tuple(low for low, _ in ranges), tuple(high for _, high in ranges)
    is_large = prod(high - low + 1 for low, high in ranges) > _MOST_NODES
    if is_large and question.lists_nodes:
        raise UsageError(f"The lattice has more than {_MOST_NODES:,} nodes, too many to list. Leave --lattice out.")
    is_limited = question.seconds < inf or question.most_nodes is not None
    deadline = monotonic() + (question.seconds if is_limited or not is_large else _USUAL_SECONDS)
    checker = Checker(tables, question.models, min(question.limit, tables.record_count))
    objective = objective_of(question.objective, tables, checker, checker.frequencies)
    if is_large:
        large = LargeLattice(highest, lowest)
        search = Search(large, checker, objective, deadline, question.most_nodes, tables.report)
        answer = _search_large(search, large)
    else:
        search = Search(Lattice(highest, lowest), checker, objective, deadline, question.most_nodes, tables.report)
        answer = _search_all(search, question)
    checker.close()
    return answer


def _search_large(search: Search, lattice: LargeLattice) -> Answer:
    """Search until the time is over."""
    running = LargeSearch(search, lattice)
    is_proved = running.run()
    best = _best(search, is_complete=is_proved)
    return Answer(
        best.node, (), _searched(search, best, best.cost if is_proved else running.bound, is_proved=is_proved)
    )


def _search_all(search: Search, question: Question) -> Answer:
    """Find all minimal nodes, then the best one."""
    lattice, is_complete = search.lattice, True
    try:
        # At the top there are most likely few to suppress, so that something is known from the beginning.
        search.measure([lattice.highest])
        question.order(search)
        if np.any(lattice.satisfying):
            find_optimum(search)
    except CutOffError:
        is_complete = False
    best = _best(search, is_complete=is_complete)
    bound = best.cost if is_complete else proved_bound(search)
    # Of a search that was cut off it is not known which nodes are minimal.
    known = search.minimal() if is_complete else []
    minimal = sorted(known, key=lambda node: Scored(node, search.costs.get(node.levels, inf)).rank)
    searched = _searched(search, best, bound, is_proved=is_complete or reaches(bound, best.cost))
    if question.lists_nodes:
        searched = replace(searched, tagged=_tagged(search, {node.levels for node in minimal}))
    return Answer(best.node, tuple(minimal), searched)


def _best(search: Search, *, is_complete: bool) -> Scored:
    """Return the best node of a search that is over.

    Raises
    ------
    UnsatisfiableError, UsageError
        If there is none, or the metric cannot be measured at all.
    """
    best, objective = search.best, search.objective
    if best is None:
        raise _nothing_found(search, is_complete=is_complete)
    # A metric may have no value for any node that satisfies: where all is at the roots, there is no class to measure.
    if best.cost == inf and (reason := objective.refusal()):
        raise UsageError(f"{objective.name} cannot be the objective: {reason}. Choose another metric.")
    return best


def _searched(search: Search, best: Scored, bound: float, *, is_proved: bool) -> Searched:
    return Searched(
        nodes=search.lattice.size,
        checked=len(search.nodes),
        objective=search.objective.name,
        value=float(search.objective.value(best.cost)) + 0.0 if isfinite(best.cost) else None,
        bound=float(search.objective.value(bound)) if isfinite(bound) else None,
        is_proved=is_proved,
    )


def _nothing_found(search: Search, *, is_complete: bool) -> Exception:
    if not is_complete:
        return UsageError(
            "The search was cut off before it found a satisfying node. Raise its limit of time or of nodes."
        )
    limits = "" if all(low == 0 for low in search.lattice.lowest) and not _is_capped(search) else ", or the levels"
    return UnsatisfiableError(
        f"No generalisation of whole columns satisfies the models with {search.checker.limit:,} records suppressed at "
        f"most. Raise {suppression_setting()}, or choose weaker models{limits}."
    )


def _is_capped(search: Search) -> bool:
    columns = search.checker.tables.quasi_identifiers
    return any(high < column.height for high, column in zip(search.lattice.highest, columns, strict=True))


def _tagged(search: Search, minimal: set[tuple[int, ...]]) -> tuple[Tagged, ...]:
    """List what is known of every node."""
    lattice = search.lattice
    satisfying, failing = lattice.satisfying.ravel().tolist(), lattice.failing.ravel().tolist()
    listed = []
    for place, levels in enumerate(lattice.levels_of(np.arange(lattice.size))):
        tag = "satisfies" if satisfying[place] else "fails" if failing[place] else "unknown"
        node, cost = search.nodes.get(levels), search.costs.get(levels)
        classes, released, suppressed = (None, None, None) if node is None else node[1:]
        value = None if cost is None or cost == inf else search.objective.value(cost)
        listed.append(Tagged(levels, tag, node is not None, levels in minimal, classes, released, suppressed, value))
    return tuple(listed)
