"""What an objective says where it knows nothing."""

from __future__ import annotations

from math import inf

from helpers.lattices import checker_of

from toolbox.methods.lattice.checking import Checked
from toolbox.methods.lattice.objectives import NodeObjective
from toolbox.store.engine.store import Store


class Height(NodeObjective):
    """How far up a node is."""

    name = "height"

    def cost(self, node: Checked) -> float:
        return float(sum(node.node.levels))

    def value(self, cost: float) -> float:
        return cost


def test_an_objective_that_bounds_nothing(store: Store) -> None:
    (checked,) = checker_of(store).check([(1, 1)])
    assert Height().column_bounds is None
    assert Height().bound(checked) == -inf
    assert Height().cost(checked) == 2
