"""The search for the node of least cost from beginning to end, with its proof, in lattices of any size."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, isclose, isfinite, prod
from random import Random
from time import monotonic

import numpy as np

from toolbox.errors import UnsatisfiableError, UsageError
from toolbox.messages import find_suppression_setting, format_count
from toolbox.methods.arrays.combinations import Reals
from toolbox.methods.lattice.checking import Checker
from toolbox.methods.lattice.nodes import Lattice, Levels, rank_breadth_first
from toolbox.methods.lattice.objectives import make_objective
from toolbox.methods.lattice.searching import TOLERANCE, CutOffError, Order, Scored, Search, round_cost
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import LatticeNode, Searched, Tables, Tagged

# Finding the node of least cost, once the minimal ones are known, and proving that there is no better one.
#
# Where the least cost of what is above a node is known before it is counted, nodes are checked by it, the cheapest
# first, until it is above the best cost found. Otherwise the search goes up from the minimal nodes, and a node that
# was checked bounds all above it.


def find_optimum(search: Search) -> None:
    """Check nodes until the best node of a search is the best of all."""
    bounds = search.objective.column_bounds
    if bounds is not None:
        _check_cheapest_first(search, search.lattice.sum_by_level(bounds))
    else:
        _search_upwards(search)


def compute_proved_bound(search: Search) -> float:
    """Return a lower bound of the cost of every node of a search that was cut off."""
    bounds = search.objective.column_bounds
    if bounds is None:
        return -inf
    left = ~search.lattice.failing
    for levels in search.costs:
        left[search.lattice.place(levels)] = False
    open_bounds = search.lattice.sum_by_level(bounds)[left]
    least = float(open_bounds.min()) if len(open_bounds) else inf
    return least if search.best is None else min(least, search.best.cost)


def _check_cheapest_first(search: Search, bounds: Reals) -> None:
    places = np.flatnonzero(~search.lattice.failing)
    order = places[np.argsort(bounds.flat[places], kind="stable")]
    costs = bounds.flat[order].tolist()
    for start in range(0, len(order), search.together):
        if search.best is not None and _is_less(search.best.cost, costs[start]):
            return
        end = start + search.together
        batch = zip(search.lattice.list_node_levels(order[start:end]), costs[start:end], strict=True)
        search.measure([levels for levels, cost in batch if _may_lead_on(search, levels, cost)])
        if start % 500 == 0:
            search.report(f"{len(search.nodes):,} nodes checked, {len(order) - start:,} left at most")


def _search_upwards(search: Search) -> None:
    waiting: list[tuple[float, tuple[int, ...], Levels]] = []
    seen: set[Levels] = set()

    def wait(bound: float, nodes: Sequence[Levels]) -> None:
        for levels in nodes:
            if levels not in seen:
                seen.add(levels)
                heapq.heappush(waiting, (bound, rank_breadth_first(levels), levels))

    minimal = [node.levels for node in search.minimal()]
    search.measure(minimal)
    wait(-inf, minimal)
    while waiting:
        bound, _, _ = waiting[0]
        if search.best is not None and _is_less(search.best.cost, bound):
            return
        batch = [heapq.heappop(waiting) for _ in range(min(search.together, len(waiting)))]
        search.measure([levels for bound, _, levels in batch if _may_lead_on(search, levels, bound)])
        for bound, _, levels in batch:
            above = max(bound, search.bounds.get(levels, bound))
            if _may_lead_on(search, levels, above):
                wait(above, list(search.lattice.list_next_higher(levels)))


def _may_lead_on(search: Search, levels: Levels, bound: float) -> bool:
    """Return whether a node of this bound, or one above it, may rank before the best one.

    Of equal costs a lower node ranks first, and all above a node are higher.
    """
    best = search.best
    if best is None or _is_less(bound, best.cost):
        return True
    rank = (round_cost(best.cost), 0, rank_breadth_first(levels))
    return not _is_less(best.cost, bound) and rank < best.rank


def _is_less(one: float, other: float) -> bool:
    """Return whether a cost is less than another by more than rounding may do."""
    return one < other and not isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


# Searching lattices of any size: good nodes from above and below, and a bound of what no node can be better than.
#
# First the search goes up as Datafly does, and improves what it finds. Then three things take turns until the time is
# over. A climb goes up from the bottom, each time by the column that takes most records out of violating classes for
# what it costs; a descent goes down from what is found, and exchanges levels of two columns; and a best-first search
# looks at the nodes of least bound, so that the least bound of those that are left is proved to be one of all.

_WEIGHTS = (1.0, 0.5, 2.0, 0.0)
"""How much it counts, in one climb after the other, what a column costs."""
_SEED = 20120903
"""The same search finds the same nodes, as far as it has the time."""


class LargeLattice(Lattice):
    """A lattice without an array of its nodes: nothing is known of a node but its levels."""

    def __init__(self, highest: Levels, lowest: Levels) -> None:
        self.highest, self.lowest = highest, lowest

    @property
    def size(self) -> int:
        return prod(high - low + 1 for high, low in zip(self.highest, self.lowest, strict=True))

    def mark_satisfying(self, levels: Levels, *, everything_above: bool = True) -> None:
        """Note nothing."""

    def mark_failing(self, levels: Levels, *, everything_below: bool = True) -> None:
        """Note nothing."""

    def list_next_lower(self, levels: Levels) -> Iterator[Levels]:
        """Yield the nodes that have one quasi-identifier one level lower."""
        return (move_level(levels, place, -1) for place, low in enumerate(self.lowest) if levels[place] > low)


def move_level(levels: Levels, place: int, by: int) -> Levels:
    """Return levels of which one is higher or lower.

    Examples
    --------
    >>> move_level((1, 2, 3), 1, -1)
    (1, 1, 3)
    """
    return (*levels[:place], levels[place] + by, *levels[place + 1 :])


class LargeSearch:
    """Finds a good node of a large lattice, until the time of a search is over or the node is proved to be the best.

    Parameters
    ----------
    search : Search
        Whose lattice is a `LargeLattice`.
    """

    def __init__(self, search: Search, lattice: LargeLattice) -> None:
        self._search, self._lattice = search, lattice
        self._columns = search.objective.column_bounds
        self._random = Random(_SEED)
        self._seen: set[Levels] = set()
        # A node that is not measured and may be better than the best one waits here, or is above one that waits.
        self._waiting: list[tuple[float, tuple[int, ...], Levels]] = []
        self._begin_at(lattice.lowest)

    @property
    def bound(self) -> float:
        """A lower bound of the cost of every node that is not measured yet."""
        return self._waiting[0][0] if self._waiting else inf

    def run(self) -> bool:
        """Search; return whether the best node is proved to be the best of all."""
        try:
            self._search.measure([self._lattice.highest])
            floor = self._find_floor()
            self._begin_at(floor)
            self._descend(self._climb_straight())
            while not self._is_proved():
                for weight in _WEIGHTS:
                    self._descend(self._climb(floor, weight))
                    if self._check_best_first(20):
                        return True
                while not self._check_best_first(10):
                    self._improve()
        except CutOffError:
            return self._is_proved()
        return True

    def _find_floor(self) -> Levels:
        """Return the lowest level of each column at which the others at their highest levels satisfy the models."""
        if not self._search.checker.is_monotone:
            return self._lattice.lowest
        floor = list(self._lattice.lowest)
        for place, high in enumerate(self._lattice.highest):
            while floor[place] < high:
                tried = (*self._lattice.highest[:place], floor[place], *self._lattice.highest[place + 1 :])
                if self._search.satisfies(self._check_node(tried)):
                    break
                floor[place] += 1
        return tuple(floor)

    def _climb_straight(self) -> Levels:
        """Go up as Datafly does, by the column with most values: few checks find a satisfying node."""
        levels = self._lattice.lowest
        while not self._search.satisfies(self._check_node(levels)):
            open_columns = [place for place, high in enumerate(self._lattice.highest) if levels[place] < high]
            if not open_columns:
                break
            columns = self._search.checker.frequencies.columns
            most = max(open_columns, key=lambda place: (int(columns[place].generalised[levels[place]].max()), -place))
            levels = move_level(levels, most, 1)
        return levels

    def _climb(self, start: Levels, weight: float) -> Levels:
        """Go up until the models are satisfied, and as long as that costs less."""
        levels, node = start, self._check_node(start)
        while True:
            above = list(self._lattice.list_next_higher(levels))
            if not above:
                return levels
            chosen = max(above, key=lambda one: self._rate_step(node, one, weight))
            is_enough = self._search.satisfies(node)
            if is_enough and not self._cost(chosen) < self._cost(levels):
                return levels
            levels, node = chosen, self._check_node(chosen)

    def _rate_step(self, node: LatticeNode, above: Levels, weight: float) -> tuple[float, int]:
        """Rate a step up: by the records that no longer violate a model for what the step costs at least."""
        found = self._check_node(above)
        price = (
            max(self._compute_static_bound(above) - self._compute_static_bound(node.levels), 1e-9)
            if self._columns is not None
            else 1.0
        )
        return (node.suppressed - found.suppressed + 0.001) / price**weight, found.released

    def _descend(self, levels: Levels) -> Levels:
        """Go to better neighbours, lower ones or those of two exchanged levels, until there is none."""
        self._search.report(f"{len(self._search.nodes):,} nodes checked, best {self._format_best_value()}")
        while (better := self._find_better_neighbour(levels)) is not None:
            levels = better
        return levels

    def _find_better_neighbour(self, levels: Levels) -> Levels | None:
        cost = self._cost(levels)
        # All neighbours are rolled up from the node below all of them.
        low = tuple(max(level - 1, least) for level, least in zip(levels, self._lattice.lowest, strict=True))
        self._search.checker.counter.classes(low)
        below, above = list(self._lattice.list_next_lower(levels)), list(self._lattice.list_next_higher(levels))
        below.sort(key=self._compute_static_bound)
        for one in (*below, *above):
            if self._may_cost_less(one, cost) and self._cost(one) < cost:
                return one
        exchanged = [other for one in below for other in self._lattice.list_next_higher(one) if other != levels]
        exchanged.sort(key=self._compute_static_bound)
        return next((one for one in exchanged if self._may_cost_less(one, cost) and self._cost(one) < cost), None)

    def _improve(self) -> None:
        """Raise a few columns of the best node, and go down from there by another way."""
        best = self._search.best
        levels = self._lattice.highest if best is None else best.node.levels
        for _ in range(self._random.randint(1, 4)):
            above = list(self._lattice.list_next_higher(levels))
            if above:
                levels = self._random.choice(above)
        self._descend(self._descend_at_random(levels))

    def _descend_at_random(self, levels: Levels) -> Levels:
        """Go down at random as long as the models are satisfied."""
        below = list(self._lattice.list_next_lower(levels))
        while below:
            tried = below.pop(self._random.randrange(len(below)))
            if self._cost(tried) < self._cost(levels):
                levels, below = tried, list(self._lattice.list_next_lower(tried))
        return levels

    def _check_best_first(self, count: int) -> bool:
        """Measure the nodes of least bound; return whether the best node is proved."""
        for _ in range(count):
            if self._is_proved():
                return True
            bound, _, levels = self._waiting[0]
            self._search.measure([levels])
            # If the search is cut off before, the node still waits, and the bound counts it.
            heapq.heappop(self._waiting)
            known = max(bound, self._search.bounds[levels])
            for above in self._lattice.list_next_higher(levels):
                self._wait(above, max(known, self._compute_static_bound(above)))
        return self._is_proved()

    def _begin_at(self, levels: Levels) -> None:
        self._waiting = [(self._compute_static_bound(levels), rank_breadth_first(levels), levels)]

    def _wait(self, levels: Levels, bound: float) -> None:
        if levels not in self._seen:
            self._seen.add(levels)
            heapq.heappush(self._waiting, (bound, rank_breadth_first(levels), levels))

    def _is_proved(self) -> bool:
        """Return whether nothing that is left costs less than the best node, or satisfies if there is none."""
        best = self._search.best
        return not _is_less(self.bound, inf if best is None else best.cost)

    def _compute_static_bound(self, levels: Levels) -> float:
        if self._columns is None:
            return -inf
        return float(sum(bounds[level] for bounds, level in zip(self._columns, levels, strict=True)))

    def _may_cost_less(self, levels: Levels, cost: float) -> bool:
        return self._compute_static_bound(levels) < cost

    def _cost(self, levels: Levels) -> float:
        """Return the cost of a node; infinite if it does not satisfy the models."""
        self._search.measure([levels])
        return self._search.costs.get(levels, inf)

    def _check_node(self, levels: Levels) -> LatticeNode:
        self._search.check([levels])
        return self._search.nodes[levels]

    def _format_best_value(self) -> str:
        best = self._search.best
        known = best is not None and best.cost < inf
        return f"{self._search.objective.value(best.cost):.6g}" if best is not None and known else "nothing yet"


# From the tables of a run to the optimal node of their lattice: the search from beginning to end.

_MOST_NODES = 5_000_000
"""Nodes of a lattice beyond which it has no array, and is searched until the time is over."""
_USUAL_SECONDS = 60.0
"""How long such a search takes where nobody says it."""


@dataclass(frozen=True, kw_only=True)
class SearchTask:
    """What is searched for.

    Parameters
    ----------
    models : sequence of PrivacyModel
    limit : int
        Most records, or persons, that may be suppressed.
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
class OptimumResult:
    """What was found."""

    best: LatticeNode
    minimal: tuple[LatticeNode, ...]
    """The best first; none if the search was cut off."""
    searched: Searched


