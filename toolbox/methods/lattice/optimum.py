"""Finding the node of least cost, once the minimal ones are known, and proving that there is no better one.

Where the least cost of what is above a node is known before it is counted, nodes are checked by it, the cheapest first,
until it is above the best cost found. Otherwise the search goes up from the minimal nodes, and a node that was checked
bounds all above it.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from math import inf

import numpy as np

from toolbox.methods.arrays.types import Reals
from toolbox.methods.lattice.nodes import Levels, breadth_first_rank
from toolbox.methods.lattice.searching import TOLERANCE, Search, rounded


def find_optimum(search: Search) -> None:
    """Check nodes until the best node of a search is the best of all."""
    bounds = search.objective.column_bounds
    if bounds is not None:
        _cheapest_first(search, search.lattice.summed(bounds))
    else:
        _upwards(search)


def proved_bound(search: Search) -> float:
    """Return a lower bound of the cost of every node of a search that was cut off."""
    bounds = search.objective.column_bounds
    if bounds is None:
        return -inf
    left = ~search.lattice.failing
    for levels in search.costs:
        left[search.lattice.place(levels)] = False
    open_bounds = search.lattice.summed(bounds)[left]
    least = float(open_bounds.min()) if len(open_bounds) else inf
    return least if search.best is None else min(least, search.best.cost)


def _cheapest_first(search: Search, bounds: Reals) -> None:
    places = np.flatnonzero(~search.lattice.failing)
    order = places[np.argsort(bounds.flat[places], kind="stable")]
    costs = bounds.flat[order].tolist()
    for start in range(0, len(order), search.together):
        if search.best is not None and _is_worse(costs[start], search.best.cost):
            return
        batch = search.lattice.levels_of(order[start : start + search.together])
        hopeful = [
            levels for levels, cost in zip(batch, costs[start:], strict=False) if _may_be_better(search, levels, cost)
        ]
        search.measure(hopeful)
        if start % 500 == 0:
            search.report(f"{len(search.nodes):,} nodes checked, {len(order) - start:,} left at most")


def _upwards(search: Search) -> None:
    waiting: list[tuple[float, tuple[int, ...], Levels]] = []
    seen: set[Levels] = set()

    def wait(bound: float, nodes: Sequence[Levels]) -> None:
        for levels in nodes:
            if levels not in seen:
                seen.add(levels)
                heapq.heappush(waiting, (bound, breadth_first_rank(levels), levels))

    minimal = [node.levels for node in search.minimal()]
    search.measure(minimal)
    wait(-inf, minimal)
    while waiting:
        bound, _, _ = waiting[0]
        if search.best is not None and _is_worse(bound, search.best.cost):
            return
        batch = [heapq.heappop(waiting) for _ in range(min(search.together, len(waiting)))]
        hopeful = [levels for bound, _, levels in batch if _may_be_better(search, levels, bound)]
        search.measure(hopeful)
        for bound, _, levels in batch:
            above = max(bound, search.bounds.get(levels, bound))
            if _leads_to_better(search, levels, above):
                wait(above, list(search.lattice.directly_above(levels)))


def _may_be_better(search: Search, levels: Levels, bound: float) -> bool:
    """Return whether a node of this bound may rank before the best one; not if it was measured."""
    return levels not in search.costs and _leads_to_better(search, levels, bound)


def _leads_to_better(search: Search, levels: Levels, bound: float) -> bool:
    """Return whether a node, or one above it, may rank before the best one: breadth-first, all above come later."""
    best = search.best
    if best is None or _is_less(bound, best.cost):
        return True
    rank = (rounded(best.cost), 0, breadth_first_rank(levels))
    return not _is_worse(bound, best.cost) and rank < best.rank


def _is_worse(bound: float, cost: float) -> bool:
    return cost < inf and bound > cost + TOLERANCE * max(1.0, abs(cost))


def _is_less(bound: float, cost: float) -> bool:
    return cost == inf or bound < cost - TOLERANCE * max(1.0, abs(cost))
