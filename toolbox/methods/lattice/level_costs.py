"""Metrics of the levels of whole columns, as costs of nodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from toolbox.loss.distances import LevelMetric
from toolbox.methods.arrays.types import Reals
from toolbox.methods.lattice.checking import Checked
from toolbox.methods.lattice.objective import Objective
from toolbox.published.tables import Domain


class LevelCosts(Objective):
    """A metric of levels.

    Parameters
    ----------
    metric : LevelMetric
    domains : sequence of Domain
    records : int
    """

    def __init__(self, metric: LevelMetric, domains: Sequence[Domain], records: int) -> None:
        self.name, self._metric, self._domains, self._records = metric.name, metric, domains, records
        self._parts = len(domains) if metric.averages else 1
        self._sign = 1.0 if metric.direction == "lower" else -1.0
        # Whether some or all are suppressed; what lies between costs no less than one of the two.
        self._least = [
            np.minimum.accumulate(
                np.array(
                    [
                        min(self._cost_of(domain, level, share) for share in (0.0, 1.0))
                        for level in range(domain.height, -1, -1)
                    ]
                )
            )[::-1]
            for domain in domains
        ]

    @property
    def column_bounds(self) -> list[Reals]:
        return self._least

    def cost(self, node: Checked) -> float:
        heights = tuple(domain.height for domain in self._domains)
        # Where nobody is in a class, or all are at the roots, nothing is to be seen but roots.
        is_seen = node.node.released > 0 and node.node.levels != heights
        levels = node.node.levels if is_seen else heights
        share = node.node.suppressed / self._records if is_seen else 1.0
        return sum(self._cost_of(domain, level, share) for domain, level in zip(self._domains, levels, strict=True))

    def value(self, cost: float) -> float:
        return self._sign * cost

    def _cost_of(self, domain: Domain, level: int, suppressed: float) -> float:
        return self._sign * self._metric.score(level, domain, suppressed) / self._parts
