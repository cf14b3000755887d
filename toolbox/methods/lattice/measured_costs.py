"""Any other metric as a cost of nodes: the metric itself measures the release of each."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from toolbox.loss.measuring import Measured, measure_all
from toolbox.loss.metric import LossMetric
from toolbox.methods.lattice.beside import Beside
from toolbox.methods.lattice.checking import Checked
from toolbox.methods.lattice.objective import Objective
from toolbox.privacy.k_anonymity import KAnonymity
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

    def cost(self, node: Checked) -> float:
        values = self._values(self._measured(node.node.levels, self._models))
        return self._sign * values[0] if values else inf

    def value(self, cost: float) -> float:
        return self._sign * cost

    def refusal(self) -> str:
        ungeneralised = [0 for _ in self._beside.tables.quasi_identifiers]
        measured = self._measured(ungeneralised, [KAnonymity(k=1)])
        reasons = "; ".join(left.reason for left in measured.left_out)
        return "" if self._values(measured) else reasons or "it has no value for the whole table"

    def _measured(self, levels: Sequence[int], models: Sequence[PrivacyModel]) -> Measured:
        """Measure the release at a node, its violating classes suppressed."""
        # The people are made once, so that they outlast the release of a node.
        assert self._beside.people is not None
        with self._beside.tables.store.scope():
            return measure_all(self._beside.at(levels, models), [self._metric], self._beside.label)

    @staticmethod
    def _values(measured: Measured) -> list[float]:
        """List the values for the whole table."""
        return [each.value for each in measured.measures if each.attribute is None]
