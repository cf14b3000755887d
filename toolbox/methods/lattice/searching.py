"""What every search of the lattice shares: nodes are checked once, in an order, and what follows is tagged.

At the end stands the search of Incognito, which checks the lattices of subsets first.

References
----------
LeFevre, DeWitt and Ramakrishnan (2005). Incognito: efficient full-domain k-anonymity. doi:10.1145/1066157.1066164
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite, prod
from time import monotonic
from typing import NamedTuple, TypeAlias

import numpy as np

from toolbox.errors import UsageError
from toolbox.methods.arrays.combinations import Codes, Reals
from toolbox.methods.lattice.checking import Checked, Checker, ModelChecker
from toolbox.methods.lattice.nodes import (
    FrequencySet,
    FrequencySource,
    Lattice,
    Levels,
    NodeCounter,
    fetch_frequencies,
    rank_breadth_first,
)
from toolbox.methods.lattice.objectives import NodeObjective
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import LatticeNode, Tables

# What every search of the lattice shares: nodes are checked once, tags follow, and the best node is kept.

TOLERANCE = 1e-11
"""Costs that differ by less, as a share, are the same; rounding alone makes them differ."""
_TOGETHER = 64
"""Nodes that are judged together where a statement judges them."""

Rank = tuple[float, int, tuple[int, ...]]


class CutOffError(Exception):
    """The time or the nodes that a search may take are used up."""


class Scored(NamedTuple):
    """A node that satisfies the models, with its cost."""

    node: LatticeNode
    cost: float

    @property
    def rank(self) -> Rank:
        """A sort key, the best first: the cost, then fewest suppressed records, then breadth-first."""
        return (round_cost(self.cost), self.node.suppressed, rank_breadth_first(self.node.levels))


def round_cost(cost: float) -> float:
    """Return a cost without what rounding may have added."""
    return float(f"{cost:.11g}") if isfinite(cost) else cost


@dataclass
class Search:
    """One search.

    Parameters
    ----------
    lattice : Lattice
    checker : Checker
    objective : Objective
    deadline : float, optional
        When to stop, on the clock `time.monotonic`.
    most_nodes : int, optional
        How many nodes are checked at most.
    report : callable
        Is told how far the search is.
    """

    lattice: Lattice
    checker: Checker
    objective: NodeObjective
    deadline: float = inf
    most_nodes: int | None = None
    report: Callable[[str], None] = lambda message: None
    nodes: dict[Levels, LatticeNode] = field(default_factory=dict)
    """Every node that was checked."""
    costs: dict[Levels, float] = field(default_factory=dict)
    """The cost of every satisfying node that was measured."""
    bounds: dict[Levels, float] = field(default_factory=dict)
    """A lower bound of the costs above a node, for those that were checked."""
    best: Scored | None = None

    @property
    def together(self) -> int:
        """How many nodes are best checked together."""
        return 1 if self.checker.asks_sizes_only else _TOGETHER

    def satisfies(self, node: LatticeNode) -> bool:
        """Return whether few enough records are in violating classes."""
        return node.suppressed <= self.checker.limit

    def check(self, nodes: Sequence[Levels]) -> None:
        """Check nodes that have not been checked; tag what follows, and measure those that satisfy the models."""
        left = [levels for levels in dict.fromkeys(nodes) if levels not in self.nodes]
        allowed = left if self.most_nodes is None else left[: self.most_nodes - len(self.nodes)]
        for checked in self.checker.check(allowed):
            self._note(checked)
            if monotonic() > self.deadline:
                raise CutOffError
        if len(allowed) < len(left):
            raise CutOffError

    def measure(self, nodes: Sequence[Levels]) -> None:
        """Measure satisfying nodes whose cost is not known yet; those that were not checked are checked."""
        self.check(nodes)
        left = [levels for levels in nodes if levels not in self.costs and self.satisfies(self.nodes[levels])]
        for checked in self.checker.check(left):
            self._score(checked)
            if monotonic() > self.deadline:
                raise CutOffError

    def _note(self, checked: Checked) -> None:
        node = checked.node
        self.nodes[node.levels] = node
        self.bounds[node.levels] = self.objective.bound(checked)
        is_satisfying = self.satisfies(node)
        if is_satisfying:
            self.lattice.mark_satisfying(node.levels, everything_above=self.checker.is_monotone)
            if self.objective.is_cheap:
                self._score(checked)
        else:
            follows = self.checker.is_monotone or self.checker.is_hopeless(checked.classes)
            self.lattice.mark_failing(node.levels, everything_below=follows)

    def _score(self, checked: Checked) -> None:
        cost = self.objective.cost(checked)
        self.costs[checked.node.levels] = cost
        scored = Scored(checked.node, cost)
        if self.best is None or scored.rank < self.best.rank:
            self.best = scored

    def minimal(self) -> list[LatticeNode]:
        """List the satisfying nodes below which none satisfies, once all of them are known."""
        return [self.nodes[levels] for levels in self.lattice.minimal()]

    def batches(self, nodes: Sequence[Levels]) -> Iterator[Sequence[Levels]]:
        """Yield nodes as many together as are best checked together."""
        for start in range(0, len(nodes), self.together):
            yield nodes[start : start + self.together]


# The orders in which the searches check nodes until it is known of every node whether it satisfies the models.
#
# Each finds all minimal nodes. They go by tags: what is above a satisfying node satisfies, what is below a failing
# one fails. Where that does not follow, because suppression does not help a model, all of them go up from the bottom,
# and leave out what is above a satisfying node, and what cannot satisfy because of too small classes.
#
# El Emam et al. (2009). A globally optimal k-anonymity method for the de-identification of health data.
# doi:10.1197/jamia.M3144
#
# Kohlmayer, Prasser, Eckert, Kemper and Kuhn (2012). Flash: efficient, stable and optimal k-anonymity.
# doi:10.1109/SocialCom-PASSAT.2012.52
#
# LeFevre, DeWitt and Ramakrishnan (2005). Incognito: efficient full-domain k-anonymity. doi:10.1145/1066157.1066164

Order: TypeAlias = Callable[[Search], None]


def check_every_node(search: Search) -> None:
    """Check every node, and go by no tags: the exhaustive search, MinGen."""
    nodes = search.lattice.list_node_levels(np.arange(search.lattice.size))
    for start in range(0, len(nodes), 1000):
        search.report(f"{start:,} of {len(nodes):,} nodes")
        search.measure(nodes[start : start + 1000])


def check_subsets_first(search: Search) -> None:
    """Check small subsets of the quasi-identifiers first, and bottom up, as Incognito does."""
    if not search.checker.is_monotone:
        check_bottom_up(search)
        return
    for nodes in search.lattice.rounds():
        search.report(f"{len(search.nodes):,} nodes checked, {len(nodes):,} in this round")
        search.check(nodes)


def check_bottom_up(search: Search) -> None:
    """Check one height after the other, where nothing follows for the nodes above a satisfying one."""
    heights = search.lattice.compute_heights()
    for height in range(int(heights.max()) + 1):
        is_open = (heights == height) & ~search.lattice.covered() & ~search.lattice.failing
        nodes = search.lattice.list_node_levels(np.flatnonzero(is_open))
        search.report(f"height {height}: {len(nodes):,} nodes")
        search.check(nodes)


def check_halves(search: Search) -> None:
    """Check the nodes at half the height of a part of the lattice, then the halves that are left, as OLA does."""
    if not search.checker.is_monotone:
        check_bottom_up(search)
        return
    lattice = search.lattice
    heights = lattice.compute_heights()
    top = tuple(length - 1 for length in heights.shape)
    parts = [(tuple(0 for _ in top), top)]
    while parts:
        low, high = parts.pop()
        if not (nodes := _list_middle_nodes(search, heights, low, high)[: search.together]):
            continue
        search.report(f"{len(search.nodes):,} nodes checked")
        search.check(nodes)
        middle = [lattice.place(levels) for levels in nodes]
        # What is found out in the halves is known of the other nodes in the middle, when it is their turn.
        parts.append((low, high))
        parts += [(low, place) if lattice.satisfying[place] else (place, high) for place in middle]


def _list_middle_nodes(search: Search, heights: Codes, low: Levels, high: Levels) -> list[Levels]:
    """Return the open nodes of a part of the lattice that are nearest to half of its height."""
    part = tuple(slice(least, most + 1) for least, most in zip(low, high, strict=True))
    lattice = search.lattice
    is_open = ~(lattice.satisfying[part] | lattice.failing[part])
    places = np.argwhere(is_open)
    if not len(places):
        return []
    places += np.array(low)
    height = heights[tuple(places.T)]
    away = np.abs(height - (sum(low) + sum(high)) // 2)
    nearest = places[height == height[away.argmin()]] + np.array(lattice.lowest)
    return [tuple(levels) for levels in nearest.tolist()]


def check_paths(search: Search) -> None:
    """Build paths of open nodes from the bottom up, and check each by halving it, as Flash does."""
    if not search.checker.is_monotone:
        check_bottom_up(search)
        return
    _Flash(search).run()


class _Flash:
    """The search of Flash; several paths are halved together where nodes are best checked together."""

    def __init__(self, search: Search) -> None:
        self._search, self._lattice = search, search.lattice
        self._cost = _compute_criterion(search)
        self._waiting: list[tuple[float, tuple[int, ...], Levels]] = []

    def run(self) -> None:
        heights = self._lattice.compute_heights()
        order = np.lexsort((self._cost.ravel(), heights.ravel()))
        starts = iter(self._lattice.list_node_levels(order))
        while batch := self._paths(starts):
            self._search.report(f"{len(self._search.nodes):,} nodes checked")
            self._check_halves(batch)

    def _paths(self, starts: Iterator[Levels]) -> list[list[Levels]]:
        """Build as many paths as are best checked together, which share no node."""
        taken: set[Levels] = set()
        built: list[list[Levels]] = []
        while len(built) < self._search.together:
            start = self._next(starts, taken)
            if start is None:
                break
            path = self._path(start, taken)
            taken.update(path)
            built.append(path)
        return built

    def _next(self, starts: Iterator[Levels], taken: set[Levels]) -> Levels | None:
        while self._waiting:
            levels = heapq.heappop(self._waiting)[-1]
            if self._is_open(levels) and levels not in taken:
                return levels
        for levels in starts:
            if self._is_open(levels):
                if levels not in taken:
                    return levels
                self._wait(levels)
                return None
        return None

    def _path(self, start: Levels, taken: set[Levels]) -> list[Levels]:
        path = [start]
        while above := [
            levels
            for levels in self._lattice.list_next_higher(path[-1])
            if self._is_open(levels) and levels not in taken
        ]:
            path.append(min(above, key=self._rank))
        return path

    def _check_halves(self, built: Sequence[list[Levels]]) -> None:
        spans = [(path, 0, len(path) - 1) for path in built]
        while spans:
            middles = [path[(low + high) // 2] for path, low, high in spans]
            self._search.check([levels for levels in dict.fromkeys(middles) if self._is_open(levels)])
            left = []
            for path, low, high in spans:
                middle = (low + high) // 2
                if self._lattice.satisfying[self._lattice.place(path[middle])]:
                    left.append((path, low, middle - 1))
                else:
                    left.append((path, middle + 1, high))
                    self._wait_for(path[middle])
            spans = [(path, low, high) for path, low, high in left if low <= high]

    def _wait_for(self, failing: Levels) -> None:
        """Begin other paths with the open nodes above a failing one, before those that were in line."""
        for above in self._lattice.list_next_higher(failing):
            if self._is_open(above):
                self._wait(above)

    def _wait(self, levels: Levels) -> None:
        heapq.heappush(self._waiting, (*self._rank(levels), levels))

    def _rank(self, levels: Levels) -> tuple[float, tuple[int, ...]]:
        return float(self._cost[self._lattice.place(levels)]), rank_breadth_first(levels)

    def _is_open(self, levels: Levels) -> bool:
        place = self._lattice.place(levels)
        return not (self._lattice.satisfying[place] or self._lattice.failing[place])


def _compute_criterion(search: Search) -> Reals:
    """Return by what Flash prefers nodes: the least cost where it is known, otherwise the share of levels."""
    if (bounds := search.objective.column_bounds) is not None:
        return search.lattice.sum_by_level(bounds)
    return search.lattice.sum_by_level([np.arange(high + 1) / max(high, 1) for high in search.lattice.highest])


# The search of Incognito: which nodes are checked, and what follows from each check.

_MOST_NODES = 50_000_000
"""Nodes of all subsets' lattices together, beyond which a search is not begun."""
_ROWS = 1_000_000
"""Rows of frequency sets that are judged together; bounds the memory of a search."""


