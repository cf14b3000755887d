"""From the tables of a run to the optimal node of their lattice: the search from beginning to end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from time import monotonic

import numpy as np

from toolbox.errors import UnsatisfiableError, UsageError
from toolbox.methods.lattice.checking import Checker
from toolbox.methods.lattice.choosing import objective_of
from toolbox.methods.lattice.nodes import Lattice
from toolbox.methods.lattice.optimum import find_optimum, proved_bound
from toolbox.methods.lattice.orders import Order
from toolbox.methods.lattice.searching import OutOfTimeError, Scored, Search
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import LatticeNode, Searched, Tables, Tagged

_MOST_LISTED = 1_000_000
"""Most nodes that are listed."""


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
    lists_nodes : bool
        Whether every node is listed.
    """

    models: Sequence[PrivacyModel]
    limit: int
    objective: str
    order: Order
    seconds: float = inf
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
    columns = tables.quasi_identifiers
    ranges = [column.level_range for column in columns]
    deadline = monotonic() + question.seconds
    checker = Checker(tables, question.models, min(question.limit, tables.record_count))
    objective = objective_of(question.objective, tables, checker, checker.frequencies)
    lattice = Lattice([high for _, high in ranges], [low for low, _ in ranges])
    search = Search(lattice, checker, objective, deadline, tables.report)
    is_proved = True
    try:
        # At the top there are most likely few to suppress, so that something is known from the beginning.
        search.measure([lattice.highest])
        question.order(search)
        if np.any(lattice.satisfying):
            find_optimum(search)
    except OutOfTimeError:
        is_proved = False
    checker.close()
    return _answer(search, question, is_proved=is_proved)


def _answer(search: Search, question: Question, *, is_proved: bool) -> Answer:
    best, objective = search.best, search.objective
    if best is None:
        raise _nothing_found(search, is_proved=is_proved)
    if best.cost == inf:
        reason = getattr(objective, "reason", "") or "it has no value for any node that satisfies the models"
        raise UsageError(f"{objective.name} cannot be the objective: {reason}. Choose another metric.")
    # Of a search that was cut off it is not known which nodes are minimal.
    known = search.minimal() if is_proved else []
    minimal = sorted(known, key=lambda node: Scored(node, search.costs.get(node.levels, inf)).rank)
    bound = best.cost if is_proved else proved_bound(search)
    searched = Searched(
        nodes=search.lattice.size,
        checked=len(search.nodes),
        objective=objective.name,
        value=float(objective.value(best.cost)),
        bound=float(objective.value(bound)),
        is_proved=is_proved,
        tagged=_tagged(search, {node.levels for node in minimal}) if question.lists_nodes else (),
    )
    return Answer(best.node, tuple(minimal), searched)


def _nothing_found(search: Search, *, is_proved: bool) -> Exception:
    if not is_proved:
        return UsageError("The time was over before a satisfying node was found. Raise --time-limit.")
    limits = "" if all(low == 0 for low in search.lattice.lowest) and not _is_capped(search) else ", or the levels"
    return UnsatisfiableError(
        f"No generalisation of whole columns satisfies the models with {search.checker.limit:,} records suppressed at "
        f"most. Raise suppThreshold, or choose weaker models{limits}."
    )


def _is_capped(search: Search) -> bool:
    columns = search.checker.tables.quasi_identifiers
    return any(high < column.height for high, column in zip(search.lattice.highest, columns, strict=True))


def _tagged(search: Search, minimal: set[tuple[int, ...]]) -> tuple[Tagged, ...]:
    """List what is known of every node.

    Raises
    ------
    UsageError
        If they are too many.
    """
    lattice = search.lattice
    if lattice.size > _MOST_LISTED:
        raise UsageError(f"The lattice has {lattice.size:,} nodes, too many to list. Leave --lattice out.")
    satisfying, failing = lattice.satisfying.ravel().tolist(), lattice.failing.ravel().tolist()
    listed = []
    for place, levels in enumerate(lattice.levels_of(np.arange(lattice.size))):
        tag = "satisfies" if satisfying[place] else "fails" if failing[place] else "unknown"
        node, cost = search.nodes.get(levels), search.costs.get(levels)
        classes, released, suppressed = (None, None, None) if node is None else node[1:]
        value = None if cost is None or cost == inf else search.objective.value(cost)
        listed.append(Tagged(levels, tag, node is not None, levels in minimal, classes, released, suppressed, value))
    return tuple(listed)
