"""Metrics that are sums over cells, as costs of nodes.

What all cells of a column cost at a level is known before any node is counted. Only what suppressed records cost more
depends on the node.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sqlalchemy import select

from toolbox.loss.cells import CellMetric
from toolbox.methods.arrays.types import Numbers, Reals
from toolbox.methods.lattice.beside import Beside
from toolbox.methods.lattice.checking import Checked
from toolbox.methods.lattice.counting import Counter
from toolbox.methods.lattice.labels import Labels
from toolbox.methods.lattice.nodes import Levels
from toolbox.methods.lattice.objective import Objective


class CellCosts(Objective):
    """A cell metric.

    Parameters
    ----------
    metric : CellMetric
    counter : Counter
    costs : sequence of list of array
        For each column and level, what a cell of each value costs, times what it counts in the table.
    records : sequence of array
        For each column, how many records have each value.
    """

    def __init__(
        self,
        metric: CellMetric,
        counter: Counter,
        costs: Sequence[Sequence[Reals]],
        records: Sequence[Numbers],
    ) -> None:
        self.name, self._metric, self._counter = metric.name, metric, counter
        # What suppression costs more.
        self._more = [[levels[-1] - cost for cost in levels] for levels in costs]
        self._totals = [
            np.array([float(cost @ counts) for cost in levels]) for levels, counts in zip(costs, records, strict=True)
        ]
        # Somebody's cell costs at least the least that it costs at this level or at one above; the root is above all.
        self._least = [
            np.array([float(np.minimum.reduce(levels[level:]) @ counts) for level, _ in enumerate(levels)])
            for levels, counts in zip(costs, records, strict=True)
        ]
        self._known: dict[tuple[int, Levels], Reals] = {}

    @property
    def column_bounds(self) -> list[Reals]:
        return self._least

    def cost(self, node: Checked) -> float:
        levels = node.node.levels
        cost = sum(float(total[level]) for total, level in zip(self._totals, levels, strict=True))
        if not node.node.suppressed:
            return cost
        sizes = node.classes.sizes[node.violating]
        for index, values in enumerate(node.classes.values):
            cost += float(self._more_of(index, levels)[values[node.violating]] @ sizes)
        return cost

    def value(self, cost: float) -> float:
        return 1 - cost if self._metric.direction == "higher" else cost

    def _more_of(self, index: int, levels: Levels) -> Reals:
        """Return what the cells of each value of a group of columns cost more, if they are suppressed."""
        group = self._counter.groups[index]
        own = index, tuple(levels[position] for position in group.positions)
        if own not in self._known:
            each = zip(group.positions, group.parts, own[1], strict=True)
            self._known[own] = np.sum([self._more[column][level][part] for column, part, level in each], axis=0)
        return self._known[own]


def cell_costs(
    metric: CellMetric, beside: Beside, counter: Counter, labels: Sequence[Labels], records: Sequence[Numbers]
) -> CellCosts | str:
    """Ask a metric what every cell costs; a text says why it has no value."""
    comparison = beside.of_labels()
    store, costs = comparison.store, []
    shares = metric.coefficients(comparison)
    for index, (names, share) in enumerate(zip(labels, shares, strict=True)):
        if (reason := metric.unmeasured(comparison, index)) is not None:
            return f"{comparison.people.domains[index].name}: {reason}"
        asked = metric.costs(comparison, index).subquery()
        cells = comparison.release.cells[index]
        rows = select(cells.c.text, asked.c.cost).join_from(cells, asked, asked.c.cell_id == cells.c.cell_id)
        of_text = {str(text): float(cost) for text, cost in store.rows(rows)}
        # No record has a value that only the population has, so that its labels cost nothing.
        of_label = np.array([of_text.get(text, 0.0) for text in names.texts]) * share
        costs.append([of_label[at] for at in names.at])
    return CellCosts(metric, counter, costs, records)