def search_lattice(tables: Tables, question: SearchTask) -> OptimumResult:
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
        raise UsageError(
            f"The lattice has more than {_MOST_NODES:,} nodes, too many to list. Ask for no list of nodes."
        )
    is_limited = question.seconds < inf or question.most_nodes is not None
    deadline = monotonic() + (question.seconds if is_limited or not is_large else _USUAL_SECONDS)
    checker = Checker.of(tables, question.models, min(question.limit, tables.record_count))
    objective = make_objective(question.objective, tables, checker, checker.frequencies)
    if is_large:
        large = LargeLattice(highest, lowest)
        search = Search(large, checker, objective, deadline, question.most_nodes, tables.report)
        answer = _search_large(search, large)
    else:
        search = Search(Lattice(highest, lowest), checker, objective, deadline, question.most_nodes, tables.report)
        answer = _search_all(search, question)
    checker.close()
    return answer


def _search_large(search: Search, lattice: LargeLattice) -> OptimumResult:
    """Search until the time is over."""
    running = LargeSearch(search, lattice)
    is_proved = running.run()
    best = _find_best_node(search, is_complete=is_proved)
    return OptimumResult(
        best.node,
        (),
        _make_search_summary(search, best, best.cost if is_proved else running.bound, is_proved=is_proved),
    )


