"""The search: sweeps at the prices of the release before, and the best of what they find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from toolbox.methods.arrays.judging import Judge
from toolbox.methods.arrays.types import Numbers, Reals
from toolbox.methods.local_recoding.classes import Classes, classes_of
from toolbox.methods.local_recoding.loss import bits_lost, prices
from toolbox.methods.local_recoding.nodes import Nodes, nodes_to_visit
from toolbox.methods.local_recoding.placing import all_placed
from toolbox.methods.local_recoding.rows import Rows
from toolbox.methods.local_recoding.sweep import everybody, random_keys, sweep
from toolbox.methods.local_recoding.whole_columns import cheapest_node

_MOST_NODES = 20_000
_MOST_ROWS = 800_000
"""Most rows in all sweeps, so that a table on which nearly every record is unique takes no longer."""
_SAME = 1e-9
"""The share of a loss that is no difference."""


@dataclass(frozen=True)
class Search:
    """The search, with all that decides which classes are formed."""

    importances: Reals
    """What a bit of each column counts."""
    least: int
    """Fewest records of a class."""
    sweeps: int
    """Most of them; fewer for very many rows."""
    judge: Judge | None
    report: Callable[[str], None]

    def best(self, rows: Rows) -> Classes:
        """Form classes of all rows in several sweeps, and return those that lose least.

        If whole columns at one level each, at a node that is visited, lose less, those are returned.
        """
        keys, input_prices = random_keys(rows), self._prices(rows, None)
        charged, input_averages = input_prices, _averages(rows, input_prices)
        nodes = nodes_to_visit(input_averages, _MOST_NODES)
        least_lost, best = np.inf, None
        sweeps = max(1, min(self.sweeps, _MOST_ROWS // len(rows.sizes)))
        for index in range(1, sweeps + 1):
            self.report(f"sweep {index} of {sweeps}")
            order = np.argsort(_paid(nodes, _averages(rows, charged)), kind="stable")
            of_row = sweep(rows, keys, nodes[order], self.least, self.judge)
            classes = all_placed(rows, of_row, charged, self.judge)
            histograms = rows.histograms(classes.of_rows)
            lost = self._lost(rows, histograms)
            if lost < least_lost:
                least_lost, best = lost, classes
            charged = self._prices(rows, histograms)
        assert best is not None
        paid = _paid(nodes, input_averages)
        options = paid * rows.records < least_lost * (1 - _SAME)
        whole = cheapest_node(everybody(rows, keys), nodes[options], paid[options], self.least, self.judge)
        return best if whole is None else classes_of(rows, whole)

    def _prices(self, rows: Rows, histograms: list[Numbers] | None) -> list[Reals]:
        each = enumerate(zip(rows.columns, self.importances, strict=True))
        return [
            importance * prices(column, None if histograms is None else histograms[index])
            for index, (column, importance) in each
        ]

    def _lost(self, rows: Rows, histograms: list[Numbers]) -> float:
        each = zip(rows.columns, histograms, self.importances, strict=True)
        return float(sum(importance * bits_lost(column, histogram) for column, histogram, importance in each))


def _averages(rows: Rows, charged: list[Reals]) -> list[Reals]:
    """Return what a record pays on average at each level of each quasi-identifier."""
    return [price @ column.counts / rows.records for column, price in zip(rows.columns, charged, strict=True)]


def _paid(nodes: Nodes, averages: list[Reals]) -> Reals:
    """Return what a record pays on average at each node."""
    paid = np.zeros(len(nodes))
    for index, average in enumerate(averages):
        paid += average[nodes[:, index]]
    return paid
