"""What every search of the lattice shares: nodes are checked once, tags follow, and the best node is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from time import monotonic
from typing import NamedTuple

from toolbox.methods.lattice.checking import Checked, Checker
from toolbox.methods.lattice.nodes import Lattice, Levels, breadth_first_rank
from toolbox.methods.lattice.objective import Objective
from toolbox.store.tables import LatticeNode

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
        return (rounded(self.cost), self.node.suppressed, breadth_first_rank(self.node.levels))


def rounded(cost: float) -> float:
    """Return a cost without what rounding may have added."""
    return float(f"{cost:.11g}") if isfinite(cost) else cost


def reaches(bound: float, cost: float) -> bool:
    """Return whether a lower bound proves that nothing costs less, up to rounding."""
    return bound >= cost - TOLERANCE * max(1.0, abs(cost))


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
    objective: Objective
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
        """Check nodes that have not been checked; tag what follows, and measure those that satisfy the models.

        Raises
        ------
        CutOffError
        """
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
