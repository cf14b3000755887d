"""A metric of which nothing is known is measured on the tables of each node."""

from __future__ import annotations

from math import inf

from helpers.lattices import NODES, checker_of, objective
from pytest import approx

from toolbox.loss.granularity import IyengarLoss
from toolbox.loss.distances import RelativeDistance
from toolbox.methods.lattice.beside import Beside
from toolbox.methods.lattice.measured_costs import MeasuredCosts
from toolbox.store.store import Store


def test_the_metric_itself_is_asked(store: Store) -> None:
    checker = checker_of(store)
    found = MeasuredCosts(IyengarLoss(), Beside(checker.tables), checker.models)
    costs = [found.cost(checked) for checked in checker.check(NODES[:3])]
    assert costs == approx([6 / 14, 7 / 14, 6.5 / 14])
    assert not found.is_cheap
    (checked,) = checker.check([(0, 0)])
    assert found.bound(checked) == -inf


def test_metrics_of_levels_are_measured_so(store: Store) -> None:
    checker = checker_of(store)
    found = objective(checker, "relative-distance")
    assert isinstance(found, MeasuredCosts)
    (checked,) = checker.check([(1, 1)])
    assert found.value(found.cost(checked)) == approx(1.5)
    assert RelativeDistance.direction == "lower"


def test_no_table_of_a_node_stays(store: Store) -> None:
    checker = checker_of(store)
    found = objective(checker, "relative-distance")
    before, after = (_tables_after(found, checker, store) for _ in range(2))
    assert before == after


def _tables_after(found: object, checker: object, store: Store) -> int:
    (checked,) = checker.check([(1, 1)])  # type: ignore[attr-defined]
    found.cost(checked)  # type: ignore[attr-defined]
    return len(store._metadata.tables)