def _search_all(search: Search, question: SearchTask) -> OptimumResult:
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
    best = _find_best_node(search, is_complete=is_complete)
    bound = best.cost if is_complete else compute_proved_bound(search)
    # Of a search that was cut off it is not known which nodes are minimal.
    known = search.minimal() if is_complete else []
    minimal = sorted(known, key=lambda node: Scored(node, search.costs.get(node.levels, inf)).rank)
    searched = _make_search_summary(search, best, bound, is_proved=is_complete or not _is_less(bound, best.cost))
    if question.lists_nodes:
        searched = replace(searched, tagged=_list_tagged_nodes(search, {node.levels for node in minimal}))
    return OptimumResult(best.node, tuple(minimal), searched)


def _find_best_node(search: Search, *, is_complete: bool) -> Scored:
    """Return the best node of a search that is over.

    Raises
    ------
    UnsatisfiableError, UsageError
        If there is none, or the metric cannot be measured at all.
    """
    best, objective = search.best, search.objective
    if best is None:
        raise _make_nothing_found(search, is_complete=is_complete)
    # A metric may have no value for any node that satisfies: where all is at the roots, there is no class to measure.
    if best.cost == inf and (reason := objective.refusal()):
        raise UsageError(f"{objective.name} cannot be the objective: {reason}. Choose another metric.")
    return best


