"""The search of Incognito: which nodes are checked, and what follows from each check.

References
----------
LeFevre, DeWitt and Ramakrishnan (2005). Incognito: efficient full-domain k-anonymity. doi:10.1145/1066157.1066164
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from toolbox.errors import UsageError
from toolbox.methods.lattice.checking import ModelChecker
from toolbox.methods.lattice.nodes import (
    FrequencySet,
    FrequencySource,
    Lattice,
    Levels,
    NodeCounter,
    fetch_frequencies,
    rank_breadth_first,
)
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import LatticeNode, Tables

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