@dataclass
class LatticeSearch:
    """One search of the lattice of one table.

    Parameters
    ----------
    tables : Tables
    models : sequence of PrivacyModel
        Monotone ones.
    threshold : int
        Most records that may be in violating classes, which are then suppressed.
    """

    tables: Tables
    models: Sequence[PrivacyModel]
    threshold: int

    def __post_init__(self) -> None:
        heights = [column.height for column in self.tables.quasi_identifiers]
        if prod(height + 2 for height in heights) > _MOST_NODES:
            nodes = prod(height + 1 for height in heights)
            raise UsageError(
                f"The lattice has {nodes:,} nodes, too many to search. Use fewer quasi-identifiers, Mondrian, or Flash."
            )
        self._lattice = Lattice(heights)
        self._combinations = NodeCounter(fetch_frequencies(self.tables))
        self._source = FrequencySource(self.tables, self.models)
        self._judge = ModelChecker(self.tables, self.models, self._source.values, self.threshold)
        # Every other class of a satisfying node is suppressed, and has a record at least.
        self._least = max(model.least_records for model in self.models)
        self._most_classes = self.tables.record_count // self._least + self.threshold

    def minimal_nodes(self) -> list[LatticeNode]:
        """Find every minimal node that satisfies the models."""
        heights = [column.height for column in self.tables.quasi_identifiers]
        satisfying: dict[Levels, LatticeNode] = {}
        for nodes in self._lattice.rounds():
            together = sum(level < height for level, height in zip(nodes[0], heights, strict=True))
            self.tables.report(f"{together} quasi-identifiers together: {len(nodes):,} nodes")
            passing = {node.levels: node for node in self._judged(nodes) if node.suppressed <= self.threshold}
            self._lattice.mark(passing, [levels for levels in nodes if levels not in passing])
            satisfying |= passing
        return [satisfying[levels] for levels in self._lattice.minimal()]

    def find_best_node(self, minimal: Sequence[LatticeNode]) -> LatticeNode:
        """Find the node that is best by `preference` among all that satisfy the models.

        Without suppression that is a minimal node: more classes merge, the higher a node is. With suppression a higher
        node may release more classes than those below it, because violating classes merge into satisfying ones. So the
        search goes up from the minimal nodes, as far as something better may be above.

        Parameters
        ----------
        minimal : sequence of LatticeNode
            All minimal nodes, as from `minimal_nodes`.
        """
        best = min(minimal, key=rank_by_preference)
        seen = {node.levels for node in minimal}
        reached = list(minimal)
        while hopeful := [node for node in reached if self._may_be_below_a_better(node, best)]:
            above = {levels for node in hopeful for levels in self._lattice.list_next_higher(node.levels)} - seen
            seen |= above
            self.tables.report(f"above the minimal nodes: {len(above):,} nodes")
            reached = list(self._judged(sorted(above)))
            best = min([best, *reached], key=rank_by_preference)
        return best

    def close(self) -> None:
        """Drop the tables of the search."""
        self.tables.store.drop(*self._judge.values.values())

    def _may_be_below_a_better(self, node: LatticeNode, best: LatticeNode) -> bool:
        """Return whether a node above this one may be better.

        Each of its satisfying classes holds a satisfying class of this node, or consists of records that are suppressed
        here.
        """
        most = min(node.classes, node.released + node.suppressed // self._least)
        return node.suppressed > 0 and most >= best.released

    def _judged(self, nodes: Sequence[Levels]) -> Iterator[LatticeNode]:
        """Judge nodes. Skip those that cannot satisfy the models."""
        for batch in self._batches(nodes):
            violations = self._judge.violations(list(batch.values()))
            counts = zip(violations.classes.tolist(), violations.records.tolist(), strict=True)
            for (levels, classes), (violating, records) in zip(batch.items(), counts, strict=True):
                yield LatticeNode(levels, len(classes.sizes), len(classes.sizes) - violating, records)

    def _batches(self, nodes: Sequence[Levels]) -> Iterator[dict[Levels, FrequencySet]]:
        """Yield frequency sets in batches. Skip nodes with too many classes to satisfy any model."""
        batch: dict[Levels, FrequencySet] = {}
        rows = 0
        for levels in nodes:
            if self._combinations.has_more_classes(levels, self._most_classes):
                continue
            classes = self._combinations.classes(levels)
            sizes = classes.sizes
            if len(sizes) > self._most_classes:
                continue
            # Fewer records are fewer persons, which take longer to count.
            if self.tables.person_pairs is not None and sizes[sizes < self._least].sum() > self.threshold:
                continue
            batch[levels] = self._source.describe(levels, self._combinations, classes)
            rows += len(sizes) + sum(len(histogram.records) for histogram in batch[levels].histograms)
            if rows >= _ROWS:
                yield batch
                batch, rows = {}, 0
        if batch:
            yield batch


def rank_by_preference(node: LatticeNode) -> tuple[int, ...]:
    """Return a sort key of nodes, the best first: most released classes, fewest suppressed records, breadth-first.

    Examples
    --------
    >>> low = LatticeNode((0, 1), classes=5, released=3, suppressed=2)
    >>> high = LatticeNode((1, 1), classes=4, released=4, suppressed=0)
    >>> min([low, high], key=rank_by_preference).levels
    (1, 1)
    """
    return (-node.released, node.suppressed, *rank_breadth_first(node.levels))


def rank_as_in_2010(node: LatticeNode) -> tuple[int, ...]:
    """Return the sort key of the original toolbox, which suppressed nobody: most classes, released or not."""
    return (-node.classes, *rank_breadth_first(node.levels))