def _make_search_summary(search: Search, best: Scored, bound: float, *, is_proved: bool) -> Searched:
    return Searched(
        nodes=search.lattice.size,
        checked=len(search.nodes),
        objective=search.objective.name,
        value=float(search.objective.value(best.cost)) + 0.0 if isfinite(best.cost) else None,
        bound=float(search.objective.value(bound)) if isfinite(bound) else None,
        is_proved=is_proved,
    )


def _make_nothing_found(search: Search, *, is_complete: bool) -> Exception:
    if not is_complete:
        return UsageError(
            "The search was cut off before it found a satisfying node. Raise its limit of time or of nodes."
        )
    limits = "" if all(low == 0 for low in search.lattice.lowest) and not _is_capped(search) else ", or the levels"
    most = format_count(search.checker.limit, "person" if search.checker.suppresses_persons else "record")
    return UnsatisfiableError(
        f"No generalisation of whole columns satisfies the models with {most} suppressed at most. "
        f"Raise {find_suppression_setting()}, or choose weaker models{limits}."
    )


def _is_capped(search: Search) -> bool:
    columns = search.checker.tables.quasi_identifiers
    return any(high < column.height for high, column in zip(search.lattice.highest, columns, strict=True))


def _list_tagged_nodes(search: Search, minimal: set[tuple[int, ...]]) -> tuple[Tagged, ...]:
    """List what is known of every node."""
    lattice = search.lattice
    satisfying, failing = lattice.satisfying.ravel().tolist(), lattice.failing.ravel().tolist()
    listed = []
    for place, levels in enumerate(lattice.list_node_levels(np.arange(lattice.size))):
        tag = "satisfies" if satisfying[place] else "fails" if failing[place] else "unknown"
        node, cost = search.nodes.get(levels), search.costs.get(levels)
        classes, released, suppressed = (None, None, None) if node is None else node[1:]
        value = None if cost is None or cost == inf else search.objective.value(cost)
        listed.append(Tagged(levels, tag, node is not None, levels in minimal, classes, released, suppressed, value))
    return tuple(listed)
