"""Any other metric as a cost of nodes: the metric itself measures the release of each."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from toolbox.loss.measuring import measure_all
from toolbox.loss.metric import LossMetric
from toolbox.methods.lattice.beside import Beside
from toolbox.methods.lattice.checking import Checked
from toolbox.methods.lattice.objective import Objective
from toolbox.privacy.model import PrivacyModel


class MeasuredCosts(Objective):
    """A metric of which nothing is known but what it says of a release.

    Parameters
    ----------
    metric : LossMetric
    beside : Beside
    models : sequence of PrivacyModel
    """

    is_cheap = False

    def __init__(self, metric: LossMetric, beside: Beside, models: Sequence[PrivacyModel]) -> None:
        self.name, self._metric, self._beside, self._models = metric.name, metric, beside, models
        self._sign = 1.0 if metric.direction == "lower" else -1.0
        self.reason = ""
        """Why the metric said nothing of a release, last."""

    def cost(self, node: Checked) -> float:
        # The people are made once, so that they outlast the release of a node.
        assert self._beside.people is not None
        with self._beside.tables.store.scope():
            comparison = self._beside.at(node.node.levels, self._models)
            measured = measure_all(comparison, [self._metric], self._beside.label)
        self.reason = "; ".join(left.reason for left in measured.left_out) or self.reason
        values = [each.value for each in measured.measures if each.attribute is None]
        return self._sign * values[0] if values else inf

    def value(self, cost: float) -> float:
        return self._sign * cost
