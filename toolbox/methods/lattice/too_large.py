"""Searching lattices of any size: good nodes from above and below, and a bound of what no node can be better than.

First the search goes up as Datafly does, and improves what it finds. Then three things take turns until the time is
over. A climb goes up from the bottom, each time by the column that takes most records out of violating classes for what
it costs; a descent goes down from what is found, and exchanges levels of two columns; and a best-first search looks at
the nodes of least bound, so that the least bound of those that are left is proved to be one of all.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from math import inf, prod
from random import Random

from toolbox.methods.lattice.nodes import Lattice, Levels, breadth_first_rank
from toolbox.methods.lattice.searching import CutOffError, Search, reaches
from toolbox.store.tables import LatticeNode

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

    def directly_below(self, levels: Levels) -> Iterator[Levels]:
        """Yield the nodes that have one quasi-identifier one level lower."""
        return (moved(levels, place, -1) for place, low in enumerate(self.lowest) if levels[place] > low)


def moved(levels: Levels, place: int, by: int) -> Levels:
    """Return levels of which one is higher or lower.

    Examples
    --------
    >>> moved((1, 2, 3), 1, -1)
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
        self._waiting: list[tuple[float, tuple[int, ...], Levels]] = []
        self._seen: set[Levels] = set()
        self.bound = self._static(lattice.lowest)
        """A lower bound of the cost of every node."""

    def run(self) -> bool:
        """Search; return whether the best node is proved to be the best of all."""
        try:
            self._search.measure([self._lattice.highest])
            floor = self._floor()
            self._wait(floor, self._static(floor))
            self._descend(self._straight_up())
            while not self._is_proved():
                for weight in _WEIGHTS:
                    self._descend(self._climb(floor, weight))
                    if self._best_first(20):
                        return True
                while not self._best_first(10):
                    self._improve()
        except CutOffError:
            return self._is_proved()
        return True

    def _floor(self) -> Levels:
        """Return the lowest level of each column at which the others at their highest levels satisfy the models."""
        if not self._search.checker.is_monotone:
            return self._lattice.lowest
        floor = list(self._lattice.lowest)
        for place, high in enumerate(self._lattice.highest):
            while floor[place] < high:
                tried = (*self._lattice.highest[:place], floor[place], *self._lattice.highest[place + 1 :])
                if self._search.satisfies(self._checked(tried)):
                    break
                floor[place] += 1
        return tuple(floor)

    def _straight_up(self) -> Levels:
        """Go up as Datafly does, by the column with most values: few checks find a satisfying node."""
        levels = self._lattice.lowest
        while not self._search.satisfies(self._checked(levels)):
            open_columns = [place for place, high in enumerate(self._lattice.highest) if levels[place] < high]
            if not open_columns:
                break
            columns = self._search.checker.frequencies.columns
            most = max(open_columns, key=lambda place: (int(columns[place].generalised[levels[place]].max()), -place))
            levels = moved(levels, most, 1)
        return levels

    def _climb(self, start: Levels, weight: float) -> Levels:
        """Go up until the models are satisfied, and as long as that costs less."""
        levels, node = start, self._checked(start)
        while True:
            above = list(self._lattice.directly_above(levels))
            if not above:
                return levels
            chosen = max(above, key=lambda one: self._gain(node, one, weight))
            is_enough = self._search.satisfies(node)
            if is_enough and not self._cost(chosen) < self._cost(levels):
                return levels
            levels, node = chosen, self._checked(chosen)

    def _gain(self, node: LatticeNode, above: Levels, weight: float) -> tuple[float, int]:
        """Rate a step up: by the records that no longer violate a model for what the step costs at least."""
        found = self._checked(above)
        price = max(self._static(above) - self._static(node.levels), 1e-9) if self._columns is not None else 1.0
        return (node.suppressed - found.suppressed + 0.001) / price**weight, found.released

    def _descend(self, levels: Levels) -> Levels:
        """Go to better neighbours, lower ones or those of two exchanged levels, until there is none."""
        self._search.report(f"{len(self._search.nodes):,} nodes checked, best {self._best_value()}")
        while (better := self._better_neighbour(levels)) is not None:
            levels = better
        return levels

    def _better_neighbour(self, levels: Levels) -> Levels | None:
        cost = self._cost(levels)
        # All neighbours are rolled up from the node below all of them.
        low = tuple(max(level - 1, least) for level, least in zip(levels, self._lattice.lowest, strict=True))
        self._search.checker.counter.classes(low)
        below, above = list(self._lattice.directly_below(levels)), list(self._lattice.directly_above(levels))
        below.sort(key=self._static)
        for one in (*below, *above):
            if self._may_cost_less(one, cost) and self._cost(one) < cost:
                return one
        exchanged = [other for one in below for other in self._lattice.directly_above(one) if other != levels]
        exchanged.sort(key=self._static)
        return next((one for one in exchanged if self._may_cost_less(one, cost) and self._cost(one) < cost), None)

    def _improve(self) -> None:
        """Raise a few columns of the best node, and go down from there by another way."""
        best = self._search.best
        levels = self._lattice.highest if best is None else best.node.levels
        for _ in range(self._random.randint(1, 4)):
            above = list(self._lattice.directly_above(levels))
            if above:
                levels = self._random.choice(above)
        self._descend(self._down(levels))

    def _down(self, levels: Levels) -> Levels:
        """Go down at random as long as the models are satisfied."""
        below = list(self._lattice.directly_below(levels))
        while below:
            tried = below.pop(self._random.randrange(len(below)))
            if self._cost(tried) < self._cost(levels):
                levels, below = tried, list(self._lattice.directly_below(tried))
        return levels

    def _best_first(self, count: int) -> bool:
        """Check the nodes of least bound; return whether the best node is proved."""
        for _ in range(count):
            if self._is_proved() or not self._waiting:
                return True
            bound, _, levels = heapq.heappop(self._waiting)
            self._checked(levels)
            known = max(bound, self._search.bounds[levels])
            for above in self._lattice.directly_above(levels):
                self._wait(above, max(known, self._static(above)))
        return self._is_proved()

    def _wait(self, levels: Levels, bound: float) -> None:
        if levels not in self._seen:
            self._seen.add(levels)
            heapq.heappush(self._waiting, (bound, breadth_first_rank(levels), levels))
        self.bound = max(self.bound, self._waiting[0][0])

    def _is_proved(self) -> bool:
        best = self._search.best
        if self._waiting:
            self.bound = max(self.bound, self._waiting[0][0])
        return best is not None and reaches(self.bound, best.cost)

    def _static(self, levels: Levels) -> float:
        if self._columns is None:
            return -inf
        return float(sum(bounds[level] for bounds, level in zip(self._columns, levels, strict=True)))

    def _may_cost_less(self, levels: Levels, cost: float) -> bool:
        return self._static(levels) < cost

    def _cost(self, levels: Levels) -> float:
        """Return the cost of a node; infinite if it does not satisfy the models."""
        self._search.measure([levels])
        return self._search.costs.get(levels, inf)

    def _checked(self, levels: Levels) -> LatticeNode:
        self._search.check([levels])
        return self._search.nodes[levels]

    def _best_value(self) -> str:
        best = self._search.best
        known = best is not None and best.cost < inf
        return f"{self._search.objective.value(best.cost):.6g}" if best is not None and known else "nothing yet"
