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
from toolbox.methods.lattice.frequency_sets import combinations_of, with_sensitive_values
from toolbox.methods.lattice.judging import FrequencySet, Judge
from toolbox.methods.lattice.nodes import Lattice, Levels
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import Node, Tables

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
        heights = [one.height for one in self.tables.quasi_identifiers]
        if prod(height + 2 for height in heights) > _MOST_NODES:
            nodes = prod(height + 1 for height in heights)
            raise UsageError(
                f"The lattice has {nodes:,} nodes, too many to search. Use fewer quasi-identifiers, or Mondrian."
            )
        self._lattice = Lattice(heights)
        judged = dict.fromkeys(model.attribute for model in self.models if model.attribute is not None)
        fetched = {attribute: with_sensitive_values(self.tables, attribute) for attribute in judged}
        self._combinations = combinations_of(self.tables)
        self._with_values = [combinations for combinations, _ in fetched.values()]
        values = {attribute: values for attribute, (_, values) in fetched.items()}
        self._judge = Judge(self.tables, self.models, self.threshold, values)
        # Every other class of a satisfying node is suppressed, and has a record at least.
        least = max(model.least_records for model in self.models)
        self._most_classes = self.tables.record_count // least + self.threshold

    def minimal_nodes(self) -> list[Node]:
        """Find every minimal node that satisfies the models."""
        heights = [one.height for one in self.tables.quasi_identifiers]
        classes: dict[Levels, int] = {}
        for nodes in self._lattice.rounds():
            together = sum(level < height for level, height in zip(nodes[0], heights, strict=True))
            self.tables.report(f"{together} quasi-identifiers together: {len(nodes):,} nodes")
            found = dict(self._satisfying(nodes))
            self._lattice.mark(found, [levels for levels in nodes if levels not in found])
            classes |= found
        self.tables.store.drop(*self._judge.values.values())
        return [Node(levels, classes[levels]) for levels in self._lattice.minimal()]

    def _satisfying(self, nodes: Sequence[Levels]) -> Iterator[tuple[Levels, int]]:
        """Check nodes; yield those that satisfy the models, with the number of their classes."""
        for batch in self._batches(nodes):
            failing = self._judge.failing(list(batch.values()))
            for (levels, made), fails in zip(batch.items(), failing, strict=True):
                if not fails:
                    yield levels, len(made.sizes)

    def _batches(self, nodes: Sequence[Levels]) -> Iterator[dict[Levels, FrequencySet]]:
        """Make the frequency sets of nodes, but of those that have too many classes to satisfy any model."""
        batch: dict[Levels, FrequencySet] = {}
        rows = 0
        for levels in nodes:
            sizes = self._combinations.sizes(levels)
            if len(sizes) > self._most_classes:
                continue
            histograms = [one.histogram(levels) for one in self._with_values]
            batch[levels] = FrequencySet(sizes, histograms)
            rows += len(sizes) + sum(len(one.records) for one in histograms)
            if rows >= _ROWS:
                yield batch
                batch, rows = {}, 0
        if batch:
            yield batch
